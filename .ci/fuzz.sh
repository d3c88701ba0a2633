#!/usr/bin/env bash
# fuzz.sh [SECONDS]: libFuzzer on the reader of Matrix Market files, from the corpus in tests/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
found=build/fuzz/found
mkdir -p "$found"
clang -g -O1 -std=c11 -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined \
  -fno-sanitize-recover=undefined -Iinclude -isystem simt/include \
  tests/fuzz/matrix_market.c examples/matrix_market.c -lm -o build/fuzz/matrix_market
build/fuzz/matrix_market -max_total_time="$seconds" -rss_limit_mb=2048 -max_len=4096 \
  -artifact_prefix=build/fuzz/ "$found" tests/fuzz/matrix_market >build/fuzz/log.txt 2>&1 ||
  { tail -40 build/fuzz/log.txt; exit 1; }
tail -2 build/fuzz/log.txt
