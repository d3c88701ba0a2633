#!/usr/bin/env bash
# Builds and runs every test that this machine can run: on the CPU backend in three thread orders,
# and on the GPU if one answers. PRIM_TEST_LEVEL=quick|normal|full says how much; arguments go to
# ctest: -R scan runs what has scan in its name.
# Ends with a line "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

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

failed=0
logs=()
for preset in "${presets[@]}"; do
  build "$preset" -DPRIM_TESTS=ON -DPRIM_BENCH=ON
  log=build/$preset/log-tests.txt
  logs+=("$log")
  scripts/run-ctest.sh "$preset" "$log" "$@" || failed=1
done
cat "${logs[@]}" | awk -f scripts/count-tests.awk || failed=1
exit $failed
