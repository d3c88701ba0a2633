#!/usr/bin/env bash
# Compiles everything with nvcc in one go, for compute capability 7.5 and 9.0a, which have every path of
# the source between them; with --one for one of the two, as the commit's hash decides; with --all for
# 8.0 too. Fails on a warning, on a register spill, and over the budgets of kernels and seconds. Prints
# both per file.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

# The most kernels for one architecture, of the kit and of each pattern. Those of tests, bench and
# examples are listed, but not counted.
most_kernels=1320
pattern_kernels='reduce 380 scan 240 sparse 185 merge 130 gemm 100 histogram 110 convolution 140 gemv 60
  binary_gemm 40'
case ${1-} in
  '') architectures=(75-real 90a-real) ;;
  --all) architectures=(75-real 80 90a-real) ;;
  --one)
    architectures=(75-real)
    [ $((0x$(git rev-parse HEAD | cut -c 1-8) % 2)) -eq 0 ] || architectures=(90a-real)
    ;;
  *)
    echo "usage: $0 [--one | --all]" >&2
    exit 2
    ;;
esac
# Of processor time, for host code and for each architecture. 1486 were seen for one on a slow day, and
# 2050 for two on another machine, with a tenth more kernels.
most_seconds=$((600 + 1300 * ${#architectures[@]}))
counted=sm_${architectures[0]%-real}

# Host code is hardly optimized here, since nothing runs; but not at all would leave inline functions of
# the toolkit's headers in the libraries, where check-symbols.sh finds them.
directory=build/cuda-portable
rm -rf "$directory"
quietly "$directory/log-configure.txt" cmake -S . -B "$directory" -G Ninja \
  -DCMAKE_BUILD_TYPE=None -DPRIM_BACKEND=cuda -DCMAKE_CUDA_ARCHITECTURES="$(IFS=';' && echo "${architectures[*]}")" \
  -DCMAKE_CUDA_FLAGS='-O1 -Xptxas=-v' -DPRIM_WERROR=ON -DPRIM_TESTS=ON -DPRIM_BENCH=ON -DPRIM_EXAMPLES=ON \
  -DPRIM_PEERS=OFF -DPRIM_CCACHE=
# Processor time of this shell's children so far, in seconds.
processor_seconds() {
  awk -v ticks="$(getconf CLK_TCK)" '{printf "%d", ($16 + $17) / ticks}' /proc/$$/stat
}
start=$(processor_seconds)
quietly "$directory/log-build.txt" cmake --build "$directory" --verbose
seconds=$(($(processor_seconds) - start))

if grep -E '[1-9][0-9]* bytes spill' "$directory/log-build.txt"; then
  echo "registers spill" >&2
  exit 1
fi

# ninja's log: start and end of each output in milliseconds. Kernels: what cuobjdump would list, as
# ptxas said while compiling the file for the first architecture.
awk -v log_file="$directory/.ninja_log" -v entry="Compiling entry function .* for .$counted." '
  BEGIN {
    while ((getline line < log_file) > 0)
      if (split(line, f, "\t") >= 4 && f[4] ~ /\.cu\.o$/) {
        name = f[4]
        sub(/.*\.dir\//, "", name)
        sub(/\.o$/, "", name)
        seconds[name] = (f[2] - f[1]) / 1000
      }
  }
  match($0, /-c [^ ]*\.cu /) {
    file = substr($0, RSTART + 3, RLENGTH - 4)
    for (name in seconds)
      if (substr(file, length(file) - length(name) + 1) == name) current = name
  }
  $0 ~ entry {
    kernels[current]++
    if (current ~ /\//) all++
  }
  END {
    for (name in seconds)
      printf "%6d kernels %7.1f s  %s\n", kernels[name], seconds[name], name
    printf "%6d kernels of the kit in all\n", all
  }' "$directory/log-build.txt" | sort -k4 | tee "$directory/budget.txt"
kernels=$(awk '/of the kit in all/ {print $1}' "$directory/budget.txt")
echo "built for ${architectures[*]} in $seconds s of processor time"
if [ "$kernels" -eq 0 ] || [ "$kernels" -gt $most_kernels ] || [ "$seconds" -gt $most_seconds ]; then
  echo "over the budget of $most_kernels kernels and $most_seconds s of processor time, or no kernel seen" >&2
  exit 1
fi

awk -v budgets="$pattern_kernels" '
  BEGIN {
    n = split(budgets, b, /[ \n]+/)
    for (i = 1; i < n; i += 2) most[b[i]] = b[i + 1]
  }
  $NF ~ /\// { split($NF, path, "/"); kernels[path[1]] += $1 }
  END {
    for (pattern in kernels) {
      if (!(pattern in most)) continue
      printf "%-12s %4d of %4d kernels\n", pattern, kernels[pattern], most[pattern]
      if (kernels[pattern] > most[pattern]) over = 1
      seen++
    }
    exit over || seen < n / 2 - 1
  }' "$directory/budget.txt" || { echo "a pattern is over its budget of kernels" >&2; exit 1; }

# The bench's peers are no part of the kit, nor of its budget; that they compile, for one architecture.
# Not optimized: at -O1 gcc 12 takes CUB's dispatch for uninitialized.
start=$SECONDS
quietly "$directory/log-configure-peers.txt" cmake -S . -B "$directory" -DPRIM_PEERS=ON \
  -DCMAKE_CUDA_FLAGS= -DCMAKE_CUDA_ARCHITECTURES=90a-real
quietly "$directory/log-build-peers.txt" cmake --build "$directory" --target bench_peers
grep 'primbench: peer' "$directory/log-configure-peers.txt" || true
echo "the bench's peers built in $((SECONDS - start)) s"
