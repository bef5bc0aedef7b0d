#!/usr/bin/python3
"""lives.py - programs that fork, exec, close descriptors, end threads and leave at any moment, bare and captured.

    lives.py --reel build/release/bin/reel --layer build/release/lib/libreel_layer.so \\
             --programs build/release/tests/lives --minutes 5
    lives.py … --seed 17 --count 1          one program again

Nobody may see a difference: what is printed, the exit code or signal, the program's own files, and no hang. What is left
of the document opens. Drivers crash now and then when a program leaves at a bad moment: where a captured run does, many
more runs, bare and captured, tell whether the capture makes it more frequent.
"""

import argparse
import collections
import itertools
import json
import math
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

SECONDS = 60  # nothing takes a tenth of it on a quiet machine
KINDS = ("opencl", "loaded", "host", "own_opencl", "own_vulkan")
DEVICES = {"host": "host", "own_opencl": "opencl", "own_vulkan": "vulkan"}


class Life:
    """A program made from a seed: steps that give the same output every time, as long as the driver is well."""

    def __init__(self, kind, seed):
        self.kind, self.seed = kind, seed
        self.chance = random.Random(f"{kind} {seed}")
        self.threads = list(range(self.chance.choice((1, 2, 2, 3, 4))))
        self.opened = self.held = self.unloaded = self.busy = False
        self.quiet, self.given = True, 0
        self.files, self.next_file = [], 0
        self.steps = []
        for _ in range(self.chance.randrange(3, 14)):
            self.one()
        self.leave()

    def add(self, *words, thread=None):
        thread = self.chance.choice(self.threads) if thread is None else thread
        self.steps.append(" ".join(map(str, (thread, *words))))

    def one(self):
        can = ["file", "descriptors", "fork", "close", "end", "capture"]
        if not self.opened:
            can += ["open"] * 6
        elif not self.unloaded:
            can += ["give", "give", "give", "pass", "pass", "busy", "release" if self.held else "hold"]
            can += [] if self.held else ["finish", "finish"]
            can += ["sleep"]
            can += ["unload"] if self.kind == "loaded" and not self.held and not self.busy else []
        if self.files:
            can += ["write", "write"]
        getattr(self, "do_" + self.chance.choice(can))()

    def do_open(self):
        self.opened = True
        self.add("open")

    def do_give(self):
        self.quiet, self.given = False, self.given + 1
        self.add("give", self.chance.randrange(1, 5))

    def do_pass(self):
        self.quiet, self.given = False, self.given + 1
        self.add("pass", self.chance.randrange(1, 4))

    def do_busy(self):
        if not self.busy:
            self.add("busy")
        self.busy, self.quiet = True, False

    def do_hold(self):
        self.held, self.quiet = True, False
        self.add("hold")

    def do_release(self):
        self.held = False
        self.add("release")

    def do_finish(self):
        self.quiet = not self.busy
        self.add("finish")

    def do_sleep(self):
        self.add("sleep", self.chance.choice((1, 5, 30, 120)))

    def do_unload(self):
        self.unloaded = True
        self.add("unload")

    # A compiler that runs has descriptors of its own, which it may lose to the program, bare as captured.
    def may_close(self):
        return self.quiet or self.chance.random() < 0.1

    def do_file(self):
        if not self.may_close():
            return
        self.add("file", self.next_file, self.chance.choice((self.chance.randrange(3, 14), self.chance.randrange(3, 80), 1000)))
        number = int(self.steps[-1].split()[-1])
        self.files = [one for one in self.files if one[1] != number] + [(self.next_file, number)]
        self.next_file += 1

    def do_write(self):
        self.add("write", self.chance.choice(self.files)[0])

    def do_close(self):
        if not self.may_close():
            return
        how = self.chance.choice(("close", "close", "closefrom", "range"))
        number = self.chance.choice((3, 3, self.chance.randrange(3, 20), self.chance.randrange(3, 1024)))
        self.files = [one for one in self.files if (one[1] != number if how == "close" else one[1] < number)]
        self.add(how, number)

    def do_descriptors(self):
        if self.quiet:
            self.add("descriptors")

    def do_fork(self):
        ways = ["exit", "_exit", "_exit", "exec", "exec", "abort"] + ([] if self.opened else ["fresh", "fresh"])
        way = self.chance.choice(ways)
        self.add("fork", way, self.chance.randrange(20, 30), *(["free"] if way == "_exit" and self.chance.random() < 0.3 else []))

    def do_capture(self):
        for what in ("start", "stop") if self.chance.random() < 0.4 else ("start",):
            self.add("capture", what)

    def do_end(self):
        if len(self.threads) > 1:
            thread = self.chance.choice(self.threads)
            self.threads.remove(thread)
            self.add("end", thread=thread)

    def leave(self):
        thread = self.chance.choice(self.threads)
        ways = ["exit", "exit", "exit", "_exit", "quick_exit", "abort", "exec", "kill"]
        ways += ["return"] * 4 if thread == 0 else []
        ways += ["callback"] if self.opened and not self.held and not self.unloaded else []
        self.way = self.chance.choice(ways)
        code = self.chance.choice((9, 11, 15)) if self.way == "kill" else self.chance.randrange(30, 40)
        self.add("leave", self.way, code, thread=thread)
        self.signal = {"kill": 128 + code, "abort": 134}.get(self.way)

    def is_odd(self, code):
        """Ended otherwise than it meant to: by a signal, or not at all."""
        return code == "hang" or (code >= 128 and code != self.signal)


class KeptLife(Life):
    """A program that failed once."""

    def __init__(self, path):
        self.kind, self.seed, self.signal = path.stem.split("-")[0], path.stem, None
        self.steps = [line for line in path.read_text().splitlines() if not line.startswith("#")]


def lives(given, began):
    """Those that failed once, then one a seed, as long as they were asked for."""
    for path in sorted((pathlib.Path(__file__).parent / "kept").glob("*.txt")):
        if given.only in (None, path.stem.split("-")[0]):
            yield KeptLife(path)
    for seed in itertools.count(given.seed):
        is_late = given.minutes is not None and time.monotonic() > began + 60 * given.minutes
        if is_late or (given.count is not None and seed >= given.seed + given.count):
            return
        yield Life(given.only or KINDS[seed % len(KINDS)], seed)


def is_more(odd, runs, bare_odd, bare_runs):
    """Whether so many of the captured runs are hardly chance: one in a hundred."""
    total, both = runs + bare_runs, odd + bare_odd
    chances = sum(math.comb(runs, i) * math.comb(bare_runs, both - i) for i in range(odd, min(runs, both) + 1))
    return chances / math.comb(total, both) < 0.01


class Ran:
    """What a program printed, how it ended, and its own files."""

    def __init__(self, words, folder, environment):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        base = {k: v for k, v in os.environ.items() if not k.startswith("REEL_") and k != "OPENCL_LAYERS"}
        base |= {"POCL_KERNEL_CACHE": "0", "MESA_SHADER_CACHE_DISABLE": "true", "NO_COLOR": "1"}
        self.words, self.folder = [str(word) for word in words], folder
        process = subprocess.Popen(
            self.words,
            cwd=folder,
            env=base | {k: str(v) for k, v in environment.items()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=SECONDS)
            self.code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        except subprocess.TimeoutExpired:
            self.end_session(process.pid)
            out, err = process.communicate()
            self.code = "hang"
        self.out, self.err = out.decode(errors="replace"), err.decode(errors="replace")
        self.files = {one.name: one.read_bytes() for one in sorted(folder.iterdir()) if one.name.startswith("own")}

    def end_session(self, session):
        """Every process that this one started."""
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.getsid(int(entry.name)) == session:
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                pass

    def outcome(self):
        return self.out, self.code, tuple(self.files.items())

    def told(self):
        files = "".join(f"{name}: {content[:200]!r}\n" for name, content in self.files.items())
        return f"$ {shlex.join(self.words)}\nended with {self.code}\n{self.out[-1500:]}{self.err[-1500:]}{files}"


class Checker:
    def __init__(self, given):
        self.given, self.counts = given, collections.Counter()
        self.folder = given.work / "run"

    def words_of(self, kind):
        program = {"opencl": "lives_opencl", "loaded": "lives_loaded"}.get(kind, "lives_own")
        return [self.given.programs / program, DEVICES.get(kind, "opencl"), self.given.work / "life.txt"]

    def bare(self, life):
        self.counts["runs bare", life.kind] += 1
        return Ran(self.words_of(life.kind), self.folder, {})

    def ways(self, life):
        """How it is captured, by the same seed: words before the program's, and an environment."""
        chance = random.Random(f"ways {life.kind} {life.seed}")
        document = self.folder / chance.choice(("x.reel", "x-%p.reel"))
        if life.kind in DEVICES:
            passes = chance.choice(("1", "2", "1-3", "*"))
            yield [], {"REEL_CAPTURE_ENABLED": 1, "REEL_CAPTURE": document, "REEL_CAPTURE_PASS": passes}
            yield [], {"LIVES_DOCUMENT": self.folder / "inside-%p-%n.reel"}
            return
        contents = ["--contents", chance.choice(("inputs", "all", "hashes"))]
        window = chance.choice(
            (
                ["--first", "3"],
                ["--commands", "1-4"],
                ["--kernel", "second"],
                ["--after", f"{chance.choice((1, 40, 5000))}ms"],
                ["--for", f"{chance.choice((1, 40, 5000))}ms"],
                ["--trigger"],
            )
        )
        yield [self.given.reel, "capture", "-q", "-o", document, *contents, "--"], {}
        yield [self.given.reel, "capture", "-q", "-o", document, *contents, *window, "--"], {
            "LIVES_DOCUMENT": self.folder / "inside-%p-%n.reel"
        }
        yield [], {"OPENCL_LAYERS": self.given.layer, "REEL_CAPTURE_ENABLED": 1, "REEL_LAYER_CAPTURE": document}

    def captured(self, life, way):
        words, environment = way
        self.counts["runs captured", life.kind] += 1
        return Ran([*words, *self.words_of(life.kind)], self.folder, environment)

    def check_documents(self, life):
        for document in sorted(self.folder.glob("*.reel")):
            code, said = self.reel("verify", document)
            self.counts["documents", life.kind] += 1
            if code == 0:
                self.counts["documents whole", life.kind] += 1
                continue
            if code >= 128:
                return f"reel verify ended with {code}\n{said}"
            recovered = document.with_suffix(".recovered")
            code, why = self.reel("recover", document, "-o", recovered)
            if code == 0:
                code, why = self.reel("verify", recovered)
                if code == 0:
                    self.counts["documents recovered", life.kind] += 1
                    continue
                return f"{document.name} is recovered to what doesn't verify\n{said}{why}"
            if code >= 128 or not self.holds_nothing(document):
                return f"{document.name} can't be recovered\n{said}{why}"
            self.counts["documents of nothing", life.kind] += 1
        return None

    def holds_nothing(self, document):
        """Whether the program was gone before the first chunk: but for a last record that is cut, all can be read, and no command is in it."""
        if document.stat().st_size <= 4096:
            return True
        report = json.loads(self.reel("verify", document, "--json")[1])
        all_is_read = re.search(r"up to byte (\d+) of \1:|but only \d+ follow", " ".join(report["problems"]))
        return all_is_read and report["chunks"] == 0

    def reel(self, *words):
        done = subprocess.run([self.given.reel, *map(str, words)], capture_output=True, timeout=SECONDS)
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return code, (done.stdout + done.stderr).decode(errors="replace")

    def problem_with(self, life, way, bares):
        """What is wrong with one captured run, or None. `bares` grows where it has to."""
        ran = self.captured(life, way)
        if life.is_odd(ran.code):
            return self.odd_more_often(life, way, bares, ran)
        while not any(ran.outcome() == bare.outcome() for bare in bares):
            if len(bares) >= self.given.bare:
                return "differs", f"As none of {len(bares)} bare runs.\n--- bare\n{bares[0].told()}--- captured\n{ran.told()}"
            bares.append(self.bare(life))
        wrong = self.check_documents(life)
        return ("document", f"{ran.told()}{wrong}") if wrong else None

    def odd_more_often(self, life, way, bares, ran):
        """Drivers crash now and then when a program leaves. Captured it may not be more often than chance allows."""
        self.counts["odd ends", life.kind] += 1
        captured = [ran]
        while len(bares) < self.given.bare:
            bares.append(self.bare(life))
        while len(captured) < self.given.bare:
            captured.append(self.captured(life, way))
        odd, bare_odd = (sum(life.is_odd(one.code) for one in runs) for runs in (captured, bares))
        if not is_more(odd, len(captured), bare_odd, len(bares)):
            return None
        kind = "hang" if ran.code == "hang" else "crash"
        return kind, f"{odd} of {len(captured)} captured, {bare_odd} of {len(bares)} bare.\n{ran.told()}"

    def check(self, life):
        """The first thing that doesn't hold: its kind, the sentence, the way."""
        (self.given.work / "life.txt").write_text("".join(step + "\n" for step in life.steps))
        bares = [self.bare(life)]
        self.counts["lives", life.kind] += 1
        if bares[0].code == "hang":
            self.counts["hang bare", life.kind] += 1
            return None
        if life.is_odd(bares[0].code):
            self.counts["odd ends bare", life.kind] += 1
        for number, way in enumerate(self.ways(life)):
            for _ in range(self.given.times):
                found = self.problem_with(life, way, bares)
                if found:
                    return (*found, number)
        return None

    def shrink(self, life, found, seconds):
        until, steps = time.monotonic() + seconds, list(life.steps)
        i = len(steps) - 2
        while i >= 0 and time.monotonic() < until:
            life.steps = steps[:i] + steps[i + 1 :]
            (self.given.work / "life.txt").write_text("".join(step + "\n" for step in life.steps))
            way = list(self.ways(life))[found[2]]
            bares, again = [self.bare(life)], None
            for _ in range(4):
                again = again or (bares[0].code != "hang" and self.problem_with(life, way, bares)) or None
            if again and again[0] == found[0]:
                steps, found = life.steps, (*again, found[2])
            i -= 1
        life.steps = steps
        return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--reel", required=True, type=pathlib.Path, help="the program under test")
    options.add_argument("--layer", required=True, type=pathlib.Path, help="the library under test")
    options.add_argument("--programs", required=True, type=pathlib.Path, help="where lives_opencl is")
    options.add_argument("--work", default=pathlib.Path("lives_work"), type=pathlib.Path, help="folder for runs and failures")
    options.add_argument("--minutes", type=float, help="go on so long")
    options.add_argument("--seed", type=int, default=1, help="the first seed")
    options.add_argument("--count", type=int, help="at most so many seeds")
    options.add_argument("--only", choices=KINDS, help="only programs of this kind")
    options.add_argument("--times", type=int, default=1, help="each way so often")
    options.add_argument("--bare", type=int, default=30, help="runs, bare and captured, that are compared where something odd happens")
    options.add_argument("--shrink", type=float, default=60, help="seconds to make a failure small; 0: don't")
    given = options.parse_args()
    if given.count is None and given.minutes is None:
        given.count = 1
    for name in ("reel", "layer", "programs", "work"):
        setattr(given, name, getattr(given, name).resolve())
    given.work.mkdir(parents=True, exist_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    checker, failures, began, last = Checker(given), 0, time.monotonic(), None
    for life in lives(given, began):
        last = life.seed
        found = checker.check(life)
        if found:
            failures += 1
            if given.shrink:
                found = checker.shrink(life, found, given.shrink)
            place = given.work / f"failure-{life.kind}-{life.seed}-{found[0]}.txt"
            words, environment = list(checker.ways(life))[found[2]]
            how = " ".join([*(f"{k}={v}" for k, v in environment.items()), *map(str, words)])
            place.write_text(f"# captured with: {how}\n" + "".join(step + "\n" for step in life.steps) + "".join(f"# {line}\n" for line in found[1].splitlines()))
            print(f"FAILED {found[0]}: seed {life.seed}, {place}\n{place.read_text()[:3000]}\n", flush=True)
    for what, times in sorted(checker.counts.items()):
        print(f"{' '.join(what):<44}{times:>8}")
    print(f"{'failures':<44}{failures:>8}\nseeds {given.seed} to {last}, {time.monotonic() - began:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
