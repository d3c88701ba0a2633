#!/usr/bin/env bash
# Runs sparse_product on matrices whose products are known, in every format, and on files that are
# no matrices: what it says of each, and of which line.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

expect() { # FILE ROWS COLUMNS ENTRIES NORM
  local file=$directory/$1 format
  for format in csr coo ell hyb jds sell; do
    if ! diff <(printf 'rows        %s\ncolumns     %s\nentries     %s\nnorm        %s\n' "${@:2}") \
      <("$program" "$file" "$format" | grep -v '^difference'); then
      echo "sparse_product $1 $format: not what was expected" >&2
      exit 1
    fi
  done
}

# x = (1, 1/2, 1/3, 1/4)
printf '%%%%MatrixMarket matrix coordinate real general\n4 4 7
1 1 3\n1 3 1\n3 2 2\n3 3 4\n3 4 1\n4 1 1\n4 4 1\n' >"$directory/general"
expect general 4 4 7 4.39854774 # (10/3, 0, 31/12, 5/4)

# The same with comments, blank lines, upper case, tabs, CR LF, other numbers and no last line end.
printf '%b' '%%MatrixMarket MATRIX Coordinate REAL General\r\n%\n% made by hand\r\n\n4 4\t7\r\n\n' \
  ' 1 1 +3.0e0\n% 4 4 100\n1 3 .1E1\r\n3\t2\t2.\n3 3 4  \n3 4 1\n   \n4 1 1\n4 4 1' \
  >"$directory/decorated"
expect decorated 4 4 7 4.39854774

# A mark before the text, and a comment behind blanks.
printf '\357\273\277%%%%MatrixMarket matrix coordinate real general\n \t%% by hand\n2 2 3\n1 1 4\n1 2 2\n  %%\n2 2 1\n' \
  >"$directory/marked"
expect marked 2 2 3 5.02493781 # (5, 1/2)

# Below the diagonal and on it: (2 · 1 + 1/2, 1 + 5 / 3, 5 / 2)
printf '%%%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 2\n2 1 1\n3 2 5\n' \
  >"$directory/symmetric"
expect symmetric 3 3 5 4.42844342
# (-1/2, 1 - 5/3, 5/2)
printf '%%%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n3 2 5\n' \
  >"$directory/skew"
expect skew 3 3 4 2.63523138
# (1, 0) of a matrix that is wider than high, one place twice
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 2\n1 2\n2 3\n' \
  >"$directory/pattern"
expect pattern 2 3 3 1.05409255
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >"$directory/empty"
expect empty 0 0 0 0
printf '%%%%MatrixMarket matrix coordinate real general\n3 0 0\n' >"$directory/narrow"
expect narrow 3 0 0 0

# As Fortran writes it; the smallest double; a number of more digits than a double has: (1000 + 3/2, 2^-1074 + 10)
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1.0D+03\n1 2 3
2 1 4.9406564584124654e-324\n2 2 20.000000000000000000000000000001\n' >"$directory/digits"
expect digits 2 2 4 1001.54992

refuse() { # LINE WORDS TEXT: the text is refused for the words in that line
  local said
  printf '%b' "$3" >"$directory/bad.mtx"
  if said=$("$program" "$directory/bad.mtx" 2>&1); then
    printf 'sparse_product took:\n%b' "$3" >&2
    exit 1
  fi
  if [[ $said != *"bad.mtx:$1: "*"$2"* ]]; then
    printf 'sparse_product said "%s", not "%s" of line %s of:\n%b' "$said" "$2" "$1" "$3" >&2
    exit 1
  fi
}

general='%%MatrixMarket matrix coordinate real general\n'
refuse 1 'not the banner' ''
refuse 1 'such as %%MatrixMarket matrix coordinate real general' 'rows columns entries\n'
refuse 1 'not the banner' '%MatrixMarket matrix coordinate real general\n1 1 0\n'
refuse 1 'not the banner' '%%MatrixMarket matrix coordinate real\n1 1 0\n'
refuse 1 'not the banner' '%%MatrixMarket matrix coordinate real general now\n1 1 0\n'
refuse 1 'array is not' '%%MatrixMarket matrix array real general\n1 1\n1\n'
refuse 1 'complex is not real' '%%MatrixMarket matrix coordinate complex general\n1 1 0\n'
refuse 1 'hermitian is not general' '%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n'
refuse 1 'pattern cannot' '%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n'
refuse 2 'sizes are missing' "$general"
refuse 4 'sizes are missing' "$general%\n\n"
refuse 3 'not the numbers' "$general%\n2 2\n"
refuse 2 'not the numbers' "${general}2 2 1 1\n1 1 1\n"
refuse 2 'not the numbers' "${general}2 -2 1\n1 1 1\n"
refuse 2 'not the numbers' "${general}2 2 99999999999999999999\n"
refuse 2 '2^31' "${general}2147483648 1 0\n"
refuse 2 'not square' '%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n'
refuse 4 'entries are missing' "${general}2 2 2\n1 1 1\n"
refuse 3 'entries are missing' "${general}2 2 1000000000000000\n"
refuse 5 'more than 1' "${general}2 2 1\n1 1 1\n%\n2 2 2\n"
refuse 3 'not a row' "${general}2 2 1\n1 1\n"
refuse 3 'not a row' "${general}2 2 1\n1 1 1 1\n"
refuse 3 'not a row' "${general}2 2 1\n1 x 1\n"
refuse 3 'not a row' "${general}2 2 1\n1.0 1 1\n"
refuse 3 'not a row' '%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n'
refuse 5 'is not a real number' "${general}2 2 2\n1 1 1\n\n2 2 1,5\n"
refuse 3 'is not a real number' "${general}2 2 1\n1 1 1e999\n"
refuse 3 'is not a real number' "${general}2 2 1\n1 1 nan\n"
refuse 3 'is not a real number' "${general}2 2 1\n1 1 0x1\n"
refuse 3 'is not a whole number' '%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n'
refuse 3 'is not a whole number' '%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 10000000000000000\n'
refuse 3 'is not a whole number' '%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 9007199254740993\n'
refuse 3 'is not a whole number' '%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1e3\n'
refuse 3 'is not a real number' "${general}2 2 1\n1 1 -1e-400\n"
refuse 3 'is not a real number' "${general}2 2 1\n1 1 1d999\n"
refuse 3 'is not a real number' "${general}2 2 1\n1 1 1e\n"
refuse 3 'is not a real number' "${general}2 2 1\n1 1 .\n"
refuse 3 'is not a real number' "${general}2 2 1\n1 1 --1\n"
refuse 3 '2147483647 × 1 with 0 entries' "${general}2147483647 1 0\n"
refuse 4 '1 × 16777345 with 1 entries' "${general}1 16777345 1\n1 1 1\n"
refuse 4 '(3, 1) lies outside the matrix of 2 × 2' "${general}2 2 2\n1 1 1\n3 1 1\n"
refuse 3 '(1, 3) lies outside' "${general}2 2 1\n1 3 1\n"
refuse 3 '(0, 1) lies outside' "${general}2 2 1\n0 1 1\n"
refuse 3 '(1, 2) lies above' '%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n'
refuse 3 '(1, 1) lies on' '%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n'
refuse 1 'a return without a newline' '%%MatrixMarket matrix coordinate real general\r1 1 1\r1 1 1\r'
refuse 3 'a return without a newline' "${general}1 1 1\n1 1 1\r%\n"
refuse 3 'there is a zero byte' "${general}2 2 1\n1 1 1\0000\n"

# y = (10/3, 0, 31/12, 5/4), to the last bit.
"$program" "$directory/general" ell "$directory/y.mtx" >/dev/null
diff <(head -2 "$directory/y.mtx") <(printf '%%%%MatrixMarket matrix array real general\n4 1\n')
diff <(tail -n +3 "$directory/y.mtx") <(awk 'BEGIN {printf "%.17g\n0\n%.17g\n1.25\n", 3 + 1 / 3, 1 + 4 / 3 + 1 / 4}')
if said=$("$program" "$directory/general" csr "$directory/none/y.mtx" 2>&1); then
  echo "sparse_product wrote into a folder that there is not" >&2
  exit 1
fi
[[ $said == *"none/y.mtx: No such file"* ]]

refuses 1 'No such file' "$directory/missing"
refuses 1 'Is a directory' "$directory"
refuses 2 'usage: '
refuses 2 'sparse_product: there is no format dense; there are: csr coo ell hyb jds sell' \
  "$directory/general" dense

needs_output "$directory/general"

write_to() {
  "$program" "$directory/general" csr "$1"
}
writes_whole

# Infinities of both are equal; and terms that cancel leave what rounding leaves of their magnitudes.
printf '%%%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 1.7e308\n1 2 1.7e308\n' \
  >"$directory/infinite"
expect infinite 1 2 2 inf
awk 'BEGIN {
  print "%%MatrixMarket matrix coordinate real general"
  print 1, 12, 12
  for (c = 1; c <= 12; c++) print 1, c, c % 3 == 2 ? c : (c % 3 == 1 ? c : -c) "e16" }' >"$directory/cancelling"
for format in csr coo ell hyb jds sell; do
  "$program" "$directory/cancelling" $format >/dev/null
done

# Norms whose squares are no numbers of f64: 5 times 10^e from 3 and 4.
for e in 307 160 -160 -200 -307 -320; do
  printf '%%%%MatrixMarket matrix coordinate real general\n3 1 2\n1 1 3e%s\n3 1 -4e%s\n' $e $e >"$directory/scaled"
  "$program" "$directory/scaled" >"$directory/said"
  awk -v e=$e '/^norm/ { norm = $2 } END { exit norm !~ "^(5|4.9+[0-9]*)e" (e < 0 ? e : "[+]" e) "$" }' "$directory/said"
done
