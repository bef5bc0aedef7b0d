#!/usr/bin/python3
"""run_faults.py - lets the n-th call of each kind fail, for every n, in everything that `reel` and its captures do.

A scenario runs once without faults, counting the calls of a kind, then once for each number (or as many as --most says,
evenly spread; --seed moves them). Under capture the program must print and end as bare, whatever fails; a document that
is there must open. A verb of `reel` must do all of its work or say what failed; it never dies of a signal, hangs, or
leaves something behind under the name it was to write.
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys

SECONDS = 60
ERRNO = {"write": 28, "fsync": 5, "ftruncate": 5, "rename": 13, "unlink": 13, "open": 24, "read": 5, "fstat": 5, "mmap": 12,
         "pthread_create": 11, "clock_gettime": 22, "new": 12}


class Failure(Exception):
    pass


Ran = collections.namedtuple("Ran", "end stdout stderr")


def run(words, folder, environment):
    try:
        done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"it hangs: no end within {SECONDS} s")
    return Ran(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


class Place:
    """Where the programs are, and a folder for what they write."""

    def __init__(self, given):
        self.reel = str(given.reel.resolve())
        self.shim = str(given.shim.resolve())
        self.programs = given.programs.resolve()
        self.examples = given.examples.resolve()
        self.work = given.work.resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.sample = self.work / "sample.reel"
        self.cut = self.work / "cut.reel"

    def plain(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("REEL_CAPTURE", "OPENCL_LAYERS", "FAULT_"))}
        return {**kept, **more}

    def make_samples(self):
        """A document that every verb is tried on, and one that its program didn't live to close."""
        made = run([str(self.examples / "forward_pass"), "--device", "host", "--mode", "direct", "--tokens", "3"], self.work,
                   self.plain(REEL_CAPTURE_ENABLED="1", REEL_CAPTURE=str(self.sample), REEL_CAPTURE_PASS="2"))
        if made.end != 0 or not self.sample.exists():
            raise SystemExit(f"The sample could not be made: {made}")
        whole = self.sample.read_bytes()
        self.cut.write_bytes(whole[:-4000])  # the rows of a short capture are near the end


class Scenario:
    """One thing that is done. `of`: whose calls fail. `kinds`: the calls."""

    def __init__(self, name, of, kinds):
        self.name, self.of, self.kinds = name, of, kinds

    def go(self, place, folder, **faults):
        """Runs it in an empty folder; what it gave."""
        raise NotImplementedError

    def judge(self, place, folder, clean, ran, kind):
        """Raises Failure when the faulty run did what it may not."""
        raise NotImplementedError


class Capturing(Scenario):
    def environment(self, place, faults):
        return place.plain(**faults)

    def judge(self, place, folder, clean, ran, kind):
        if self.name == "library" and kind == "pthread_create" and "thread that writes" not in ran.stderr and ran.end:
            return  # a thread of the device's, which the program needs
        if ran.end != clean.end:
            raise Failure(f"the program ended with {ran.end}, bare with {clean.end}\n{ran.stderr}")
        if self.own(ran.stdout) != self.own(clean.stdout):
            raise Failure(f"the program printed something else\n--- bare\n{clean.stdout}--- now\n{ran.stdout}")
        for document in folder.glob("*.reel"):
            info = run([place.reel, "info", str(document)], folder, place.plain())
            # A file that nothing was written to yet, or of which only the beginning could be, is said to be no document.
            if info.end not in (0, 1, 3) or (info.end and not info.stderr.strip()):
                raise Failure(f"`reel info {document.name}` ended with {info.end}\n{info.stderr}")
            verify = run([place.reel, "verify", str(document)], folder, place.plain())
            if verify.end < 0:
                raise Failure(f"`reel verify {document.name}` died of signal {-verify.end}")
            if verify.end and "reel" not in ran.stderr:
                raise Failure(f"the document isn't whole, and nobody said so\n{verify.stdout}{verify.stderr}")
        if not list(folder.glob("*.reel")) and "reel" not in ran.stderr:
            raise Failure("there is no document, and nobody said so")

    @staticmethod
    def own(stdout):
        return stdout


class LibraryCapture(Capturing):
    """A program that uses the library, told by its environment to capture a pass."""

    def go(self, place, folder, **faults):
        capture = {"REEL_CAPTURE_ENABLED": "1", "REEL_CAPTURE": str(folder / "pass.reel"), "REEL_CAPTURE_PASS": "2"}
        environment = place.plain(**faults) if faults.get("bare") else place.plain(**capture, **faults)
        environment.pop("bare", None)
        return run([str(place.examples / "forward_pass"), "--device", "host", "--mode", "direct", "--tokens", "3"], folder, environment)

    @staticmethod
    def own(stdout):
        # Times, and what is said of them, differ from run to run; tokens don't.
        return [line for line in stdout.splitlines() if line.startswith(("Tokens:", "Equal:"))]


class LayerCapture(Capturing):
    """A program that knows nothing of Reel, under `reel capture`."""

    def __init__(self, name, of, kinds, program):
        super().__init__(name, of, kinds)
        self.program = program

    def go(self, place, folder, **faults):
        words = [str(place.programs / self.program)]
        if faults.pop("bare", None) is None:
            words = [place.reel, "capture", "-o", str(folder / "captured.reel"), "--", *words]
        return run(words, folder, place.plain(**faults))


class VulkanCapture(LayerCapture):
    """The same of Vulkan. Whatever is missing then, nobody changed results: a replay must not find others. With `bytes` only
    allocations of just so many fail."""

    FIRST_ROWS = "10560"  # of the document's five columns of overheads: src/document/columns/column_set.hpp
    FIRST_OF_LIST = "1024"  # of what was recorded into a command buffer: layers/vulkan/objects/op_list.cpp

    def __init__(self, name, kinds, program, bytes=""):
        super().__init__(name, "libreel_layer", kinds, f"../vulkan/programs/{program}")
        self.bytes = bytes

    def go(self, place, folder, **faults):
        return super().go(place, folder, FAULT_BYTES=self.bytes, **faults)

    def judge(self, place, folder, clean, ran, kind):
        super().judge(place, folder, clean, ran, kind)
        replay = run([place.reel, "replay", str(folder / "captured.reel")], folder, place.plain())
        if replay.end < 0 or "DIFFERENT" in replay.stdout:
            raise Failure(f"`reel replay` ended with {replay.end}\n{replay.stdout}{replay.stderr}")


class Verb(Scenario):
    """A verb of `reel`, which writes `makes` (or nothing)."""

    def __init__(self, name, kinds, words, makes=None):
        super().__init__(name, "/bin/reel:libreel", kinds)
        self.words, self.makes = words, makes

    def go(self, place, folder, **faults):
        faults.pop("bare", None)
        words = [word.format(sample=place.sample, cut=place.cut) for word in self.words]
        return run([place.reel, *words], folder, place.plain(**faults))

    def judge(self, place, folder, clean, ran, kind):
        if ran.end < 0:
            raise Failure(f"it died of signal {-ran.end}\n{ran.stderr}")
        if ran.end == clean.end:
            if self.makes and not (folder / self.makes).exists():
                raise Failure(f"it ended as without the fault, but there is no {self.makes}")
            return
        if not ran.stderr.strip():
            raise Failure(f"it ended with {ran.end} and said nothing")
        if self.makes and (folder / self.makes).exists():
            raise Failure(f"it failed, and left a {self.makes} behind\n{ran.stderr}")


FILE_CALLS = ("write", "fsync", "ftruncate", "rename", "unlink", "open", "fstat")
SCENARIOS = [
    # Its buffers are maps and its workers threads, too: what fails there fails bare as well.
    LibraryCapture("library", "libreel", (*FILE_CALLS, "pthread_create", "clock_gettime")),
    LayerCapture("layer", "libreel_layer", (*FILE_CALLS, "mmap", "pthread_create", "clock_gettime", "new"), "vector_add"),
    LayerCapture("layer_maps", "libreel_layer", ("write", "new"), "mapping"),
    VulkanCapture("vulkan", ("write", "mmap", "pthread_create", "new"), "semaphores"),
    VulkanCapture("vulkan_kernels", ("new",), "dispatches"),
    VulkanCapture("vulkan_rows", ("new",), "dispatches", VulkanCapture.FIRST_ROWS),
    VulkanCapture("vulkan_lists", ("new",), "tokens", VulkanCapture.FIRST_OF_LIST),
    Verb("info", ("read", "open", "fstat", "mmap", "new"), ["info", "{sample}"]),
    Verb("verify", ("read", "open", "mmap", "new"), ["verify", "{sample}"]),
    Verb("recover", (*FILE_CALLS, "read", "mmap", "new"), ["recover", "{cut}", "-o", "out.reel"], "out.reel"),
    Verb("strip", (*FILE_CALLS, "read", "mmap", "new"), ["strip", "{sample}", "-o", "out.reel"], "out.reel"),
    Verb("replay", ("read", "open", "mmap", "pthread_create", "clock_gettime", "new"), ["replay", "{sample}"]),
    Verb("extract", (*FILE_CALLS, "pthread_create", "new"), ["extract", "{sample}", "c3", "-o", "out.reel"], "out.reel"),
    Verb("perfetto", (*FILE_CALLS, "new"), ["export", "{sample}", "--to", "perfetto", "-o", "out"], "out"),
    Verb("sqlite", (*FILE_CALLS, "new"), ["export", "{sample}", "--to", "sqlite", "-o", "out"], "out"),
    Verb("page", (*FILE_CALLS, "new"), ["view", "{sample}", "--html", "out.html"], "out.html"),
]


def faults_of(place, scenario, kind, at, log, lasting=False):
    return {"LD_PRELOAD": place.shim, "FAULT_CALL": kind, "FAULT_AT": str(at), "FAULT_ERRNO": str(ERRNO[kind]),
            "FAULT_OF": scenario.of, "FAULT_LOG": str(log), "FAULT_LASTING": "1" if lasting else "0"}


def fresh(place, scenario):
    folder = place.work / scenario.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def numbers(count, most, chance):
    if count <= most:
        return list(range(1, count + 1))
    step = count / most
    return sorted({min(count, int(i * step + chance.random() * step) + 1) for i in range(most)})


def try_kind(place, scenario, clean, kind, given, chance, failures):
    log = place.work / "calls"
    log.unlink(missing_ok=True)
    scenario.go(place, fresh(place, scenario), **faults_of(place, scenario, kind, 0, log))
    count = max((int(line) for line in log.read_text().split()), default=0) if log.exists() else 0
    tried = 0
    for at in numbers(count, given.most, chance):
        for lasting in (False, True) if kind in ("write", "new") else (False,):
            folder = fresh(place, scenario)
            tried += 1
            try:
                ran = scenario.go(place, folder, **faults_of(place, scenario, kind, at, place.work / "ignored", lasting))
                scenario.judge(place, folder, clean, ran, kind)
            except Failure as failure:
                failures.append((scenario.name, kind, at, lasting))
                every = "every call from this on" if lasting else "this call"
                print(f"FAILED  {scenario.name}: {kind} {at} of {count} ({every} fails): {failure}", flush=True)
    return count, tried


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--reel", required=True, type=pathlib.Path)
    options.add_argument("--shim", required=True, type=pathlib.Path)
    options.add_argument("--programs", required=True, type=pathlib.Path, help="programs of tests/layer")
    options.add_argument("--examples", required=True, type=pathlib.Path, help="where forward_pass is")
    options.add_argument("--work", required=True, type=pathlib.Path, help="a folder that is emptied")
    options.add_argument("--most", type=int, default=1000000, help="tries of each kind of call, spread evenly over all there are")
    options.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    options.add_argument("--only", help="scenarios and kinds with this in SCENARIO:KIND")
    given = options.parse_args()
    chance = random.Random(given.seed)
    place = Place(given)
    place.make_samples()
    print(f"seed {given.seed}")
    failures, total = [], 0
    print(f"{'scenario':12} {'call':16} {'calls':>8} {'tried':>6} {'failed':>6}")
    for scenario in SCENARIOS:
        kinds = [kind for kind in scenario.kinds if not given.only or given.only in f"{scenario.name}:{kind}"]
        if not kinds:
            continue
        clean = scenario.go(place, fresh(place, scenario), bare="1")
        if clean.end != 0:
            raise SystemExit(f"{scenario.name} fails without any fault: {clean}")
        for kind in kinds:
            before = len(failures)
            count, tried = try_kind(place, scenario, clean, kind, given, chance, failures)
            total += tried
            if count:
                print(f"{scenario.name:12} {kind:16} {count:8} {tried:6} {len(failures) - before:6}", flush=True)
    print(f"{total - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
