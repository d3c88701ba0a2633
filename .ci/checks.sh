# shellcheck shell=bash
# What the scripts share that try the kit as its users do. Sourced, not run.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# check NAME COMMAND…: runs it in an empty folder, and shows what it printed only if it fails.
check() {
  local name=$1
  shift
  rm -rf "$work/empty" && mkdir "$work/empty" && cd "$work/empty" || exit 1
  if ("$@") >"$work/output" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $name"
    tail -n 40 "$work/output"
  fi
}

# check_each WORDS COMMAND ARGUMENT…: check "ARGUMENT WORDS" COMMAND ARGUMENT for each argument, as
# many at once as there are processors.
check_each() {
  local words=$1 command=$2 one jobs=() job
  shift 2
  for one; do
    while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    check_apart "$one $words" "$command" "$one" &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do
    wait "$job" && passed=$((passed + 1)) || failed=$((failed + 1))
  done
}

# A check with a folder of its own.
check_apart() {
  failed=0
  work=$(mktemp -d)
  check "$@"
  rm -rf "$work"
  return $failed
}

skip() { # NAME REASON
  echo "skipped: $1: $2"
  skipped=$((skipped + 1))
}

counts() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed -eq 0 ]
}
