#!/usr/bin/env bash
# run-ctest.sh PRESET LOG [CTEST-ARGUMENTS…]: runs ctest, keeps all output in LOG for
# count-tests.awk, and shows a line a test as it ends, with about how long the others will take, and
# at the end the output of those that failed.
set -uo pipefail
preset=$1 log=$2
shift 2
export TSAN_OPTIONS=${TSAN_OPTIONS:-atexit_sleep_ms=0}
export SIMT_DEVICE=${SIMT_DEVICE:-9.0} # where a test does not say which device the CPU backend plays

tenths() { # SECONDS
  local seconds=$1.0
  echo $((10#${seconds%%.*} * 10 + 10#$(cut -d. -f2 <<<"$seconds" | cut -c1)))
}

# What is still to run; how long each test took here before, and on the machine where the table was
# made, both in tenths of a second.
declare -A to_run here there
while read -r name; do
  to_run[$name]=1
done < <(ctest --preset "$preset" -N "$@" | sed -nE 's/^ *Test +#[0-9]+: //p')
while read -r name runs cost; do
  [ "${runs:-0}" -gt 0 ] 2>/dev/null || continue
  here[$name]=$(tenths "$cost")
done < <(cat "build/$preset/Testing/Temporary/CTestCostData.txt" 2>/dev/null)
while read -r name cost; do
  there[$name]=$(tenths "$cost")
done < <(grep -v '^#' tests/seconds.tsv)

taken=0 taken_there=0 # by those that have ended and are in the table
ended() { # NAME TENTHS
  unset "to_run[$1]"
  here[$1]=$2
  [ "${there[$1]:-0}" -gt 0 ] || return 0
  taken=$((taken + $2))
  taken_there=$((taken_there + there[$1]))
}

# Where a test has not run here before, the table's time, as much longer as those so far took here.
left() { # NAME SECONDS: what runs, and since when
  local name sum=$((-10 * $2)) of
  for name in "${!to_run[@]}"; do
    of=${here[$name]:-}
    if [ -z "$of" ]; then
      of=${there[$name]:-0}
      [ $taken_there -eq 0 ] || of=$((of * taken / taken_there))
    fi
    sum=$((sum + of))
  done
  if [ ${#to_run[@]} -eq 0 ] || [ $sum -lt 10 ]; then
    return 0
  elif [ $sum -lt 1000 ]; then
    echo ", about $((sum / 10)) s left"
  else
    echo ", about $(((sum + 300) / 600)) min left"
  fi
}

# A line for each test that ends, and at least one every ten seconds.
show_progress() {
  local line part='' status running='' since=$SECONDS said=$SECONDS
  local begins='^ *Start +[0-9]+: ([^ ]+)$'
  local ends='^ *([0-9]+/[0-9]+) Test +#[0-9]+: ([^ ]+) \.*(\*\*\*)? *(.*[^ ]) +([0-9]+\.[0-9])[0-9]* sec'
  while true; do
    IFS= read -r -t 2 line && status=0 || status=$?
    if [ -n "$running" ] && [ $((SECONDS - said)) -ge 10 ]; then
      said=$SECONDS
      echo "    $running: $((SECONDS - since)) s$(left "$running" $((SECONDS - since)))"
    fi
    if [ $status -gt 128 ]; then # no line came, or half of one
      part+=$line
      continue
    fi
    [ $status -eq 0 ] || break
    line=$part$line part=''
    if [[ $line =~ $begins ]]; then
      running=${BASH_REMATCH[1]} since=$SECONDS
    elif [[ $line =~ $ends ]]; then
      ended "${BASH_REMATCH[2]}" "$(tenths "${BASH_REMATCH[5]}")"
      running='' said=$SECONDS
      echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]} ${BASH_REMATCH[4],,} ${BASH_REMATCH[5]} s$(left '' 0)"
    fi
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
