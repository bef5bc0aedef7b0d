#!/usr/bin/env python3
"""Every aim of the benchmarks that just ran, in one table for each benchmark.

    summary.py graph_launch.json ops.json …      # as --json wrote them

A cell has what was found, the aim in parentheses, and whether it was met; quartiles stand in brackets
where it is too close to tell. Ends with 1 where a file can't be read or holds no aim: a table
with a part missing would say that all is well. Ends with 0 however many aims were missed, as the
benchmarks do.
"""

import json
import os
import sys


def digits(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def aims_of(mode):
    """(text, sign) of each aim of a mode."""
    if mode["wrong"]:
        yield f"WRONG RESULT: {mode['wrong']}", "✗"
    for aim in mode["aims"]:
        found, clock = aim["found"], " wall" if aim["clock"] == "wall" else ""
        sign = ("✓" if aim["met"] else "✗") + ("" if aim["decided"] else "?")
        if not aim["against"]:
            yield f"{digits(found['median'])} ns{clock} ({aim['at_most']:g})", sign
            continue
        between = "" if aim["decided"] else f" [{found['low']:.2f}–{found['high']:.2f}]"
        yield f"{found['median']:.2f} ×{clock}{between} ({aim['at_most']:g})", sign
    for figure in mode["figures"]:
        text = f"{digits(figure['found'])} {figure['name']} ({figure['at_most']:g})"
        yield text, "✓" if figure["met"] else "✗"


def cells_of(run):
    """{(device, group, mode): [(text, sign), …]} of all that have aims, in the run's order."""
    cells = {}
    for group in run["groups"]:
        for mode in group["modes"]:
            aims = list(aims_of(mode))
            if aims:
                cells.setdefault((group["device"], group["name"], mode["name"]), []).extend(aims)
    return cells


def distinct(values):
    return list(dict.fromkeys(values))


def table_of(cells):
    """Lines of a table. Devices are its columns where there are several, else modes or groups, whichever are fewer."""
    devices, groups, modes = (distinct(key[i] for key in cells) for i in range(3))
    if len(devices) > 1:
        placed = {(f"{group}: {mode}", device): aims for (device, group, mode), aims in cells.items()}
    elif len(groups) < len(modes):
        placed = {(mode, group): aims for (_, group, mode), aims in cells.items()}
    else:
        placed = {(group, mode): aims for (_, group, mode), aims in cells.items()}
    rows, columns = (distinct(key[i] for key in placed) for i in range(2))
    yield "| | " + " | ".join(columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for row in rows:
        texts = ("<br>".join(f"{text} {sign}" for text, sign in placed.get((row, column), [])) for column in columns)
        yield f"| {row} | " + " | ".join(texts) + " |"


def main(paths):
    if not paths:
        print("summary.py: name the files that --json wrote.", file=sys.stderr)
        return 2
    signs, broken = [], []
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        try:
            with open(path, encoding="utf-8") as file:
                cells = cells_of(json.load(file))
        except (OSError, ValueError, KeyError, TypeError) as error:
            broken.append(f"{path}: {type(error).__name__}: {error}")
            continue
        if not cells:
            broken.append(f"{path} holds no aim.")
            continue
        print(f"**{name}**\n")
        print("\n".join(table_of(cells)) + "\n")
        signs += [sign for aims in cells.values() for _, sign in aims]
    met, close = sum(sign[0] == "✓" for sign in signs), sum(sign.endswith("?") for sign in signs)
    print(f"{met} aims met, {len(signs) - met} missed; {close} of them all are too close to tell (?).")
    for sentence in broken:
        print(f"summary.py: {sentence}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
