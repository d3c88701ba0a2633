#!/usr/bin/env bash
# Measures what a vendored pattern costs, compiled with nvcc for one architecture, beside a program
# that makes the same calls through CUB (tests/costs/), and writes the table in docs/costs.md.
# PATTERN…: only those are measured anew; the others' rows stay as they are.
# --check: fails where the table's patterns are not the kit's; the numbers are not looked at.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

page=docs/costs.md
mapfile -t patterns < <(scripts/vendor.sh --list)
rows=(reduce_trimmed reduce_trimmed_one_file reduce_arrays scan_arrays scan_arrays_one_rung "${patterns[@]}")

title() { # ROW
  case $1 in
    reduce_trimmed) echo 'reduce, sums of f32 alone' ;;
    reduce_trimmed_one_file) echo 'the same, kernels in one file' ;;
    scan_arrays_one_rung) echo 'the same, LOOKBACK alone' ;;
    *_arrays) echo "${1%_arrays}, arrays alone" ;;
    *) echo "$1" ;;
  esac
}

if [ "${1-}" = --check ]; then
  diff <(for row in "${rows[@]}"; do title "$row"; done) \
    <(sed -n '/^<!-- costs -->$/,/^<!-- end costs -->$/s/^| \([^|]*[^ |]\) *| *[0-9].*/\1/p' $page) >&2 ||
    { echo "$page has other patterns (>) than the kit (<): run scripts/costs.sh" >&2; exit 1; }
  echo "$page has a row for each pattern"
  exit 0
fi

kit=$PWD
wanted=("${@:-${rows[@]}}")
for name in "${wanted[@]}"; do
  [[ " ${rows[*]} " == *" $name "* ]] || { echo "There is no $name; there are: ${rows[*]}" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
compiler=(nvcc -O3 -arch=sm_90 --compress-mode=size -std=c++17 "-Xcompiler=-ffp-contract=off,-Wno-unknown-pragmas")

# compile FLAGS…: says in `cost` how many files the array `files` has, their seconds of user and
# system time, since others may use the machine too, and those of the longest.
compile() {
  local file TIMEFORMAT='%U %S'
  : >seconds
  for file in "${files[@]}"; do
    { time quietly "$work/log" "${compiler[@]}" "$@" -c "$file" -o "$file.o" 2>&3; } 3>&2 2>>seconds
  done
  cost=$(awk '{n++; t = $1 + $2; all += t; if (t > most) most = t}
    END {printf "%d %.1f %.1f\n", n, all, most}' seconds)
}

# What these files add to a program that uses the CUDA runtime, in KB.
kilobytes() { # FILES AND FLAGS…
  nvcc -arch=sm_90 "$@" -o program
  strip program
  echo $((($(stat -c %s program) - runtime) / 1000))
}

echo 'int main(void) { return cudaFree(0); }' >runtime.cu
runtime=0
runtime=$(($(kilobytes runtime.cu) * 1000))

row() { # ROW: a pattern, PATTERN_arrays, PATTERN_arrays_one_rung, PATTERN_trimmed, or PATTERN_trimmed_one_file
  local pattern=${1%_one_*} files objects count seconds longest size by_cub='– | –'
  pattern=${pattern%_trimmed} pattern=${pattern%_arrays}
  rm -rf vendored && "$kit/scripts/vendor.sh" "$pattern" vendored >/dev/null
  if [[ $1 == *_trimmed* ]]; then
    awk -v kinds=VECTOR -v types='CUDA_R_32F, .*CUDA_R_32F,' -v operators=PRIM_OP_SUM -f "$kit/scripts/trim-instances.awk" \
      "$kit/src/$pattern/instances.h" >"vendored/src/$pattern/instances.h"
  fi
  if [[ $1 == *_arrays* ]]; then
    local rungs=.
    [[ $1 != *_one_rung ]] || rungs=LOOKBACK
    awk -v kinds=VECTOR -v rungs="$rungs" -f "$kit/scripts/trim-instances.awk" \
      "$kit/include/primitives/$pattern.h" "$kit/src/$pattern/instances.h" \
      >"vendored/src/$pattern/instances.h"
  fi
  mapfile -t files < <(find vendored/src -name '*.c' -o -name '*.cu' | sort)
  if [[ $1 == *_one_file ]]; then # as the README.md there says
    (cd vendored && eval "$(sed -n 's/^    \(printf .*\) && rm .*/\1/p' README.md)")
    mapfile -t files < <(find vendored/src -name '*.c' | sort)
    files+=(vendored/*.cu)
  fi
  objects=("${files[@]/%/.o}")
  compile -Ivendored/include -Ivendored/src
  read -r count seconds longest <<<"$cost"
  size=$(kilobytes -I"$kit/tests/vendor" -Ivendored/include "$kit/tests/vendor/$pattern.c" "${objects[@]}")
  if [ -e "$kit/tests/costs/$1.cu" ]; then
    cp "$kit/tests/costs/$1.cu" by_cub.cu
    files=(by_cub.cu)
    compile
    by_cub=$(kilobytes by_cub.cu.o)
    by_cub="$(cut -d ' ' -f 2 <<<"$cost") | $by_cub"
  fi
  echo "| $(title "$1") | $count | $seconds | $longest | $size | $by_cub |"
}

table() {
  local name empty files=(empty.cu)
  : >empty.cu && compile && empty=${cost##* }
  echo '| | files | compiling, s | longest file, s | in a program, KB | by CUB: compiling, s | in a program, KB |'
  echo '|---|--:|--:|--:|--:|--:|--:|'
  for name in "${rows[@]}"; do
    if [[ " ${wanted[*]} " == *" $name "* ]]; then
      echo "$name" >&2
      row "$name"
    else
      grep -F "| $(title "$name") |" "$kit/$page"
    fi
  done
  echo
  echo "CUDA $(nvcc --version | sed -nE 's/.*release ([0-9.]+).*/\1/p'), gcc $(gcc -dumpversion)," \
    "$(sed -nE '/model name/{s/.*: //p;q}' /proc/cpuinfo); seconds of one processor," \
    "of which nvcc takes $empty for an empty .cu file."
}

table >table
sed -e '/^<!-- costs -->$/r table' -e '/^<!-- costs -->$/,/^<!-- end costs -->$/{/^<!--/!d}' "$kit/$page" >page
cat page >"$kit/$page"
