#!/usr/bin/env bash
# Runs word_counts on texts whose words are known, and on others that tr, sort and uniq count too.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
export LC_ALL=C

# The same by other means: a word a line.
count() { # FILE…
  cat "$@" | tr 'A-Z' 'a-z' | tr -cs 'a-z' '\n' | { grep . || true; } >"$directory/words"
  sort "$directory/words" | uniq -c | sort -k1,1nr -k2,2 >"$directory/counts"
  echo "$(wc -l <"$directory/words") words, $(wc -l <"$directory/counts") different ones"
  awk 'NR <= 20 { printf "%7d %s\n", $1, $2 }' "$directory/counts"
}

like_uniq() { # FILE [FILE2]; a newline stands between two files, as the end of a file does
  local files=("$1")
  [ $# -eq 1 ] || files+=("$directory/newline" "$2")
  diff <(count "${files[@]}") <("$program" "$@")
}
printf '\n' >"$directory/newline"

printf 'The end: the END of the\tbeginning. 2nd end-to-end\n' >"$directory/end"
diff - <("$program" "$directory/end") <<'END'
11 words, 6 different ones
      4 end
      3 the
      1 beginning
      1 nd
      1 of
      1 to
END
diff <("$program" "$directory/end") <("$program" - <"$directory/end")

# No words, one letter, and one word at both ends of two files.
: >"$directory/empty"
printf '  12 \377\0.\n' >"$directory/none"
printf 'z' >"$directory/z"
diff <(echo '0 words, 0 different ones') <("$program" "$directory/empty")
diff <(echo '0 words, 0 different ones') <("$program" "$directory/none" "$directory/empty")
diff <(printf '1 words, 1 different ones\n      1 z\n') <("$program" "$directory/z" "$directory/empty")
diff <(printf '2 words, 1 different ones\n      2 z\n') <("$program" "$directory/z" - <"$directory/z")
like_uniq "$directory/empty" "$directory/end"

# Words of 1 to 30 letters that agree in all but the last, so that 13 and 14 letters and what
# differs behind them count; in both files, and in another order.
awk 'BEGIN {
  for (length_ = 1; length_ <= 30; length_++) {
    word = substr("zyxzyxzyxzyxzyxzyxzyxzyxzyxzyxzyx", 1, length_ - 1)
    for (last = 1; last <= 3; last++)
      for (times = 0; times < length_ % 7 + last; times++)
        print word substr("azm", last, 1)
  }
}' >"$directory/long"
sort -r "$directory/long" | awk 'NR % 3 > 0' >"$directory/longer"
like_uniq "$directory/long"
like_uniq "$directory/long" "$directory/longer"
like_uniq "$directory/longer" "$directory/long"
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "a"; print ""; print "aaaaaaaaaaaaaa" }' \
  >"$directory/endless"
like_uniq "$directory/endless"

# Many words of one to three syllables, and more that are equally frequent than are printed.
awk 'BEGIN {
  srand(5)
  for (i = 0; i < 60000; i++) {
    word = ""
    for (s = int(3 * rand()); s >= 0; s--)
      word = word substr("kalemurositanoBEde", 1 + 2 * int(9 * rand() * rand()), 2)
    printf "%s%s", word, i % 11 ? " " : ",\n"
  }
}' >"$directory/syllables"
like_uniq "$directory/syllables"
like_uniq "$directory/syllables" "$directory/long"
awk 'BEGIN { for (i = 0; i < 26; i++) for (j = 25; j >= 0; j--)
  printf "%c%c %c%c\n", 97 + j, 97 + i, 97 + j, 97 + i }' >"$directory/pairs"
like_uniq "$directory/pairs"

like_uniq "$root/LICENSE"
like_uniq "$root/README.md"
like_uniq "$root/LICENSE" "$root/README.md"

refuses 2 'usage: word_counts FILE [FILE2]'
refuses 2 'only one FILE can be -' - -
refuses 1 'missing: No such file' "$directory/missing"
refuses 1 'missing: No such file' "$directory/end" "$directory/missing"
refuses 1 'Is a directory' "$directory"

needs_output "$directory/end"
