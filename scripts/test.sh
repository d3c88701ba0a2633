#!/usr/bin/env bash
# Builds and runs every test that this machine can run: on the CPU backend in three thread orders,
# and on the GPU if one answers. --quick, or PRIM_TEST_LEVEL=quick|normal|full, says how much; other
# arguments go to ctest: -R scan runs what has scan in its name.
# Ends with what was skipped and why, and a line "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

arguments=()
for argument; do
  if [ "$argument" = --quick ]; then
    export PRIM_TEST_LEVEL=quick
  else
    arguments+=("$argument")
  fi
done
case ${PRIM_TEST_LEVEL:=normal} in
  quick | normal | full) ;;
  *) echo "PRIM_TEST_LEVEL is $PRIM_TEST_LEVEL, and there are quick, normal and full." >&2; exit 1 ;;
esac

need_build_tools
need_cpu_backend
need_tests
need_bench
need_examples
install_missing

presets=(cpu)
if [ "$(choose_preset)" = cuda ]; then
  presets+=(cuda)
fi

# What the arguments leave of the preset's tests.
tests_of() { # PRESET
  ctest --preset "$1" -N "${arguments[@]}" | sed -nE 's/^Total Tests: //p'
}

failed=0
logs=()
for preset in "${presets[@]}"; do
  configure "$preset" -DPRIM_TESTS=ON -DPRIM_BENCH=ON
  tests=$(tests_of "$preset")
  [ "${tests:-0}" -gt 0 ] || continue
  compile "$preset"
  log=build/$preset/log-tests.txt
  logs+=("$log")
  echo "Testing: preset $preset, $tests tests, level $PRIM_TEST_LEVEL" >&2
  scripts/run-ctest.sh "$preset" "$log" "${arguments[@]}" || failed=1
done
if [ ${#logs[@]} -eq 0 ]; then
  echo "No test matches ${arguments[*]}; ctest --preset cpu -N lists them." >&2
  exit 1
fi
cat "${logs[@]}" | awk -f scripts/count-tests.awk || failed=1
exit $failed
