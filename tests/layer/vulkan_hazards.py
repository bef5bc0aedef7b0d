#!/usr/bin/python3
"""vulkan_hazards.py - what each letter of programs/hazards.c does wrong, as Reel must find it; asked of Khronos' layer, too.

Run with the program, it compares the table with what synchronization validation says, submissions included, of the
letters that it can judge: it follows no values that the host waits for, and no writes of the host. Captured by Reel, above or below
that layer, the answers must be the same.
"""

import os
import random
import subprocess
import sys
import tempfile

MISSING, VISIBILITY, HOST = "sync.missing", "sync.visibility", "sync.host"
TRUTH = {
    "b": None,  # one command buffer
    "n": MISSING,
    "m": VISIBILITY,
    "r": VISIBILITY,
    "w": MISSING,
    "e": None,
    "N": MISSING,  # two submissions
    "B": None,
    "C": None,
    "q": MISSING,
    "Q": None,
    "S": None,  # semaphores
    "T": MISSING,
    "U": None,
    "l": None,
    "L": None,  # the host
    "A": None,
    "F": None,
    "P": None,
    "h": HOST,
    "v": HOST,
    "H": None,
    "p": None,
}
UNKNOWN_TO_KHRONOS = "LAhvHp"
# Of two queues, which the fault layer makes of one.
TWO_QUEUES = {"x": MISSING, "X": MISSING, "y": None, "z": None}


def random_letters(seed, count=24):
    return "".join(random.Random(seed).choices(list(TRUTH), k=count))


def questions(letters):
    """SQL about the document of a run with these letters, and the answers: each kind of fault as often as it is there."""
    asked = {"select distinct value from facts where key = 'queue_orders'": [["all"]]}
    for rule, noun in ((MISSING, "pairs"), (VISIBILITY, "pairs"), (HOST, "cases")):
        count = sum({**TRUTH, **TWO_QUEUES}.get(letter) == rule for letter in letters)
        where = f"title like '% {count} such {noun} in all%'" if count > 1 else f"title not like '% such {noun} %'"
        asked[f"select count(*) from findings where rule = '{rule}' and {where}"] = [[min(count, 1)]]
        asked[f"select count(*) from findings where rule = '{rule}'"] = [[min(count, 1)]]
    return asked


# Of one command buffer: between submissions commands of ours may stand, with barriers, where validation is below us.
WITHIN = "bnmrwe"


def main():
    """hazards REEL: bare, and captured with validation above Reel's layer and below it, which must not change what it says."""
    program, reel = sys.argv[1:3]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        checks = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
        checks += ",VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT"
        with open(f"{folder}/vk_layer_settings.txt", "w") as settings:
            settings.write(f"khronos_validation.enables = {checks}\n")
        above = {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation", "VK_LAYER_SETTINGS_PATH": folder}
        below = {**above, "VK_INSTANCE_LAYERS": "VK_LAYER_REEL_capture:VK_LAYER_KHRONOS_validation"}
        captured = [reel, "capture", "-o", f"{folder}/%p.reel", "--"]
        for letter, truth in TRUTH.items():
            if letter in UNKNOWN_TO_KHRONOS:
                continue
            ways = {"bare": ([], above), "below validation": (captured, above)}
            if letter in WITHIN:
                ways["above validation"] = (captured, below)
            for way, (words, layers) in ways.items():
                ran = subprocess.run([*words, program, letter], env={**os.environ, **layers}, capture_output=True, timeout=120)
                said = b"SYNC-HAZARD" in ran.stdout + ran.stderr
                if ran.returncode or said != bool(truth):
                    wrong.append(f"{letter}, {way}: {truth} here, a hazard there: {said}; it ended with {ran.returncode}")
    print("\n".join(wrong) or f"{len(TRUTH) - len(UNKNOWN_TO_KHRONOS)} letters, one opinion")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
