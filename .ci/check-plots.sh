#!/usr/bin/env bash
# Draws bench/results/h200*.json with primbench, on either backend: the figures come out of a file as
# they went in, each pattern, case and type has its plots and no others, they name what they show, and
# the same file gives the same bytes. Builds nothing: after scripts/bench.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

bench=build/cpu/bench/primbench
[ -x $bench ] || bench=build/cuda/bench/primbench
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# A line for each plot: its name, and the variants and peers that it must name.
expected() { # RESULTS
  jq -r '
    def size: split("^")[0] | split("x") | map(tonumber) | reduce .[] as $n (1; . * $n);
    def names: [.[] | .variant // .peer] | unique | join(" ");
    (.context.ceilings.ffma_gflops != null) as $ffma
    | [.results[] | select(.mode == "cold")] | group_by([.pattern, .case, .type])[]
    | .[0] as $first | map(select(.input == $first.input))
    | "\($first.pattern)-\($first.case)-\($first.type | sub("->"; "-to-"))" as $stem
    | if ($first.case | startswith("shapes_")) then (if any(.[]; .shape | contains("x")) then "\($stem)-map.svg" else empty end) else
      (map(.shape | size) | max) as $largest
    | "\($stem)-ladder.svg \(map(select((.shape | size) == $largest)) | names)",
      if (map(.shape) | unique | length) == 1 then empty else
        "\($stem)-time.svg \(names)",
        if any(.[]; .of_ceiling != null) and ($ffma or ($first.shape | contains("^") | not))
          then "\($stem)-ceiling.svg \(names)" else empty end
      end end' "$1"
}

check() { # RESULTS
  rm -rf "${directory:?}"/*
  "$bench" --from "$1" --plot "$directory/plots" --csv "$directory/again.csv" >"$directory/tables.txt"
  cmp "$directory/again.csv" "${1%.json}.csv"
  "$bench" --from "$1" --plot "$directory/again" >/dev/null
  diff -r "$directory/plots" "$directory/again"

  expected "$1" >"$directory/expected.txt"
  diff <(cut -d ' ' -f 1 "$directory/expected.txt" | sort) <(cd "$directory/plots" && printf '%s\n' * | sort)
  xmllint --noout "$directory"/plots/*.svg
  while read -r file names; do
    for name in $names; do
      grep -qF "<text>$name</text>" "$directory/plots/$file" ||
        { echo "$file does not name $name" >&2; exit 1; }
    done
  done <"$directory/expected.txt"

  if PATH=/nonexistent "$bench" --from "$1" --plot "$directory/none" >/dev/null 2>"$directory/none.txt"; then
    echo "primbench --plot succeeds without gnuplot" >&2
    exit 1
  fi
  grep -q 'there is no gnuplot' "$directory/none.txt"
  echo "$(wc -l <"$directory/expected.txt") plots of $1"
}

for results in bench/results/h200*.json; do
  check "$results"
done
