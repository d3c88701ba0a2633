#!/usr/bin/env bash
# Does with scripts/vendor.sh what its users do: vendors each pattern into an empty folder, where its
# files are those of the kit, and compile as one file. Three patterns, as the commit's hash decides, are
# built there by the lines of its README.md, warnings being errors, for the CPU backend, and run
# tests/vendor/PATTERN.c; with nvcc, where it is, binary_gemm is compiled and linked too, reduce, trimmed,
# by CMake, and reduce and scan, trimmed, as one file. With --all every pattern is built, with nvcc file by
# file and as one. Then what vendor.sh must refuse and keep.
# Ends with a line "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

# shellcheck source=.ci/checks.sh
. .ci/checks.sh
kit=$PWD

vendor() {
  "$kit/scripts/vendor.sh" "$@"
}

# The command in FOLDER/README.md that begins so.
command_of() { # FOLDER BEGINNING
  sed -n "s/^    \($2.*\)/\1/p" "$1/README.md" | grep .
}

# The README's line for a program, with the program's name.
use() { # FOLDER BEGINNING PROGRAM
  local line
  cp "$kit/tests/vendor/use.h" "$kit/tests/vendor/$3.c" . && line=$(command_of "$1" "$2") &&
    eval "${line//yours/$3} $warnings"
}

warnings='-Wall -Wextra -Werror'
export NVCC_APPEND_FLAGS='-Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror' # added by nvcc to what the README says

build_cpu() { # FOLDER
  local line
  line=$(command_of "$1" 'gcc -r') && (cd "$1" && eval "$line -O0 $warnings")
}

run_cpu() { # FOLDER PROGRAM
  use "$1" 'gcc -I' "$2" && "./$2"
}

build_nvcc() { # FOLDER
  local line
  line=$(command_of "$1" 'rm -f [^ ]* && nvcc') && (cd "$1" && eval "$line")
}

# A pattern takes no other along.
is_alone() { # PATTERN
  local folder
  for folder in kit/src/*; do
    [[ $folder == kit/src/common || $folder == "kit/src/$1" ]] || { echo "$folder" && return 1; }
  done
}

on_cpu() { # PATTERN
  vendor --cpu "$1" kit && build_cpu kit && run_cpu kit "$1"
}

# What was copied is the kit's; kernels compile as one file, where no two name the same thing.
is_whole() { # PATTERN
  local line
  vendor --cpu "$1" kit && is_alone "$1" && diff -r "$kit/src/$1" "kit/src/$1" &&
    diff -r "$kit/src/common" kit/src/common && diff "$kit/include/primitives/$1.h" "kit/include/primitives/$1.h" &&
    line=$(command_of kit printf) && cd kit && eval "${line%% && rm *}" && g++ -std=c++17 -fsyntax-only \
      $warnings -Wno-unknown-pragmas -Iinclude -Isrc -Isimt/include -x c++ "$1.cu"
}

# There may be no GPU, so the program is only linked. The folder's name has a blank.
with_nvcc() { # PATTERN
  local warnings='' folder='my kit'
  vendor "$1" "$folder" && build_nvcc "$folder" && use "$folder" 'nvcc -I' "$1" && [ -x "$1" ]
}

# The README's other line: all of a pattern's kernels in one file.
as_one_file() { # PATTERN
  local warnings='' line
  vendor "$1" kit && { [[ $1 != reduce && $1 != scan ]] || trim_to_sums "$1"; } && line=$(command_of kit printf) &&
    (cd kit && eval "$line") && use kit 'nvcc -I' "$1" && [ -x "$1" ]
}

with_cmake() {
  local folder='my kit'
  vendor reduce "$folder" && trim_to_sums reduce && cp "$kit/tests/vendor/use.h" "$kit/tests/vendor/reduce.c" . && {
    echo 'cmake_minimum_required(VERSION 3.24)'
    echo 'project(yours LANGUAGES C)'
    # shellcheck disable=SC2016
    sed -n '/^```cmake$/,/^```$/p' "$folder/README.md" | sed '/^```/d; s/^# //'
  } | sed 's/^target_link_libraries(yours/add_executable(yours reduce.c)\n&/' >CMakeLists.txt &&
    cmake -G Ninja -S . -B build && cmake --build build && [ -x build/yours ]
}

# Headers alone, with the CPU backend; then a pattern beside them, which knows nothing of them.
device_on_cpu() {
  local line
  vendor --cpu device kit && [ ! -e kit/src ] && diff -r "$kit/include/primitives/device" kit/include/primitives/device &&
    cp "$kit/tests/vendor/device.cu" . && line=$(command_of kit 'gcc -O2') && eval "${line//yours/device} $warnings" &&
    [ "$(./device)" = 4560 ] && vendor binary_gemm kit && grep -q 'range\.h' kit/README.md &&
    build_cpu kit && run_cpu kit binary_gemm
}

device_with_nvcc() {
  local line
  vendor device 'my kit' && cp "$kit/tests/vendor/device.cu" . && line=$(command_of 'my kit' 'nvcc -std') &&
    eval "${line//yours/device}" && [ -x device ]
}

# A second pattern joins the first, and so do their headers' lines in the README. The folder's name is
# one that the shell would cut, and read a variable from.
two_in_one() {
  local folder="my \$kit's"
  vendor --cpu gemv "$folder" && vendor binary_gemm "$folder" && build_cpu "$folder" &&
    run_cpu "$folder" gemv && run_cpu "$folder" binary_gemm && grep -q 'gemv\.h' "$folder/README.md" &&
    grep -q 'binary_gemm\.h' "$folder/README.md"
}

# refused STATUS WORDS COMMAND…: vendor.sh fails, says so, and leaves everything as it was.
refused() {
  local expected=$1 words=$2 status before after said
  shift 2
  before=$(find . -mindepth 1 -exec stat -c '%n %s %Y' {} +)
  said=$("$@" 2>&1)
  status=$?
  after=$(find . -mindepth 1 -exec stat -c '%n %s %Y' {} +)
  printf '%s\n' "$said"
  [ $status -eq "$expected" ] && [[ $said == *"$words"* ]] && [ "$before" = "$after" ]
}

unknown_pattern() {
  local all
  all=$(vendor --list | tr '\n' ' ')
  refused 1 "${all% }" vendor reduce nonsense kit
}

missing_arguments() {
  refused 2 usage: vendor && refused 2 usage: vendor reduce && refused 2 usage: vendor kit &&
    refused 2 usage: vendor --nonsense reduce kit
}

foreign_folder() {
  mkdir kit && touch kit/mine && refused 1 'not empty' vendor reduce kit &&
    touch file && refused 1 'not a folder' vendor reduce file
}

copy_of_kit() {
  mkdir changed && cp -r "$kit"/{LICENSE,include,src,simt,scripts} changed
}

# A kit with one more line: another version, in which reduce uses scan.
changed_kit() {
  copy_of_kit &&
    echo '#include <primitives/scan.h>' >>changed/src/reduce/reduce.c
}

another_version() {
  changed_kit && vendor reduce kit && refused 1 'Versions do not mix' changed/scripts/vendor.sh scan kit
}

# A library with a vendored copy inside: what its rung says, and a sum with memory from the copy's pool.
library_around() { # COPY
  local line
  line=$(command_of "$1" 'gcc -r') && (cd "$1" && eval "$line -O0 -fPIC -fvisibility=hidden") &&
    echo "#include <primitives/reduce.h>
    __attribute__((visibility(\"default\"))) const char *idea_of_$1(void);
    const char *idea_of_$1(void) { return prim_reduce_variant_info(PRIM_REDUCE_VECTORIZED)->idea; }
    __attribute__((visibility(\"default\"))) double sum_by_$1(const float *values, size_t count);
    double sum_by_$1(const float *values, size_t count) {
      float *d_values, *d_sum, sum = -1;
      cudaMalloc((void **)&d_values, count * sizeof *d_values); cudaMalloc((void **)&d_sum, sizeof *d_sum);
      cudaMemcpy(d_values, values, count * sizeof *values, cudaMemcpyHostToDevice);
      if (prim_reduce(PRIM_REDUCE_VECTORIZED, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, d_values, count,
                      CUDA_R_32F, d_sum, NULL) == PRIM_OK)
        cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
      cudaFree(d_values); cudaFree(d_sum);
      return prim_release_memory() == PRIM_OK ? sum : -2; }" >"$1.c" &&
    gcc -shared -fPIC -I"$1/include" -I"$1/simt/include" "$1.c" "$1/primitives-cpu.o" \
      -lboost_context -lstdc++ -lm -pthread -o "lib$1.so" &&
    nm -D --defined-only "lib$1.so" >exported && grep "idea_of_$1" exported &&
    ! grep -E ' (prim|simt)_' exported
}

# Two shared libraries with a copy each, of different versions, in one program: each calls its own.
two_versions() {
  local copy folder
  copy_of_kit &&
    sed -i 's/"16-byte loads/"changed: 16-byte loads/' changed/src/reduce/vectorized.cu &&
    vendor --cpu reduce one && changed/scripts/vendor.sh --cpu reduce two || return 1
  for copy in one two; do
    folder=$copy trim_to_sums reduce && library_around $copy || return 1
  done
  echo '#include <stdio.h>
  const char *idea_of_one(void), *idea_of_two(void);
  double sum_by_one(const float *values, size_t count), sum_by_two(const float *values, size_t count);
  int main(void) {
    static float values[100000];
    for (int i = 0; i < 100000; i++) values[i] = i % 3;
    printf("%s\n%s\n", idea_of_one(), idea_of_two());
    for (int again = 0; again < 3; again++)
      printf("%.0f %.0f\n", sum_by_one(values, 100000), sum_by_two(values, 100000));
    return 0; }' >program.c &&
    gcc program.c -L. -lone -ltwo -Wl,-rpath,. -o program && ./program >said && cat said &&
    [ "$(grep -c changed said)" -eq 1 ] && head -n 1 said | grep -v changed &&
    [ "$(tail -n 3 said | sort -u)" = '99999 99999' ]
}

another_pattern() {
  changed_kit && changed/scripts/vendor.sh reduce kit && [ -e kit/src/scan/scan.c ] &&
    [ -e kit/include/primitives/scan.h ] && [ ! -e kit/src/merge ]
}

# Something is in the way of src/scan, which comes to light in the middle of the work.
half_written() {
  vendor reduce kit && touch kit/src/scan && refused 1 '' vendor scan merge kit
}

trim() { # PATTERN, and what trim-instances.awk keeps; in $folder, or in kit
  local pattern=$1 instances=${folder-kit}/src/$1/instances.h
  shift
  awk -v kinds=VECTOR "$@" -f "$kit/scripts/trim-instances.awk" "$kit/include/primitives/$pattern.h" \
    "$kit/src/$pattern/instances.h" >"$instances"
}

# Leaves prim_reduce() or prim_scan() alone, for sums of f32; of scan, by LOOKBACK.
trim_to_sums() { # PATTERN
  local rungs=.
  [ "$1" != scan ] || rungs=LOOKBACK
  trim "$1" -v rungs=$rungs -v types='CUDA_R_32F, .*CUDA_R_32F,' -v operators=PRIM_OP_SUM
}

trimmed() {
  vendor --cpu reduce kit && trim_to_sums reduce && build_cpu kit && run_cpu kit reduce && run_cpu kit trimmed_reduce &&
    cp kit/src/reduce/instances.h mine && vendor reduce scan kit >said && cmp mine kit/src/reduce/instances.h &&
    grep -q 'kept.*reduce/instances\.h' said && build_cpu kit && run_cpu kit trimmed_reduce
}

# Leaves scan prim_scan() by LOOKBACK.
trimmed_rungs() {
  vendor --cpu scan kit && trim scan -v rungs=LOOKBACK && build_cpu kit && run_cpu kit trimmed_scan
}

mapfile -t patterns < <(vendor --list)
in_turn=()
for i in 0 3 6; do
  in_turn+=("${patterns[$(((0x$(git rev-parse HEAD | cut -c 1-8) + i) % ${#patterns[@]}))]}")
done
[ "${1-}" != --all ] || in_turn=("${patterns[@]}")
echo "Built: ${in_turn[*]}"
check_each "is whole" is_whole "${patterns[@]}"
check_each "on the CPU backend" on_cpu "${in_turn[@]}"
check "device on the CPU backend" device_on_cpu
check "two patterns in one folder" two_in_one
check "an unknown pattern" unknown_pattern
check "missing arguments" missing_arguments
check "a folder with other files" foreign_folder
check "another version" another_version
check "two versions in one program" two_versions
check "a pattern that uses another" another_pattern
check "a failure in the middle" half_written
check "trimmed instances" trimmed
check "trimmed rungs" trimmed_rungs

by_file=(binary_gemm) in_one=(reduce scan)
if [ "${1-}" = --all ]; then
  by_file=("${patterns[@]}") in_one=("${patterns[@]}")
fi
if command -v nvcc >/dev/null; then
  for pattern in "${by_file[@]}"; do
    check "$pattern with nvcc" with_nvcc "$pattern"
  done
  for pattern in "${in_one[@]}"; do
    check "$pattern as one file with nvcc" as_one_file "$pattern"
  done
  check "reduce with CMake and nvcc" with_cmake
  check "device with nvcc" device_with_nvcc
else
  for name in "${by_file[@]/%/ with nvcc}" "${in_one[@]/%/ as one file with nvcc}" "reduce with CMake and nvcc" \
    "device with nvcc"; do
    skip "$name" "there is no nvcc here"
  done
fi
counts
