#!/usr/bin/env bash
# Runs managed_sum, which compares with a formula, on lengths that fill its last block or do not.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

for count in 0 1 512 70001; do
  "$program" "$count" | grep -q '^sequential .*right$'
done
[ "$("$program" 4 | head -1)" = 'auto         10, right' ]
for bad in -1 abc 12x '' 4294967297; do
  if said=$("$program" "$bad" 2>&1) || [ "$said" != "managed_sum: $bad is no number from 0 to 2^32" ]; then
    echo "managed_sum took '$bad', or said something else: $said" >&2
    exit 1
  fi
done

needs_output 4
