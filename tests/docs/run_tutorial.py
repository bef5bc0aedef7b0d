"""run_tutorial.py <document> - a tutorial is followed line by line, in an empty folder.

Blocks with a title (```python title="pass.py") are files that are written. In ```console blocks, lines that begin with "$ "
are commands for bash, run one by one; "> " goes on with the one before. The lines behind a command must stand in its output,
in this order; "…" stands for anything within a line, or for any lines. A command must succeed, unless "# exit 1" follows it.
"""

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def steps(console):
    """(command, expected exit code, expected lines) of a block."""
    found = []
    for line in console.splitlines():
        if line.startswith("$ "):
            command, _, note = line[2:].partition("  # exit ")
            found.append([command, int(note or 0), []])
        elif line.startswith("> ") and found and not found[-1][2]:
            found[-1][0] += "\n" + line[2:]
        elif found:
            found[-1][2].append(line)
    return found


def matches(pattern, line):
    words = [re.escape(re.sub(r"\s+", " ", part)) for part in pattern.strip().split("…")]
    return re.fullmatch(".*".join(words), re.sub(r"\s+", " ", line.strip())) is not None


def missing(expected, printed):
    """The first expected line that isn't there, in order; None when all are."""
    lines = iter(printed.splitlines())
    for pattern in expected:
        if pattern.strip() in ("", "…"):
            continue
        if not any(matches(pattern, line) for line in lines):
            return pattern
    return None


def main():
    document = os.path.abspath(sys.argv[1])
    with open(document, encoding="utf-8") as file:
        text = file.read()
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, HOME=folder, COLUMNS="120", NO_COLOR="1")
        for language, title, body in BLOCK.findall(text):
            if title:
                path = os.path.join(folder, title)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(body)
            elif language == "console":
                for command, code, expected in steps(body):
                    run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=240,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    count += 1
                    print(f"$ {command}\n{run.stdout}", flush=True)
                    if run.returncode != code:
                        sys.exit(f"{document}: '{command}' ended with {run.returncode}, not {code}.")
                    if (line := missing(expected, run.stdout)) is not None:
                        sys.exit(f"{document}: '{command}' doesn't print, in this place: {line}")
    if count == 0:
        sys.exit(f"{document} has no command to run.")
    print(f"{count} commands ran as the tutorial says.")


main()
