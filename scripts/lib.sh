# shellcheck shell=bash
# What the scripts share: finding out what this machine has, and installing what it lacks.
# Sourced, not run.

# need COMMAND-THAT-SUCCEEDS-IF-PRESENT PACKAGE: remembers the package if the check fails.
missing=()
need() {
  local check=$1 package=$2
  if ! bash -c "$check" >/dev/null 2>&1; then
    missing+=("$package")
  fi
}

# Installs what need() found missing with apt, or says what to install, and stops.
install_missing() {
  [ ${#missing[@]} -gt 0 ] || return 0
  local list="${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    echo "This needs, by Debian's names: $list" >&2
    echo "There is no apt-get here; install them and run this again." >&2
    exit 1
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "This needs: $list. Run as root: apt-get install $list" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "Installing with apt: $list" >&2
  export DEBIAN_FRONTEND=noninteractive
  quietly build/log-apt.txt "${as_root[@]}" apt-get update -qq
  quietly build/log-apt.txt "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
  missing=()
}

need_build_tools() {
  need 'command -v cc && command -v gcc' gcc
  need 'command -v g++' g++
  need 'echo "#include <stdlib.h>" | cc -E -' libc6-dev
  need 'command -v cmake' cmake
  need 'command -v ninja' ninja-build
  need 'command -v pkg-config' pkg-config
}

need_cpu_backend() {
  need 'f=$(mktemp); echo "int main(void){return 0;}" | cc -x c - -lboost_context -o $f; s=$?; rm -f $f; exit $s' \
    libboost-context-dev
}

need_tests() {
  need 'pkg-config --exists criterion' libcriterion-dev
}

need_bench() {
  need 'pkg-config --exists libcjson' libcjson-dev
}

# For primbench --plot alone.
need_plots() {
  need 'command -v gnuplot' gnuplot-nox
}

# Without it the examples with pictures are left out of the build.
need_examples() {
  need 'pkg-config --exists libpng' libpng-dev
}

# clang, its ThreadSanitizer and its OpenMP, whose packages are named for clang's version.
install_race_check() {
  local version
  need 'command -v clang' clang
  install_missing
  version=$(clang -dumpversion | cut -d. -f1)
  need 'f=$(mktemp); echo "int main(void){return 0;}" | clang -fsanitize=thread -x c - -o $f; s=$?; rm -f $f; exit $s' \
    "libclang-rt-$version-dev"
  need 'f=$(mktemp); echo "int main(void){return 0;}" | clang -fopenmp -x c - -o $f; s=$?; rm -f $f; exit $s' \
    "libomp-$version-dev"
  install_missing
}

# cuda where a GPU answers and nvcc is there, otherwise cpu; says so.
choose_preset() {
  if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "No GPU answers here: this is the CPU backend." >&2
    echo cpu
  elif ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
    echo "A GPU answers, but there is no nvcc: this is the CPU backend." >&2
    echo "For the GPU, install the CUDA toolkit 12.8 or newer." >&2
    echo cpu
  else
    echo cuda
  fi
}

# The CUDA toolkit's usual place, for those who have not put it on the path.
if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
  PATH=$PATH:/usr/local/cuda/bin
fi

# quietly LOG COMMAND…: shows the command's output only if it fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    echo "failed: $*" >&2
    return 1
  fi
}

# configure PRESET [CMAKE-ARGUMENTS…]
configure() {
  local preset=$1
  shift
  echo "Configuring: preset $preset" >&2
  quietly "build/$preset/log-configure.txt" cmake --preset "$preset" "$@"
}

# compile PRESET TARGET…: says every ten seconds how far it is.
compile() {
  local log=build/$1/log-build.txt
  echo "Building: preset $1" >&2
  if ! cmake --build --preset "$1" --target "${@:2}" 2>&1 | tee "$log" | show_building; then
    cat "$log" >&2
    echo "failed: cmake --build --preset $1" >&2
    return 1
  fi
}

# From Ninja's "[12/300] Building …". The time left is as if all steps took as long as those so far.
show_building() {
  local line said=$SECONDS begin=$SECONDS done_ all
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && [ $((SECONDS - said)) -ge 10 ]; then
      said=$SECONDS done_=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
      echo "  $done_ of $all steps, about $(((SECONDS - begin) * (all - done_) / done_)) s left" >&2
    fi
  done
}

# build PRESET [CMAKE-ARGUMENTS…]
build() {
  configure "$@" && compile "$1" all
}

# The kit's version, which stands in types.h alone.
kit_version() {
  sed -nE 's/^#define PRIM_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/primitives/types.h |
    paste -sd.
}

# The comment that a script begins with.
print_head() { # SCRIPT
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$1"
}
