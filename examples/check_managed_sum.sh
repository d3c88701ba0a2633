#!/usr/bin/env bash
# Runs managed_sum, which compares with a formula, on lengths that fill its last block or do not.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

for count in 0 1 512 70001; do
  "$program" "$count" | grep -q '^sequential .*right$'
done
[ "$("$program" 4 | head -1)" = 'auto         10, right' ]
# Sums that take more than 32 bits.
for count in 65536 1000003; do
  "$program" $count >"$directory/said"
  grep -qx "auto         $((count * (count + 1) / 2)), right" "$directory/said"
  grep -qx "sequential   $((count * (count + 1) / 2)), right" "$directory/said"
done
for bad in -1 +1 ' 1' 1e3 1.5 abc 12x '' 134217728; do
  refuses 2 "managed_sum: $bad is not a number from 0 to 2^27 - 1" "$bad"
done
refuses 2 'usage: ' 1 2

needs_output 4
