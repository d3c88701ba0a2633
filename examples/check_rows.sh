#!/usr/bin/env bash
# Runs softmax or layer_norm, which check their own results, on rows that begin at any alignment, short and long ones.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

[ "$("$program")" = '1000 rows of 1023 columns, all right' ]
for shape in '1 1' '7 3' '5 130' '33 1024' '3 12000'; do
  # shellcheck disable=SC2086 # two words
  [ "$("$program" $shape)" = "${shape% *} rows of ${shape#* } columns, all right" ]
done
for bad in '0 5' '5 0' '5 12001' 'x 5' '5 1.5'; do
  # shellcheck disable=SC2086 # two words
  refuses 2 "$(basename "$program"): ROWS is a number from 1 to 10^6, and COLUMNS one from 1 to 12000" $bad
done
refuses 2 'usage: ' 1

needs_output 2 3
