"""api_check.py <xml> - every public type and function of the headers is explained, by the reference that Doxygen made of them.

A comment of one overload counts for all. What the language gives a name of its own needs none: constructors, destructors, operators,
and what every range or enumeration has.
"""

import glob
import os
import sys
import xml.etree.ElementTree as tree

OF_EVERY = {"value_type", "difference_type", "iterator_concept", "pointer", "reference", "const_iterator", "Rows", "begin", "end", "size", "empty", "data", "at", "front", "back", "to_string", "parse", "overloaded"}


def explained(element):
    return any("".join(part.itertext()).strip() for name in ("briefdescription", "detaileddescription") for part in element.findall(name))


# How rows are packed; nobody names these.
INNER = ("reel::PackedRows::", "reel::TraceCalls::", "reel::TraceCommands::")


def main():
    types, functions, words, examples = [], [], set(), 0
    for path in glob.glob(os.path.join(sys.argv[1], "*.xml")):
        for compound in tree.parse(path).getroot().findall("compounddef"):
            scope, kind = compound.findtext("compoundname"), compound.get("kind")
            if "detail" in scope or scope.startswith("std") or compound.get("prot") == "private" or scope.startswith(INNER):
                continue
            if kind in ("class", "struct", "concept") and not explained(compound) and scope.split("::")[-1] not in OF_EVERY:
                types.append(scope)
            examples += sum(1 for _ in compound.iter("programlisting")) if kind in ("class", "struct") else 0
            for member in compound.iter("memberdef"):
                name = member.findtext("name")
                if member.get("prot") == "private" or member.get("kind") not in ("function", "enum", "typedef") or name.startswith("REEL_"):
                    continue
                if explained(member):
                    words.add((scope, name))
                elif member.get("kind") != "function" and name not in OF_EVERY and not scope.startswith("reel_app"):
                    types.append(f"{scope}::{name}")
                elif name != scope.split("::")[-1] and not name.startswith(("operator", "~")) and name not in OF_EVERY:
                    place = member.find("location")
                    functions.append(((scope, name), f"{place.get('file')}:{place.get('line')}: {scope}::{name}()"))
    wrong = sorted(set(types)) + sorted({text for key, text in functions if key not in words})
    for text in wrong:
        print(f"{text} has no comment", file=sys.stderr)
    if examples < 15:
        print(f"only {examples} examples were found: docs/site/nouns.dox and examples/nouns don't meet", file=sys.stderr)
    print(f"{len(words)} functions and types are explained, {examples} examples")
    sys.exit(1 if wrong or examples < 15 else 0)


main()
