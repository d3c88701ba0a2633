#!/usr/bin/env bash
# Runs file_summary on files whose answers are known.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"

expect() { # FILE LINES…
  local file=$1
  shift
  if ! diff <(printf '%s\n' "$@") <("$program" "$file"); then
    echo "file_summary $file: not what was expected" >&2
    exit 1
  fi
}

printf '' >"$directory/empty"
expect "$directory/empty" 'bytes     0' 'sum       0'

printf 'A' >"$directory/one"
expect "$directory/one" 'bytes     1' 'sum       65' 'mean      65.000000' 'smallest  65' 'largest   65'

# More than one piece of 2^24 bytes, with the smallest and the largest in the last one.
{ head -c 17000000 /dev/zero | tr '\0' 'd'; printf '\001\377'; } >"$directory/pieces"
expect "$directory/pieces" 'bytes     17000002' "sum       $((17000000 * 100 + 256))" \
  'mean      100.000003' 'smallest  1' 'largest   255'

refuses 1 'No such file' "$directory/missing"
refuses 2 'usage: '
needs_output "$directory/one"
refuses 1 'Is a directory' "$directory"
