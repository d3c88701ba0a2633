#!/usr/bin/env bash
# Takes the whole kit along in each way that docs/taking-along.md names: builds it once static and
# once shared on the CPU backend, installs it, and builds and runs tests/outside/ with it, as C and
# as C++. With nvcc, where it is, one pattern is compiled and linked.
# Ends with a line "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=scripts/lib.sh
. scripts/lib.sh
# shellcheck source=.ci/checks.sh
. .ci/checks.sh
kit=$PWD version=$(kit_version)
outside=$kit/tests/outside

# Compiling would be most of the time. All is compiled as for the tests, so that ccache has it already with
# CCACHE_NOHASHDIR=1, but for the files of the shared library that define calls.
export CMAKE_GENERATOR=Ninja CMAKE_BUILD_TYPE=RelWithDebInfo
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
fi

# What is installed is moved away afterwards: nothing may know where it was.
installed() { # static|shared
  local shared=OFF
  [ "$1" = static ] || shared=ON
  cmake -S "$kit" -B "$kit/build/packaging/$1" -DPRIM_BACKEND=cpu -DBUILD_SHARED_LIBS=$shared -DPRIM_WERROR=ON &&
    cmake --build "$kit/build/packaging/$1" &&
    cmake --install "$kit/build/packaging/$1" --prefix "$PWD/made" && mv made "$work/$1"
}

only_public_headers() { # static|shared
  diff <(cd "$work/$1/include" && find . -type f | sort) \
    <({ cd "$kit/include" && find ./primitives -name '*.h'
        cd "$kit/simt/include" && find . -name '*.h' | sed 's,^\.,./primitives-simt,'; } | sort)
}

# What the program prints.
expected() { # C|CXX
  [ "$1" = C ] && echo '15 15' || echo "$version 7"
}

configure() { # C|CXX WAY CMAKE-ARGUMENTS…
  local language=$1 way=$2
  shift 2
  cmake -S "$outside" -B build "-DLANGUAGE=$language" "-DWAY=$way" -DPRIM_WERROR=ON "$@"
}

by_cmake() { # C|CXX WAY CMAKE-ARGUMENTS…
  configure "$@" && cmake --build build && [ "$(build/yours)" = "$(expected "$1")" ]
}

# Without what is for working on the kit, patterns that nobody links, and files of the kit among what
# yours installs.
inside_yours() { # C|CXX WAY CMAKE-ARGUMENTS…
  by_cmake "$@" && ! grep -qE 'primbench|test_reduce|file_summary' build/build.ninja &&
    { [ "$1" = CXX ] || [ -z "$(find build -name 'libprimitives_gemm*')" ]; } &&
    cmake --install build --prefix "$PWD/yours" && [ ! -e yours ]
}

by_pkg_config() { # C|CXX PREFIX PKG-CONFIG-ARGUMENTS…
  local language=$1 prefix=$2 flags compile=(gcc "$outside/sum.c") package=primitives-reduce
  shift 2
  [ "$language" = C ] || compile=(g++ "$outside/headers.cpp") package=primitives
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
  [ "$(pkg-config --modversion $package)" = "$version" ] &&
    read -ra flags < <(pkg-config --cflags --libs "$@" $package) &&
    "${compile[@]}" "${flags[@]}" -o yours && [ "$(./yours)" = "$(expected "$language")" ]
}

# The library for many GPUs, which is no part of primitives: a program that sums on two devices.
many_by_cmake() { # PREFIX
  configure C find_package "-DCMAKE_PREFIX_PATH=$1" -DMANY=ON && cmake --build build &&
    [ "$(SIMT_DEVICES=2 build/yours)" = '15 15 15' ]
}

many_by_pkg_config() { # PREFIX PKG-CONFIG-ARGUMENTS…
  local flags
  export PKG_CONFIG_PATH=$1/lib/pkgconfig
  shift
  read -ra flags < <(pkg-config --cflags --libs "$@" primitives-distributed) &&
    gcc "$outside/many.c" "${flags[@]}" -o yours && [ "$(SIMT_DEVICES=2 ./yours)" = '15 15 15' ]
}

# It uses what a shared library hides.
many_is_not_shared() {
  ! configure C find_package "-DCMAKE_PREFIX_PATH=$work/shared" -DMANY=ON >said 2>&1 &&
    tr -s ' \n' ' ' <said | grep -F 'no component distributed; there are: ' &&
    [ ! -e "$work/shared/lib/pkgconfig/primitives-distributed.pc" ]
}

unknown_component() {
  echo 'cmake_minimum_required(VERSION 3.24)
project(yours LANGUAGES C)
find_package(primitives REQUIRED COMPONENTS reduce nonsense)' >CMakeLists.txt
  ! cmake -S . -B build "-DCMAKE_PREFIX_PATH=$work/static" >said 2>&1 &&
    tr -s ' \n' ' ' <said | grep -F 'no component nonsense; there are: reduce, '
}

another_version() {
  echo 'cmake_minimum_required(VERSION 3.24)
project(yours LANGUAGES C)
find_package(primitives 0.0.9 REQUIRED)' >CMakeLists.txt
  ! cmake -S . -B build "-DCMAKE_PREFIX_PATH=$work/static" >said 2>&1 && grep -q 'version: ' said
}

# A program that reduces on the GPU, as the README shows it, prints what the README says.
readme_program() {
  local flags
  { printf '#include <primitives/reduce.h>\n#include <stdio.h>\nint main(void)\n{\n'
    sed -n '/^```c$/,/^```$/p' "$kit/README.md" | sed '/^```/d'
    echo '}'; } >sum.c
  export PKG_CONFIG_PATH=$work/static/lib/pkgconfig
  read -ra flags < <(pkg-config --cflags --libs primitives-reduce) &&
    gcc -std=c11 -Wall -Wextra -Werror -pedantic sum.c "${flags[@]}" -o sum &&
    ./sum | diff - <(echo 'The sum is 500500')
}

package() { # static|shared
  local field package
  (cd "$kit/build/packaging/$1" && cpack -G DEB -B "$work/packages/$1") || return 1
  package=$(ls "$work/packages/$1"/*.deb) &&
    [ "$(basename "$package")" = "libprimitives-cpu-dev_${version}_$(dpkg --print-architecture).deb" ] &&
    for field in Maintainer Section Description; do
      dpkg-deb -f "$package" $field | grep . || return 1
    done &&
    dpkg-deb -f "$package" Depends | grep libboost-context-dev &&
    mkdir -p "$work/root" && dpkg-deb -x "$package" "$work/root/$1" &&
    [ -e "$work/root/$1/usr/share/doc/libprimitives-cpu-dev/copyright" ]
}

for kind in static shared; do
  check "build and install, $kind" installed $kind
  check "public headers alone, $kind" only_public_headers $kind
  for language in C CXX; do
    check "find_package, $kind, $language" by_cmake $language find_package "-DCMAKE_PREFIX_PATH=$work/$kind"
    check "pkg-config, $kind, $language" by_pkg_config $language "$work/$kind"
    check "pkg-config --static, $kind, $language" by_pkg_config $language "$work/$kind" --static
  done
done
check "many GPUs: find_package" many_by_cmake "$work/static"
check "many GPUs: pkg-config" many_by_pkg_config "$work/static"
check "many GPUs: pkg-config --static" many_by_pkg_config "$work/static" --static
check "many GPUs: not in the shared library" many_is_not_shared
check "an unknown component" unknown_component
check "another version" another_version
check "the README's program" readme_program
for language in C CXX; do
  check "FetchContent, $language" inside_yours $language fetch_content \
    "-DFETCHCONTENT_SOURCE_DIR_PRIMITIVES=$kit" -DPRIM_BACKEND=cpu
  check "add_subdirectory, $language" inside_yours $language add_subdirectory \
    "-DKIT=$kit" -DPRIM_BACKEND=cpu
done
for kind in static shared; do
  check "Debian package, $kind" package $kind
  [ $kind = shared ] || check "many GPUs: Debian package" many_by_cmake "$work/root/$kind/usr"
  for language in C CXX; do
    check "find_package, Debian package, $kind, $language" by_cmake $language find_package \
      "-DCMAKE_PREFIX_PATH=$work/root/$kind/usr"
    check "pkg-config, Debian package, $kind, $language" by_pkg_config $language "$work/root/$kind/usr"
  done
done

# There may be no GPU, so the program is only linked; here nobody says what the backend is. Sums of
# f32 alone: all of reduce takes nvcc minutes.
with_nvcc() {
  mkdir trimmed && cp -r "$kit"/{CMakeLists.txt,LICENSE,README.md,cmake,include,simt,src} trimmed &&
    awk -v kinds=VECTOR -v types='CUDA_R_32F, .*CUDA_R_32F,' -v operators=PRIM_OP_SUM \
      -f "$kit/scripts/trim-instances.awk" "$kit/src/reduce/instances.h" >trimmed/src/reduce/instances.h &&
    configure C add_subdirectory "-DKIT=$PWD/trimmed" -DCMAKE_CUDA_ARCHITECTURES=80-real &&
    grep -F 'PRIM_BACKEND:STRING=auto' build/CMakeCache.txt && cmake --build build &&
    nm build/yours | grep ' cudaMalloc$'
}

if command -v nvcc >/dev/null; then
  check "add_subdirectory with nvcc" with_nvcc
else
  skip "add_subdirectory with nvcc" "there is no nvcc here"
fi
counts
