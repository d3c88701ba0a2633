#!/usr/bin/env bash
# Runs many_gpus on files whose answers are known: on the CPU backend on 1 to 8 devices, elsewhere on
# as many as there are; and as a process for each, up to 3, which a script starts, and Open MPI's mpirun
# where it is there: a line says where it is not.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
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

# A process for each: rank 0 says what one process with as many GPUs does, and the others nothing.
start_by_hand() { # PROCESSES FILE
  local rank pids=() failed=0
  for ((rank = $1 - 1; rank >= 0; rank--)); do # rank 0 comes last
    RANK=$rank WORLD_SIZE=$1 "$program" --id "$directory/id" "$2" &
    pids+=($!)
  done
  for rank in "${pids[@]}"; do
    wait "$rank" || failed=1
  done
  return $failed
}

start_by_mpirun() { # PROCESSES FILE
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -np "$1" \
    "$program" --id "$directory/id" "$2"
}

has_mpirun() {
  type mpirun >/dev/null 2>&1 && [[ $(mpirun --version) =~ 'Open MPI'|OpenRTE ]]
}

if [ "$most" -lt 3 ]; then
  echo "mpirun is left out: it would start 3 processes, and there are $most GPUs"
elif has_mpirun; then
  echo "mpirun starts 3 processes"
else
  echo "mpirun is left out: Open MPI's is not here"
fi

expect_of_processes() { # FILE
  local count start said
  for count in 1 2 3; do
    [ "$count" -le "$most" ] || continue
    for start in start_by_hand start_by_mpirun; do
      [ $start = start_by_hand ] || { [ "$count" -eq 3 ] && has_mpirun; } || continue
      said=$($start "$count" "$1")
      if ! diff <("$program" "$1" "$count") <(echo "$said") || [ -e "$directory/id" ]; then
        echo "many_gpus $1, $count processes, $start: not what was expected" >&2
        exit 1
      fi
    done
  done
}

# Fewer bytes than GPUs.
printf 'BA' >"$directory/two"
expect "$directory/two" 'bytes    2' 'sum      131' 'largest  66, first at 0' 'values   2 different ones' \
  'half     of the sum at 0'

# The largest stands twice, in the last part and, where there are two, in both.
{ head -c 100003 /dev/zero | tr '\0' 'd'; printf '\376\001'; head -c 70000 /dev/zero | tr '\0' 'c'; printf '\376'; } \
  >"$directory/long"
expect "$directory/long" 'bytes    170006' "sum      $((100003 * 100 + 2 * 254 + 1 + 70000 * 99))" \
  'largest  254, first at 100003' 'values   4 different ones' 'half     of the sum at 84654'

for file in empty two long; do
  expect_of_processes "$directory/$file"
done

needs_output "$directory/two"
refuses 2 'usage: '
refuses 1 'No such file' "$directory/missing"
refuses 1 'Is a directory' "$directory"
for number in 0 -1 +1 ' 1' 1x 1e0 '' $((most + 1)); do
  refuses 2 'is not a number of GPUs' "$directory/two" "$number"
done

export RANK=0 WORLD_SIZE=2
refuses 2 'usage: ' --id "$directory/id"
for seconds in soon 1s -1 '' 86401; do
  refuses 2 'usage: ' --id "$directory/id" --wait "$seconds" "$directory/two"
done
touch "$directory/taken"
refuses 1 'taken: File exists' --id "$directory/taken" "$directory/two"
no_room() { # as on a full disk
  trap '' XFSZ
  ulimit -f 0
  WORLD_SIZE=1 refuses 1 'id: File too large' --id "$directory/id" "$directory/two"
}
(no_room)
[[ $(echo "$directory"/id*) = "$directory/id*" ]]
export RANK=1
refuses 1 'id did not appear within 0 s' --id "$directory/id" --wait 0 "$directory/two"
refuses 1 'taken does not hold an id' --id "$directory/taken" "$directory/two"
refuses 1 'Is a directory' --id "$directory" --wait 0 "$directory/two"
export RANK=2
refuses 2 'RANK is 2, but must be a number from 0 to 1' --id "$directory/id" "$directory/two"
unset WORLD_SIZE
refuses 2 'WORLD_SIZE is not set' --id "$directory/id" "$directory/two"
unset RANK
refuses 2 'RANK is set' --id "$directory/id" "$directory/two"
