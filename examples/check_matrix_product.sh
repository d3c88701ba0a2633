#!/usr/bin/env bash
# Runs matrix_product on a product that is known, on a larger one for every variant, and on files
# that are no matrices.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

printf '1 2 3\n4 5 6\n' >"$directory/a"
printf '7,8\n9,10\n\n11,12\n' >"$directory/b"
diff <(printf '58 64\n139 154\n') <("$program" "$directory/a" "$directory/b" 2>/dev/null)

# 37 × 70 by 70 × 45, whole numbers: every variant gives awk's product to the last digit.
matrix() { awk -v rows="$1" -v columns="$2" 'BEGIN {
  for (i = 0; i < rows; i++) for (j = 0; j < columns; j++)
    printf "%d%s", (i * 7 + j * 13) % 19 - 9, j + 1 < columns ? " " : "\n" }'; }
matrix 37 70 >"$directory/a"
matrix 70 45 >"$directory/b"
awk 'NR == FNR {for (k = 1; k <= NF; k++) a[FNR, k] = $k; rows = FNR; inner = NF; next}
     {for (j = 1; j <= NF; j++) b[FNR, j] = $j; columns = NF}
     END {for (i = 1; i <= rows; i++) for (j = 1; j <= columns; j++) {
       sum = 0
       for (k = 1; k <= inner; k++) sum += a[i, k] * b[k, j]
       printf "%d%s", sum, j < columns ? " " : "\n"}}' "$directory/a" "$directory/b" \
  >"$directory/right"
for variant in auto row_per_block shared_row naive tiled_16 tiled_32; do
  "$program" "$directory/a" "$directory/b" "$variant" 2>/dev/null | cmp - "$directory/right"
done

printf '1 2\n3\n' >"$directory/ragged"
for bad in "$directory/ragged" "$directory/missing"; do
  if "$program" "$directory/a" "$bad" >/dev/null 2>&1; then
    echo "matrix_product took $bad" >&2
    exit 1
  fi
done
refuses 1 'ragged:2: this row has 1 numbers, not 2' "$directory/ragged" "$directory/b"
bad() { # WORDS TEXT
  printf "$2" >"$directory/bad"
  refuses 1 "$1" "$directory/a" "$directory/bad"
}
bad 'bad:1: column 2: x is not a number' '1 x\n'
bad 'bad:2: column 1: 0x10 is not a number' '1\n0x10\n'
bad 'bad:1: column 2: 1e39 is too large' '1 1e39\n'
bad 'bad:1: column 2: -1e999 is too large' '1 -1e999\n'
bad 'bad:1: column 2 is empty' '1,,2\n3,4,5\n'
bad 'bad:2: column 1 is empty' '3,4\n,3,4\n'
bad 'bad:1: column 3 is empty' '3,4,\n'
bad 'bad:1: column 2 is empty' '3 , \t,4\n'
bad 'bad:1: column 1 is empty' ' ,\n'
bad 'bad:2: there is a zero byte' '5 6\n1 2\0 3 4\n'
bad 'bad:1: there is a return without a newline' '1 2\r3 4\r'
refuses 1 'Is a directory' "$directory" "$directory/b"
refuses 1 'Is a directory' "$directory/a" "$directory"

# A mark before the text, returns and newlines, blanks about commas.
printf '\357\273\277 1 ,2\t,\t3\r\n\r\n4 5\t 6 ' >"$directory/decorated"
diff <(printf '22 28\n49 64\n') <("$program" "$directory/decorated" <(printf '1 2\n3 4\n5 6\n') 2>/dev/null)
refuses 2 'there is no variant fastest; there are: auto row_per_block' "$directory/a" "$directory/b" fastest
if "$program" "$directory/b" "$directory/b" 2>/dev/null; then
  echo "matrix_product multiplied matrices that do not go" >&2
  exit 1
fi

needs_output "$directory/a" "$directory/b"

# is_right C A B: of two texts, the product is that text, and the host says so too.
is_right() {
  printf "$2" >"$directory/a"
  printf "$3" >"$directory/b"
  "$program" "$directory/a" "$directory/b" >"$directory/c" 2>/dev/null
  diff <(printf '%s\n' "$1") "$directory/c"
}
is_right inf '1e38 1\n' '10\n1\n'
is_right -inf ' -1e38 1\n' '10\n1\n'
# Infinities that meet: NaN, whatever its sign; or the first of them, where a product and its addition
# are rounded once, so that the second product is still finite.
printf '1e38 1e38\n' >"$directory/a"
printf '10\n-10\n' >"$directory/b"
"$program" "$directory/a" "$directory/b" >"$directory/c" 2>/dev/null
grep -qxE -- '-?nan|inf' "$directory/c"

# Centred rows times ones: sums of terms that cancel are as far apart as rounding leaves them.
awk 'BEGIN { for (k = 1; k < 500; k++) { printf "%.9g ", sin(k) * 1e4; sum += sin(k) * 1e4 }
  printf "%.9g\n", -sum }' >"$directory/a"
seq 500 | sed "s|.*|1|" >"$directory/b"
for variant in auto row_per_block shared_row naive tiled_16 tiled_32; do
  "$program" "$directory/a" "$directory/b" $variant >/dev/null 2>&1
done
