#!/usr/bin/env bash
# Builds the bench and runs it: every variant of every pattern, on the GPU if one answers, otherwise
# on the CPU backend. Arguments go to primbench; see scripts/bench.sh --help and bench/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

preset=$(choose_preset)
need_build_tools
[ "$preset" = cuda ] || need_cpu_backend
need_bench
for argument in "$@"; do
  case $argument in --plot*) need_plots ;; esac
done
install_missing

# The tests' own needs are not the bench's: a build folder that has them keeps them.
build "$preset" "-DPRIM_TESTS=$(pkg-config --exists criterion && echo ON || echo OFF)" -DPRIM_BENCH=ON
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
exec "build/$preset/bench/primbench" --commit "$commit" "$@"
