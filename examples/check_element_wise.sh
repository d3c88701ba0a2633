#!/usr/bin/env bash
# Runs element_wise, which checks its own results, on a count that fills its last block and two
# that do not.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

for count in 1 1024 70001; do
  [ "$("$program" "$count" | grep -c 'elements, all right$')" = 4 ]
  "$program" "$count" | grep -q "^add one  *$count elements"
done
for bad in 0 -1 abc 12x '' 4294967297; do
  if said=$("$program" "$bad" 2>&1) || [ "$said" != "element_wise: $bad is no number from 1 to 2^32" ]; then
    echo "element_wise took '$bad', or said something else: $said" >&2
    exit 1
  fi
done
if "$program" 1 2 2>/dev/null; then
  echo "element_wise took two arguments" >&2
  exit 1
fi

needs_output 1
