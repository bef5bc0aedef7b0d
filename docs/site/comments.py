"""comments.py <header> - the header with its comments as Doxygen wants them: // becomes ///, and the lines behind a declaration
///<. The first comment of a file describes the file, and the class that has the file's name. A comment behind the brace that opens a
type or a function, or behind a type on one line, is about that, so it goes above it."""

import os
import re
import sys

OPENS = re.compile(r"^(\s*)((?:(?:template <.*> )?(?:class|struct|enum class|union)\b.*\{|.*\).*\{|(?:enum class|using) .*;))\s+// (.*)$")

with open(sys.argv[1], encoding="utf-8") as file:
    lines = file.read().split("\n")
name = os.path.splitext(os.path.basename(sys.argv[1]))[0].replace("_", "")
head, about = True, []
for number, line in enumerate(lines):
    if head and line.startswith("//"):
        lines[number] = ("/// @file\n///" if number == 0 else "///") + line[2:]
        about.append(re.sub(r"^\S+ - ", "", line[3:]) if number == 0 else line[3:])
        continue
    head = False
    opens = OPENS.match(line)
    own = re.match(r"^(?:class|struct) (\w+) .*\{", line)
    if own and own[1].lower() == name and not re.match(r"\s*//", lines[number - 1]):
        about[0] = about[0][:1].upper() + about[0][1:]
        lines[number] = "\n".join(f"/// {words}" for words in about) + "\n" + line
    elif opens:
        lines[number] = f"{opens[1]}/// {opens[3]}\n{opens[1]}{opens[2]}"
    elif re.match(r"\s*/\* ", line):  # a header of C
        lines[number] = line.replace("/* ", "/** ", 1)
    elif re.match(r"\s*// ", line):
        lines[number] = re.sub(r"// ", "/// ", line, count=1)
    else:
        lines[number] = re.sub(r"(\S\s*)// ", r"\1///< ", line, count=1)
print("\n".join(lines), end="")
