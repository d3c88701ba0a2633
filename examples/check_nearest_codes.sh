#!/usr/bin/env bash
# Runs nearest_codes on pictures whose nearest blocks awk finds by loops, on one whose lower half is
# its upper half in another contrast, on one colour, and on what it must refuse.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
export LC_ALL=C
numbers=$(dirname "$program")/picture_numbers

# Waves, and as much noise as NOISE says: neighbours are alike, and no two blocks are equal.
pixels() { # WIDTH HEIGHT NOISE
  awk -v width="$1" -v height="$2" -v noise="$3" 'BEGIN {
    for (state = 1; i < width * height; i++) {
      x = i % width; y = int(i / width); state = (state * 16807) % 2147483647
      value = int(128 + 50 * sin(x / 4 + y / 7) + 40 * sin(x * y / 90) + noise * (state / 2147483647 - 0.5))
      if (value < 0) value = 0
      if (value > 255) value = 255
      print value
    } }'
}

# What the program is to print of the pixels on the standard input, but for times.
oracle() { # WIDTH HEIGHT QUERIES
  awk -v width="$1" -v height="$2" -v queries="$3" '
    # Block b of those in the rows from `top` on: its pixels less their mean to feature[of, 0 …].
    function cut(of, b, top,   i, sum, squares) {
      x[of] = b % across * 4; y[of] = top + int(b / across) * 4
      for (i = 0; i < 256; i++) sum += feature[of, i] = pixel[(y[of] + int(i / 16)) * width + x[of] + i % 16]
      for (i = 0; i < 256; i++) squares += (feature[of, i] -= sum / 256) ^ 2
      norm[of] = sqrt(squares)
    }
    { pixel[NR - 1] = $1 }
    END {
      half = int(height / 2); across = int((width - 16) / 4) + 1
      all = (int((half - 16) / 4) + 1) * across
      below = (int((height - half - 16) / 4) + 1) * across
      if (queries > below) queries = below
      for (b = 0; b < all; b++) cut(b, b, 0)
      for (q = 0; q < queries; q++) {
        cut("q", int(q * below / queries), half)
        best = nearest = 0
        for (b = 0; b < all; b++) {
          cosine[b] = distance[b] = 0
          for (i = 0; i < 256; i++) {
            cosine[b] += feature["q", i] * feature[b, i] / norm["q"] / norm[b]
            distance[b] += (feature["q", i] >= 0) != (feature[b, i] >= 0)
          }
          if (cosine[b] > cosine[best]) best = b
          if (distance[b] < distance[nearest]) nearest = b
        }
        place = 1
        for (b = 0; b < all; b++) place += distance[b] < distance[best]
        found += (place - 1) * 10 < all
        printf "%d,%d: by pixels %d,%d, cosine %.3f; by signs %d,%d, distance %d; place %d\n", x["q"], y["q"],
          x[best], y[best], cosine[best], x[nearest], y[nearest], distance[nearest], place
      }
      printf "blocks     %d, in 1024 bytes each, or 32 of signs\n", all
      printf "found      %d of %d, in the first tenth by signs\n", found, queries
    }'
}

# All but the times, which are there.
said() { # FILE [QUERIES]
  "$program" "$@" >"$directory/said"
  [ "$(grep -cE '^by (pixels  [0-9.]+ ms|signs   [0-9.]+ ms, and [0-9.]+ ms to pack them)$' "$directory/said")" = 2 ]
  grep -v '^by ' "$directory/said"
}

# The same lines; a cosine may be rounded to the next thousandth.
like_awk() { # WIDTH HEIGHT QUERIES, and the pixels on the standard input
  cat >"$directory/pixels"
  "$numbers" write gray "$1" "$2" "$directory/in.png" <"$directory/pixels"
  oracle "$@" <"$directory/pixels" >"$directory/right"
  said "$directory/in.png" "$3" >"$directory/got"
  diff <(sed 's/cosine [^;]*//' "$directory/right") <(sed 's/cosine [^;]*//' "$directory/got")
  paste -d ' ' <(grep -o 'cosine [^;]*' "$directory/right") <(grep -o 'cosine [^;]*' "$directory/got") |
    awk '($2 - $4) ^ 2 > 0.0011 ^ 2 || $4 !~ /^-?[01][.]/ { print; bad = 1 } END { exit bad || NR == 0 }' >&2
}

pixels 61 75 60 | like_awk 61 75 7
pixels 48 64 200 | like_awk 48 64 1000 # more than there are
pixels 16 32 60 | like_awk 16 32 1     # one block in each half
pixels 19 35 60 | like_awk 19 35 3
# A pixel that is the mean counts as +1.
awk 'BEGIN { split("10 10 10 10 9 9 9 5 9 9 8 8 8 10 10 10", value, " ")
  for (i = 0; i < 512; i++) print value[(i < 256 ? 0 : 8) + i % 8 + 1] }' | like_awk 16 32 1

# Half the contrast and more light, 8 pixels further right: each query is found where it came from.
pixels 100 80 60 | awk '{ pixel[NR - 1] = 2 * int($1 / 2) }
  END { for (i = 0; i < 8000; i++) print pixel[i]
    for (i = 0; i < 8000; i++) { from = i % 100 < 8 ? i : i - 8; print 20 + pixel[from] / 2 } }' >"$directory/pixels"
"$numbers" write gray 100 160 "$directory/twice.png" <"$directory/pixels"
said "$directory/twice.png" 40 >"$directory/got"
awk -F '[ ,:;]+' '/pixels/ && $1 >= 8 {
    if ($5 != $1 - 8 || $6 != $2 - 80 || $8 != "1.000" || $11 != $5 || $12 != $6 || $14 != 0 || $16 != 1) bad = 1
    seen++ }
  $1 == "found" && $2 == 40 && $4 == 40 { all = 1 }
  END { exit bad || seen < 30 || !all }' "$directory/got" || { cat "$directory/got" >&2; exit 1; }

# Opacity that hides nothing changes nothing; without a number there are 64 queries.
awk '{ print $1, 255 }' "$directory/pixels" | "$numbers" write ga 100 160 "$directory/opaque.png"
said "$directory/opaque.png" 40 | cmp - "$directory/got"
said "$directory/twice.png" 64 >"$directory/got"
said "$directory/twice.png" | cmp - "$directory/got"

# One colour: all signs are alike, and no block has a length.
awk 'BEGIN { for (i = 0; i < 1600; i++) print 77 }' | "$numbers" write gray 40 40 "$directory/plain.png"
diff - <(said "$directory/plain.png" 2) <<'END'
0,20: by pixels 0,0, cosine 0.000; by signs 0,0, distance 0; place 1
0,24: by pixels 0,0, cosine 0.000; by signs 0,0, distance 0; place 1
blocks     14, in 1024 bytes each, or 32 of signs
found      2 of 2, in the first tenth by signs
END

for small in '15 32' '16 31'; do
  read -r width height <<<"$small"
  pixels "$width" "$height" 0 | "$numbers" write gray "$width" "$height" "$directory/small.png"
  refuses 1 "small.png: $width × $height pixels, but at least 16 × 32 are needed" "$directory/small.png"
done
for bad in 0 100001 4x -1 ' 4' ''; do
  refuses 2 "nearest_codes: $bad is not a number from 1 to 100000" "$directory/plain.png" "$bad"
done
refuses 2 'usage: nearest_codes IN.png [QUERIES]'
refuses 1 none.png "$directory/none.png"

needs_output "$directory/plain.png"
