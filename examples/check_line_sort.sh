#!/usr/bin/env bash
# Runs line_sort on texts whose order is known, and on others that sort sorts by the same bytes.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
export LC_ALL=C

# like_sort FILE: both orders; -s keeps the order of lines that agree in the key.
like_sort() {
  cmp <(sort -s -k1.1,1.8 "$1") <("$program" "$1")
  cmp <(sort -s -r -k1.1,1.8 "$1") <("$program" --descending "$1")
}

printf 'pear tree 2\nfig\npear tree 1\nplum\n\nfigs\npeach\n' >"$directory/fruit"
cmp <(printf '\nfig\nfigs\npeach\npear tree 2\npear tree 1\nplum\n') <("$program" "$directory/fruit")
cmp <(printf 'plum\npear tree 2\npear tree 1\npeach\nfigs\nfig\n\n') \
  <("$program" --descending - <"$directory/fruit")
like_sort "$directory/fruit"

# Nothing, one newline, and a last line without one.
: >"$directory/empty"
printf '\n' >"$directory/newline"
printf 'b\na' >"$directory/open"
like_sort "$directory/empty"
like_sort "$directory/newline"
like_sort "$directory/open"

# Zeros count as bytes, and as what short lines are padded with: the first three keys are equal.
printf 'b\0\0\nb\nb\0\nb\1\na\377\377\377z\n' >"$directory/zeros"
cmp <(printf 'a\377\377\377z\nb\0\0\nb\nb\0\nb\1\n') <("$program" "$directory/zeros")

# All other bytes, in lines of very unequal length; and many lines of few keys.
awk 'BEGIN {
  srand(7)
  for (line = 0; line < 3000; line++) {
    n = line % 500 == 0 ? 20000 : int(8 * rand())
    for (i = 0; i < n; i++) {
      byte = 1 + int(255 * rand())
      printf "%c", byte == 10 ? 11 : byte
    }
    printf "\n"
  }
}' >"$directory/bytes"
like_sort "$directory/bytes"
awk 'BEGIN { srand(8); for (line = 0; line < 30000; line++) print "key" int(5 * rand()) " " line }' \
  >"$directory/few"
like_sort "$directory/few"

refuses 1 'missing: No such file' "$directory/missing"
refuses 2 'no FILE'
refuses 2 'more than one FILE' "$directory/fruit" "$directory/bytes"
refuses 2 "unrecognized option '--ascending'" --ascending "$directory/fruit"

needs_output "$directory/fruit"
needs_output "$directory/bytes" # more than a buffer holds
refuses 1 'Is a directory' "$directory"
