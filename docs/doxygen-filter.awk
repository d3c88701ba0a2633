# What Doxygen reads instead of a public header. The headers' comments are plain: prose, and lists
# and formulas that are set by hand. Here each becomes a Doxygen comment of what follows it, its
# indented parts preformatted. A comment stands for all declarations up to the next empty line, and
# the first one in a file for the file.

function plain(text) { # nothing in prose is a command of Doxygen's or of HTML
  gsub(/[\\@<>&#%]/, "\\\\&", text)
  while (match(text, /`[^`]+`/)) # a name
    text = substr(text, 1, RSTART - 1) "<tt>" substr(text, RSTART + 1, RLENGTH - 2) "</tt>" substr(text, RSTART + RLENGTH)
  return text
}

# The headers, each with the sentence that it begins with.
function header_list(   folder, list, name, line, sentence, text) {
  folder = FILENAME
  sub(/[^\/]*$/, "", folder)
  text = "<ul>\n"
  list = "ls " folder "*.h"
  while ((list | getline name) > 0) {
    sentence = ""
    while ((getline line < name) > 0 && sentence !~ /[.;]( |$)/) {
      sub(/^(\/\*| \*)\/? ?/, "", line)
      sub(/ *\*\/$/, "", line)
      sentence = sentence (sentence == "" ? "" : " ") line
    }
    close(name)
    sub(/[.;]( .*)?$/, "", sentence)
    sub(/.*\//, "", name)
    text = text "<li>@ref primitives/" name " \"" name "\": " plain(sentence) "</li>\n"
  }
  return text "</ul>\n"
}

function add_line(text) {
  open = text !~ /\*\/$/
  sub(/ *\*\/$/, "", text)
  comment[++lines] = text
}

function print_comment(opening,   i, preformatted, text) {
  printf "%s ", opening
  for (i = 1; i <= lines; i++) {
    if (comment[i] != "" && (comment[i] ~ /^  /) != preformatted) {
      print preformatted ? "@endverbatim" : "@verbatim"
      preformatted = !preformatted
    }
    text = comment[i]
    if (preformatted)
      gsub(/`/, "", text)
    print preformatted ? text : plain(text)
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
      print_comment("/** @mainpage\n" header_list())
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

# A comment behind a member speaks of it; an enumerator's begins with its value.
{
  value = ""
  if (match($0, /(= *|^ +)(-?[0-9]+)(,| |$)/)) {
    value = substr($0, RSTART, RLENGTH)
    gsub(/[= ,]/, "", value)
  }
}

match($0, /\/\* .*\*\/$/) {
  $0 = substr($0, 1, RSTART - 1) "/**< " (value == "" ? "" : value ": ") plain(substr($0, RSTART + 3))
  value = ""
}

value != "" && /^ +PRIM_[A-Z0-9_]+ = -?[0-9]+,?$/ {
  $0 = $0 " /**< " value " */"
}

{
  print
  declaring = (declaring || /^PRIM_API/) && !/;$/
}
