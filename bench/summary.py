#!/usr/bin/env python3
"""Every aim of the benchmarks that just ran, in one table.

    summary.py graph_launch.json ops.json …      # as --json wrote them

Ends with 1 where a file can't be read or holds no aim: a table with a part missing would say that
all is well. Ends with 0 however many aims were missed, as the benchmarks do.
"""

import json
import os
import sys


def digits(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def rows_of(name, run):
    """(what, found, aim, sign) of each aim."""
    for group in run["groups"]:
        for mode in group["modes"]:
            what = f"{group['device']}: {group['name']}: {mode['name']}"
            if mode["wrong"]:
                yield what, f"WRONG RESULT: {mode['wrong']}", "", "✗"
            for aim in mode["aims"]:
                found, clock = aim["found"], " wall" if aim["clock"] == "wall" else ""
                sign = ("✓" if aim["met"] else "✗") + ("" if aim["decided"] else "?")
                if aim["against"]:
                    text = f"{found['median']:.2f} ×{clock} [{found['low']:.2f}–{found['high']:.2f}]"
                    yield what, text, f"{aim['at_most']:g} × {aim['against']}", sign
                else:
                    yield what, f"{digits(found['median'])} ns{clock}", f"{aim['at_most']:g} ns", sign
            for figure in mode["figures"]:
                sign = "✓" if figure["met"] else "✗"
                yield what, f"{digits(figure['found'])} {figure['name']}", f"{figure['at_most']:g}", sign


def main(paths):
    if not paths:
        print("summary.py: name the files that --json wrote.", file=sys.stderr)
        return 2
    met = missed = close = 0
    broken = []
    print("| benchmark | what | found | aim | |\n|---|---|---|---|---|")
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        try:
            with open(path, encoding="utf-8") as file:
                rows = list(rows_of(name, json.load(file)))
        except (OSError, ValueError, KeyError, TypeError) as error:
            broken.append(f"{path}: {type(error).__name__}: {error}")
            continue
        if not rows:
            broken.append(f"{path} holds no aim.")
        for what, found, aim, sign in rows:
            print(f"| {name} | {what} | {found} | {aim} | {sign} |")
            met += sign[0] == "✓"
            missed += sign[0] == "✗"
            close += sign.endswith("?")
    print(f"\n{met} aims met, {missed} missed; {close} of them all are too close for one run to tell (?).")
    for sentence in broken:
        print(f"summary.py: {sentence}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
