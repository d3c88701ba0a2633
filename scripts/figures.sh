#!/usr/bin/env bash
# Writes the figures in the READMEs from the runs bench/results/h200*.json; of several runs with a
# pattern, primbench --from takes the newest. Builds nothing: after scripts/bench.sh. A table stands
# between
#     <!-- figures PATTERN CASE TYPE MODE -->  and  <!-- end figures -->
# with a row for each variant and peer and a column for each shape, and where there are peers, one for
# how auto compares with each of them and with the fastest; of more than seven shapes every second
# one. Between
#     <!-- overview patterns -->, cases or drawn  and  <!-- end overview -->
# stands how auto compares with vendor libraries, or all cases, or what the drawn run in
# bench/results/drawn-1.txt says, and between
#     <!-- scaling -->  and  <!-- end scaling -->
# the calls on several GPUs, of bench/results/scaling.json. bench/results/ladders.txt gets one case of
# each pattern, which scripts/bench.sh shows where there is no GPU. Below a page's first other table stands what its figures were measured on. Draws the pictures that pages show, and
# keeps no others. --check: fails where a page would change, or a picture lacks or is not shown.
set -euo pipefail
cd "$(dirname "$0")/.."

bench=build/cpu/bench/primbench
[ -x $bench ] || bench=build/cuda/bench/primbench
pictures=bench/results/plots
runs=$(printf '%s,' bench/results/h200*.json)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The file with the newest results of the pattern, and what they were measured on.
results_of() { # PATTERN
  [ -e "$work/$1.json" ] || "$bench" --from "$runs" "$1" --json "$work/$1.json" >/dev/null
  echo "$work/$1.json"
}

# How figures are written, for jq.
definitions='
  def row: "| " + join(" | ") + " |";
  def shape: . as $s | ($s | tonumber? // -1) as $n | [range(64) | select(pow(2; .) == $n)] as $p
    | if ($p | length) > 0 then "2^\($p[0])" else $s end;
  def two: . * 100 | round / 100;
  def ratio: if . >= 0.1 then two # of smaller ones two digits that say something
    else pow(10; 1 - (log10 | floor)) as $p | . * $p | round / $p end;
  def share: if . == null then "" elif . < 0.005 then " (< 1 %)" else " (\(. * 100 | round) %)" end;
  # Elements of "1024", "64x1024" and "512^3", and of products their operations.
  def size: . as $s | (capture("^(?<side>[0-9]+)\\^3$") | .side | tonumber | . * . * .) //
    (capture("^(?<batches>[0-9]+)x(?<side>[0-9]+)\\^3$") | (.side | tonumber | . * . * .) * (.batches | tonumber)) //
    ([$s | scan("[0-9]+") | tonumber] | reduce .[] as $n (1; . * $n));
  def who: .variant // .peer;
  def distinct: reduce .[] as $x ([]; if index([$x]) then . else . + [$x] end);
'

# For jq: auto of each case and size, cold, and the fastest peer over it.
compared='
  [.results[] | select(.mode == "cold" and .input == "uniform")] as $all
  | [$all[] | select(.variant == "auto") | . as $auto
     | [$all[] | select(.peer != null and .case == $auto.case and .type == $auto.type
                        and .shape == $auto.shape)] as $peers
     | . + {peers: [$peers[].peer],
            to_peer: (($peers | map(.median_us) | min) as $best
                      | if $best then $best / $auto.median_us else null end)}]
'

# The same of all inputs.
compared_all=${compared/'and .input == "uniform"'/}
compared_all=${compared_all/'and .shape == $auto.shape'/'and .shape == $auto.shape and .input == $auto.input'}

table() { # PATTERN CASE TYPE MODE
  local results
  results=$(results_of "$1")
  jq -r --arg pattern "$1" --arg case "$2" --arg type "$3" --arg mode "$4" "$definitions"'
    ($pattern == "gemm" or $pattern == "binary_gemm" and ($case | test("^(un)?pack_") | not)) as $dense |
    [.results[] | select(.pattern == $pattern and .case == $case and .type == $type
                         and .mode == $mode and .input == "uniform")] as $all
    | if ($all | length) == 0 then error("no such results") else . end
    | ([$all[].shape] | distinct | if length > 7 then [.[range(0; length; 2)]] else . end) as $columns
    | ([$all[] | who] | distinct) as $rows
    | ([if $dense then "µs (TFLOP/s)" else "µs (share of the ceiling)" end] + [$columns[] | shape] | row),
      ([range($columns | length + 1)] | map("---") | row),
      ($rows[] as $v | ([$v] + [$columns[] as $s | [$all[] | select(who == $v and .shape == $s)
          | if $dense then "\(.median_us | two) (\(.gflops / 1000 | ratio))"
            else "\(.median_us | two)\(.of_ceiling | share)" end][0] // "–"]) | row),
      ([$all[] | select(.peer != null) | .peer] | distinct) as $peers
      | (if ($peers | length) > 1 then $peers[] | {title: "auto to \(.)", of: [.]} else empty end,
         if ($peers | length) > 0 then {title: "auto to the best peer", of: $peers} else empty end) as $to
      | ([$to.title] + [$columns[] as $s
          | ([$all[] | select(.variant == "auto" and .shape == $s) | .median_us][0]) as $auto
          | ([$all[] | select(.peer != null and .shape == $s) | select(.peer as $p | $to.of | index([$p])) | .median_us] | min) as $peer
          | if $auto != null and $peer != null then "\($peer / $auto | ratio) ×" else "–" end] | row)
  ' "$results"
}

# The kit's patterns, by the names of the bench.
all_patterns=(reduce scan histogram merge convolution spmv gemm gemv binary_gemm)

folder_of() { # PATTERN
  if [ "$1" = spmv ]; then echo sparse; else echo "$1"; fi
}

# A row for each kind of case that a vendor library does too, over all inputs and sizes. Of products in
# f64 and i8 what an H100 gave.
overview_patterns() { # PATH: of the repository, from the page
  local pattern
  echo '| | cases | worst | mean | beside |'
  echo '| --- | --: | --- | --: | --- |'
  for pattern in "${all_patterns[@]}"; do
    overview_rows "$1" "$pattern" "$(results_of "$pattern")"
    [ "$pattern" != gemm ] || overview_rows "$1" gemm bench/results/halves-gemm.json
    [ "$pattern" != gemm ] || overview_rows "$1" gemm bench/results/h100-gemm.json ' (H100)'
  done
}

overview_rows() { # PATH PATTERN RESULTS [CARD]
  local folder
  folder=$(folder_of "$2")
  jq -r --arg name "[$folder]($1src/$folder/README.md)" --arg card "${4-}" "$definitions $compared_all"'
      | {cub: "CUB", cub_radix: "CUB", cublas: "cuBLAS", cublaslt: "cuBLASLt", cusparse: "cuSPARSE",
         cusparse_prepared: "cuSPARSE", npp: "NPP"} as $names
      | [.[] | select(.to_peer != null) | . + {base: (.case | sub("-([0-9]|coo|sell).*"; ""))} | .kind = (if .pattern == "gemm" and .type != "f32" then "\(.base) \(.type)\($card)" else .base end)] as $rows
      | [$rows[].kind] | distinct | .[] as $kind
      | [$rows[] | select(.kind == $kind)] | sort_by(.to_peer)
      | .[0] as $worst
      | ["\($name) \($kind)", "\(length)",
         "\($worst.to_peer | ratio) × (\($worst.case | ltrimstr($worst.base) | ltrimstr("-") | if . == "" then "" else . + ", " end)\($worst.type), \($worst.shape | shape)\(if $worst.input == "uniform" then "" else ", " + $worst.input end))",
         "\((map(.to_peer | log) | add / length | exp) | ratio) ×",
         ([.[].peers[] | $names[.] // .] | distinct | join(", "))] | row' "$3"
}

# From when to when, and on what.
provenance() {
  local pattern
  for pattern in "${all_patterns[@]}"; do
    jq -c .context "$(results_of "$pattern")"
  done | jq -rs --arg pages "$1docs/patterns.md" '
    ([.[].date[0:10]] | sort) as $dates
    | "\n\([.[].device] | unique | join(", ")), CUDA \(.[0].cuda / 1000 | floor).\(.[0].cuda % 1000 / 10 | floor), \($dates[0]) to \($dates[-1]); commits and ceilings: [`docs/patterns.md`](\($pages))."'
}

overview_cases() { # PATH: of the repository, from the page
  local pattern folder
  echo '| | smallest | µs (share of the ceiling) | to the best peer | largest | µs (share of the ceiling) | to the best peer |'
  echo '| --- | --- | --- | --- | --- | --- | --- |'
  for pattern in "${all_patterns[@]}"; do
    folder=$(folder_of "$pattern")
    jq -r --arg name "[$folder]($1src/$folder/README.md)" "$definitions $compared"'
      | . as $rows | def peer: if .to_peer then "\(.to_peer | ratio) ×" else "–" end;
      [$rows[] | "\(.case) \(.type)"] | distinct | .[] as $which
      | [$rows[] | select("\(.case) \(.type)" == $which)] | sort_by(.shape | size) | [.[0], .[-1]]
      | (if .[0].shape == .[1].shape then [.[1]] else . end)
      | map([(.shape | shape), "\(.median_us | two)\(.of_ceiling | share)", peer])
      | (if length == 1 then [["", "", ""]] + . else . end)
      | ["\($name) \($which)"] + add | row' "$(results_of "$pattern")"
  done
}

# Of what `primbench --draw` printed: a row for each call, and the line of provenance.
overview_drawn() {
  echo '| | cases | share of the roofline, mean | 5th percentile | cases with a library | beside the fastest, mean | 5th percentile | worst |'
  echo '| --- | --: | --: | --: | --: | --: | --: | --: |'
  awk '
    / CUDA .*T.*Z$/ {
      split($0, words, ", "); device = words[1] ", " words[2]; date = substr(words[3], 1, 10)
      first = first == "" || date < first ? date : first; last = date > last ? date : last }
    / cases a call, seed / {
      sub(/,/, "", $6); if (!($6 in seen)) seeds = seeds (seeds == "" ? "" : ", ") $6; seen[$6]
      least = least == "" || $1 < least ? $1 : least; most = $1 > most ? $1 : most
      shown = / cold/; next }
    /^$/ && rows > 0 { shown = 0 }
    shown && /^  [a-z]/ {
      gsub(/[][]/, " "); n = split($0, f, " "); at = f[1] == "gemm" ? 4 : 3
      row = "| " f[1] " " f[2] (at == 4 ? " " f[3] : "") " |"
      if (f[at] == "-") { row = row " – | – | – |"; at++ }
      else { row = row " " f[at] " | " f[at + 1] " | " f[at + 4] " |"; at += 6 }
      if (f[at] == "-") row = row " – | – | – | – |"
      else row = row " " f[at] " | " f[at + 1] " × | " f[at + 4] " × | " f[at + 5] " × |"
      print row; rows++ }
    END {
      dates = first == last ? first : first " to " last
      printf "\n%s, %s; seeds %s, %s to %s cases a call, a run for each pattern.\n", device, dates, seeds, least, most }
  ' bench/results/drawn-1.txt
}

scaling() {
  jq -r "$definitions"'
    def tenth: . * 10 | round / 10 | tostring | if test("[.]") then . else . + ".0" end;
    def near: . as $n | ([range(64) | select(pow(2; .) - $n | . >= 0 and . < 64)] | first) as $p
      | if $p == null then "\($n)" elif pow(2; $p) == $n then "2^\($p)"
        else "2^\($p) − \(pow(2; $p) - $n)" end;
    ["| call | elements a GPU | one GPU, µs | besides, µs | \(.context.gpus) GPUs, µs | weak scaling | model |",
     "| --- | --- | --: | --: | --: | --: | --: |"][],
    (.results[] | ["\(.case) \(.type)", (.elements_a_gpu | near), (.alone_us | tenth),
       (.besides_us | tenth), (.together_us | tenth), (.weak_scaling * 100 | tenth) + " %",
       (.model * 100 | tenth) + " %"] | row),
    (if .streams then
       "", "| from host memory | GPUs | bytes a GPU | copies alone, µs | with their sum, µs | GB/s a GPU | of the copies |",
       "| --- | --: | --- | --: | --: | --: | --: |",
       (.streams[] | ["sum of f32", "\(.gpus)", (.bytes_a_gpu | near), (.copies_us | tenth), (.streamed_us | tenth),
          (.bytes_a_gpu / .streamed_us / 1000 | tenth), (.copies_us / .streamed_us * 100 | tenth) + " %"] | row)
     else empty end),
    (.context | "\n\(.gpus) × \(.device), NCCL \(.nccl / 10000 | floor).\(.nccl % 10000 / 100 | floor).\(.nccl % 100), commit \(.commit), \(.date[0:10]).")
  ' bench/results/scaling.json
}

# The page's patterns, each once, in the order of their tables.
patterns_of() { # FILE
  if grep -q '^<!-- overview ' "$1"; then
    printf '%s\n' "${all_patterns[@]}"
  else
    sed -nE 's/^<!-- figures ([^ ]+) [^ ]+ [^ ]+ [^ ]+ -->$/\1/p' "$1" | awk '!seen[$0]++'
  fi
}

# A line for each run that the page's figures are of; of several, with their patterns.
caption() { # FILE
  local pattern
  for pattern in $(patterns_of "$1"); do
    jq -c --arg pattern "$pattern" '{$pattern, context}' "$(results_of "$pattern")"
  done | jq -rs '
    group_by(.context) | (length > 1) as $several | .[]
    | (if $several then (map(.pattern) | join(", ")) + ": " else "" end) as $of | .[0].context
    | "\n\($of)\(.device), CUDA \(.cuda / 1000 | floor).\(.cuda % 1000 / 10 | floor), commit \(.commit), \(.date[0:10]); in the same run a plain read reached \(.ceilings.read_gbps | round) GB/s, a copy \(.ceilings.copy_gbps | round) GB/s\(.ceilings.ffma_gflops | if . then ", multiply-adds of f32 \(. / 100 | round / 10) TFLOP/s" else "" end), an empty launch \(.ceilings.empty_launch_us * 100 | round / 100) µs."'
}

rewrite() { # FILE: to standard output
  local line inside=0 tables=0 path=
  [[ $1 != */* ]] || path=$(dirname "$1" | sed 's|[^/]*|..|g')/
  while IFS= read -r line; do
    if [[ $line =~ ^'<!-- figures '([^ ]+)\ ([^ ]+)\ ([^ ]+)\ ([^ ]+)' -->'$ ]]; then
      printf '%s\n' "$line"
      table "${BASH_REMATCH[@]:1:4}"
      tables=$((tables + 1))
      [ $tables -gt 1 ] || caption "$1"
      inside=1
    elif [ "$line" = '<!-- overview drawn -->' ]; then
      printf '%s\n' "$line"
      overview_drawn
      inside=1
    elif [[ $line =~ ^'<!-- overview '(patterns|cases)' -->'$ ]]; then
      printf '%s\n' "$line"
      "overview_${BASH_REMATCH[1]}" "$path"
      tables=$((tables + 1))
      if [ "${BASH_REMATCH[1]}" = patterns ]; then provenance "$path"; elif [ $tables -eq 1 ]; then caption "$1"; fi
      inside=1
    elif [ "$line" = '<!-- scaling -->' ]; then
      printf '%s\n' "$line"
      scaling
      inside=1
    elif [ "$line" = '<!-- end scaling -->' ] || [ "$line" = '<!-- end figures -->' ] || [ "$line" = '<!-- end overview -->' ]; then
      inside=0
      printf '%s\n' "$line"
    elif [ $inside -eq 0 ]; then
      printf '%s\n' "$line"
    fi
  done <"$1"
}

pages() {
  git ls-files --cached --others --exclude-standard '*.md'
}

rewrite_pages() {
  local page changed=0
  for page in $(pages); do
    grep -qE '^<!-- (figures|overview|scaling) ' "$page" || continue
    rewrite "$page" >"$work/page"
    cmp -s "$page" "$work/page" && continue
    changed=1
    if [ "$1" = --check ]; then
      diff "$page" "$work/page" >&2 || true
    else
      cat "$work/page" >"$page"
      echo "rewrote $page"
    fi
  done
  [ "$1" != --check ] || [ $changed -eq 0 ]
}

shown_pictures() {
  pages | xargs grep -ohE "$pictures/[A-Za-z0-9_.-]+\.svg" | sed 's|.*/||' | sort -u
}

draw_pictures() {
  local picture
  "$bench" --from "$runs" --plot "$work/plots" >/dev/null
  awk -f scripts/draw-ladders.awk bench/results/ladders.txt >"$work/plots/ladders.svg"
  for picture in "${all_patterns[@]}"; do
    awk -v only="$picture" -f scripts/draw-ladders.awk bench/results/ladders.txt >"$work/plots/ladder-$(folder_of "$picture").svg"
  done
  rm -rf $pictures && mkdir $pictures
  for picture in $(shown_pictures); do
    cp "$work/plots/$picture" $pictures/
  done
}

ladders() {
  local pattern
  cat <<'END'
What the rungs of each ladder reach on a GPU: medians with a cold cache, recorded. "Of the card" is the
share of what a plain read, a copy or multiply-adds reached in the same run; the last two columns say
how many times as fast as the lowest rung, and as the fastest vendor library, a rung is.
END
  for pattern in "${all_patterns[@]}"; do
    "$bench" --ladders --from "$runs" "$pattern"
  done
}

write_ladders() {
  ladders >"$work/ladders.txt"
  if [ "$1" = --check ]; then
    diff bench/results/ladders.txt "$work/ladders.txt" >&2
  else
    cp "$work/ladders.txt" bench/results/
  fi
}

rewrite_pages "${1-}"
write_ladders "${1-}"
[ "${1-}" = --check ] || draw_pictures
diff <(shown_pictures) <(cd $pictures && printf '%s\n' * | sort) >&2 ||
  { echo "$pictures has other pictures (>) than pages show (<)" >&2; exit 1; }
