#!/usr/bin/env bash
# Plants faults in a pattern's source, one at a time, and looks whether the quick tests see each:
#
#   scripts/mutate.sh PATTERN                  36 faults, spread over files and kinds of fault
#   scripts/mutate.sh --count N|all PATTERN    so many
#   scripts/mutate.sh --only ID PATTERN        just this one; --only may stand there more than once
#   scripts/mutate.sh --again PATTERN          forgets what an earlier run found
#   scripts/mutate.sh --list PATTERN           says what would be planted
#   scripts/mutate.sh --check                  every fault that is argued away still exists
#
# scripts/mutants.pl makes the faults. The pattern's test programs run on the CPU backend in three thread
# orders, and those of all patterns in one; what passes all runs under the race check and
# AddressSanitizer. A fault that still is not seen must be argued in tests/mutants/PATTERN.txt: an ID,
# and indented below it why no test could see it. Fails where a fault is neither seen nor argued, or
# argued and seen, or argued and gone. All work is done in copies under build/mutants. A run that was
# stopped goes on where it was, unless the source has changed since. The default run's score goes into
# tests/mutants/README.md. Last line: "N planted, N caught, N argued, N survived".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

# What the race check calls the patterns' entry points.
declare -A entries=(
  [reduce]=prim_reduce [scan]=prim_scan [histogram]=prim_histogram
  [merge]="prim_merge prim_co_rank prim_gather prim_is_sorted"
  [convolution]=prim_convolve [sparse]=prim_spmv
  [gemm]=prim_gemm [gemv]=prim_gemv [binary_gemm]=prim_binary)

usage() {
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

count=36 only=() mode=run again=no pattern=
while [ $# -gt 0 ]; do
  case $1 in
  --count) count=${2-} && shift ;;
  --only) only+=("${2-}") && shift ;;
  --again) again=yes ;;
  --list) mode=list ;;
  --check) mode=check ;;
  -*) usage ;;
  *) [ -z "$pattern" ] && pattern=$1 || usage ;;
  esac
  shift || usage
done
[ "$count" = all ] || [ "$count" -gt 0 ] 2>/dev/null || usage
[ $mode = check ] || [ -n "${entries[${pattern:-none}]-}" ] || usage

# The pattern's own test programs: those that link it and no other pattern.
mapfile -t own < <(sed -nE "s/.*target_link_libraries\((test_\w+) PRIVATE primitives::$pattern [^:]*(Threads::Threads m)?\)/\1/p" \
  tests/CMakeLists.txt)
[ $mode = check ] || [ ${#own[@]} -gt 0 ] || { echo "$pattern has no test program" >&2 && exit 1; }

need 'command -v perl && perl -MDigest::MD5 -e 1' perl
install_missing

# ---- arguments ----

argued_ids() { # PATTERN
  grep -hE '^[^ #]' "tests/mutants/$1.txt" 2>/dev/null
}

argument_of() { # ID
  awk -v id="$1" '
    /^[^ #]/ { found = $0 == id; next }
    found && /[^ ]/ { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0 }
    END { print text }' "tests/mutants/$pattern.txt" 2>/dev/null
}

# Each fault that the pattern's file argues can be planted, is named once, and has its sentence.
check_arguments() {
  local known id bad=0
  known=$(perl scripts/mutants.pl list "$pattern" | cut -f 1) || exit 1
  while read -r id; do
    grep -qxF -- "$id" <<<"$known" || { echo "$pattern: there is no fault $id" && bad=1; }
    [ -n "$(argument_of "$id")" ] || { echo "$pattern: there is no argument for $id" && bad=1; }
  done < <(argued_ids "$pattern")
  for id in $(argued_ids "$pattern" | sort | uniq -d); do
    echo "$pattern: $id is argued twice" && bad=1
  done
  return $bad
}

check_all_arguments() {
  local bad=0
  for pattern in "${!entries[@]}"; do
    check_arguments || bad=1
  done
  echo "$(cat tests/mutants/*.txt | grep -cE '^[^ #]') arguments"
  return $bad
}

# ---- the copy, and what is built of it ----

# Only what differs is written, so that only that is built anew.
copy_tree() {
  local path
  while IFS= read -r -d '' path; do
    [ -f "$path" ] || continue
    cmp -s "$path" "$tree/$path" ||
      { mkdir -p "$tree/$(dirname "$path")" && cp "$path" "$tree/$path"; }
  done < <(git ls-files -co --exclude-standard -z)
  while IFS= read -r -d '' path; do
    [ -e "$path" ] || rm "$tree/$path"
  done < <(find "$tree" -type f -printf '%P\0')
}

# build_copy PRESET PROGRAM…: quietly; what it says is kept.
build_copy() {
  local preset=$1 into=$work/$1
  shift
  if [ ! -e "$into/build.ninja" ]; then
    cmake --preset "$preset" -S "$tree" -B "$into" -DPRIM_TESTS=ON -DPRIM_BENCH=OFF -DPRIM_EXAMPLES=OFF \
      -DPRIM_WERROR=OFF -DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1
  fi >"$into-configure.txt" 2>&1 && cmake --build "$into" --target "$@" >"$into-build.txt" 2>&1
}

plant() { # ID
  perl scripts/mutants.pl plant "$pattern" "$1" >"$tree/src/${1%%:*}"
}

restore() { # ID
  cp "src/${1%%:*}" "$tree/src/${1%%:*}"
}

# ---- how a fault is seen ----

# Each prints how the fault was seen and succeeds, or fails if it was not.

# fails ORDER PROGRAM…: set as by cmake/PrimTargets.cmake, with its device for each order. It does not
# hold this run's lock, since it may outlive it.
fails() {
  local order=$1 status device=9.0
  shift
  [ "$order" = forward ] && device=7.5
  PRIM_TEST_LEVEL=quick SIMT_ORDER=$order SIMT_DEVICE=$device SIMT_BARRIERS=strict \
    TSAN_OPTIONS=atexit_sleep_ms=0 timeout -k 5 "$limit" "$@" >"$work/log-test.txt" 2>&1 9>&-
  status=$?
  case $status in
  0) return 1 ;;
  124 | 137) echo "timeout" ;;
  *) awk -v status=$status '
      /^\[FAIL\]/ && !seen { sub(/:$/, "", $2); seen = $2 (/CRASH/ ? ", crash" : "") }
      /WARNING: ThreadSanitizer/ && !seen { seen = $3 " " $4 }
      / FAILED$/ && !seen { seen = "wrong answer" }
      END { print seen ? seen : "exit status " status }' "$work/log-test.txt" ;;
  esac
}

by_tests() { # PRESET ORDER LABEL
  local program how
  for program in "${own[@]}"; do
    how=$(fails "$2" "$work/$1/tests/$program" --fail-fast --verbose) && echo "$3: $how" && return
  done
  return 1
}

by_race_check() {
  local order how
  for order in reverse forward; do # two devices
    # shellcheck disable=SC2086
    how=$(fails $order "$work/tsan/tests/racecheck" ${entries[$pattern]}) &&
      echo "race check, $order: $how" && return
  done
  return 1
}

by_orders() {
  by_tests cpu reverse reverse || by_tests cpu forward forward || by_tests cpu shuffle:1 shuffle
}

# The tests that ask the same of all patterns; of the promises those that a stream or a check breaks.
shared=(test_host promises test_supported)
shared_tests='*/!(two_host*|*without_workspace*|*older*|no_workspace*)'
by_shared() {
  local program how limit=$shared_limit
  build_copy cpu "${shared[@]}" || return 1
  for program in "${shared[@]}"; do
    how=$(fails reverse "$work/cpu/tests/$program" --fail-fast --verbose \
      --filter "$shared_tests") &&
      echo "$program: $how" && return
  done
  return 1
}

by_sanitizers() {
  by_race_check || by_tests asan reverse AddressSanitizer
}

# ---- counting ----

planted=0 caught=0 argued=0 survived=0 stale=0 broken=0 same=0

report() { # WORD ID HOW
  printf '%-9s %s   (%d s)\n          %s\n' "$1" "$2" $((SECONDS - began)) "$3"
}

# ---- what is known from a run that was stopped ----

remember() { # WORD ID HOW
  what_is_known_of "$2" >/dev/null || printf '%s\t%s\t%s\n' "$@" >>"$work/known.tsv"
}

what_is_known_of() { # ID: prints WORD and HOW
  awk -F '\t' -v id="$1" '$2 == id { print $1 "\t" $3; found = 1; exit } END { exit !found }' \
    "$work/known.tsv"
}

# Of other source nothing is known: the pattern's, what all patterns share, and the tests that see most.
open_memory() {
  local state
  state=$(git ls-files -co --exclude-standard -z include/primitives/types.h \
    "include/primitives/$pattern.h" include/primitives/device src/common "src/$pattern" simt cmake \
    tests/support.c tests/support.h \
    tests/promises.c tests/test_host.c "tests/*$pattern*" scripts/mutants.pl ':!tests/mutants' |
    xargs -0 cat -- 2>/dev/null | sha256sum)
  if [ $again = yes ] || [ "$state" != "$(head -n 1 "$work/known.tsv" 2>/dev/null)" ]; then
    echo "$state" >"$work/known.tsv"
  fi
}

seen() { # ID HOW
  caught=$((caught + 1))
  remember caught "$1" "$2"
  report caught "$1" "$2"
  if [ -n "$(argument_of "$1")" ]; then
    stale=$((stale + 1))
    echo "          but tests/mutants/$pattern.txt argues that it cannot be seen"
  fi
}

unseen() { # ID
  local argument
  remember unseen "$1" ""
  argument=$(argument_of "$1")
  if [ -n "$argument" ]; then
    argued=$((argued + 1))
    report argued "$1" "$argument"
  else
    survived=$((survived + 1))
    report SURVIVED "$1" "$(what_is "$1")"
  fi
}

what_is() { # ID
  awk -F '\t' -v id="$1" '$1 == id { print $2 ":" $3 ": " $4 "   →   " $5 }' "$work/faults.tsv"
}

# ---- the run ----

own_programs() {
  (cd "$work/cpu/tests" && sha256sum "${own[@]}")
}

# The tests pass without a fault, or they would show nothing; a run with one may take three times as
# long.
prepare() {
  local start
  copy_tree
  limit=600
  if ! build_copy cpu "${own[@]}"; then
    cat "$work/cpu-configure.txt" "$work/cpu-build.txt" && exit 1
  fi
  own_programs >"$work/unchanged"
  start=$SECONDS
  if by_orders; then
    echo "a test of $pattern fails without any fault" && exit 1
  fi
  limit=$((SECONDS - start + 10)) # that was three runs
}

prepare_shared() {
  local start
  if ! build_copy cpu "${shared[@]}"; then
    cat "$work/cpu-build.txt" && exit 1
  fi
  start=$SECONDS shared_limit=600
  if by_shared; then
    echo "a test of all patterns fails without any fault" && exit 1
  fi
  shared_limit=$((3 * (SECONDS - start) + 10))
}

prepare_sanitizers() {
  if ! build_copy tsan racecheck || ! build_copy asan "${own[@]}"; then
    cat "$work"/{tsan,asan}-{configure,build}.txt && exit 1
  fi
  limit=$((3 * limit))
  if by_sanitizers; then
    echo "the sanitizers see something without any fault" && exit 1
  fi
}

unseen_ids=() # by the tests run so far

# Programs that are the same, byte for byte, hold no fault.
try_in_orders() { # ID
  local how began=$SECONDS
  plant "$1"
  if ! build_copy cpu "${own[@]}"; then
    broken=$((broken + 1))
    remember broken "$1" ""
  elif [ "$(own_programs)" = "$(cat "$work/unchanged")" ]; then
    same=$((same + 1))
    remember same "$1" ""
  else
    planted=$((planted + 1))
    if how=$(by_orders); then
      seen "$1" "$how"
    else
      unseen_ids+=("$1")
    fi
  fi
  restore "$1"
}

try_in_shared() { # ID
  local how began=$SECONDS
  plant "$1"
  if how=$(by_shared); then
    seen "$1" "$how"
  else
    unseen_ids+=("$1")
  fi
  restore "$1"
}

try_under_sanitizers() { # ID
  local how began=$SECONDS
  plant "$1"
  build_copy tsan racecheck && build_copy asan "${own[@]}" && how=$(by_sanitizers) &&
    seen "$1" "$how" || unseen "$1"
  restore "$1"
}

try_or_remember() { # ID
  local known began=$SECONDS word
  known=$(what_is_known_of "$1") || { try_in_orders "$1" && return; }
  [ -n "$known" ] || return
  word=${known%%$'\t'*}
  case $word in
  broken) broken=$((broken + 1)) ;;
  same) same=$((same + 1)) ;;
  caught) planted=$((planted + 1)) && seen "$1" "${known#*$'\t'}" ;;
  unseen) planted=$((planted + 1)) && unseen "$1" ;;
  esac
}

# The row of the pattern in the table of scores.
keep_score() {
  local scores=tests/mutants/README.md
  awk -v pattern="$pattern" -v row="| $pattern | $planted | $caught | $argued | $survived |" '
    $2 == pattern { $0 = row }
    { print }' "$scores" >"$work/scores.md" && cp "$work/scores.md" "$scores"
}

run() {
  local id rest
  while read -r id; do
    try_or_remember "$id" </dev/null
    [ "$count" = all ] || [ $planted -lt "$count" ] || break
  done < <(cut -f 1 "$work/faults.tsv")
  if [ ${#unseen_ids[@]} -gt 0 ]; then
    prepare_shared
    rest=("${unseen_ids[@]}") unseen_ids=()
    for id in "${rest[@]}"; do
      try_in_shared "$id"
    done
  fi
  if [ ${#unseen_ids[@]} -gt 0 ]; then
    prepare_sanitizers
    for id in "${unseen_ids[@]}"; do
      try_under_sanitizers "$id"
    done
  fi
}

if [ $mode = check ]; then
  check_all_arguments
  exit
fi

work=build/mutants/$pattern
tree=$work/tree
# What another pattern's copy has compiled already is found again.
export CCACHE_BASEDIR=$PWD/$work CCACHE_NOHASHDIR=1
check_arguments || exit 1
mkdir -p "$tree"
exec 9>"$work/lock"
flock -n 9 || { echo "another run is using $work" >&2 && exit 1; }
perl scripts/mutants.pl list "$pattern" >"$work/faults.tsv" || exit 1
if [ ${#only[@]} -gt 0 ]; then
  for id in "${only[@]}"; do
    what_is "$id" | grep . >/dev/null || { echo "$pattern: there is no fault $id" >&2 && exit 1; }
    awk -F '\t' -v id="$id" '$1 == id' "$work/faults.tsv" >>"$work/chosen.tsv"
  done
  mv "$work/chosen.tsv" "$work/faults.tsv"
  count=all
fi
if [ $mode = list ]; then
  awk -F '\t' -v count="$count" 'count == "all" || NR <= count {
    printf "%s   %s:%s\n  - %s\n  + %s\n", $1, $2, $3, $4, $5 }' "$work/faults.tsv"
  exit
fi

need_build_tools
need_cpu_backend
need_tests
install_missing
install_race_check
ulimit -c 0
open_memory
prepare
run
[ "$count" != 36 ] || [ ${#only[@]} -gt 0 ] || keep_score
echo "$broken did not compile and $same made the same program: not counted; $SECONDS s"
echo "$planted planted, $caught caught, $argued argued, $survived survived"
[ $survived -eq 0 ] && [ $stale -eq 0 ] && [ $planted -gt 0 ]
