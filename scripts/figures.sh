#!/usr/bin/env bash
# Writes the figures in the READMEs from bench/results/h200*.json, runs in which each pattern has been
# measured once. A table stands between
#     <!-- figures PATTERN CASE TYPE MODE -->  and  <!-- end figures -->
# with a row for each variant and peer and a column for each shape, and where there are peers, one for
# how auto compares with the fastest of them; of more than seven shapes every second one. --check:
# fails where a file would change.
set -euo pipefail
cd "$(dirname "$0")/.."

table() { # PATTERN CASE TYPE MODE
  local results
  results=$(grep -l "\"pattern\":.\"$1\"" bench/results/h200*.json)
  jq -r --arg pattern "$1" --arg case "$2" --arg type "$3" --arg mode "$4" '
    def row: "| " + join(" | ") + " |";
    def shape: . as $s | ($s | tonumber? // -1) as $n | [range(64) | select(pow(2; .) == $n)] as $p
      | if ($p | length) > 0 then "2^\($p[0])" else $s end;
    def two: . * 100 | round / 100;
    def who: .variant // .peer;
    def distinct: reduce .[] as $x ([]; if index([$x]) then . else . + [$x] end);
    ($pattern == "gemm" or $pattern == "binary_gemm") as $dense |
    [.results[] | select(.pattern == $pattern and .case == $case and .type == $type
                         and .mode == $mode and .input == "uniform")] as $all
    | if ($all | length) == 0 then error("no such results") else . end
    | ([$all[].shape] | distinct | if length > 7 then [.[range(0; length; 2)]] else . end) as $columns
    | ([$all[] | who] | distinct) as $rows
    | ([if $dense then "µs (TFLOP/s)" else "µs (share of the ceiling)" end] + [$columns[] | shape] | row),
      ([range($columns | length + 1)] | map("---") | row),
      ($rows[] as $v | ([$v] + [$columns[] as $s | [$all[] | select(who == $v and .shape == $s)
          | if $dense then "\(.median_us | two) (\(.gflops / 1000 | two))"
            else "\(.median_us | two) (\((.of_ceiling // 0) * 100 | round) %)" end][0] // "–"]) | row),
      (select(any($all[]; .peer != null)) | ["auto to the best peer"] + [$columns[] as $s
          | ([$all[] | select(.variant == "auto" and .shape == $s) | .median_us][0]) as $auto
          | ([$all[] | select(.peer != null and .shape == $s) | .median_us] | min) as $peer
          | if $auto != null and $peer != null then "\($peer / $auto | two) ×" else "–" end] | row)
  ' "$results"
  jq -r '"\n\(.context.device), CUDA \(.context.cuda / 1000 | floor).\(.context.cuda % 1000 / 10 | floor), commit \(.context.commit), \(.context.date[0:10]); in the same run a plain read reached \(.context.ceilings.read_gbps | round) GB/s, a copy \(.context.ceilings.copy_gbps | round) GB/s\(.context.ceilings.ffma_gflops | if . then ", multiply-adds of f32 \(. / 100 | round / 10) TFLOP/s" else "" end), an empty launch \(.context.ceilings.empty_launch_us * 100 | round / 100) µs."' "$results"
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
