#!/usr/bin/env bash
# run-ctest.sh PRESET LOG [CTEST-ARGUMENTS…]: runs ctest, keeps all output in LOG for
# count-tests.awk, and shows a line a test as it ends, with about how long the others will take, and
# at the end the output of those that failed.
set -uo pipefail
preset=$1 log=$2
shift 2
export TSAN_OPTIONS=${TSAN_OPTIONS:-atexit_sleep_ms=0}
export SIMT_DEVICE=${SIMT_DEVICE:-9.0} # where a test does not say which device the CPU backend plays

# What is still to run, and seconds by test and by program from earlier runs and this one.
declare -A to_run seconds
while read -r name; do
  to_run[$name]=1
done < <(ctest --preset "$preset" -N "$@" | sed -nE 's/^ *Test +#[0-9]+: //p')
while read -r name runs cost; do
  [ "${runs:-0}" -gt 0 ] 2>/dev/null || continue
  seconds[$name]=${cost%%.*}
done < <(cat "build/$preset/Testing/Temporary/CTestCostData.txt" 2>/dev/null)

programs=0 programs_seconds=0 # the longer ones of this run
ended() { # NAME SECONDS
  unset "to_run[$1]"
  seconds[${1%%.*}]=$2
  [ "$2" -gt 0 ] || return 0
  programs=$((programs + 1))
  programs_seconds=$((programs_seconds + $2))
}

# A test that has not run before takes as long as its program in another order, or as the others do.
left() {
  local name sum=0 typical=0
  [ $programs -eq 0 ] || typical=$((programs_seconds / programs))
  for name in "${!to_run[@]}"; do
    sum=$((sum + ${seconds[$name]:-${seconds[${name%%.*}]:-$typical}}))
  done
  if [ ${#to_run[@]} -eq 0 ] || [ $sum -eq 0 ]; then
    return 0
  elif [ $sum -lt 60 ]; then
    echo ", about $sum s left"
  else
    echo ", about $(((sum + 30) / 60)) min left"
  fi
}

show_progress() {
  local line
  local ends='^ *([0-9]+/[0-9]+) Test +#[0-9]+: ([^ ]+) \.*(\*\*\*)? *(.*[^ ]) +([0-9]+)(\.[0-9])[0-9]* sec'
  while IFS= read -r line; do
    [[ $line =~ $ends ]] || continue
    ended "${BASH_REMATCH[2]}" "${BASH_REMATCH[5]}"
    echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]} ${BASH_REMATCH[4],,} ${BASH_REMATCH[5]}${BASH_REMATCH[6]} s$(left)"
  done
}

ctest --preset "$preset" --verbose --timeout 600 "$@" 2>&1 | tee "$log" | show_progress
result=${PIPESTATUS[0]}
if [ "$result" -ne 0 ]; then
  awk -v failing="$(grep -E '^ *[0-9]+/[0-9]+ Test .*(\*\*\*|Not Run)' "$log" |
    sed -E 's/.*Test +#([0-9]+):.*/\1/' | tr '\n' ' ')" '
    BEGIN { n = split(failing, a, " "); for (i = 1; i <= n; i++) shown[a[i]] = 1 }
    match($0, /^[0-9]+: /) { if (substr($0, 1, RLENGTH - 2) in shown) print }' "$log" | tail -200
fi
exit "$result"
