#!/usr/bin/env bash
# Runs file_sort on files that od and sort can sort too, mostly with so little memory that many runs
# appear, and sees what it says of files and places that do not do.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
export LC_ALL=C
out=$directory/out

# A line a key, in the file's order. Integers as numbers; floats as bits in hexadecimal.
lines() { # TYPE FILE
  case $1 in
    u32) od -An -v -t u4 -w4 "$2" ;;
    i32) od -An -v -t d4 -w4 "$2" ;;
    u64) od -An -v -t u8 -w8 "$2" ;;
    f32) od -An -v -t x4 -w4 "$2" ;;
    f64) od -An -v -t x8 -w8 "$2" ;;
  esac | tr -d ' '
}

# Puts before each float's bits what sort can compare: the class (negative, positive, NaN without a
# sign, NaN with it), and the bits without the sign, taken from all ones where less comes later.
with_class() { # INFINITY
  awk -v infinity="$1" '
    BEGIN { for (i = 0; i < 16; i++) value[substr("0123456789abcdef", i + 1, 1)] = i }
    {
      first = value[substr($0, 1, 1)]
      negative = first >= 8
      bits = substr("0123456789abcdef", first % 8 + 1, 1) substr($0, 2)
      class = bits > infinity ? 2 + negative : 1 - negative
      if (negative) {
        turned = ""
        for (i = 1; i <= length(bits); i++)
          turned = turned substr("fedcba9876543210", value[substr(bits, i, 1)] + 1, 1)
        bits = turned
      }
      print class, bits, $0
    }'
}

sorted_lines() { # TYPE FILE
  case $1 in
    f32) lines "$@" | with_class 7f800000 | sort | cut -d ' ' -f 3 ;;
    f64) lines "$@" | with_class 7ff0000000000000 | sort | cut -d ' ' -f 3 ;;
    *) lines "$@" | sort -n ;;
  esac
}

# Both orders, compared with sort; and what is in order already, in either, once more.
like_sort() { # TYPE MEMORY FILE
  local type=$1 memory=$2 file=$3
  sorted_lines "$type" "$file" >"$directory/right"
  "$program" --type="$type" --memory="$memory" "$file" "$out"
  lines "$type" "$out" | cmp - "$directory/right"
  "$program" --type="$type" --memory="$memory" --descending "$file" "$directory/falling"
  lines "$type" "$directory/falling" | cmp - <(tac "$directory/right")
  "$program" --type="$type" --memory="$memory" "$out" "$directory/again"
  cmp "$directory/again" "$out"
  "$program" --type="$type" --memory="$memory" "$directory/falling" "$directory/again"
  cmp "$directory/again" "$out"
}

# Bytes in no order, always the same ones; and each kind of NaN, infinity and zero among them.
seq 100000 | gzip -nc9 >"$directory/bytes"
{
  head -c 2000 "$directory/bytes"
  for word in '\0\0\0\0' '\0\0\0\200' '\0\0\200\177' '\0\0\200\377' '\1\0\200\177' '\1\0\200\377' \
    '\0\0\300\177' '\0\0\300\377' '\377\377\377\177' '\377\377\377\377' '\1\0\0\0' '\1\0\0\200'; do
    printf "$word$word"             # twice, as f32
    printf "\\0\\0\\0\\0$word"      # f64
    printf "\\3\\0\\0\\0$word"
  done
  tail -c 2000 "$directory/bytes"
  printf '\0\0\360\177\0\0\0\0\0\0\360\177\0\0\0\0\0\0\360\377\1\0\0\0\0\0\360\177\2\0\0\0\0\0\360\377'
  printf '\0\0\0\0'
} >"$directory/keys"
for type in u32 i32 f32; do
  like_sort $type 480 "$directory/keys" # runs of 40 keys, pieces of 4, two passes
done
for type in u64 f64; do
  like_sort $type 2000 "$directory/keys" # runs of 83, pieces of 9
done
like_sort f64 1000000 "$directory/keys" # one run

# Every size about the borders of a run of nine keys, of eight runs and of 64; the least memory.
for count in 0 1 2 8 9 10 17 18 19 71 72 73 81 82 575 576 577 649; do
  head -c $((4 * count)) "$directory/bytes" >"$directory/part"
  sorted_lines u32 "$directory/part" >"$directory/right"
  "$program" --type u32 --memory 108 "$directory/part" "$out"
  lines u32 "$out" | cmp - "$directory/right"
done
# Many keys, an odd number of them, and few runs; and without a word on memory.
head -c 160004 "$directory/bytes" >"$directory/many"
like_sort u32 100000 "$directory/many"
sorted_lines i32 "$directory/many" >"$directory/right"
"$program" --type i32 "$directory/many" "$out"
lines i32 "$out" | cmp - "$directory/right"
# Two runs, each long enough to be sorted by digits, the second one shorter.
like_sort u32 300000 "$directory/many"

# All equal; and of two values, so that nearly all keys have equals in all runs.
head -c 8000 /dev/zero | tr '\0' 'x' >"$directory/equal"
"$program" --type f64 --memory 1000 "$directory/equal" "$out"
cmp "$directory/equal" "$out"
head -c 2000 "$directory/bytes" | tr '\0-\177' 'a' | tr '\200-\377' 'b' | sed 's/./&&&&/g' \
  >"$directory/two"
like_sort u32 480 "$directory/two"

# In place, through a link, into a file with a mode of its own; nothing else is left behind.
mkdir "$directory/place"
head -c 4000 "$directory/bytes" >"$directory/place/keys"
chmod 600 "$directory/place/keys"
ln -s keys "$directory/place/link"
sorted_lines u32 "$directory/place/keys" >"$directory/right"
"$program" --type u32 --memory 480 "$directory/place/link" "$directory/place/link"
lines u32 "$directory/place/keys" | cmp - "$directory/right"
[[ $(stat -c %a "$directory/place/keys") = 600 && -L $directory/place/link ]]
[[ $(ls "$directory/place") = $'keys\nlink' ]]

# What ends with an error leaves OUT as it was, and nothing beside it.
leaves() { # STATUS WORDS ARGUMENT…
  printf 'old' >"$directory/place/keys"
  refuses "$@"
  [[ $(cat "$directory/place/keys") = old && $(ls "$directory/place") = $'keys\nlink' ]]
}
old=$directory/place/keys
head -c 1003 "$directory/bytes" >"$directory/odd"
leaves 1 'odd: 1003 bytes are not a multiple of the 4 bytes of a u32' --type u32 "$directory/odd" "$old"
leaves 2 '107 bytes of memory are not enough: at least 108' --type i32 --memory 107 \
  "$directory/keys" "$old"
leaves 1 'missing: No such file' --type u32 "$directory/missing" "$old"
leaves 1 'is not a regular file' --type u32 "$directory" "$old"
mkfifo "$directory/pipe"
leaves 1 'pipe is not a regular file' --type u32 "$directory/pipe" "$old"
leaves 1 'pipe is not a regular file' --type u32 "$directory/keys" "$directory/pipe"
leaves 1 'No such file' --type u32 "$directory/keys" "$directory/missing/out"
leaves 2 'there is no type u16' --type u16 "$directory/keys" "$old"
leaves 2 '--type must be given' "$directory/keys" "$old"
leaves 2 'is not a number of bytes' --type u32 --memory 1k "$directory/keys" "$old"
leaves 2 'IN and OUT must be given' --type u32 "$directory/keys"
leaves 2 'there are more arguments than IN and OUT' --type u32 "$directory/keys" "$old" "$old"

# No room: the shell's limit on files, 64 KiB, stands for a full disk.
limited() {
  ulimit -f 64
  refuses 1 'no room for 160004 bytes' --type u32 "$directory/many" "$old"
}
(limited)

# A file that is shorter than it was said to be: those of /sys say 4096 bytes, and have a few.
short=/sys/devices/system/cpu/possible
if [ "$(stat -c %s $short 2>/dev/null)" = 4096 ]; then
  refuses 1 "$short has become shorter: it ends at byte" --type u32 $short "$old"
fi

# Ended from outside while it sorts.
head -c 100000 "$directory/bytes" >"$directory/some"
"$program" --type u32 --memory 108 "$directory/some" "$old" &
for ((tries = 0; tries < 500; tries++)); do
  [ "$(ls "$directory/place")" = $'keys\nlink' ] || break
  sleep 0.01
done
kill -TERM $!
wait $! && { echo "file_sort was done before it was ended" >&2; exit 1; }
[[ $(cat "$old") = old && $(ls "$directory/place") = $'keys\nlink' ]]

# The bar, on a terminal only; a bare chroot has none to give.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  script -qec "'$program' --type u32 --memory 4800 '$directory/keys' '$out'" /dev/null \
    >"$directory/said" </dev/null
  grep -q '\[##########* *\] *100 %' "$directory/said"
fi
[ -z "$("$program" --type u32 "$directory/keys" "$out" 2>&1)" ]
