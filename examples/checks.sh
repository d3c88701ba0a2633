# shellcheck shell=bash
# What the checks of the examples share. Each sources it: $program is what it runs, and $directory a
# folder that is gone when it ends.
set -euo pipefail
program=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

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
