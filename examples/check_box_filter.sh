#!/usr/bin/env bash
# Runs box_filter on pictures of numbers, against means that are added up pixel by pixel.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
numbers=$(dirname "$program")/picture_numbers

# noise WIDTH HEIGHT CHANNELS: bytes without a pattern, a row of pixels in each line.
noise() {
  awk -v columns=$(($1 * $3)) -v rows="$2" 'BEGIN { for (y = 0; y < rows; y++)
    for (x = 0; x < columns; x++) {
      state = (state * 1103 + 12345) % 1000003
      printf "%d%s", state % 256, x + 1 < columns ? " " : "\n"
    } }'
}

# brute_force CHANNELS RADIUS: what the numbers on the standard input become.
brute_force() {
  awk -v channels="$1" -v radius="$2" '
    { for (x = 1; x <= NF; x++) pixel[NR, x] = $x }
    END { for (y = 1; y <= NR; y++) for (x = 1; x <= NF; x++) {
      sum = count = 0
      for (j = y - radius < 1 ? 1 : y - radius; j <= NR && j <= y + radius; j++)
        for (i = x - radius * channels; i <= NF && i <= x + radius * channels; i += channels)
          if (i >= 1) { sum += pixel[j, i]; count++ }
      printf "%d%s", int(sum / count + 0.5), x < NF ? " " : "\n"
    } }'
}

# expect gray|rgb WIDTH HEIGHT RADIUS…: of noise, box_filter makes what brute_force does.
expect() {
  local kind=$1 width=$2 height=$3 channels=1 radius
  shift 3
  [ "$kind" = gray ] || channels=3
  noise "$width" "$height" $channels >"$directory/right"
  "$numbers" write "$kind" "$width" "$height" "$directory/in.png" <"$directory/right"
  for radius in "$@"; do
    brute_force $channels "$radius" <"$directory/right" >"$directory/next"
    mv "$directory/next" "$directory/right"
  done
  "$program" "$directory/in.png" "$directory/out.png" "$@" >"$directory/said"
  if ! "$numbers" read "$kind" "$directory/out.png" | cmp "$directory/right" - ||
    [ "$(grep -c '^radius [0-9]*: table of u32 .* on [^ ]' "$directory/said")" -ne $# ]; then
    echo "box_filter of $width × $height $kind, radius $*: not what was expected" >&2
    exit 1
  fi
}

# Every radius up to one that reaches all of the picture from each of its pixels, and beyond.
for radius in {0..19}; do
  expect gray 19 17 "$radius"
done
expect rgb 37 29 0
expect rgb 37 29 1
expect rgb 37 29 5
expect rgb 37 29 200

# The largest radius that there is.
noise 19 17 1 | "$numbers" write gray 19 17 "$directory/in.png"
for radius in 19 18446744073709551615; do
  "$program" "$directory/in.png" "$directory/$radius.png" $radius >"$directory/said"
done
cmp "$directory/19.png" "$directory/18446744073709551615.png"

# One pixel, one column, and rows and columns of more than one tile of a scan.
expect gray 1 1 0
expect rgb 1 1 3
expect gray 1 50 4
expect gray 9001 2 7
expect rgb 2 5003 3

# Three filters, one after the other.
expect rgb 33 18 4 0 2

# What is transparent stays so, and has no say in the colours around it.
echo 100 255 10 0 200 255 | "$numbers" write ga 3 1 "$directory/in.png"
"$program" "$directory/in.png" "$directory/out.png" 1 >"$directory/said"
"$numbers" read ga "$directory/out.png" | diff <(echo 100 128 150 170 199 128) -
echo 9 8 7 0 9 8 7 0 | "$numbers" write rgba 2 1 "$directory/in.png"
"$program" "$directory/in.png" "$directory/out.png" 1 >"$directory/said"
"$numbers" read rgba "$directory/out.png" | diff <(echo 0 0 0 0 0 0 0 0) -

# So many pixels that their sum takes more than 32 bits: white stays white. Not at the quick level.
if [ "${PRIM_TEST_LEVEL-}" != quick ]; then
  row=$(printf '255 %.0s' {1..16448})
  for ((y = 0; y < 1025; y++)); do echo "${row% }"; done >"$directory/right"
  "$numbers" write gray 16448 1025 "$directory/in.png" <"$directory/right"
  "$program" "$directory/in.png" "$directory/out.png" 16448 >"$directory/said"
  if ! "$numbers" read gray "$directory/out.png" | cmp "$directory/right" - ||
    ! grep -q '^radius 16448: table of u64 ' "$directory/said"; then
    echo "box_filter of a large picture: not what was expected" >&2
    exit 1
  fi
fi

printf 'no picture' >"$directory/text.png"
echo 77 | "$numbers" write gray 1 1 "$directory/in.png"
refuses 2 'usage: ' "$directory/in.png" "$directory/out.png"
refuses 1 "box_filter: $directory/text.png: " "$directory/text.png" "$directory/out.png" 1
refuses 1 "box_filter: $directory/missing.png: " "$directory/missing.png" "$directory/out.png" 1
refuses 1 "box_filter: $directory/none/out.png: " "$directory/in.png" "$directory/none/out.png" 1
for radius in '' -1 +1 ' 1' 1.5 2x 18446744073709551616; do
  refuses 2 "box_filter: $radius is not a radius" "$directory/in.png" "$directory/out.png" "$radius"
done

needs_output "$directory/in.png" "$directory/out.png" 1

# 16 bits, 257 times 128 and 7: no gamma changes them.
base64 -d >"$directory/gray16.png" <<<iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAAAAACB2fwVAAAADUlEQVR42mNoaGBnBwADmgEPEFz37wAAAABJRU5ErkJggg==
"$program" "$directory/gray16.png" "$directory/out.png" 0 >/dev/null
diff <(echo 128 7) <("$numbers" read gray "$directory/out.png")

# OUT may be IN.
write_to() {
  "$program" "$directory/in.png" "$1" 1
}
writes_whole
cp "$directory/in.png" "$directory/same.png"
"$program" "$directory/same.png" "$directory/same.png" 1 >/dev/null
cmp "$directory/same.png" "$directory/whole/right"
