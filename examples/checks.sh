# shellcheck shell=bash
# What the checks of the examples share. Each sources it: $program is what it runs, and $directory a
# folder that is gone when it ends.
set -euo pipefail
program=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# needs_output ARGUMENT…: where there is no room for what the program prints, it says so.
needs_output() {
  local status=0 said
  said=$("$program" "$@" 2>&1 >/dev/full) || status=$?
  if [ $status -ne 1 ] || [[ $said != *"$(basename "$program"): the output: No space left on device"* ]]; then
    echo "$(basename "$program") $* into a full device: status $status, and said: $said" >&2
    exit 1
  fi
}

# refuses STATUS WORDS ARGUMENT…: the program ends with that status, having said the words, and no
# sanitizer having said anything.
refuses() {
  local status=0 expected=$1 words=$2 said
  shift 2
  said=$("$program" "$@" 2>&1) || status=$?
  if [ $status -ne "$expected" ] || [[ $said != *"$words"* || $said =~ Sanitizer|'runtime error' ]]; then
    echo "$(basename "$program") $*: status $status, not $expected, and said: $said" >&2
    exit 1
  fi
}
