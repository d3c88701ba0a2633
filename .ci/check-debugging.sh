#!/usr/bin/env bash
# Does what docs/debugging.md says about gdb: stops one GPU thread of a kernel on the CPU backend,
# and looks at its index, its arguments and its way there.
set -euo pipefail
cd "$(dirname "$0")/.."

output=$(SIMT_WORKERS=1 gdb -batch -ex 'set breakpoint pending on' \
  -ex 'break add_one if simt_self->block_index.x == 2 && simt_self->thread_index.x == 5' \
  -ex 'run 1024' -ex 'print simt_self->block_index.x' -ex 'print simt_self->thread_index.x' \
  -ex 'print count' -ex 'backtrace 1' build/cpu/examples/element_wise 2>&1)
for line in '^\$1 = 2$' '^\$2 = 5$' '^\$3 = 1024$' 'add_one .*element_wise\.cu:'; do
  grep -Eq "$line" <<<"$output" || { printf '%s\n' "$output"; echo "missing: $line"; exit 1; }
done
echo "gdb stopped thread 5 of block 2 in add_one"
