#!/usr/bin/env python3
"""Benchmarks run, count right and tell how they measured, on a device that needs no driver.

    works.py FOLDER      # of the programs

No time is looked at. What is: that each program ends with 0, that every group has its modes with
their passes and nothing wrong, and that a device measured by several processes says by how many.
"""

import json
import os
import subprocess
import sys
import tempfile

HOST = ["--device", "host", "--deciding", "0"]


def groups_of(program, *options):
    """What its --json has, after a run that must end well."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "found.json")
        run = subprocess.run([program, *HOST, "--json", file, *options], capture_output=True, text=True)
        assert run.returncode == 0, f"{program} ended with {run.returncode}:\n{run.stdout}{run.stderr}"
        with open(file, encoding="utf-8") as text:
            groups = json.load(text)["groups"]
    assert groups, f"{program} measured nothing"
    for group in groups:
        assert group["modes"], f"{group['name']} measures nothing"
        for mode in group["modes"]:
            name = f"{group['name']}: {mode['name']}"
            assert not mode["wrong"], f"{name}: {mode['wrong']}"
            assert mode["passes"] > 0, f"{name} never ran"
    return groups


def processes_of(groups):
    """0: this one alone."""
    return {group["processes"] for group in groups}


def main(folder):
    def program(name):
        return os.path.join(folder, name)

    assert processes_of(groups_of(program("graph_launch"), "--quick")) == {0}
    assert processes_of(groups_of(program("replay"), "--quick", "--case", "commands")) == {0}
    assert processes_of(groups_of(program("capture"), "--quick", "--case", "small")) == {0}
    several = groups_of(program("capture"), "--case", "small", "--sittings", "3")
    assert processes_of(several) == {3}, several
    for mode in several[0]["modes"]:
        assert mode["passes"] >= 3, f"{mode['name']}: {mode['passes']} passes of three processes"

    # What goes wrong is said.
    failed = subprocess.run([program("capture"), *HOST, "--case", "small", "--sittings", "2"], capture_output=True,
                            text=True, env=dict(os.environ, TMPDIR="/nonexistent"))
    assert failed.returncode != 0 and failed.stderr.strip(), failed
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
