#!/usr/bin/env bash
# Compiles kernels with nvcc for compute capability 7.5 and 9.0a, which have every path of the source
# between them, and all C files against CUDA's own headers. .ci/kernels.tsv remembers for each file how
# many kernels it has for either, and a hash of all that it was compiled from when that was found: what
# has changed since is compiled, and one pattern more with a program that links it, as the commit's hash
# decides. Fails on a warning, on a register spill, on another number of kernels, and over the budgets.
# --record writes what was found to .ci/kernels.tsv; --all compiles everything, also for 8.0.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

# The most kernels for one architecture, of the kit and of each pattern. Those of tests, bench and
# examples are remembered, but not counted.
most_kernels=1455
pattern_kernels='reduce 380 scan 240 sparse 185 merge 130 gemm 131 histogram 110 convolution 200 gemv 60
  binary_gemm 40'

mode=${1-} known=.ci/kernels.tsv directory=build/cuda-portable
architectures='75-real;90a-real'
case $mode in
  '' | --record) ;;
  --all) architectures='75-real;80;90a-real' ;;
  *) echo "usage: $0 [--record | --all]" >&2 && exit 2 ;;
esac

# Host code is hardly optimized here, since nothing runs; but not at all would leave inline functions of
# the toolkit's headers in the libraries, where check-symbols.sh finds them. What ptxas says of a file
# comes out of ccache too.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
rm -rf "$directory"
quietly "$directory/log-configure.txt" cmake -S . -B "$directory" -G Ninja \
  -DCMAKE_BUILD_TYPE=None -DPRIM_BACKEND=cuda -DCMAKE_CUDA_ARCHITECTURES="$architectures" \
  -DCMAKE_CUDA_FLAGS='-O1 -Xptxas=-v' -DPRIM_WERROR=ON -DPRIM_TESTS=ON -DPRIM_BENCH=ON -DPRIM_EXAMPLES=ON \
  -DPRIM_PEERS=OFF

# ---- what every file is compiled from ----

# A line for each #include of one of the kit's files by another: both, by their names from here.
includes() {
  git ls-files -co --exclude-standard '*.c' '*.cu' '*.h' '*.cuh' | xargs grep -HoE '^ *# *include *["<][^">]+' |
    sed -E 's/: *# *include *["<]/ /' | awk '
      { folder = $1; sub(/[^\/]*$/, "", folder)
        n = split("src/ include/ bench/ tests/ " folder, roots, " ")
        for (i = 1; i <= n; i++) print $1, roots[i] $2 }' |
    while read -r file included; do [ ! -e "$included" ] || echo "$file $included"; done
}

# A line for each file that nvcc compiles: its name, and a hash of all that it includes, of nvcc and of
# the flags.
hashes() { # FLAGS
  local file members
  awk '
    NR == FNR { if (seen[$1, $2]++ == 0) of[$1] = of[$1] " " $2; next }
    { delete reached; list = $1; reached[$1] = 1
      for (at = 1; at <= split(list, names, " "); at++) {
        n = split(of[names[at]], more, " ")
        for (i = 1; i <= n; i++) if (!(more[i] in reached)) { reached[more[i]] = 1; list = list " " more[i] }
      }
      print list }' <(includes) <(printf '%s\n' "${files[@]}") |
    while read -r file members; do
      echo "$file $({ echo "$1"; cat $file $members; } | sha256sum | cut -c1-12)"
    done
}

# Objects by ninja's names; what is compiled for two programs is one file.
mapfile -t objects < <(ninja -C "$directory" -t targets all | sed -nE 's/^(.*\.cu?\.o): .*/\1/p' | sort)
source_of() { # OBJECT…
  printf '%s\n' "$@" | sed -E 's,CMakeFiles/[^/]*\.dir/,,; s,/[^/]*/__/,/,; s/\.o$//'
}
mapfile -t files < <(source_of "${objects[@]}" | grep '\.cu$' | sort -u)
flags=$(nvcc --version | sed -nE 's/.*release ([^,]*),.*/\1/p'
  ninja -C "$directory" -t commands src/CMakeFiles/prim_common.dir/common/host/device.cu.o | tail -n 1 |
    sed -E "s,$PWD,,g; s,^.*/nvcc ,,; s,--generate-code[^ ]*,,g; s, -M[DTF] .*,,")
hashes "$flags" >"$directory/hashes.txt"

# ---- what is compiled ----

mapfile -t patterns < <(scripts/vendor.sh --list)
in_turn=${patterns[$((0x$(git rev-parse HEAD | cut -c 1-8) % ${#patterns[@]}))]}
changed=$(awk -F '\t' 'NR == FNR { split($0, now, " "); hash[now[1]] = now[2]; next }
  !/^#/ && hash[$1] == $4 { delete hash[$1] }
  END { for (file in hash) print file }' "$directory/hashes.txt" "$known" | sort)
[ "$mode" != --all ] || changed=$(printf '%s\n' "${files[@]}")
echo "$(grep -c . <<<"$changed" || true) files changed since .ci/kernels.tsv"
echo "in turn: $in_turn"

wanted=("prim_$in_turn" "test_$in_turn")
for object in "${objects[@]}"; do
  file=$(source_of "$object")
  if [[ $file == *.c ]] || grep -qxF "$file" <<<"$changed"; then
    wanted+=("$object")
  fi
done
quietly "$directory/log-build.txt" cmake --build "$directory" --verbose --target "${wanted[@]}"

if grep -E '[1-9][0-9]* bytes spill' "$directory/log-build.txt"; then
  echo "registers spill" >&2
  exit 1
fi

# ---- what was found ----

# File, kernels for 7.5, kernels for 9.0a, hash: of what was compiled, once where it is for two programs.
# ptxas names kernels while it compiles an object.
awk -v OFS='\t' '
  FILENAME ~ /hashes\.txt$/ { hash[$1] = $2; next }
  match($0, /-o [^ ]*\.cu\.o$/) { object = substr($0, RSTART + 3); seen[object] = 1 }
  /Compiling entry function .* for .sm_75/ { low[object]++ }
  /Compiling entry function .* for .sm_90a/ { high[object]++ }
  END {
    for (object in seen) {
      name = object
      gsub(/CMakeFiles\/[^\/]*\.dir\//, "", name)
      sub(/\.o$/, "", name)
      if (named[name]++ == 0) print name, low[object] + 0, high[object] + 0, hash[name]
    }
  }' "$directory/hashes.txt" "$directory/log-build.txt" | sort >"$directory/found.tsv"

# The pattern in turn was compiled whatever has changed.
grep -q "^src/$in_turn/" "$directory/found.tsv" || { echo "no kernel of $in_turn was seen" >&2; exit 1; }

# With the seconds from start to end that ninja's log has.
awk -F '\t' '
  NR == FNR { seconds[$4] = ($2 - $1) / 1000; next }
  { for (object in seconds) {
      name = object
      gsub(/CMakeFiles\/[^\/]*\.dir\//, "", name)
      if (name == $1 ".o") took = seconds[object] }
    printf "%5d %5d kernels %7.1f s  %s\n", $2, $3, took, $1 }' "$directory/.ninja_log" "$directory/found.tsv"

if [ "$mode" = --record ]; then
  { grep '^#' "$known"
    awk -F '\t' -v OFS='\t' 'NR == FNR { new[$1] = $0; next } !/^#/ && !($1 in new) { new[$1] = $0 }
      END { for (file in new) print new[file] }' "$directory/found.tsv" "$known" |
      awk -F '\t' 'NR == FNR { is_here[$1] = 1; next } $1 in is_here' <(tr ' ' '\t' <"$directory/hashes.txt") - |
      sort
  } >"$directory/kernels.tsv"
  cp "$directory/kernels.tsv" "$known"
fi

awk -F '\t' '
  NR == FNR { if (!/^#/) { low[$1] = $2; high[$1] = $3 } next }
  !($1 in low) || low[$1] != $2 || high[$1] != $3 {
    printf "%s: %d and %d kernels, and .ci/kernels.tsv has %d and %d\n", $1, $2, $3, low[$1], high[$1]; bad = 1 }
  END { exit bad }' "$known" "$directory/found.tsv" >&2 ||
  { echo "if that is meant, run .ci/check-cuda.sh --record" >&2; exit 1; }

awk -F '\t' -v budgets="$pattern_kernels" -v most_kernels=$most_kernels '
  BEGIN { n = split(budgets, b, /[ \n]+/); for (i = 1; i < n; i += 2) most[b[i]] = b[i + 1] }
  /^src\// { split($1, path, "/"); kernels = $2 > $3 ? $2 : $3; of[path[2]] += kernels; all += kernels }
  END {
    for (pattern in most) {
      printf "%-12s %4d of %4d kernels\n", pattern, of[pattern], most[pattern] | "sort"
      if (of[pattern] > most[pattern] || of[pattern] == 0) over = 1
    }
    close("sort")
    printf "all          %4d of %4d kernels\n", all, most_kernels
    exit over || all > most_kernels
  }' "$known" || { echo "over the budget of kernels, or a pattern without any" >&2; exit 1; }

# ---- the bench's peers ----

# No part of the kit, nor of its budget; that they compile, for one architecture, where they changed or
# it is their turn, with that of the pattern that has fewest kernels. Not optimized: at -O1 gcc 12 takes
# CUB's dispatch for uninitialized.
peers=$({ echo "$flags"; cat bench/peers/* bench/CMakeLists.txt; } | sha256sum | cut -c1-12)
if [ "$mode" = --record ]; then
  sed -i "s/^# peers: .*/# peers: $peers/" "$known"
fi
if [ "$in_turn" = binary_gemm ] || [ "$mode" != '' ] || ! grep -qx "# peers: $peers" "$known"; then
  start=$SECONDS
  quietly "$directory/log-configure-peers.txt" cmake -S . -B "$directory" -DPRIM_PEERS=ON \
    -DCMAKE_CUDA_FLAGS= -DCMAKE_CUDA_ARCHITECTURES=90a-real
  quietly "$directory/log-build-peers.txt" cmake --build "$directory" --target bench_peers
  grep 'primbench: peer' "$directory/log-configure-peers.txt" || true
  echo "the bench's peers built in $((SECONDS - start)) s"
fi
