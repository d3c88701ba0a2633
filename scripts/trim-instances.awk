# Trims an instances.h: -v types=REGEX, -v operators=REGEX, -v kinds=REGEX and -v rungs=REGEX keep the
# lines that match them, in the lists whose names end in TYPES, OPERATORS, KINDS and RUNGS. Without one,
# its lists stay whole. A list may become empty.
function print_list(   i) {
  if (!kept)
    sub(/ *\\$/, "", line[0])
  for (i = 0; i <= kept; i++)
    print line[i] (i > 0 && i < kept ? " \\" : "")
  inside = 0
}

/^#define [A-Z_]*(TYPES|OPERATORS|KINDS|RUNGS)\(X\) *\\$/ {
  keep = /TYPES/ ? types : /OPERATORS/ ? operators : /KINDS/ ? kinds : rungs
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
