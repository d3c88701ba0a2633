# What Doxygen reads instead of a public header. The headers' comments are plain: prose, and lists
# and formulas that are set by hand. Here each becomes a Doxygen comment of what follows it, its
# indented parts preformatted. A comment stands for all declarations up to the next empty line, and
# the first one in a file for the file.

function plain(text) { # nothing in prose is a command of Doxygen's or of HTML
  gsub(/[\\@<>&#%]/, "\\\\&", text)
  return text
}

function add_line(text) {
  open = text !~ /\*\/$/
  sub(/ *\*\/$/, "", text)
  comment[++lines] = text
}

function print_comment(opening,   i, preformatted) {
  printf "%s ", opening
  for (i = 1; i <= lines; i++) {
    if (comment[i] != "" && (comment[i] ~ /^  /) != preformatted) {
      print preformatted ? "@endverbatim" : "@verbatim"
      preformatted = !preformatted
    }
    print preformatted ? comment[i] : plain(comment[i])
  }
  if (preformatted)
    print "@endverbatim"
  print "*/"
}

/^\/\*/ || open {
  if (open)
    sub(/^ \*( |$)/, "")
  else {
    lines = 0
    sub(/^\/\* /, "")
  }
  add_line($0)
  if (!open && !seen_first++) {
    print_comment("/** @file\n")
    if (FILENAME ~ /types\.h$/) # what holds for all headers is on the first page, too
      print_comment("/** @mainpage\n")
    lines = 0
  }
  next
}

/^$/ {
  lines = 0
}

!declaring && /^(PRIM_API|typedef|enum|#define PRIM_VERSION)/ {
  if (lines)
    print_comment("/**")
  else if (/^PRIM_API/)
    print "/** @this_call_has_no_comment */" # no such command: Doxygen fails
}

# A comment behind a member speaks of it.
match($0, /\/\* .*\*\/$/) {
  $0 = substr($0, 1, RSTART - 1) "/**< " plain(substr($0, RSTART + 3))
}

{
  print
  declaring = (declaring || /^PRIM_API/) && !/;$/
}
