# Trims an instances.h: -v keep=REGEX keeps of each list the lines that match it, or all where none
# does.
function flush_list(   i, kept, last) {
  for (i = 1; i <= count; i++)
    if (line[i] ~ keep)
      kept++
  for (i = 1; i <= count; i++)
    if (!kept || line[i] ~ keep)
      last = i
  for (i = 1; i <= last; i++)
    if (!kept || line[i] ~ keep)
      print line[i] (i < last ? " \\" : "")
  count = 0
}

/^ +X\(/ {
  more = sub(/ *\\$/, "")
  line[++count] = $0
  if (!more)
    flush_list()
  next
}

{ print }
