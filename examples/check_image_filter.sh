#!/usr/bin/env bash
# Runs image_filter on pictures whose answers are known, with every variant.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
numbers=$(dirname "$program")/picture_numbers

# The variants, as the program lists them; all but TENSOR take masks of floats.
known='auto basic constant tiled_halo tiled_cached small register tensor separable'
all=$("$program" blur none none fastest 2>&1 | sed -n 's/.*there are: //p') || true
for variant in $known; do
  [[ " $all " == *" $variant "* ]] || { echo "image_filter does not know $variant, but: $all" >&2; exit 1; }
done
ways=$(printf '%s\n' $all | grep -vxE 'tensor|separable')

# expect NAME FILTER FORMAT: the numbers on the standard input are what the filter makes of NAME.
expect() {
  local variant
  cat >"$directory/right"
  for variant in $ways $([ "$2" = sharpen ] || echo separable); do
    "$program" "$2" "$directory/$1.png" "$directory/out.png" "$variant"
    if ! "$numbers" read "$3" "$directory/out.png" | diff "$directory/right" -; then
      echo "image_filter $2 $1 $variant: not what was expected" >&2
      exit 1
    fi
  done
}

# table ROWS COLUMNS EXPRESSION: a number for each y and x; rows' elements stand in one line.
table() {
  awk -v rows="$1" -v columns="$2" "BEGIN { for (y = 0; y < rows; y++) for (x = 0; x < columns; x++)
    printf \"%d%s\", $3, x + 1 < columns ? \" \" : \"\\n\" }"
}

# A picture of one colour stays as it is, and has no edges.
table 7 27 'x % 3 == 0 ? 200 : x % 3 == 1 ? 100 : 51' | tee "$directory/plain" |
  "$numbers" write rgb 9 7 "$directory/plain.png"
expect plain blur rgb <"$directory/plain"
table 7 9 0 | expect plain edges gray

# A dot of 255 becomes the mask, 256 being 1: the binomials of 4, multiplied with each other.
table 9 27 'x == 13 && y == 4 ? 255 : 0' | "$numbers" write rgb 9 9 "$directory/dot.png"
awk 'BEGIN { split("1 4 6 4 1", b, " ")
  for (y = -4; y <= 4; y++) for (x = -4; x <= 4; x++)
    printf "0 %d 0%s", (x >= -2 && x <= 2 && y >= -2 && y <= 2) ? b[x + 3] * b[y + 3] : 0,
      x < 4 ? " " : "\n" }' | expect dot blur rgb

# A dot of 50 on 20 becomes five times 50 less four times 20, and takes its 30 more from each
# neighbour, which saturates: 20 · 5 - 3 · 20 - 50 = -10.
table 5 15 'x == 7 && y == 2 ? 50 : 20' | "$numbers" write rgb 5 5 "$directory/spot.png"
beside='(x == 7 && (y == 1 || y == 3)) || (y == 2 && (x == 4 || x == 10))'
table 5 15 "x == 7 && y == 2 ? 170 : $beside ? 0 : 20" | expect spot sharpen rgb
table 7 27 'x % 3 == 0 ? 200 : x % 3 == 1 ? 100 : 51' | expect plain sharpen rgb

# A step of 40 between columns 5 and 6 is 4 × 40 steep on both sides of it, also in the first row.
table 5 12 'x < 6 ? 10 : 50' | "$numbers" write gray 12 5 "$directory/step.png"
table 5 12 'x == 5 || x == 6 ? 160 : 0' | expect step edges gray

# A step of 255 down is steeper than a byte can say.
table 6 4 'y < 3 ? 0 : 255' | "$numbers" write gray 4 6 "$directory/cliff.png"
table 6 4 'y == 2 || y == 3 ? 255 : 0' | expect cliff edges gray

# One pixel: everything outside reflects it.
echo 77 | "$numbers" write gray 1 1 "$directory/pixel.png"
echo 77 77 77 | expect pixel blur rgb

# What is transparent stays so, and has no say in the colours around it: opaque on the left, on the
# right nothing, of another colour. The mask's columns are binomials of 4, 16 being 1.
table 6 40 'x % 4 == 3 ? (x < 20 ? 255 : 0) : x < 20 ? 45 * (x % 4 + 1) : 250' |
  "$numbers" write rgba 10 6 "$directory/half.png"
awk 'BEGIN { split("16 16 16 15 11 5 1 0 0 0", share, " ")
  for (y = 0; y < 6; y++) for (x = 1; x <= 10; x++) {
    opacity = int(255 * share[x] / 16 + 0.5)
    for (c = 1; c <= 3; c++)
      printf "%d ", opacity == 0 ? 0 : int(int(45 * c * share[x] / 16 + 0.5) * 255 / opacity + 0.5)
    printf "%d%s", opacity, x < 10 ? " " : "\n" } }' | expect half blur rgba
table 6 20 'x % 2 == 1 ? (x < 10 ? 255 : 0) : x < 10 ? 255 : 0' | tee "$directory/white" |
  "$numbers" write ga 10 6 "$directory/paper.png" # white, and black that nobody sees
table 6 20 'x % 2 == 1 ? (x < 10 ? 255 : 0) : 0' | expect paper edges ga
table 6 20 'x % 2 == 1 ? (x < 10 ? 255 : 51) : 255 - 50 * (x >= 10)' |
  "$numbers" write ga 10 6 "$directory/veil.png" # 205 of a fifth is 245 on white: 4 × 10 steep
table 6 20 'x % 2 == 1 ? (x < 10 ? 255 : 51) : 40 * (x == 8 || x == 10)' | expect veil edges ga

printf 'no picture' >"$directory/text.png"
for bad in "$directory/text.png" "$directory/missing.png"; do
  if "$program" blur "$bad" "$directory/out.png" 2>"$directory/message"; then
    echo "image_filter took $bad" >&2
    exit 1
  fi
  grep -q "^image_filter: $bad: " "$directory/message"
done
if "$program" blur "$directory/dot.png" "$directory/none/out.png" 2>/dev/null; then
  echo "image_filter wrote into a folder that there is not" >&2
  exit 1
fi
refuses 2 'image_filter: there is no filter emboss; there are: blur sharpen edges' emboss "$directory/dot.png" "$directory/out.png"
refuses 2 "image_filter: that filter's mask is not the product of a column and a row" \
  sharpen "$directory/dot.png" "$directory/out.png" separable
refuses 2 "image_filter: there is no variant fastest; there are: $all" \
  blur "$directory/dot.png" "$directory/out.png" fastest

# 16 bits, 257 times 128 and 7: no gamma changes them.
base64 -d >"$directory/gray16.png" <<<iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAAAAACB2fwVAAAADUlEQVR42mNoaGBnBwADmgEPEFz37wAAAABJRU5ErkJggg==
echo 68 68 68 68 68 68 | expect gray16 blur rgb

# OUT may be IN, and standard output.
write_to() {
  "$program" blur "$directory/half.png" "$1"
}
writes_whole
cp "$directory/half.png" "$directory/same.png"
"$program" blur "$directory/same.png" "$directory/same.png"
cmp "$directory/same.png" "$directory/whole/right"
write_to /dev/stdout | cmp "$directory/whole/right" -
