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

# writes_whole: what write_to OUT writes, a function of the check, is complete or not there; links and
# pipes stay, and so does a file's mode.
writes_whole() {
  local place=$directory/whole status=0 said
  mkdir "$place"
  write_to "$place/right" >/dev/null
  printf old >"$place/file"
  chmod 640 "$place/file"
  ln -s file "$place/link"
  ln -s new "$place/leads to new"
  mkfifo "$place/pipe"
  said=$(trap '' XFSZ && ulimit -f 0 && write_to "$place/link" 2>&1 >/dev/null) || status=$? # as a full disk
  if [ $status -ne 1 ] || [[ $said != "$(basename "$program"): $place/link: "* ]]; then
    echo "$(basename "$program") without room: status $status, and said: $said" >&2
    exit 1
  fi
  [[ $(cat "$place/file") = old && $(cd "$place" && echo *) = 'file leads to new link pipe right' ]]
  write_to "$place/link" >/dev/null
  write_to "$place/leads to new" >/dev/null
  write_to "$place/pipe" >/dev/null &
  cmp "$place/right" - <"$place/pipe"
  wait $!
  cmp "$place/right" "$place/file"
  cmp "$place/right" "$place/new"
  [[ $(stat -c %a "$place/file") = 640 && -L $place/link && -L "$place/leads to new" && -p $place/pipe ]]
  [[ $(cd "$place" && echo *) = 'file leads to new link new pipe right' ]]
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
