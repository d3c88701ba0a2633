#!/usr/bin/env bash
# No two source files call each other, directly or by way of others: of each pattern, of the bench, of
# the CPU backend, and of each example. By the symbols of their object files; builds nothing: after
# scripts/test.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/cpu
[ -d $folder/bench ] || folder=build/cuda

# A line for each call from a file to another: the caller, the one that is called. Where a file has the
# C library's memcpy() and memset(), as the exploration has, those are none.
calls() { # OBJECTS…
  nm -A -g "$@" | sed -E 's/^([^:]*):[0-9a-f ]*([A-Za-z]) ([^ ]+)$/\1 \2 \3/' | awk '
    $3 == "memcpy" || $3 == "memset" {next}
    $2 == "U" {uses[++count] = $1; used[count] = $3; next}
    {definer[$3] = $1}
    END {for (i = 1; i <= count; i++)
      if (used[i] in definer && definer[used[i]] != uses[i]) print uses[i], definer[used[i]]}' |
    sed -E 's|[^ ]*\.dir/||g; s|\.o\>||g' | sort -u
}

check() { # NAME OBJECTS…
  local name=$1 circle
  shift
  calls "$@" >"$list"
  [ -s "$list" ] || { echo "$name: no calls found" >&2; exit 1; }
  circle=$(tsort "$list" 2>&1 >/dev/null) || { echo "$name: files that call each other: $circle" >&2; exit 1; }
  echo "$name: $(wc -l <"$list") pairs of files, no circle"
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
for pattern in "$folder"/src/CMakeFiles/prim_*.dir; do
  mapfile -t objects < <(find "$pattern" -name '*.o')
  check "$(basename "$pattern" .dir)" "${objects[@]}"
done
mapfile -t objects < <(find $folder/bench/CMakeFiles -name '*.o')
check bench "${objects[@]}"
for simt in $folder/simt/CMakeFiles/simt.dir build/explore/simt/CMakeFiles/simt.dir; do
  [ -d $simt ] || continue
  mapfile -t objects < <(find $simt -name '*.o')
  check "${simt%/CMakeFiles*}" "${objects[@]}"
done
for example in "$folder"/examples/CMakeFiles/*.dir; do
  mapfile -t objects < <(find "$example" -name '*.o')
  [ ${#objects[@]} -lt 2 ] || check "$(basename "$example" .dir)" "${objects[@]}"
done
