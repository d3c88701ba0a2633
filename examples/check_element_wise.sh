#!/usr/bin/env bash
# Runs element_wise, which checks its own results, on a count that fills its last block and two
# that do not.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

for count in 1 1024 70001; do
  [ "$("$program" "$count" | grep -c 'elements, all right$')" = 4 ]
  "$program" "$count" | grep -q "^add one  *$count elements"
done
for bad in 0 -1 +1 ' 1' 1e3 1.5 abc 12x '' 4294967297; do
  refuses 2 "element_wise: $bad is not a number from 1 to 2^32" "$bad"
done
refuses 2 'usage: ' 1 2

needs_output 1
