#!/usr/bin/env bash
# Runs float_sum on files whose answers are known, on the CPU backend on 1 to 3 and on all 8 devices,
# elsewhere on as many as there are.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
export SIMT_DEVICES=8 # only the CPU backend looks at it

printf '' >"$directory/empty"
most=$("$program" "$directory/empty" | sed -n 's/^GPUs  *//p')

expect() { # FILE LINES…
  local file=$1 gpus
  shift
  for gpus in 1 2 3 "$most"; do
    [ "$gpus" -le "$most" ] || continue
    if ! diff <(printf '%s\n' "GPUs     $gpus" "$@") <("$program" "$file" "$gpus"); then
      echo "float_sum $file $gpus: not what was expected" >&2
      exit 1
    fi
  done
}

expect "$directory/empty" 'numbers  0' 'sum      0' 'bits     0.0000 a byte'

# 1, 0.5 and -0.25 many times, so that every sum is exact: 24 tiles of 4096, and then 3 numbers more.
printf '\0\0\200\077\0\0\0\077\0\0\200\276' >"$directory/three"
cp "$directory/three" "$directory/many"
for _ in {1..15}; do
  cat "$directory/many" "$directory/many" >"$directory/twice"
  mv "$directory/twice" "$directory/many"
done
expect "$directory/three" 'numbers  3' 'sum      1.25' 'bits     1.6140 a byte'
expect "$directory/many" 'numbers  98304' 'sum      40960' 'bits     1.6140 a byte'
cat "$directory/three" >>"$directory/many"
expect "$directory/many" 'numbers  98307' 'sum      40961.25' 'bits     1.6140 a byte'

# Several pieces a GPU, of numbers between which sums are rounded: letters taken as f32.
head -c 15000000 /dev/urandom | base64 -w 0 | head -c 20000004 >"$directory/letters"
mapfile -t lines < <("$program" "$directory/letters" 1)
expect "$directory/letters" "${lines[@]:1}"

refuses 2 'usage: '
refuses 1 'No such file' "$directory/missing"
printf 'abcde' >"$directory/odd"
refuses 1 '5 bytes, which is not a whole number' "$directory/odd"
for number in 0 -1 1x '' $((most + 1)); do
  refuses 2 'is not a number of GPUs' "$directory/three" "$number"
done

needs_output "$directory/three"
refuses 1 'is not a regular file' "$directory"
