#!/usr/bin/env bash
# docs/articles.md from docs/articles.tsv (article, row, place, command; "open" where there is none)
# and bench/results/articles.json. Without arguments: writes it. --check: fails where it would
# change. --run: runs each command once, after scripts/test.sh has built them.
set -euo pipefail
cd "$(dirname "$0")/.."

rows=docs/articles.tsv page=docs/articles.md results=bench/results/articles.json

table() {
  echo '| article | row | where | command |'
  echo '|---|---|---|---|'
  awk -F '\t' '{printf "| %s | %s | %s | %s |\n", $1, $2, $3, $4 == "open" ? "open" : "`" $4 "`"}' "$rows"
}

# CASE VARIANT CASE VARIANT SIZE: both times, and the first over the second.
compared() {
  jq -r --arg c1 "$1" --arg v1 "$2" --arg c2 "$3" --arg v2 "$4" --argjson size "$5" '
    def time($case; $variant): [.results[] | select(.case == $case and .variant == $variant
      and (.shape | tonumber) == $size) | .median_us]
      | if length == 1 then .[0] else error("not one result: " + $variant) end;
    def ms: . / 10 | round / 100 | tostring + " ms";
    time($c1; $v1) as $a | time($c2; $v2) as $b
    | "\($a | ms) | \($b | ms) | \($a / $b * 100 | round / 100) ×"' "$results"
}

# CASE SIZE VARIANT VARIANT: of one case.
variants() {
  compared "$1" "$3" "$1" "$4" "$2"
}

figures() {
  echo '| | article | first | second | ratio here |'
  echo '|---|---|---|---|---|'
  echo "| interleaved against sequential addressing, sum of 2^26 f32 (004) | about 2 × | $(variants 004-reduce 67108864 interleaved sequential) |"
  echo "| naive against tiled 32 × 32, N = 10240 (001) | 134.2 s, 57.0 s: 2.35 × | $(variants 001 10240 naive tiled_32) |"
  echo "| row-major against column-major, 16384 × 16384 (002) | 4.69 ms, 1.55 ms: 3.03 × | $(compared 002-row-major row_per_thread 002-column-major column 16384) |"
  echo "| global against privatised atomics, 2^28 bytes in 64 bins (003) | no figure | $(variants 003-histogram 67108864 global_atomic privatized) |"
  echo "| xnor from global memory against tiled, 1000 × 1000 (000) | 30 ms, about 4 ms: 8 × | $(variants 000-binary 1000 xnor_global xnor_tiled) |"
  echo "| xnor tiled against x and y exchanged, 1000 × 1000 (000) | a third faster | $(variants 000-binary 1000 xnor_tiled xnor_tiled_transposed) |"
  jq -r '"\n\(.context.device), CUDA \(.context.cuda / 1000 | floor).\(.context.cuda % 1000 / 10 | floor), commit \(.context.commit), \(.context.date[0:10]), all in one run of `primbench articles`."' "$results"
}

rewrite() {
  local line inside=0
  while IFS= read -r line; do
    case $line in
      '<!-- rows -->') printf '%s\n' "$line"; table; inside=1 ;;
      '<!-- figures of the articles -->') printf '%s\n' "$line"; figures; inside=1 ;;
      '<!-- end -->') printf '%s\n' "$line"; inside=0 ;;
      *) [ $inside -eq 1 ] || printf '%s\n' "$line" ;;
    esac
  done <"$page"
}

# A test that ran nothing has shown nothing.
run_one() {
  local output
  output=$(bash -c "$1" 2>&1) || { printf '%s\n' "$output" | tail -20; return 1; }
  [[ $1 != *--filter* ]] || grep -Eq 'Tested: [1-9]' <<<"$output" ||
    { echo "no test matches"; return 1; }
}

run_all() {
  local command passed=0 failed=0 open
  while IFS= read -r command; do
    if PRIM_TEST_LEVEL=quick run_one "$command"; then
      passed=$((passed + 1))
    else
      echo "failed: $command"
      failed=$((failed + 1))
    fi
  done < <(cut -f 4 "$rows" | grep -vx open | sort -u)
  open=$(cut -f 4 "$rows" | grep -cx open || true)
  echo "$passed passed, $failed failed, $open skipped"
  [ $failed -eq 0 ]
}

case ${1-} in
  --run) run_all ;;
  --check) rewrite | diff "$page" - ;;
  *) rewrite >"$page.new" && mv "$page.new" "$page" ;;
esac
