#!/usr/bin/env bash
# Every external symbol of the static libraries starts with prim_, and of the CPU backend's with
# simt_. nvcc turns unnamed namespaces into named ones with the file's hash in the name; those, and
# the compiler's own reference to the C++ personality routine, are no names that could collide.
# The shared library exports what the public headers declare, no more and no less; distributed.h
# has a library of its own, a static one.
set -euo pipefail
cd "$(dirname "$0")/.."

found=0
for directory in build/cpu build/cuda-portable build/packaging/static; do
  for library in "$directory"/src/libprimitives_*.a "$directory"/simt/libprimitives_simt.a; do
    [ -e "$library" ] || continue
    found=$((found + 1))
    strangers=$(nm -g --defined-only "$library" | awk 'NF == 3 {print $3}' |
      { grep -vE '^(prim_|simt_|DW\.ref\.__gxx_personality_v0$|.*_GLOBAL__N__[0-9a-f]{8}_)' || true; })
    if [ -n "$strangers" ]; then
      printf '%s defines, without the prefix:\n%s\n' "$library" "$strangers" >&2
      exit 1
    fi
  done
done
[ $found -ge 3 ] || { echo "only $found libraries found: build first" >&2; exit 1; }
echo "$found libraries define nothing without the prefix"

# The calls that headers declare, one a line.
declared() { # HEADER…
  cat "$@" | tr '\n' ' ' | grep -oE 'PRIM_API [^;(#]*\bprim_[a-z0-9_]+\(' |
    sed -E 's/.*\b(prim_[a-z0-9_]+)\($/\1/' | sort
}

library=build/cpu/src/libprimitives_distributed.a
missing=$(declared include/primitives/distributed.h |
  comm -23 - <(nm -g --defined-only $library | awk 'NF == 3 {print $3}' | sort))
[ -z "$missing" ] || { echo "$library does not define $missing" >&2; exit 1; }

mapfile -t headers < <(printf '%s\n' include/primitives/*.h | grep -v /distributed.h)
public=$(declared "${headers[@]}")
library=build/packaging/shared/src/libprimitives.so
[ -e $library ] || { echo "there is no $library: run .ci/check-packaging.sh first" >&2; exit 1; }
diff <(nm -D --defined-only $library | awk '{print $3}' | sort) - <<<"$public" >&2 ||
  { echo "$library does not export what the headers declare (< exported, > declared)" >&2; exit 1; }
echo "the shared library exports the $(wc -l <<<"$public") calls that the headers declare"
