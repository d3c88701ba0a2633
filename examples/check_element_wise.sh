#!/usr/bin/env bash
# Runs element_wise, which checks its own results, on a count that fills its last block and two
# that do not.
set -euo pipefail
program=$1

for count in 1 1024 70001; do
  [ "$("$program" "$count" | grep -c 'elements, all right$')" = 4 ]
  "$program" "$count" | grep -q "^add one  *$count elements"
done
if "$program" 0 2>/dev/null || "$program" 1 2 2>/dev/null; then
  echo "element_wise took a bad argument" >&2
  exit 1
fi
