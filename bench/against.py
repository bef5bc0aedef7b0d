#!/usr/bin/python3
"""Runs the benchmarks of two builds in turns and says what changed, with its noise.

A benchmark measures its modes side by side within one process; what differs between two builds is
measured here by processes that take turns: old, new, new, old, … Each run counts as one
sample, so that what differs from process to process (where memory lies, what else the machine did)
is part of the noise. Change is the median over the pairs of new / old, in CPU time per node.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile


def fail(sentence):
    print(f"against: {sentence}", file=sys.stderr)
    sys.exit(2)


def run(program, options, into):
    """The medians that one run of a program found: {(device, group, mode): (CPU ns, wall ns)}."""
    command = [program, *options, "--json", into]
    no_more_rounds = dict(os.environ, BENCH_DECIDING="0", BENCH_SITTINGS="1")  # aims are not the question here
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=no_more_rounds)
    if done.returncode != 0:
        fail(f"'{' '.join(command)}' ended with {done.returncode}:\n{done.stdout[-2000:]}")
    with open(into, encoding="utf-8") as file:
        found = json.load(file)
    rows = {}
    for group in found["groups"]:
        for mode in group["modes"]:
            if mode["wrong"]:
                fail(f"'{' '.join(command)}': {mode['name']} gave a wrong result: {mode['wrong']}")
            rows[group["device"], group["name"], mode["name"]] = (
                mode["cpu_ns_per_node"]["median"], mode["wall_ns_per_node"]["median"])
    return rows


def quartiles(values):
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, median, high


def chance(ratios):
    """How often at least so many pairs would agree by chance (sign test, two-sided)."""
    up, down = sum(r > 1 for r in ratios), sum(r < 1 for r in ratios)
    count = up + down
    if count == 0:
        return 1.0
    tail = sum(math.comb(count, k) for k in range(max(up, down), count + 1)) / 2**count
    return min(1.0, 2 * tail)


def compare(old, new):
    """For each row that both have, in the order of the new one: times and change."""
    result = []
    for key in new[0]:
        if any(key not in rows for rows in old + new):
            continue
        before = [rows[key][0] for rows in old]
        after = [rows[key][0] for rows in new]
        if min(before) <= 0 or min(after) <= 0:  # a clock that nobody looked at
            before, after = [r[key][1] for r in old], [r[key][1] for r in new]
        if min(before) <= 0 or min(after) <= 0:
            continue
        ratios = [b / a for a, b in zip(before, after)]
        low, median, high = quartiles(ratios)
        is_clear = (low > 1 or high < 1) and chance(ratios) <= 0.07
        result.append({"device": key[0], "group": key[1], "mode": key[2],
                       "old_ns": quartiles(before), "new_ns": quartiles(after),
                       "ratio": (low, median, high), "chance": chance(ratios),
                       "verdict": ("slower" if median > 1 else "faster") if is_clear
                       else "not significant"})
    return result


def digits(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def show(rows, old_name, pairs):
    print(f"CPU ns per node, median [quartiles] of {pairs} runs of each build in turns; × is new / "
          f"old ({old_name}), run by run.")
    if pairs < 5:
        print(f"{pairs} pairs can't show that a change is significant; five or more can.")
    group = None
    for row in rows:
        if (row["device"], row["group"]) != group:
            group = row["device"], row["group"]
            print(f"\n{group[0]}: {group[1]}")
            print(f"  {'':<36}{'old':>9}{'':>18}{'new':>9}{'':>18}{'×':>6}")
        spans = [f"[{digits(low)}–{digits(high)}]" for low, _, high in (row["old_ns"], row["new_ns"])]
        low, median, high = row["ratio"]
        print(f"  {row['mode']:<36}{digits(row['old_ns'][1]):>9} {spans[0]:<17}"
              f"{digits(row['new_ns'][1]):>9} {spans[1]:<17}{median:6.2f} "
              f"[{low:.2f}–{high:.2f}]  {row['verdict']}")
    counts = {v: sum(r["verdict"] == v for r in rows) for v in ("faster", "slower", "not significant")}
    print(f"\n{counts['faster']} faster, {counts['slower']} slower, "
          f"{counts['not significant']} not significant")


def self_test():
    def rows(value):
        return {("host", "chain", "a"): (value, value), ("host", "chain", "b"): (5.0 + value % 0.2, 1)}
    old = [rows(10 + 0.1 * i) for i in range(7)]
    new = [rows(7 + 0.1 * i) for i in range(7)]
    found = {r["mode"]: r for r in compare(old, new)}
    assert found["a"]["verdict"] == "faster" and 0.69 < found["a"]["ratio"][1] < 0.72, found["a"]
    assert compare(new, old)[0]["verdict"] == "slower"
    assert all(r["verdict"] == "not significant" for r in compare(old, old))
    noisy = [rows(v) for v in (8, 12, 9, 11, 10, 13, 7)]
    assert compare(old, noisy)[0]["verdict"] == "not significant"
    assert [r["mode"] for r in compare([{("h", "g", "x"): (1, 1)}], [{("h", "g", "y"): (1, 1)}])] == []
    assert chance([2.0] * 5) == 0.0625 and chance([1.0]) == 1.0
    print("against: every check of itself passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", help="the program as the other revision built it")
    parser.add_argument("--new", help="the program as this tree built it")
    parser.add_argument("--name", default="the other revision", help="of the other revision")
    parser.add_argument("--pairs", type=int, default=7, help="runs of each (default: 7)")
    parser.add_argument("--json", help="write what was found here too")
    parser.add_argument("--self-test", action="store_true", help="check the arithmetic, run nothing")
    arguments, options = parser.parse_known_args()
    options = [word for word in options if word != "--"]  # between its own options and the benchmark's
    if arguments.self_test:
        return self_test()
    if arguments.pairs < 1:
        fail("--pairs must be at least 1.")
    for program in (arguments.old, arguments.new):
        if not program or not os.access(program, os.X_OK):
            fail(f"'{program}' is not a program; give two with --old and --new.")
    old, new = [], []
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(arguments.pairs):
            turns = [(arguments.old, old), (arguments.new, new)]
            for program, rows in turns if pair % 2 == 0 else reversed(turns):
                rows.append(run(program, options, os.path.join(folder, "found.json")))
    rows = compare(old, new)
    if not rows:
        fail("the two revisions have no row in common.")
    show(rows, arguments.name, arguments.pairs)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"old": arguments.name, "pairs": arguments.pairs, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
