#!/usr/bin/env bash
# Runs many_gpus on files whose answers are known: on the CPU backend on 1 to 8 devices, elsewhere on
# as many as there are.
set -euo pipefail
program=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export SIMT_DEVICES=8 # only the CPU backend looks at it

most=$("$program" - </dev/null | sed -n 's/^GPUs  *//p')

expect() { # FILE LINES…
  local file=$1 gpus
  shift
  for gpus in 1 2 3 "$most"; do
    [ "$gpus" -le "$most" ] || continue
    if ! diff <(printf '%s\n' "GPUs     $gpus" "$@") <("$program" "$file" "$gpus"); then
      echo "many_gpus $file $gpus: not what was expected" >&2
      exit 1
    fi
  done
}

printf '' >"$directory/empty"
expect "$directory/empty" 'bytes    0'

# Fewer bytes than GPUs.
printf 'BA' >"$directory/two"
expect "$directory/two" 'bytes    2' 'sum      131' 'largest  66, first at 0' 'values   2 different ones' \
  'half     of the sum at 0'

# The largest stands twice, in the last part and, where there are two, in both.
{ head -c 100003 /dev/zero | tr '\0' 'd'; printf '\376\001'; head -c 70000 /dev/zero | tr '\0' 'c'; printf '\376'; } \
  >"$directory/long"
expect "$directory/long" 'bytes    170006' "sum      $((100003 * 100 + 2 * 254 + 1 + 70000 * 99))" \
  'largest  254, first at 100003' 'values   4 different ones' 'half     of the sum at 84654'

fails() { # WORDS STATUS ARGUMENT…
  local words=$1 status=$2 result=0
  shift 2
  "$program" "$@" >/dev/null 2>"$directory/said" || result=$?
  if [ $result -ne "$status" ] || ! grep -q -- "$words" "$directory/said"; then
    echo "many_gpus $*: status $result, and said: $(cat "$directory/said")" >&2
    exit 1
  fi
}

fails 'usage: ' 2
fails 'No such file' 1 "$directory/missing"
for number in 0 -1 1x '' $((most + 1)); do
  fails 'no number of GPUs' 2 "$directory/two" "$number"
done
