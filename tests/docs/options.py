#!/usr/bin/env python3
"""options.py <root> <reel> - every option that a document gives to a verb is one that the verb takes, and docs/cli.md
has a row for each verb."""

import json
import re
import subprocess
import sys
from pathlib import Path

root, reel = Path(sys.argv[1]), sys.argv[2]
table = json.loads(subprocess.run([reel, "help", "--json"], check=True, capture_output=True, text=True).stdout)
options = {verb["name"]: {name for option in verb["options"] for name in option["names"]} for verb in table["verbs"]}
problems = []

# `reel replay x.reel --repeat 3`, `$ reel replay …`, `build/release/bin/reel replay …`: up to the end of the code.
CALL = re.compile(r"(?:^|[`$|;&(]|\bbin/)\s*reel ([a-z]+)\b([^`\n]*)", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z])(?![\w-])")


def own_words(verb: str, rest: str) -> str:
    rest = re.split(r"\s+#|\s\|\s|;|&&|>", re.sub(r"'[^']*'|\"[^\"]*\"", "''", rest))[0]
    return rest.split(" -- ")[0] if verb == "capture" else rest


calls = 0
for document in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
    text = document.read_text()
    for call in CALL.finditer(text):
        verb, rest = call[1], own_words(call[1], call[2])
        if verb not in options:
            if "`" in call[0] or "$" in call[0]:
                problems.append(f"{document.relative_to(root)}: there is no verb 'reel {verb}'")
            continue
        calls += 1
        for option in OPTION.findall(rest):
            if option not in options[verb]:
                problems.append(f"{document.relative_to(root)}: 'reel {verb}' has no option {option}: {call[0].strip()}")

rows = {}
for line in (root / "docs/cli.md").read_text().splitlines():
    if row := re.match(r"\| `reel ([a-z]+)\b", line):
        rows.setdefault(row[1], "")
        rows[row[1]] += line
for verb in options:
    if verb not in rows:
        problems.append(f"docs/cli.md has no row for 'reel {verb}'")
for verb, row in rows.items():
    for option in re.findall(r"`(--[a-z][a-z-]*)", row):
        if option not in options.get(verb, set()) and option not in {o for v in options.values() for o in v}:
            problems.append(f"docs/cli.md: {option}, in the row of 'reel {verb}', is no option")

if calls < 100:
    problems.append(f"only {calls} calls of reel were found in the documents; the pattern looks for something else")
print("\n".join(problems))
sys.exit(bool(problems))
