#!/usr/bin/env bash
# Runs managed_sum, which compares with a formula, on lengths that fill its last block or do not.
set -euo pipefail
program=$1

for count in 0 1 512 70001; do
  "$program" "$count" | grep -q '^sequential .*right$'
done
[ "$("$program" 4 | head -1)" = 'auto         10, right' ]
if "$program" -1 2>/dev/null; then
  echo "managed_sum took a bad argument" >&2
  exit 1
fi
