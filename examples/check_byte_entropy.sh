#!/usr/bin/env bash
# Runs byte_entropy on files whose entropy is known.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

: >"$directory/empty"
diff <(echo '0 bytes, 0 different values') <("$program" "$directory/empty")

# 0, 2 and 8 bits; the last two in two pieces of 2^24 bytes.
head -c 1000 /dev/zero >"$directory/equal"
diff <(printf '%s\n' '1000 bytes, 1 different values' '0.0000 bits a byte: 0.0 % of the file') \
  <("$program" "$directory/equal")
head -c 18000000 <(yes abcd | tr -d '\n') >"$directory/four"
diff <(printf '%s\n' '18000000 bytes, 4 different values' '2.0000 bits a byte: 25.0 % of the file') \
  <("$program" - <"$directory/four")
awk 'BEGIN { for (i = 0; i < 256; i++) printf "\\%03o", i }' >"$directory/octal"
printf "$(cat "$directory/octal")" >"$directory/values"
for _ in {1..16}; do cat "$directory/values"; done >"$directory/some"
for _ in {1..4400}; do cat "$directory/some"; done >"$directory/all"
diff <(printf '%s\n' '18022400 bytes, 256 different values' '8.0000 bits a byte: 100.0 % of the file') \
  <("$program" "$directory/all")

refuses 1 'No such file' "$directory/missing"
refuses 2 'usage: '
needs_output "$directory/equal"
refuses 1 'Is a directory' "$directory"
