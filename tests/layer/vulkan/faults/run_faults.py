#!/usr/bin/python3
"""run_faults.py - programs whose driver fails once, at the n-th call that may fail, bare and captured.

The layer makes calls of its own: where the fault hits one of those the program must not notice. So what a captured
program does must be what it does bare with one of the faults, or without any; the document must be readable, and its
replay must not find differences, since nobody tampered with results.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2]))
from captured import Display

LOST, NO_HOST_MEMORY, NO_DEVICE_MEMORY, OUT_OF_DATE = -4, -1, -2, -1000001004
# Program, kind of call, result. Between them they make every kind of object.
RUNS = [
    ("tokens", "create", NO_HOST_MEMORY),
    ("semaphores", "create", NO_DEVICE_MEMORY),
    ("storage_images", "create", NO_DEVICE_MEMORY),
    ("queries", "create", NO_HOST_MEMORY),
    ("events", "create", NO_HOST_MEMORY),
    ("one_block", "vkMapMemory", NO_HOST_MEMORY),
    ("resubmitted", "vkBeginCommandBuffer", NO_HOST_MEMORY),
    ("flush_invalidate", "vkEndCommandBuffer", NO_HOST_MEMORY),
    ("tokens", "vkQueueSubmit", LOST),
    ("semaphores", "queue", LOST),
    ("submit2", "queue", LOST),
    ("fence_polls", "vkQueueSubmit", LOST),
    ("blits", "create", NO_DEVICE_MEMORY),
    ("drawn", "create", NO_HOST_MEMORY),
    ("presented", "create", NO_HOST_MEMORY),
    ("presented", "queue", LOST),
    ("presented", "vkQueuePresentKHR", OUT_OF_DATE),
    ("presented", "vkQueuePresentKHR", NO_HOST_MEMORY),
]
SECONDS = 120


class Runner:
    def __init__(self, reel, layers, programs, work):
        self.reel, self.layers, self.programs, self.work = reel, layers, programs, work
        work.mkdir(parents=True, exist_ok=True)

    def environment(self, captured, **faults):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("REEL_CAPTURE", "VK_", "FAULT"))}
        names = ["VK_LAYER_REEL_capture"] * captured + ["VK_LAYER_REEL_TEST_fault"]
        # Its place in the list is its place in the chain: ours is above it.
        return {**kept, "VK_ADD_LAYER_PATH": str(self.layers), "VK_INSTANCE_LAYERS": ":".join(names), **faults}

    def run(self, words, environment):
        """How it ended, and what it said; of stderr only what the program itself wrote."""
        try:
            ran = subprocess.run(words, env=environment, cwd=self.work, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return ("hangs", "", "")
        said = "".join(line for line in ran.stderr.decode(errors="replace").splitlines(True) if "machine.h" in line)
        return (ran.returncode, ran.stdout.decode(errors="replace"), said)

    def bare(self, program, **faults):
        return self.run([str(self.programs / program)], self.environment(False, **faults))

    def captured(self, program, document, **faults):
        document.unlink(missing_ok=True)
        words = [str(self.reel), "capture", "-o", str(document), "--", str(self.programs / program)]
        return self.run(words, self.environment(True, **faults))

    def count(self, run):
        """How many calls of the kind there are."""
        path = self.work / "count"
        path.unlink(missing_ok=True)
        run(FAULT_COUNT=str(path))
        return int(path.read_text()) if path.exists() else 0

    def document_fault(self, document):
        if not document.exists():
            return ""  # nothing was given to a queue, or the program never got that far
        plain = {name: value for name, value in os.environ.items() if not name.startswith("VK_")}
        ask = lambda *words: subprocess.run([str(self.reel), *words, str(document)], env=plain, capture_output=True, timeout=SECONDS)
        verified = ask("verify")
        if verified.returncode not in (0, 3):
            return f"reel verify: {verified.returncode}\n{verified.stderr.decode()}"
        replayed = ask("replay")
        return f"reel replay: {replayed.returncode}\n{replayed.stdout.decode()}" if replayed.returncode in (1, 139, 134) else ""


def told(end):
    return f"ended with {end[0]}\n{end[1][-400:]}{end[2][-400:]}"


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--reel", required=True, type=pathlib.Path)
    options.add_argument("--layers", required=True, type=pathlib.Path, help="where the manifest of the fault layer is")
    options.add_argument("--programs", required=True, type=pathlib.Path)
    options.add_argument("--work", required=True, type=pathlib.Path)
    options.add_argument("--only", help="of this program")
    options.add_argument("--most", type=int, default=6, help="faults tried of each run; 0: all")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    runner = Runner(given.reel.resolve(), given.layers.resolve(), given.programs.resolve(), given.work.resolve())
    chosen, failures = random.Random(given.seed), 0
    for program, call, result in [run for run in RUNS if given.only in (None, run[0])]:
        faults = {"FAULT_CALL": call, "FAULT_RESULT": str(result)}
        document = runner.work / f"{program}.reel"
        own = runner.count(lambda **more: runner.bare(program, **faults, **more))
        with_layer = runner.count(lambda **more: runner.captured(program, document, **faults, **more))
        # Who asks again and again does so as often as there is time for.
        if not own or (call != "queue" and with_layer < own):
            print(f"FAILED  {program}: {own} calls of the kind {call} bare, {with_layer} captured.")
            failures += 1
            continue
        numbers = list(range(1, with_layer + 1))
        if given.most and len(numbers) > given.most:
            numbers = sorted({1, *chosen.sample(numbers, given.most)})
        # Bare with each fault: a loop of hundreds of equal calls has few that differ in what they lead to.
        clean = runner.bare(program, **faults)
        allowed = {clean}
        allowed |= {runner.bare(program, **faults, FAULT_AT=str(n)) for n in range(1, min(own, 60) + 1)}
        wrong = []
        for n in numbers:
            end = runner.captured(program, document, **faults, FAULT_AT=str(n))
            # Whoever loses the device, the program learns it at its next call; of many calls not each was tried.
            ends_early = end[0] == 1 and clean[1].startswith(end[1])
            if end not in allowed and not (ends_early and (result == LOST or own > 60)):
                wrong.append(f"at call {n}: it does what it never does bare: {told(end)}")
            elif why := runner.document_fault(document):
                wrong.append(f"at call {n}: {why}")
        failures += len(wrong)
        print(f"{'FAILED' if wrong else 'ok    '}  {program}, {call} gives {result}: {len(numbers)} of {with_layer} calls ({own} its own)")
        for one in wrong:
            print("  " + one)
        sys.stdout.flush()
    return 1 if failures else 0


if __name__ == "__main__":
    with Display() as display:
        os.environ["DISPLAY"] = display.name
        sys.exit(main())
