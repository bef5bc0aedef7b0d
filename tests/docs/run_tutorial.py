"""run_tutorial.py <document> [options] - a tutorial is followed line by line, in an empty folder.

Blocks with a title (```python title="pass.py") are files that are written. In ```console blocks, lines that begin with "$ "
are commands for bash, run one by one; "> " goes on with the one before. The lines behind a command must stand in its output,
in this order; "…" stands for anything within a line, or for any lines. A command must succeed, unless "# exit 1" follows it.

Pictures of the page are part of it: "<!-- picture: before.reel after.reel #diff light 500 -->" above an image says of which documents it is
taken, what the page then shows, in which colours (dark without), and how high it is (800 without). tests/docs/pictures.mjs takes it again and compares, or renews it (--renew). A document that is no
tutorial makes what its pictures need by "<!-- run: command -->".
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUN = re.compile(r"^<!-- run: (.*) -->$", re.MULTILINE)
PICTURE = re.compile(r"^<!-- picture: (?P<documents>(?:\S+\.reel )+)(?P<hash>#\S+)(?: (?P<scheme>light|dark))?(?: (?P<height>\d+))? -->\n"
                     r"!\[[^\]]+\]\((?:\S*/)?images/(?P<name>[\w-]+)\.png\)$", re.MULTILINE)


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


def follow(text, folder, document):
    """Runs what the document says; how many commands that were."""
    count = 0
    environment = dict(os.environ, HOME=folder, COLUMNS="120", NO_COLOR="1")

    def run(command, code, expected):
        ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=240,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"$ {command}\n{ran.stdout}", flush=True)
        if ran.returncode != code:
            sys.exit(f"{document}: '{command}' ended with {ran.returncode}, not {code}.")
        if (line := missing(expected, ran.stdout)) is not None:
            sys.exit(f"{document}: '{command}' doesn't print, in this place: {line}")

    for command in RUN.findall(text):
        run(command, 0, [])
        count += 1
    for language, title, body in BLOCK.findall(text):
        if title:
            path = os.path.join(folder, title)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(body)
        elif language == "console":
            for step in steps(body):
                run(*step)
                count += 1
    return count


def take_pictures(text, folder, options, document):
    named = re.findall(r"images/([\w-]+)\.png", text)
    pictures = [{"name": found["name"], "documents": [os.path.join(folder, name) for name in found["documents"].split()],
                 "hash": found["hash"], "scheme": found["scheme"] or "dark", "height": int(found["height"] or 800)} for found in PICTURE.finditer(text)]
    if sorted(named) != sorted(picture["name"] for picture in pictures):
        sys.exit(f"{document}: every picture has a line above it that says how it is taken; found {named}, of these taken: {pictures}.")
    if not pictures:
        return
    path = os.path.join(folder, "pictures.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(pictures, file)
    here = os.path.dirname(os.path.abspath(__file__))
    command = ["node", os.path.join(here, "pictures.mjs"), "--pictures", path, "--reel", options.reel, "--tests", options.page_tests,
               "--images", os.path.join(here, "../../docs/images"), "--out", options.out]
    ran = subprocess.run(command + ["--renew"] * options.renew, check=False)
    if ran.returncode:
        sys.exit(f"{document}: its pictures are not those of the page, above.")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("document")
    options.add_argument("--page-tests", help="folder of the page's tests; without it, pictures are not looked at")
    options.add_argument("--reel", help="the program that makes the pages")
    options.add_argument("--out", help="where pictures are put that were taken")
    options.add_argument("--renew", action="store_true", help="replace the pictures in place of comparing them")
    options = options.parse_args()
    document = os.path.abspath(options.document)
    with open(document, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        count = follow(text, folder, document)
        if options.page_tests:
            take_pictures(text, folder, options, document)
    if count == 0:
        sys.exit(f"{document} has no command to run.")
    print(f"{count} commands ran as the tutorial says.")


main()
