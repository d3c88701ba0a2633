# Trims an instances.h: -v types=REGEX, -v operators=REGEX and -v kinds=REGEX keep the lines that match
# them, in the lists whose names end in TYPES, OPERATORS and KINDS; a list may become empty. -v rungs=REGEX
# leaves out all variants but those that match; which there are says the pattern's public header, which
# then stands before instances.h on the command line. Without one of the four, its lists stay as they are.
function print_list(   i) {
  if (!kept)
    sub(/ *\\$/, "", line[0])
  for (i = 0; i <= kept; i++)
    print line[i] (i > 0 && i < kept ? " \\" : "")
  inside = 0
}

# The header: the names of its variants.
FILENAME !~ /instances\.h$/ {
  if (/^typedef enum [a-z_]*_variant [{]$/)
    inside_enum = 1
  else if (/^}/)
    inside_enum = 0
  else if (inside_enum && $1 ~ /^PRIM_[A-Z0-9_]+$/ && $1 !~ /_AUTO$/) {
    variants++
    if ($1 !~ rungs)
      left_out = left_out " \\\n    X(" $1 ")"
  }
  next
}

/^#define [A-Z_]*LEFT_OUT\(X\)$/ && rungs != "" {
  if (!variants) {
    print "Which variants there are says the public header: name it before " FILENAME >"/dev/stderr"
    exit 1
  }
  $0 = $0 left_out
}

/^#define [A-Z_]*(TYPES|OPERATORS|KINDS)\(X\) *\\$/ {
  keep = /TYPES/ ? types : /OPERATORS/ ? operators : kinds
  line[0] = $0
  kept = 0
  inside = 1
  next
}

inside {
  more = sub(/ *\\$/, "")
  if ($0 ~ keep)
    line[++kept] = $0
  if (!more)
    print_list()
  next
}

{ print }
