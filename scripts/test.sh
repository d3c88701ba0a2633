#!/usr/bin/env bash
# Builds and runs every test that this machine can run, on the CPU backend and, if one answers, on
# the GPU. PRIM_TEST_LEVEL says how much: quick (or --quick), as without it on the CPU backend, runs
# few sizes in a shuffled order of threads, as on a GPU of capability 9.0; normal, as without it on a
# GPU, more sizes, and on the CPU backend the reverse order too, and what depends on the GPU as on one
# of 7.5; full takes an hour, and has the forward order. --gpu leaves the CPU backend out. Other
# arguments go to ctest: -R scan runs what has scan in its name, and only that is built.
# Ends with what was skipped and why, and a line "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

arguments=() presets=(cpu)
for argument; do
  case $argument in
    --quick) export PRIM_TEST_LEVEL=quick ;;
    --gpu) presets=() ;;
    --help) print_head "$0"; exit ;;
    *) arguments+=("$argument") ;;
  esac
done
case ${PRIM_TEST_LEVEL:-none} in
  none | quick | normal | full) ;;
  *) echo "PRIM_TEST_LEVEL is $PRIM_TEST_LEVEL, but must be quick, normal or full." >&2; exit 1 ;;
esac

if [ "$(choose_preset)" = cuda ]; then
  presets+=(cuda)
elif [ ${#presets[@]} -eq 0 ]; then
  exit 1
fi

need_build_tools
if [ "${presets[0]}" = cpu ]; then
  need_cpu_backend
  need_tests
  need_bench
  need_examples
fi
install_missing
bench=$(pkg-config --exists libcjson && echo ON || echo OFF)

level_of() { # PRESET
  local level=quick
  [ "$1" = cpu ] || level=normal
  echo "${PRIM_TEST_LEVEL:-$level}"
}

# What a level leaves out, by labels, as ctest's arguments.
left_out() { # LEVEL
  case $1 in
    quick) echo '-LE ^(forward|reverse|older_device)$' ;;
    normal) echo '-LE ^forward$' ;;
  esac
}

# What the arguments leave of the preset's tests.
tests_of() { # PRESET CTEST-ARGUMENTS…
  ctest --preset "$1" -N "${@:2}" | sed -nE 's/^Total Tests: //p'
}

# The programs that these tests run, by their targets' names.
targets_of() { # PRESET CTEST-ARGUMENTS…
  ctest --preset "$1" -N -V "${@:2}" | sed -nE 's/^[0-9]+: Test command: //p' |
    grep -oE "$PWD/build/$1/[^ \"]+" | sed 's,.*/,,' | sort -u
}

failed=0
logs=()
for preset in "${presets[@]}"; do
  level=$(level_of "$preset")
  read -ra orders < <(left_out "$level") || true
  configure "$preset" -DPRIM_TESTS=ON "-DPRIM_BENCH=$bench"
  tests=$(tests_of "$preset" "${orders[@]}" "${arguments[@]}")
  [ "${tests:-0}" -gt 0 ] || continue
  targets=(all)
  [ ${#arguments[@]} -eq 0 ] || mapfile -t targets < <(targets_of "$preset" "${orders[@]}" "${arguments[@]}")
  compile "$preset" "${targets[@]}"
  log=build/$preset/log-tests.txt
  logs+=("$log")
  echo "Testing: preset $preset, $tests programs and orders, level $level" >&2
  PRIM_TEST_LEVEL=$level scripts/run-ctest.sh "$preset" "$log" "${orders[@]}" "${arguments[@]}" || failed=1
done
if [ ${#logs[@]} -eq 0 ]; then
  echo "No test matches ${arguments[*]}; ctest --preset cpu -N lists them." >&2
  exit 1
fi
cat "${logs[@]}" | awk -f scripts/count-tests.awk || failed=1
exit $failed
