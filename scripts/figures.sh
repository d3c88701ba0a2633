#!/usr/bin/env bash
# Writes the figures in the READMEs from bench/results/h200.json. A table stands between
#     <!-- figures PATTERN CASE TYPE MODE -->  and  <!-- end figures -->
# with a row for each variant and a column for each shape. --check: fails where a file would change.
set -euo pipefail
cd "$(dirname "$0")/.."

results=bench/results/h200.json

table() { # PATTERN CASE TYPE MODE
  jq -r --arg pattern "$1" --arg case "$2" --arg type "$3" --arg mode "$4" '
    def row: "| " + join(" | ") + " |";
    def shape: . as $s | ($s | tonumber? // -1) as $n | [range(64) | select(pow(2; .) == $n)] as $p
      | if ($p | length) > 0 then "2^\($p[0])" else $s end;
    def two: . * 100 | round / 100;
    ($pattern == "gemm" or $pattern == "binary_gemm") as $dense |
    [.results[] | select(.pattern == $pattern and .case == $case and .type == $type
                         and .mode == $mode and .input == "uniform")] as $all
    | if ($all | length) == 0 then error("no such results") else . end
    | [$all[].shape] as $shapes | reduce $shapes[] as $s ([]; if index([$s]) then . else . + [$s] end)
    | . as $columns
    | ([$all[].variant // "peer"] | reduce .[] as $v ([]; if index([$v]) then . else . + [$v] end)) as $rows
    | ([if $dense then "µs (TFLOP/s)" else "µs (share of the ceiling)" end] + [$columns[] | shape] | row),
      ([range($columns | length + 1)] | map("---") | row),
      ($rows[] as $v | ([$v] + [$columns[] as $s | [$all[] | select(.variant == $v and .shape == $s)
          | if $dense then "\(.median_us | two) (\(.gflops / 1000 | two))"
            else "\(.median_us | two) (\((.of_ceiling // 0) * 100 | round) %)" end][0] // "–"]) | row)
  ' "$results"
  jq -r '"\n\(.context.device), CUDA \(.context.cuda / 1000 | floor).\(.context.cuda % 1000 / 10 | floor), commit \(.context.commit), \(.context.date[0:10]); in the same run a plain read reached \(.context.ceilings.read_gbps | round) GB/s, a copy \(.context.ceilings.copy_gbps | round) GB/s, an empty launch \(.context.ceilings.empty_launch_us * 100 | round / 100) µs."' "$results"
}

rewrite() { # FILE: to standard output
  local line inside=0
  while IFS= read -r line; do
    if [[ $line =~ ^'<!-- figures '([^ ]+)\ ([^ ]+)\ ([^ ]+)\ ([^ ]+)' -->'$ ]]; then
      printf '%s\n' "$line"
      table "${BASH_REMATCH[@]:1:4}"
      inside=1
    elif [ "$line" = '<!-- end figures -->' ]; then
      inside=0
      printf '%s\n' "$line"
    elif [ $inside -eq 0 ]; then
      printf '%s\n' "$line"
    fi
  done <"$1"
}

changed=0
for file in $(git ls-files --cached --others --exclude-standard '*.md'); do
  grep -q '^<!-- figures ' "$file" || continue
  rewritten=$(mktemp)
  rewrite "$file" >"$rewritten"
  if ! cmp -s "$file" "$rewritten"; then
    changed=1
    if [ "${1-}" = --check ]; then
      diff "$file" "$rewritten" >&2 || true
    else
      cat "$rewritten" >"$file"
      echo "rewrote $file"
    fi
  fi
  rm -f "$rewritten"
done
[ "${1-}" != --check ] || [ $changed -eq 0 ]
