#!/usr/bin/env bash
# Runs pagerank on graphs whose ranks are known, and on files that are none.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

ranks() { # FILE: vertices and ranks, in four digits
  "$program" "$directory/$1" | sed -nE 's/^vertex ([0-9]+) +(.*)$/\1 \2/p' | awk '{printf "%d %.4f ", $1, $2}'
}

# A ring: all alike, in the order of their numbers.
printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n2 3\n3 4\n4 1\n' >"$directory/ring"
[ "$(ranks ring)" = '1 0.2500 2 0.2500 3 0.2500 4 0.2500 ' ]

# A star: all point to vertex 1, which points nowhere. Its rank r and that of the others, s:
# s = 0.15/4 + 0.85 r/4 and r = s + 0.85 · 3 s, with r + 3 s = 1.
printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 3\n2 1\n3 1\n4 1\n' >"$directory/star"
[ "$(ranks star)" = '1 0.5420 2 0.1527 3 0.1527 4 0.1527 ' ]

# Of twelve vertices ten are shown.
{ printf '%%%%MatrixMarket matrix coordinate pattern general\n12 12 12\n'
  for i in {1..12}; do echo "$i $((i % 12 + 1))"; done; } >"$directory/twelve"
[ "$("$program" "$directory/twelve" | grep -c ^vertex)" -eq 10 ]

# The steps get smaller, and end where they are small enough.
"$program" "$directory/star" | awk '/^step/ {if (last && $4 > last) exit 1; last = $4} END {exit !(last < 1e-10)}'
[ "$("$program" "$directory/star" 3 | grep -c ^step)" -eq 3 ]

printf '%%%%MatrixMarket matrix coordinate pattern general\n4 5 1\n1 5\n' >"$directory/wide"
refuses 1 '4 rows and 5 columns' "$directory/wide"
refuses 1 'none: No such file' "$directory/none"
refuses 2 'usage: '
for steps in '' 0 -1 +1 ' 1' 1e3 2x 1.5 1000000001; do
  refuses 2 'STEPS is a number from 1 to 10^9' "$directory/star" "$steps"
done

needs_output "$directory/star"
refuses 1 'Is a directory' "$directory"
