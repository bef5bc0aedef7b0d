"""comments.py <header> - the header with its comments as Doxygen wants them: // becomes ///, and the lines behind a declaration
///<. The first comment of a file describes the file."""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    lines = file.read().split("\n")
head = True
for number, line in enumerate(lines):
    if head and line.startswith("//"):
        lines[number] = ("/// @file\n///" if number == 0 else "///") + line[2:]
        continue
    head = False
    if re.match(r"\s*// ", line):
        lines[number] = re.sub(r"// ", "/// ", line, count=1)
    else:
        lines[number] = re.sub(r"(\S\s*)// ", r"\1///< ", line, count=1)
print("\n".join(lines), end="")
