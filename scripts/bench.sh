#!/usr/bin/env bash
# Compares the variants. On a GPU one case of each pattern, in about a minute; --full measures all of
# them. Without a GPU first what was recorded on one, then every variant runs on the CPU backend, to see
# that all agree. Arguments go to primbench; see scripts/bench.sh --help and bench/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

preset=$(choose_preset)
if [ "$preset" = cpu ]; then
  [ $# -gt 0 ] || cat bench/results/ladders.txt
  export SIMT_DEVICE=${SIMT_DEVICE:-9.0} # the rungs that need clusters, too
fi
[ "${1-}" != --help ] || [ -x "build/$preset/bench/primbench" ] || {
  print_head "$0"
  echo "Once it is built, which the first run does, --help lists primbench's options."
  exit
}
need_build_tools
[ "$preset" = cuda ] || need_cpu_backend
need_bench
for argument in "$@"; do
  case $argument in --plot*) need_plots ;; esac
done
install_missing

# The tests' own needs are not the bench's: a build folder that has them keeps them.
configure "$preset" "-DPRIM_TESTS=$(pkg-config --exists criterion && echo ON || echo OFF)" -DPRIM_BENCH=ON
compile "$preset" primbench
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
exec "build/$preset/bench/primbench" --commit "$commit" "$@"
