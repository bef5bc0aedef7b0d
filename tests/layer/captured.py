"""captured.py - a program run bare and run under `reel capture`, and everything that must hold of the two."""

import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import time

# No case takes a tenth of it on a quiet machine; a hang is a failure.
SECONDS = 120


class Failure(Exception):
    pass


class Ran:
    """What a process wrote, and how it ended: a number, or the name of a signal."""

    def __init__(self, words, environment, folder):
        began = time.monotonic()
        try:
            done = subprocess.run(
                words, env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired as hang:
            raise Failure(f"{shlex.join(words)} hangs: it did not end within {SECONDS} s.\n{text(hang.stderr)}")
        self.words = words
        self.seconds = time.monotonic() - began
        self.stdout = text(done.stdout)
        self.stderr = text(done.stderr)
        # A shell, and so `reel capture`, tells of a signal as 128 + its number.
        self.end = 128 - done.returncode if done.returncode < 0 else done.returncode

    def own_stderr(self):
        """Its stderr without what the layer and `reel capture` say, each line of which names them, or is empty.

        And without the count of warnings of PoCL, which it only prints where its cache doesn't have a kernel yet.
        """
        other = re.compile(r"\[reel\] |reel: |  reel [a-z]+ |[0-9]+ warnings? generated[.]$|$")
        return "".join(line for line in self.stderr.splitlines(True) if not other.match(line))

    def told(self):
        return f"$ {shlex.join(self.words)}\nended with {self.end}\n{tail(self.stdout)}{tail(self.stderr)}"


def text(bytes_or_none):
    return (bytes_or_none or b"").decode(errors="replace")


def tail(long, lines=25):
    return "".join(line + "\n" for line in long.splitlines()[-lines:])


def expect_same(what, bare, captured):
    if bare != captured:
        raise Failure(f"{what} is another one under capture.\n--- bare\n{tail(str(bare))}--- captured\n{tail(str(captured))}")


class Display:
    """A screen that nobody sees, until the `with` ends; it chooses a number that is free."""

    def __enter__(self):
        read, write = os.pipe()
        words = ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"]
        try:
            self.server = subprocess.Popen(words, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except FileNotFoundError:
            raise Failure("There is no Xvfb, which the case shows its images on; package xvfb has it.")
        finally:
            os.close(write)
        with os.fdopen(read) as numbers:
            number = numbers.readline().strip()  # empty: it ended
        if not number:
            raise Failure(f"Xvfb did not start.\n{text(self.server.communicate()[1])}")
        self.name = f":{number}"
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.communicate()


class Captured:
    """One case: runs it, then checks the document. Raises Failure with what a person needs to see."""

    def __init__(self, case, reel, layer, build, work):
        self.case = case
        self.reel = str(reel)
        self.layer = str(layer)
        self.build = pathlib.Path(build)
        self.folder = pathlib.Path(work) / case.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.document = self.folder / "captured.reel"
        self.tally = self.folder / "tally"
        self.display = None
        for left in self.folder.glob("*"):
            if left.is_file():
                left.unlink()

    def words(self):
        words = shlex.split(self.case.command.replace("{source}", str(pathlib.Path(__file__).parent)))
        own = self.build / "programs" / words[0]
        return ([str(own)] if own.exists() else [words[0]]) + words[1:]

    def environment(self, **more):
        if self.display:
            more["DISPLAY"] = self.display.name
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REEL_CAPTURE")}
        for name in ("OPENCL_LAYERS", "VK_INSTANCE_LAYERS", "VK_ADD_LAYER_PATH", "VK_LAYER_PATH"):
            environment.pop(name, None)
        # Programs leave things behind on purpose (whether the layer leaks is asked elsewhere), die on purpose, and
        # fork with threads.
        dies = ":handle_segv=0:handle_abort=0"
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0" + dies
        environment["TSAN_OPTIONS"] = environment.get("TSAN_OPTIONS", "") + ":die_after_fork=0" + dies
        of_case = {name: value.format(build=self.build) for name, value in self.case.environment.items()}
        return {**environment, **of_case, **more}

    def below(self, *above):
        """The layer that the case wants; its place in the list is its place in the chain."""
        if not self.case.below:
            return {}
        return {"VK_ADD_LAYER_PATH": str(self.build / "faults"), "VK_INSTANCE_LAYERS": ":".join([*above, self.case.below])}

    def run_bare(self):
        return Ran(self.words(), self.environment(**self.below()), self.folder)

    def run_idle(self):
        folder = str(pathlib.Path(self.layer).parent)  # where its manifest is, too
        vulkan = {"VK_ADD_LAYER_PATH": folder, "VK_INSTANCE_LAYERS": "VK_LAYER_REEL_capture"}
        return Ran(self.words(), self.environment(OPENCL_LAYERS=self.layer, **vulkan), self.folder)

    def run_validated(self):
        """Where the layer of Khronos has something to say, it says it on stdout, and so it is another one."""
        named = {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation"}
        more = {"VK_LAYER_ENABLES": "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"}
        return Ran(self.words(), self.environment(**named, **more), self.folder)

    def run_captured(self):
        # The layer under test comes first in the list of layers, so the loader asks it first, then the tally.
        tally = self.build / "tally_layer.so"
        more = {"OPENCL_LAYERS": str(tally), "TALLY": str(self.tally)} if tally.exists() else {}
        environment = self.environment(**more, **self.below("VK_LAYER_REEL_capture"))
        options = shlex.split(self.case.options)
        return Ran([self.reel, "capture", *options, "-o", str(self.document), "--", *self.words()], environment, self.folder)

    def ask(self, *words, ends=(0,)):
        ran = Ran([self.reel, *words], self.environment(), self.folder)
        if ran.end not in ends:
            raise Failure(f"{ran.told()}Allowed: {', '.join(map(str, ends))}.")
        return ran

    def check(self):
        if not self.case.screen:
            return self.check_runs()
        with Display() as self.display:
            return self.check_runs()

    def check_runs(self):
        way = self.run_idle if self.case.idle else self.run_validated if self.case.validated else self.run_captured
        bare, captured = self.run_bare(), way()
        # A program that fails bare fails the same way captured, and shows nothing.
        if self.case.ends is None and bare.end != self.case.fails:
            raise Failure(f"Bare, it ended with {bare.end}, not with {self.case.fails}.\n{bare.told()}")
        keep = self.case.keep or (lambda lines: lines)
        if captured.end not in (bare.end, self.case.ends):
            raise Failure(f"How it ends is another one under capture.\n--- bare\n{bare.told()}--- captured\n{captured.told()}")
        expect_same("stdout", keep(bare.stdout), keep(captured.stdout))
        # Left at work, PoCL complains of its own compiler going away, now and then, bare as well.
        if self.case.ends is None:
            expect_same("stderr", keep(bare.own_stderr()), keep(captured.own_stderr()))
        if (self.case.idle or self.case.validated) and list(self.folder.glob("*.reel")):
            raise Failure(f"There is a document in {self.folder}, and nobody asked for one.")
        if self.case.idle or self.case.validated or not self.case.document:
            return f"{captured.seconds:.1f} s"
        if not self.document.exists():
            raise Failure(f"There is no document {self.document}.\n{captured.told()}")
        return f"{captured.seconds:.1f} s, {self.check_document()}"

    def check_document(self):
        # A program that was killed leaves a document without its end, which readers know how to read.
        self.ask("verify", str(self.document), ends=(0,) if self.case.complete else (0, 3))
        info = json.loads(self.ask("info", "--json", str(self.document)).stdout)
        if self.case.complete and not info["complete"]:
            raise Failure("The document isn't complete, though the program ended properly.")
        if info["problems"] and self.case.complete:
            raise Failure(f"The document has problems: {info['problems']}")
        self.check_tally(info)
        if self.case.note and self.case.note not in [note["kind"] for note in info["notes"]]:
            raise Failure(f"No note of the kind {self.case.note} is among {info['notes']}.")
        if self.case.giving_time:
            self.check_giving_time(info)
        for query, expected in self.case.rows.items():
            rows = json.loads(self.ask("sql", "--json", str(self.document), query).stdout)["rows"]
            if rows != expected:
                raise Failure(f"{query}\ngives {rows}, not {expected}.")
        return f"{info['commands']['total']} commands, {info['file_bytes']} bytes, {self.check_replay(info)}"

    def check_giving_time(self, info):
        """In a tight loop, what passes from one call to the next is the layer's: the part after the driver's answer.

        The part before it is within the recorded call, so that the document may say more than this, but no more than
        all of the loop. Medians, since the machine may have others to serve.
        """
        query = "select call_begin_ns, call_end_ns from commands where kind = 'dispatch' order by id"
        calls = json.loads(self.ask("sql", "--json", str(self.document), query).stdout)["rows"]
        between = statistics.median(after[0] - before[1] for before, after in zip(calls, calls[1:]))
        least, most = 0.5 * between * len(calls), calls[-1][1] - calls[0][0]
        told = info["overhead_ns"]["commands"]
        if not least <= told <= most:
            raise Failure(f"Giving {len(calls)} commands took {least:.0f} to {most} ns, and the document says {told}.")

    def check_tally(self, info):
        if info["commands"]["dispatch"] < self.case.dispatches:
            raise Failure(f"The document has {info['commands']['dispatch']} of {self.case.dispatches} dispatches.")
        if not self.case.tally or not self.case.complete or not self.tally.exists():
            return
        (taken, asked), recorded = map(int, self.tally.read_text().split()), info["commands"]["dispatch"]
        # One that the driver refused may be in the document as such.
        if not taken <= recorded <= asked:
            raise Failure(f"The driver took {taken} kernels of {asked}, and the document has {recorded}.")

    def check_replay(self, info):
        if self.case.replay is None:
            return "not replayed"
        ran = self.ask("replay", "--json", str(self.document), ends=(0,) if self.case.replay == "equal" else (0, 4))
        if not self.case.may_crash and "crashed" in ran.stderr:
            raise Failure(f"The replay crashed.\n{ran.told()}")
        if self.case.replay == "partly" and ran.end == 4 and "can't be replayed" in ran.stderr and not ran.stdout:
            return "says why it can't be replayed"
        try:
            # A kernel that prints does so in a replay, too.
            report = json.loads(ran.stdout[max(ran.stdout.find("{\n"), 0) :])
        except json.JSONDecodeError:
            raise Failure(f"The replay made no report.\n{ran.told()}")
        if report["differences"] or report["races"] or report["checks"]["different"]:
            raise Failure(f"The replay found differences.\n{ran.told()}")
        if self.case.replay == "equal" and report["verdict"] != "equal":
            raise Failure(f"The verdict is {report['verdict']}, not equal.\n{ran.told()}")
        if info["commands"]["dispatch"] and not report["checks"]["made"] and not self.case.options:
            raise Failure(f"The replay compared nothing.\n{ran.told()}")
        if self.case.options and not report["checks"]["made"]:
            return f"{report['verdict']}: nothing to compare"
        if report["checks"]["bytes"] < self.case.checked_bytes:
            raise Failure(f"The replay compared {report['checks']['bytes']} of {self.case.checked_bytes} bytes.\n{ran.told()}")
        together = self.ask("sql", str(self.document), "--json", "select coalesce(sum(end_ns - begin_ns), 0) from intervals")
        if report["recorded_together_ns"] != json.loads(together.stdout)["rows"][0][0]:
            raise Failure(f"Timed together was {together.stdout}, and the replay says {report['recorded_together_ns']}.")
        # Where it isn't all equal, somebody has to say why.
        if report["verdict"] != "equal" and not (info["notes"] or report["not_checked"] or ran.stderr):
            raise Failure(f"Not all of it can be replayed, and neither document nor replay say so.\n{ran.told()}")
        return f"{report['verdict']}, {report['checks']['made']} checks"
