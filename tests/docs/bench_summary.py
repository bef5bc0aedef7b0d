#!/usr/bin/env python3
"""bench/summary.py has every aim of every file once, with its sign; and says what it couldn't read.

    bench_summary.py <source folder>
"""

import json
import os
import random
import subprocess
import sys
import tempfile

summary = os.path.join(sys.argv[1], "bench", "summary.py")


def run(*paths):
    return subprocess.run([sys.executable, summary, *paths], capture_output=True, text=True)


def random_run(chance):
    def quartiles():
        low, median, high = sorted(chance.uniform(0, 3) for _ in range(3))
        return {"low": low, "median": median, "high": high}

    def mode(number):
        return {
            "name": f"mode {number}",
            "wrong": "",
            "aims": [
                {
                    "against": chance.choice(["", "by hand"]),
                    "at_most": 1.25,
                    "clock": chance.choice(["cpu", "wall"]),
                    "found": quartiles(),
                    "met": chance.random() < 0.5,
                    "decided": chance.random() < 0.5,
                }
                for _ in range(chance.randrange(3))
            ],
            "figures": [
                {"name": "MB", "found": chance.uniform(0, 500), "at_most": 300, "met": chance.random() < 0.5}
                for _ in range(chance.randrange(3))
            ],
        }

    devices = ["host"] if chance.random() < 0.5 else ["host", "opencl:0", "vulkan:0"]
    return {
        "groups": [
            {"device": chance.choice(devices), "name": f"case {g}", "modes": [mode(m) for m in range(chance.randrange(1, 5))]}
            for g in range(chance.randrange(1, 4))
        ]
    }


with tempfile.TemporaryDirectory() as folder:
    for seed in range(30):
        chance = random.Random(seed)
        paths, met, missed, close = [], 0, 0, 0
        all_have_aims = True
        for number in range(chance.randrange(1, 4)):
            made = random_run(chance)
            paths.append(os.path.join(folder, f"bench{number}.json"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                json.dump(made, file)
            modes = [mode for group in made["groups"] for mode in group["modes"]]
            aims = [aim for mode in modes for aim in mode["aims"] + mode["figures"]]
            met += sum(aim["met"] for aim in aims)
            missed += sum(not aim["met"] for aim in aims)
            close += sum(not aim.get("decided", True) for aim in aims)
            all_have_aims = all_have_aims and bool(aims)
        done = run(*paths)
        said = f"{met} aims met, {missed} missed; {close} of them all are too close"
        assert said in done.stdout, (seed, said, done.stdout)
        assert done.stdout.count(" ✓") == met and done.stdout.count(" ✗") == missed, (seed, done.stdout)
        assert done.returncode == (0 if all_have_aims else 1), (seed, done)

    broken = os.path.join(folder, "broken.json")
    with open(broken, "w", encoding="utf-8") as file:
        file.write('{"groups": [{"device": "host"')
    for path in (broken, os.path.join(folder, "not there.json")):
        done = run(path)
        assert done.returncode == 1 and path in done.stderr, done
    assert run().returncode == 2
