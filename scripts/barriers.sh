#!/usr/bin/env bash
# Is every barrier needed? Takes the barriers of the kernels out, one at a time, and looks for a test that
# fails without it:
#
#   scripts/barriers.sh                        each one, which takes an hour or two
#   scripts/barriers.sh PATH…                  those below src/scan, say; only their rows are replaced
#   scripts/barriers.sh --rest [PATH…]         those of them without a row in the tables
#   scripts/barriers.sh --sample N [SEED]      does again what N drawn rows say
#   scripts/barriers.sh --check                the tables name each barrier of the source, and no other
#
# The CPU backend leaves a barrier out (SIMT_WITHOUT) and says which test comes to which (SIMT_SITES). First
# the race check runs, of calls and of tests, then the tests in two orders of threads, then with copies
# and products that are done late; what first fails, and passes with the barrier, goes to tests/barriers/found.tsv. A
# barrier that nothing misses needs a sentence in tests/barriers/argued.tsv. Last line: "N barriers, N found,
# N argued, N not".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

found=tests/barriers/found.tsv
argued=tests/barriers/argued.tsv
work=build/barriers
tab=$'\t'

usage() {
  print_head "$0" >&2
  exit 2
}

mode=search rest=no count=10 seed=$RANDOM paths=()
while [ $# -gt 0 ]; do
  case $1 in
  --check) mode=check ;;
  --rest) rest=yes ;;
  --sample)
    mode=sample count=${2-}
    [ "$count" -gt 0 ] 2>/dev/null || usage
    shift
    [ $# -lt 2 ] || { seed=$2 && shift; }
    ;;
  -*) usage ;;
  *) paths+=("${1%/}") ;;
  esac
  shift
done
[ ${#paths[@]} -gt 0 ] || paths=(src include/primitives/device)

# ---- the source and the tables ----

# file, function, which one in it, barrier, line
barriers_of() { # PATH…
  git ls-files -- "$@" | grep -E '\.(cu|cuh|h)$' | xargs -r awk -f scripts/list-barriers.awk
}

# The columns that say which barrier it is, however lines shift.
names() { # FILE…
  grep -hv '^#' "$@" | cut -f 1-4
}

has_row() { # NAME TABLE…
  grep -qxF -- "$1" <(names "${@:2}")
}

check_tables() {
  local bad=0
  barriers_of src include/primitives/device | cut -f 1-4 | sort >"$work/source.txt"
  names $found $argued | sort >"$work/tables.txt"
  comm -23 "$work/source.txt" "$work/tables.txt" | sed 's/^/a barrier without a row in the tables: /' | grep . && bad=1
  comm -13 "$work/source.txt" "$work/tables.txt" | sed 's/^/a row without a barrier in the source, or a second row for one: /' | grep . && bad=1
  grep -v '^#' $argued | awk -F '\t' 'NF != 5 || $5 == "" {print "without an argument: " $0; bad = 1} END {exit bad}' || bad=1
  return $bad
}

remove_row() { # TABLE NAME
  awk -v name="$2" 'index($0, name "\t") != 1' "$1" >"$work/table.tsv" && cp "$work/table.tsv" "$1"
}

sort_table() { # TABLE
  { grep '^#' "$1"; grep -v '^#' "$1" | LC_ALL=C sort -t "$tab" -k 1,2 -k 3,3n; } >"$work/table.tsv" &&
    cp "$work/table.tsv" "$1"
}

# ---- one test, with or without a barrier ----

# The test's way is one of
#   race      the race check, under ThreadSanitizer
#   result    a build without it
#   late      such a build, where copies and products are done late
#   drawn     at some time in between
# It runs in one thread of the machine, so that it does the same each time.
run_test() { # WAY DEVICE ORDER PROGRAM TEST [FILE:LINE]
  local preset=cpu arguments=("$5:")
  [ "$1" != race ] || preset=tsan
  [ "$4" = racecheck ] || arguments=(--jobs 1 --fail-fast --filter "$5")
  local -x SIMT_DEVICE=$2 SIMT_ORDER=$3 SIMT_WITHOUT=${6-} SIMT_WORKERS=1 SIMT_BARRIERS=strict
  local -x SIMT_ASYNC=issue PRIM_TEST_LEVEL=quick OMP_NUM_THREADS=1 SIMT_PATIENCE=5
  local -x TSAN_OPTIONS=atexit_sleep_ms=0:halt_on_error=1:symbolize=0
  [ "$1" != late ] || SIMT_ASYNC=late
  [ "$1" != drawn ] || SIMT_ASYNC=drawn:1
  [[ $4 != test_distributed* ]] || local -x SIMT_DEVICES=8
  timeout -k 2 "${limit:-40}" "build/$preset/tests/$4" "${arguments[@]}" >"$work/log.txt" 2>&1 </dev/null 9>&-
}

timed_out() { # STATUS
  [ "$1" -eq 124 ] || [ "$1" -eq 137 ]
}

# Fails without the barrier, and with it passes, or has not failed when time is up: `limit`, or less where
# `watched` says so.
misses() { # FILE:LINE WAY DEVICE ORDER PROGRAM TEST
  local without=0 with=0
  run_test "${@:2}" "$1" || without=$?
  [ $without -ne 0 ] || return 1
  limit=${watched:-${limit-}} run_test "${@:2}" || with=$?
  [ $with -eq 0 ] || { timed_out $with && ! timed_out $without; }
}

# ---- which test comes to which barriers ----

calls_of_racecheck() { # DEVICE
  SIMT_DEVICE=$1 build/cpu/tests/racecheck | sed -nE 's/^(.*): ok$/\1/p' | sort -u
}

tests_of() { # PROGRAM DEVICE
  if [ "$1" = racecheck ]; then
    calls_of_racecheck "$2"
  else
    "build/cpu/tests/$1" --list | awk '/^[^ ]+: [0-9]+ tests?$/ {sub(/:.*/, ""); suite = $0} /^[├└]/ {print suite "/" $2}'
  fi
}

# Milliseconds, test, and file:line, of the tests of a program; made anew where that is newer.
map_program() { # PROGRAM DEVICE
  local map=$work/map-$1-$2.tsv test began
  [ "$map" -ot "build/cpu/tests/$1" ] || return 0
  echo "Which barriers $1 comes to on a device of $2" >&2
  tests_of "$1" "$2" | while read -r test; do
    rm -f "$work/sites.txt"
    began=$(date +%s%N)
    SIMT_SITES=$PWD/$work/sites.txt run_test result "$2" forward "$1" "$test" || continue
    began=$((($(date +%s%N) - began) / 1000000))
    [ -e "$work/sites.txt" ] || continue
    sed -E 's,^.*/(src|include/primitives)/,\1/,' "$work/sites.txt" | sort -u |
      awk -v ms=$began -v test="$test" '{print ms "\t" test "\t" $0}'
  done >"$map.part"
  mv "$map.part" "$map"
}

# Those that come to the barrier, the quickest first: program and test.
tests_at() { # FILE:LINE DEVICE PROGRAM…
  local program
  for program in "${@:3}"; do
    awk -F '\t' -v site="$1" -v program="$program" '$3 == site {print $1 "\t" program "\t" $2}' "$work/map-$program-$2.tsv"
  done | sort -n | cut -f 2-
}

all_tests=(test_reduce test_reduce_segments test_histogram test_histogram_edges test_histogram_channels
  test_histogram_weighted test_scan test_merge test_co_ranks test_gemm test_gemm_invariant test_tensor
  test_gemv test_binary_gemm test_convolution test_sparse test_sparse_device test_collectives
  test_distributed)

# The test programs that a file's kernels may be in; what all patterns share may be in any.
programs_of() { # FILE
  local pattern=${1#src/} program
  pattern=${pattern%%/*}
  case $1 in
  src/common/* | include/*) printf '%s\n' "${all_tests[@]}" ;;
  *)
    for program in "${all_tests[@]}"; do
      case $program in
      "test_$pattern" | "test_${pattern}_"*) echo "$program" ;;
      test_co_ranks) [ "$pattern" != merge ] || echo "$program" ;;
      esac
    done
    ;;
  esac
}

# ---- the search for one barrier ----

seconds_of_a_way=${BARRIER_SECONDS:-75} # a barrier that the first tests do not miss, the last seldom do

# Prints the row's end and succeeds, or fails.
try_tests() { # FILE:LINE WAY DEVICE ORDER, and programs with tests on standard input
  local program test end=$((SECONDS + seconds_of_a_way)) limit=40
  while IFS=$tab read -r program test && [ $SECONDS -lt $end ]; do
    if misses "$1" "$2" "$3" "$4" "$program" "$test"; then
      printf '%s\t%s\t%s\t%s\t%s\n' "$2" "$3" "$4" "$program" "$test"
      return 0
    fi
  done
  return 1
}

search_in_calls() { # FILE:LINE DEVICE
  map_program racecheck "$2"
  tests_at "$1" "$2" racecheck | try_tests "$1" race "$2" reverse
}

search_in_tests() { # FILE:LINE DEVICE PROGRAM…
  local tests program
  for program in "${@:3}"; do
    map_program "$program" "$2"
  done
  tests=$(tests_at "$1" "$2" "${@:3}")
  [ -n "$tests" ] || return 1
  try_tests "$1" race "$2" reverse <<<"$tests" ||
    try_tests "$1" result "$2" reverse <<<"$tests" ||
    try_tests "$1" result "$2" shuffle:1 <<<"$tests" ||
    { [ "$2" != 7.5 ] && try_tests "$1" late "$2" reverse <<<"$tests"; } ||
    { [ "$2" != 7.5 ] && try_tests "$1" drawn "$2" reverse <<<"$tests"; }
}

# An older device's turn comes where nothing comes to the barrier on the newer one.
search() { # FILE:LINE
  local programs device
  mapfile -t programs < <(programs_of "${1%:*}")
  for device in 9.0 7.5; do
    search_in_calls "$1" $device || search_in_tests "$1" $device "${programs[@]}" && return
    [ -z "$(tests_at "$1" $device racecheck "${programs[@]}")" ] || return 1
  done
  return 1
}

search_all() {
  local file function n barrier line row name began
  while IFS=$tab read -r file function n barrier line <&3; do
    name=$file$tab$function$tab$n$tab$barrier began=$SECONDS
    [ $rest = no ] || ! has_row "$name" $found $argued || continue
    remove_row $found "$name"
    if row=$(search "$file:$line"); then
      printf '%s\t%s\n' "$name" "$row" >>$found
      sort_table $found
      echo "found $file:$line: $(tr '\t' ' ' <<<"$row") ($((SECONDS - began)) s)"
      ! has_row "$name" $argued || echo "  but $argued says that it is not needed"
    else
      echo "NOT found $file:$line, in $function ($((SECONDS - began)) s)"
    fi
  done 3< <(barriers_of "${paths[@]}")
}

# ---- rows once more ----

# The race check forgets accesses, which ones is chance: it may miss in one run what it saw in another.
misses_in_four_times() { # FILE:LINE WAY DEVICE ORDER PROGRAM TEST
  for _ in 1 2 3 4; do
    watched=5 misses "$@" && return
    [ "$2" = race ] || return 1
  done
  return 1
}

again() {
  local name row failed=0
  echo "seed $seed"
  awk -v seed="$seed" 'BEGIN {srand(seed)} !/^#/ {printf "%.9f\t%s\n", rand(), $0}' $found | sort -n |
    head -n "$count" | cut -f 2- >"$work/sample.tsv"
  build_for "$(cut -f 5,8 "$work/sample.tsv" | sort -u)" || return 1
  while IFS=$tab read -r file function n barrier way device order program test; do
    name=$file$tab$function$tab$n$tab$barrier
    row=$(barriers_of "$file" | grep -F "$name$tab") || { echo "there is no such barrier in the source: $name" && failed=1 && continue; }
    if misses_in_four_times "$file:${row##*"$tab"}" "$way" "$device" "$order" "$program" "$test"; then
      echo "found $file:${row##*"$tab"}: $way $device $order $program $test"
    else
      echo "$file:${row##*"$tab"}: $way $device $order $program $test does not miss it"
      failed=1
    fi
  done <"$work/sample.tsv"
  return $failed
}

# ---- programs ----

build_for() { # lines of a way and a program
  local preset programs
  for preset in cpu tsan; do
    mapfile -t programs < <(awk -v tsan=$preset '($1 == "race") == (tsan == "tsan") {print $2}' <<<"$1" | sort -u)
    [ ${#programs[@]} -eq 0 ] || { configure $preset -DPRIM_TESTS=ON && compile $preset "${programs[@]}"; } || return 1
  done
}

build_all() {
  build_for "$(printf 'race %s\nresult %s\n' racecheck racecheck)" &&
    build_for "$(for path in $(barriers_of "${paths[@]}" | cut -f 1 | sort -u); do programs_of "$path"; done |
      sort -u | sed -n 'h; s/^/race /p; g; s/^/result /p')"
}

mkdir -p $work
exec 9>$work/lock
flock -n 9 || { echo "another run is using $work" >&2 && exit 1; }
if [ $mode = check ]; then
  check_tables
elif [ $mode = sample ]; then
  check_tables && again
else
  build_all && search_all
fi
result=$?
echo "$(barriers_of src include/primitives/device | wc -l) barriers, $(names $found | wc -l) found, $(names $argued | wc -l) argued"
exit $result
