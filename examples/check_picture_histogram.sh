#!/usr/bin/env bash
# Runs picture_histogram on pictures whose counts awk knows, and on what it must refuse.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
numbers=$(dirname "$program")/picture_numbers

# expect FORMAT WIDTH HEIGHT CHANNEL…: a picture of pseudo-random bytes, and what is said of it.
expect() {
  local format=$1 width=$2 height=$3
  shift 3
  awk -v n="$((width * height * $#))" 'BEGIN {
    for (x = 1; n-- > 0;) { x = (x * 1103515245 + 12345) % 2147483648; print int(x / 65536) % 251 } }' \
    >"$directory/bytes"
  "$numbers" write "$format" "$width" "$height" "$directory/in.png" <"$directory/bytes"
  awk -v names="$*" 'BEGIN { channels = split(names, name, " ") }
    { c = (NR - 1) % channels; count[c, $1]++; sum[c] += $1; pixels[c]++ }
    END {
      for (c = 0; c < channels; c++) {
        best = 0
        for (b = 0; b < 256; b++) if (count[c, b] + 0 > count[c, best] + 0) best = b
        printf "%-10s mean %7.3f, most frequent %3d: %u of %u\n", name[c + 1], sum[c] / pixels[c],
          best, count[c, best], pixels[c]
      }
    }' "$directory/bytes" >"$directory/right"
  if ! "$program" "$directory/in.png" "$directory/out.svg" | diff "$directory/right" -; then
    echo "picture_histogram $format $width × $height: not what was expected" >&2
    exit 1
  fi
  if [ "$(grep -c '<title>' "$directory/out.svg")" -ne $# ]; then
    echo "picture_histogram $format: no curve for each of $# channels" >&2
    exit 1
  fi
}

expect rgb 97 61 red green blue
expect rgba 33 40 red green blue opacity
expect gray 101 7 brightness
expect ga 5 300 brightness opacity

# One colour: each curve is one step, as high as the drawing.
awk 'BEGIN { for (i = 0; i < 70; i++) print "255 0 128" }' | "$numbers" write rgb 10 7 "$directory/plain.png"
"$program" "$directory/plain.png" "$directory/plain.svg" >/dev/null
if [ "$(grep -c ' V20\.00 ' "$directory/plain.svg")" -ne 3 ] ||
  [ "$(grep -o ' V20\.00 ' "$directory/plain.svg" | wc -l)" -ne 3 ]; then
  echo "picture_histogram: the curves of one colour are not one step each" >&2
  exit 1
fi

refuses 2 usage "$directory/in.png"
refuses 1 none.png "$directory/none.png" "$directory/out.svg"
refuses 1 'none/out.svg: No such file' "$directory/in.png" "$directory/none/out.svg"

needs_output "$directory/in.png" "$directory/out.svg"

# Channels of 16 bits, 257 times the byte that they are to become, and a palette: no gamma changes them.
means() { # RIGHT…: of the picture on the standard input, in base64
  base64 -d >"$directory/deep.png"
  "$program" "$directory/deep.png" "$directory/out.svg" >"$directory/said"
  diff <(printf '%s\n' "$@") <(sed -E 's/ +mean +([0-9.]+),.*/ \1/' "$directory/said")
}
means 'brightness 67.500' \
  <<<iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAAAAACB2fwVAAAADUlEQVR42mNoaGBnBwADmgEPEFz37wAAAABJRU5ErkJggg==
means 'brightness 67.500' 'opacity 153.000' \
  <<<iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAQAAAAOu2tCAAAAEUlEQVR42mNoaPj/n53d2BgAE0gDc0xF8ywAAAAASUVORK5CYII=
means 'red 64.500' 'green 130.500' 'blue 149.500' \
  <<<iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAIAAAAr0DSeAAAAFUlEQVR42mNoaGBnP3GCkfHfv+RkAB/wBWPZbN7oAAAAAElFTkSuQmCC
means 'red 64.500' 'green 130.500' 'blue 149.500' 'opacity 153.000' \
  <<<iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAYAAACksqPJAAAAGUlEQVR42mNoaGBnP3Hi/39Gxn//kpONjQFDegfHUoKfyAAAAABJRU5ErkJggg==
means 'red 64.500' 'green 130.500' 'blue 149.500' 'opacity 153.000' \
  <<<iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAMAAADD/I+4AAAABlBMVEWAB8gB/mPlSCEIAAAAAnRSTlMz/6/6R4UAAAALSURBVHjaY2BkAAAABQACQsJEnwAAAABJRU5ErkJggg==

write_to() {
  "$program" "$directory/in.png" "$1"
}
writes_whole
