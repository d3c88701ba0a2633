#!/usr/bin/env bash
# run-ctest.sh PRESET LOG [CTEST-ARGUMENTS…]: runs ctest, keeps all output in LOG for
# count-tests.awk, and shows a line a test, and the output of those that failed.
set -uo pipefail
preset=$1 log=$2
shift 2
export TSAN_OPTIONS=${TSAN_OPTIONS:-atexit_sleep_ms=0}
ctest --preset "$preset" --verbose --timeout 600 "$@" >"$log" 2>&1
result=$?
grep -E '^ *[0-9]+/[0-9]+ Test' "$log"
if [ $result -ne 0 ]; then
  awk -v failing="$(grep -E '^ *[0-9]+/[0-9]+ Test .*(\*\*\*|Not Run)' "$log" |
    sed -E 's/.*Test +#([0-9]+):.*/\1/' | tr '\n' ' ')" '
    BEGIN { n = split(failing, a, " "); for (i = 1; i <= n; i++) shown[a[i]] = 1 }
    match($0, /^[0-9]+: /) { if (substr($0, 1, RLENGTH - 2) in shown) print }' "$log" | tail -200
fi
exit $result
