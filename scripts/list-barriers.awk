# list-barriers.awk FILE…: the barriers in these files, a line for each: the file, from src/ or include/ on,
# the function, which of its barriers that is, what it is, and the number of the line, with tabs between.
# Of a cluster's barrier, the arrival. Neither preprocessor's lines nor comments are looked at, and a
# function is what stands before a brace in a namespace or a struct.

function strip(s) { # comments and strings
  gsub(/"([^"\\]|\\.)*"/, "\"\"", s)
  gsub(/'([^'\\]|\\.)'/, "0", s)
  while (1) {
    if (in_comment) {
      if (!(at = index(s, "*/"))) return before
      s = substr(s, at + 2)
      in_comment = 0
    }
    at = index(s, "/*")
    line_comment = index(s, "//")
    if (line_comment && (!at || line_comment < at)) return before substr(s, 1, line_comment - 1)
    if (!at) return before s
    before = before substr(s, 1, at - 1) " "
    s = substr(s, at + 2)
    in_comment = 1
  }
}

# The name that a function's head gives it: what stands before the first parenthesis, but for words
# that say how it is compiled or launched.
function name_of(head) {
  gsub(/__launch_bounds__ *\([^()]*(\([^()]*\)[^()]*)*\)|__attribute__ *\(\(.*\)\)|alignas\([^()]*\)/, " ", head)
  gsub(/decltype\([^()]*\)/, " ", head)
  if (match(head, /operator *\( *\)/)) return "operator()"
  if (!match(head, /[A-Za-z_][A-Za-z_0-9]* *\(/)) return "?"
  head = substr(head, RSTART, RLENGTH - 1)
  sub(/ +$/, "", head)
  return head
}

function open_brace() {
  depth++
  if (function_depth || text ~ /(^|[^A-Za-z_])(namespace|struct|union|enum|extern)([^A-Za-z_]|$)[^()]*$/ || text !~ /\(/)
    return
  function_depth = depth
  name = name_of(text)
}

function close_brace() {
  if (depth == function_depth) function_depth = 0
  depth--
}

FNR == 1 {
  file = FILENAME
  sub(/^.*\/src\//, "src/", file)
  sub(/^.*\/include\/primitives\//, "include/primitives/", file)
  depth = function_depth = in_comment = 0
  text = ""
  split("", count)
}

/^ *#/ || in_macro { # and the lines that it goes on in
  in_macro = /\\$/
  next
}

{
  before = ""
  line = strip($0)
  while (match(line, /[{};]|__syncthreads *\(|__syncwarp *\(|arrive_at_cluster *\(/)) {
    token = substr(line, RSTART, RLENGTH)
    text = text " " substr(line, 1, RSTART - 1)
    line = substr(line, RSTART + RLENGTH)
    if (token == "{") open_brace()
    else if (token == "}") close_brace()
    else if (token != ";") {
      sub(/ *\($/, "", token)
      if (function_depth) printf "%s\t%s\t%d\t%s\t%d\n", file, name, ++count[name], token, FNR
      text = text token "("
      continue
    }
    text = ""
  }
  text = text " " line
}
