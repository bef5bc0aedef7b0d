#!/usr/bin/env python3
"""Reads every file of the library, ops and `reel` with -fsyntax-only, by the commands of a build that isn't made: ./dev systems.

read_all.py BUILD [--jobs N] [PATTERN...]   PATTERN: only files whose path has it
Prints each file that the compiler refuses, with what it says. 1: some were refused.
"""
import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys

arguments = argparse.ArgumentParser()
arguments.add_argument("build", type=pathlib.Path)
arguments.add_argument("--jobs", type=int, default=2)
arguments.add_argument("pattern", nargs="*")
given = arguments.parse_intermixed_args()


def reads(entry):
    path = entry["file"]
    # What the build makes holds texts and tables, and isn't made here.
    is_made = path.startswith(str(given.build.resolve())) and ("/Unity/" not in path or "/unity_build_" in path)
    return (path.endswith((".cpp", ".cxx")) and "/examples/" not in path and not is_made
            and (not given.pattern or any(pattern in path for pattern in given.pattern)))


def read(entry):
    words = shlex.split(entry["command"])
    at = words.index("-o")
    del words[at:at + 2]
    words = [word for word in words if word != "-c" and not word.endswith("ccache")]
    run = subprocess.run(words + ["-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True, check=False)
    return entry["file"], run.returncode, run.stderr


entries = [entry for entry in json.loads((given.build / "compile_commands.json").read_text()) if reads(entry)]
if not entries:
    sys.exit(f"read_all.py: {given.build} has no such files.")
refused = 0
with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
    for path, code, said in pool.map(read, entries):
        if code or said.strip():
            refused += 1
            print(f"{path}:\n{said}", flush=True)
print(f"{len(entries) - refused} of {len(entries)} files read without a word.")
sys.exit(1 if refused else 0)
