#!/usr/bin/env bash
# Runs conjugate_gradients on matrices that are positive definite, and on some that are not.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

# Second differences on a line of 200 points: done after 100 steps, as b is symmetric too.
awk 'BEGIN {
  n = 200
  print "%%MatrixMarket matrix coordinate real symmetric"
  print n, n, 2 * n - 1
  for (i = 1; i <= n; i++) {
    print i, i, 2
    if (i > 1) print i, i - 1, -1
  }
}' >"$directory/line"
"$program" "$directory/line" >"$directory/said"
steps=$(sed -nE 's/^step ([0-9]+) .*/\1/p' "$directory/said" | tail -1)
[ "$steps" -le 110 ]
awk '/^x is within/ {exit !($4 < 1e-6)}' "$directory/said"

# Rows of very different scales: Jacobi makes one step of it.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1e-6\n2 2 1\n3 3 1e6\n' >"$directory/diagonal"
[ "$("$program" "$directory/diagonal" | grep -c ^step)" -eq 1 ]

# Too few steps are an exit status.
refuses 1 '' "$directory/line" 3

printf '%%%%MatrixMarket matrix coordinate pattern general\n4 5 1\n1 5\n' >"$directory/wide"
refuses 1 '4 rows and 5 columns' "$directory/wide"
refuses 1 'none: No such file' "$directory/none"
refuses 2 'usage: '
for steps in '' 0 -1 +1 ' 1' 1e3 2x 1.5 1000000001; do
  refuses 2 'STEPS is a number from 1 to 10^9' "$directory/line" "$steps"
done

needs_output "$directory/line"
refuses 1 'Is a directory' "$directory"

# A scale of the matrix changes nothing, however large or small its squares are.
line() { # SCALE
  awk -v scale="$1" 'BEGIN {
    print "%%MatrixMarket matrix coordinate real symmetric"
    print 3, 3, 5
    for (i = 1; i <= 3; i++) print i, i, 4 scale
    print 2, 1, -1 scale
    print 3, 2, -1 scale
  }' >"$directory/scaled"
  "$program" "$directory/scaled"
}
line '' >"$directory/right"
[ "$(grep -c '^step' "$directory/right")" -eq 2 ]
for scale in e160 e307 e-170 e-290 e-307; do
  line $scale | sed 's/residual .*//; s/within .* of/within 0.0 of/' |
    diff <(sed 's/residual .*//; s/within .* of/within 0.0 of/' "$directory/right") -
done
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e-200\n2 2 1e200\n' >"$directory/apart"
refuses 1 'apart: 1e-200 and 1e+200 are too far apart' "$directory/apart"
