#!/usr/bin/env bash
# Runs letter_histogram on texts whose letters are known, and on one that grep counts.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

printf 'The quick brown fox jumps over the lazy dog.\n' >"$directory/fox"
diff <(printf '%s\n' 'a-d  4' 'e-h  7' 'i-l  4' 'm-p  7' 'q-t  6' 'u-x  5' 'y-z  2') \
  <("$program" "$directory/fox" 4)

# More than one piece of 2^24 bytes.
{ head -c 9000000 /dev/zero | tr '\0' 'q'; head -c 9000000 /dev/zero | tr '\0' 'Q'; printf z; } \
  >"$directory/pieces"
"$program" "$directory/pieces" >"$directory/counts"
grep -qx 'q    18000000' "$directory/counts"
grep -qx 'z    1' "$directory/counts"
[ "$(awk '{sum += $2} END {print sum}' "$directory/counts")" = 18000001 ]

for bad in 0 27 4x -1 +4 ' 4' 1e1 '' abc; do
  refuses 2 "letter_histogram: $bad is not a number from 1 to 26" "$directory/fox" "$bad"
done
refuses 1 'No such file' "$directory/missing"

needs_output "$directory/fox"
refuses 1 'Is a directory' "$directory"
