#!/usr/bin/env bash
# vendor.sh [--cpu] PATTERN… DIR: copies what the patterns need into DIR, for another project: public
# headers, sources, LICENSE, VERSION, and a README.md that says how to build them. --cpu: the CPU
# backend too. DIR may hold patterns of the same version already; files changed there are kept.
# vendor.sh device DIR: the headers for kernels of one's own; `device` may stand among patterns, too.
# vendor.sh --list: the patterns, one a line.
set -euo pipefail

usage() {
  echo "usage: $0 [--cpu] PATTERN… DIR      (device: the headers for kernels of your own)"
  echo "       $0 --list"
}

die() {
  echo "vendor.sh: $*" >&2
  exit 1
}

wrong_usage() {
  echo "vendor.sh: $*" >&2
  usage >&2
  exit 2
}

list=0 cpu=0 arguments=()
for argument; do
  case $argument in
    --help | -h) usage && exit 0 ;;
    --list) list=1 ;;
    --cpu) cpu=1 ;;
    -*) wrong_usage "there is no option $argument" ;;
    '') wrong_usage "an argument is empty" ;;
    *) arguments+=("$argument") ;;
  esac
done
called_from=$PWD
cd "$(dirname "$0")/.."
mapfile -t known < <(sed -nE 's/^prim_pattern\(([a-z0-9_]+).*/\1/p' src/CMakeLists.txt | grep -vx common)
is_known() {
  [[ " ${known[*]} device " == *" $1 "* ]]
}
if [ $list -eq 1 ]; then
  printf '%s\n' "${known[@]}"
  exit 0
fi
[ ${#arguments[@]} -gt 0 ] || wrong_usage "no pattern and no folder given"
directory=${arguments[-1]}
patterns=("${arguments[@]:0:${#arguments[@]}-1}")
if is_known "$directory"; then
  wrong_usage "no folder is given: $directory is a pattern (for a folder of that name write ./$directory)"
fi
[ ${#patterns[@]} -gt 0 ] || wrong_usage "no pattern given; there are: ${known[*]} device"
for pattern in "${patterns[@]}"; do
  is_known "$pattern" || die "there is no pattern $pattern; there are: ${known[*]} device"
done
directory=$(cd "$called_from" && realpath -m -- "$directory")

# What a folder needs stands in its #include lines. A public header belongs to the folder that has a
# .c file of its name.
declare -A folders=() headers=()

follow_includes() { # FILE…
  local line
  while IFS= read -r line; do
    if [[ $line =~ \<primitives/([a-z0-9_/]+)\.h\> ]]; then
      add_header "${BASH_REMATCH[1]}"
    elif [[ $line =~ \"([a-z0-9_]+)/ ]]; then
      add_folder "${BASH_REMATCH[1]}"
    fi
  done < <(grep -hE '^ *# *include' "$@")
}

add_header() {
  [ -z "${headers[$1]-}" ] || return 0
  headers[$1]=1
  follow_includes "include/primitives/$1.h"
  local source
  for source in src/*/"$1.c"; do
    [ ! -e "$source" ] || add_folder "$(basename "$(dirname "$source")")"
  done
}

files_of() { # FOLDER…
  find "$@" -type f \( -name '*.c' -o -name '*.cu' -o -name '*.h' -o -name '*.cuh' -o -name '*.md' \)
}

add_folder() {
  [ -z "${folders[$1]-}" ] || return 0
  folders[$1]=1
  local files
  mapfile -t files < <(files_of "src/$1" | grep -v '\.md$')
  follow_includes "${files[@]}"
}

add_device() {
  local header
  for header in include/primitives/device/*.h; do
    add_header "device/$(basename "$header" .h)"
  done
}

for pattern in "${patterns[@]}"; do
  if [ "$pattern" = device ]; then
    add_device
  else
    add_folder common
    add_folder "$pattern"
  fi
done

# Version and commit; where the sources are not the commit's, or there is none, a hash of them.
version() {
  local part parts=() sources
  for part in MAJOR MINOR PATCH; do
    parts+=("$(sed -nE "s/^#define PRIM_VERSION_$part ([0-9]+)$/\1/p" include/primitives/types.h)")
  done
  echo "primitives ${parts[0]}.${parts[1]}.${parts[2]}"
  sources=$(files_of include src simt | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-16)
  if [ "$(git rev-parse --show-toplevel 2>/dev/null)" != "$(pwd -P)" ]; then
    echo "no commit, sources $sources"
  elif [ -n "$(git status --porcelain -- include src simt LICENSE)" ]; then
    echo "commit $(git rev-parse HEAD) and changes, sources $sources"
  else
    echo "commit $(git rev-parse HEAD)"
  fi
}
version=$(version)

if [ -e "$directory" ] && [ ! -d "$directory" ]; then
  die "$directory is not a folder"
elif [ -e "$directory/VERSION" ]; then
  there=$(cat "$directory/VERSION")
  [ "$there" = "$version" ] || die "$directory holds ${there//$'\n'/, }; this is ${version//$'\n'/, }. \
Versions do not mix: move it away, vendor all of its patterns again, and take your instances.h over."
elif [ -d "$directory" ] && [ -n "$(ls -A "$directory")" ]; then
  die "$directory is not empty, and was not made by this script"
fi

# Everything is put together in a folder beside DIR, and moved when it is complete.
mkdir -p "$(dirname "$directory")"
work=$(mktemp -d "$(dirname "$directory")/.vendor.XXXXXX")
new=$work/new old=$work/old moved=() finished=0

leave() {
  local entry
  if [ $finished -eq 0 ]; then
    for entry in ${moved[@]+"${moved[@]}"}; do
      [ -e "$new/$entry" ] || rm -rf "${directory:?}/$entry"
      [ ! -e "$old/$entry" ] || mv "$old/$entry" "$directory/$entry"
    done
  fi
  rm -rf "$work"
}
trap leave EXIT
mkdir "$new" "$old"

kept=()
put() { # FILE…
  local file
  for file; do
    if [ ! -e "$new/$file" ]; then
      mkdir -p "$new/$(dirname "$file")"
      cp "$file" "$new/$file"
    elif ! cmp -s "$file" "$new/$file"; then
      kept+=("$file")
    fi
  done
}

for part in include src simt; do
  [ ! -e "$directory/$part" ] || cp -a "$directory/$part" "$new/"
done
for header in "${!headers[@]}"; do
  put "include/primitives/$header.h"
done
for folder in "${!folders[@]}"; do
  mapfile -t files < <(files_of "src/$folder")
  put "${files[@]}"
done
if [ $cpu -eq 1 ]; then
  mapfile -t files < <(files_of simt/include simt/src)
  put "${files[@]}"
fi
cp LICENSE "$new/LICENSE"
printf '%s\n' "$version" >"$new/VERSION"

# What the shell is to read for the sources in a folder of src and in the folders inside it: without
# a pattern that matches nothing, which the shell would take for a name.
sources() { # FOLDER EXTENSION
  local glob
  for glob in "src/$1/*.$2" "src/$1/*/*.$2"; do
    ! (cd "$new" && compgen -G "$glob" >/dev/null) || printf ' %s' "$glob"
  done
}

# A word as the shell reads it back: in quotes where it has more than letters, digits and such.
for_shell() { # WORD
  local quote="'"
  [[ $1 =~ ^[A-Za-z0-9_./+-]+$ ]] && printf '%s' "$1" || printf "'%s'" "${1//$quote/$quote\\$quote$quote}"
}

# A word as CMake reads it back between double quotes.
for_cmake() { # WORD
  printf '%s' "$1" | sed 's/[\\"$]/\\&/g'
}

# How long the patterns' lines take, by the kit's measurements: whole seconds of one processor; nothing
# where the page with these is not there.
seconds_of() { # PATTERN…
  [ ! -e docs/costs.md ] ||
    awk -F ' *[|] *' -v names=" $* " '/^\|/ && index(names, " " $2 " ") {sum += $4} END {printf "%d", sum}' docs/costs.md
}

# The headers, with what the first line of each says.
list_headers() { # FILE…
  local header
  for header; do
    [ "${header##*/}" = types.h ] ||
      sed -nE "1s,^/\* (.*[^ ]) *(\*/)?$,- [\`${header##*/}\`](${header#"$new/"}) \1,p" "$header" |
      sed 's, \*/$,,'
  done
}

title() {
  cat <<END
# $1 from primitives

$2, under the MIT licence.
${version//$'\n'/, }. $3
END
}

# All of it, and not only what patterns use of it.
has_device() { # FOLDER
  [ -e "$1/include/primitives/device/range.h" ]
}

readme() {
  if [ -e "$new/src" ]; then
    patterns_readme
  else
    title 'Collectives' 'Parts for CUDA kernels of your own' 'The headers say everything about the calls.'
  fi
  ! has_device "$new" || device_readme
}

# Headers alone: nothing is to be built but the CPU backend.
device_readme() {
  local name shell_name
  name=$(basename "$directory") shell_name=$(for_shell "$(basename "$directory")")
  cat <<END

## For kernels of your own

What a warp or a block does together, and memory that a block brings and takes: headers alone, CUDA
C++17, experimental until 1.0.

END
  list_headers "$new"/include/primitives/device/*.h
  cat <<END

\`\`\`cuda
#include <primitives/device/block.h>

__global__ void sum(const float *values, float *sums)
{
    __shared__ prim_block_scratch<float, 256> scratch;
    const float all = prim_block_sum(values[blockIdx.x * 256 + threadIdx.x], scratch);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}
\`\`\`

A program with such a kernel, in the folder above:

    nvcc -std=c++17 -I$shell_name/include yours.cu -o yours

END
  [ -e "$new/simt" ] || return 0
  cat <<END
Without a GPU, on the CPU backend, shared memory is declared by \`PRIM_SHARED\` (\`kernel.h\`), and a
launch is \`cudaLaunchKernelEx()\`, which nvcc takes as well. It needs Boost.Context (Debian's
libboost-context-dev):

    gcc -O2 -ffp-contract=off -I$shell_name/include -I$shell_name/simt/include -x c++ yours.cu -x c $shell_name/simt/src/*.c -x none -lboost_context -lstdc++ -lm -pthread -o yours

END
}

patterns_readme() {
  local seconds takes=
  # shellcheck disable=SC2046 # a word each
  seconds=$(seconds_of $(cd "$new/src" && ls))
  [ -z "$seconds" ] || takes="It takes about $(((seconds + 59) / 60)) min, one file after the other. "
  local name shell_name cmake_name pattern includes='' units='' common c cu
  c=$(sources '*' c) cu=$(sources '*' cu) common=$(sources common cu)
  local compile="nvcc -lib -O3 -arch=native --compress-mode=size -Iinclude -Isrc -Xcompiler -ffp-contract=off,-Wno-unknown-pragmas$c"
  name=$(basename "$directory")
  shell_name=$(for_shell "$name") cmake_name=$(for_cmake "$name")
  title 'Patterns' 'Parallel patterns on NVIDIA GPUs, with a plain C11 API' "The headers say everything about
the calls, the README in a pattern's \`src/\` folder how its kernels work."
  echo
  list_headers "$new"/include/primitives/*.h
  cat <<END

To compile all of it into a static library, in this folder, with CUDA 12.8 or newer:

    rm -f libprimitives.a && $compile$cu -o libprimitives.a

$takes\`-arch=native\` is the GPU of this machine; for others name one: \`-arch=sm_80\`. For an H100 or
H200 write \`-gencode=arch=compute_90a,code=sm_90a\`: without the letter, instructions that only these
have are left out, and what needs them is refused. A program that uses it, in the folder above:

    nvcc -I$shell_name/include yours.c $shell_name/libprimitives.a -o yours

Linked by gcc instead, it needs \`-lcudart -lstdc++\` after the library.

END
  for pattern in $(cd "$new/src" && ls); do
    [ "$pattern" != common ] || continue
    includes+="printf '#include \"%s\"\\n'$common$(sources "$pattern" cu) >$pattern.cu && "
    units+=" $pattern.cu" common=
  done
  cat <<END
nvcc takes most of a second for an empty file. Where \`instances.h\` is trimmed, one file for all of
a pattern compiles in less time:

    ${includes}rm -f libprimitives.a && $compile$units -o libprimitives.a

In a CMake project of yours, with this folder as \`$name/\`:

\`\`\`cmake
enable_language(CUDA)
find_package(CUDAToolkit 12.8 REQUIRED)
file(GLOB_RECURSE primitives_sources CONFIGURE_DEPENDS "$cmake_name/src/*.c" "$cmake_name/src/*.cu")
add_library(primitives STATIC \${primitives_sources})
target_compile_features(primitives PRIVATE c_std_11 cuda_std_17)
target_compile_options(primitives PRIVATE
  \$<\$<COMPILE_LANGUAGE:C>:-ffp-contract=off>
  \$<\$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>
  \$<\$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off,-Wno-unknown-pragmas>)
target_include_directories(primitives PUBLIC "$cmake_name/include" PRIVATE "$cmake_name/src")
target_link_libraries(primitives PUBLIC CUDA::cudart_static)
# target_link_libraries(yours PRIVATE primitives)
\`\`\`

In a shared library of yours, add \`-fPIC,-fvisibility=hidden\` to the \`-Xcompiler\` options: the copy
then stays inside it, and a program may hold other versions beside it.

The \`…_host()\` calls run more than one thread only if OpenMP is on: add \`-fopenmp\` to the
\`-Xcompiler\` options, and \`-Xcompiler -fopenmp\` where the program is linked.

END
  if [ -e "$new/simt" ]; then
    cat <<END
Without a GPU, on the CPU backend in \`simt/\` (it needs Boost.Context, Debian's
libboost-context-dev), in this folder, and then a program in the folder above:

    gcc -r -O2 -ffp-contract=off -Wno-unknown-pragmas -Iinclude -Isrc -Isimt/include$c simt/src/*.c -x c++$cu -o primitives-cpu.o

    gcc -I$shell_name/include -I$shell_name/simt/include yours.c $shell_name/primitives-cpu.o -lboost_context -lstdc++ -lm -pthread -o yours

END
  fi
  cat <<END
To build less, remove lines from \`src/<pattern>/instances.h\`: each names a type or an operator, for
reduce and scan also a kind of call or a variant to leave out. What was removed is
\`PRIM_ERROR_UNSUPPORTED\` then. Of reduce, sums of f32 alone compile in 3 s instead of 150, as one
file, and add 82 KB to a program instead of 4379.
\`scripts/vendor.sh\` of the same version adds more patterns to this folder, and keeps files that were
changed in it, this one apart. For another version, start with an empty folder.
END
}
readme >"$new/README.md"

if [ -d "$directory" ]; then
  for path in "$new"/*; do
    entry=$(basename "$path")
    moved+=("$entry")
    [ ! -e "$directory/$entry" ] || mv "$directory/$entry" "$old/"
    mv "$new/$entry" "$directory/"
  done
else
  mv "$new" "$directory"
fi
finished=1

for file in ${kept[@]+"${kept[@]}"}; do
  echo "kept as it is, because it was changed there: $directory/$file"
done
for path in "$directory"/src/*; do
  pattern=$(basename "$path")
  [ ! -e "$path" ] || [ "$pattern" = common ] || printf '%s ' "$pattern"
done
! has_device "$directory" || printf 'device '
echo "of ${version//$'\n'/, } in $directory; its README.md says how to build it"
