# one_system.awk - words.txt first, then sources. See one_system.sh.
FILENAME ~ /words\.txt$/ {
  if (/^#/ || !NF) next
  word[++count] = $1
  instead[count] = substr($0, length($1) + 2)
  # A name stands alone; what begins with a quote or a bracket is part of a text or of an include.
  pattern[count] = $1 ~ /^["<]/ ? $1 : "(^|[^A-Za-z0-9_])" $1 "([^A-Za-z0-9_]|$)"
  any = any (count > 1 ? "|" : "") pattern[count]
  next
}
FNR == 1 { in_comment = 0 }
{
  line = $0
  if (in_comment) {
    if (!sub(/^.*\*\//, "", line)) next
    in_comment = 0
  }
  gsub(/\/\*.*\*\//, "", line)
  if (sub(/\/\*.*$/, "", line)) in_comment = 1
  if (line ~ /^[ \t]*\/\//) next
  sub(/[ \t]\/\/.*$/, "", line)
  if (line !~ any) next
  for (i = 1; i <= count; ++i)
    if (match(line, pattern[i])) {
      found = substr(line, RSTART, RLENGTH)
      printf "%s:%d: %s belongs to one system; use %s. docs/systems.md says more.\n", FILENAME, FNR, found, instead[i]
      failed = 1
    }
}
END { exit failed }
