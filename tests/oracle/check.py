"""check.py - one program run bare, captured, replayed and tampered with, and all that must hold of it."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import kernels
from consistency import Numbers, Untrue
from document_model import Document, Unknown
from model import OWN_CONSTANTS, Model
from order import chance_of

SECONDS = 120  # nothing takes a tenth of it on a quiet machine; a hang is a failure


class Failure(Exception):
    """`kind` says what failed in one word, so that a smaller program can be seen to fail alike."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Ran:
    def __init__(self, words, folder, environment=None):
        base = {k: v for k, v in os.environ.items() if not k.startswith("REEL_CAPTURE") and k not in ("OPENCL_LAYERS", "VK_INSTANCE_LAYERS")}
        base["NO_COLOR"] = "1"
        # Programs leave things behind on purpose.
        base["ASAN_OPTIONS"] = base.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.words = [str(word) for word in words]
        try:
            done = subprocess.run(
                self.words,
                cwd=folder,
                env={**base, **(environment or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise Failure("hang", f"$ {shlex.join(self.words)}\ndid not end within {SECONDS} s.")
        self.code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        self.out, self.err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))

    def told(self):
        return f"$ {shlex.join(self.words)}\nended with {self.code}\n{self.out[-3000:]}{self.err[-3000:]}"


class Tools:
    def __init__(self, reel, programs):
        self.reel, self.programs = pathlib.Path(reel).resolve(), pathlib.Path(programs).resolve()


WINDOWS = ("first", "commands", "commands", "kernel", "time", "inside", "last")


class Facts:
    """What a program does, of all that may keep a replay from proving it."""

    def __init__(self, written, window, contents, turned):
        steps = [step.split() for step in written.steps]
        verbs = {words[1] for words in steps}
        self.hashes = contents in ("hashes", "none")
        self.window = window != "whole"
        self.native = "native" in verbs
        self.user_events = "userevent" in verbs
        self.wrong = "wrong" in verbs
        self.threads = len({words[0] for words in steps}) > 1
        self.learns_without_waiting = bool(verbs & {"poll", "polltimes", "callback"})
        self.shares_memory = "shared" in verbs or any(words[1] == "buffer" and "use" in words for words in steps)
        self.svm = "shared" in verbs
        # Kernels that may write what they share, for all that anybody knows, and that ran in another order than they were
        # given in: an input that was read for the one may be too new for the other.
        queues = [words for words in steps if words[1] == "queue"]
        self.turned = turned and (len(queues) > 1 or any("ooo" in words for words in queues))
        self.maps = bool(verbs & {"map", "mapshared"})
        self.leaves_working = "leaves with work under way" in written.causes or "_exit" in written.causes
        self.is_cut = "_exit" in written.causes
        self.releases = "release" in verbs
        self.overlaps = self.blits = False

    @property
    def leaves_out(self):
        """A command can't be run again, be it a write that a user event holds back until its bytes are gone."""
        return (
            self.native
            or self.hashes
            or self.svm
            or self.turned
            or self.user_events
            or self.overlaps
            or self.is_cut
            or self.blits
        )


class VulkanFacts(Facts):
    """Memory of a Vulkan program is seen by its host at any time; what is recorded may be given again."""

    def __init__(self, written, window, contents, turned):
        super().__init__(written, window, contents, turned)
        verbs = {step.split()[1] for step in written.steps}
        self.learns_without_waiting = bool(verbs & {"pollfence", "pollvalue"})
        self.shares_memory = self.maps = True
        self.overlaps = "overlapping" in written.causes
        self.blits = "blits" in written.causes


# A reason, how it begins or what is in it, and when it is true by construction; no name: it is no reason, but must be true.
REASONS = (
    ("function of the program", r"it is a function of the program", lambda f: f.native),
    ("needs what was left out", r"which c\d+ would have written", lambda f: f.leaves_out),
    ("left out", r"^the command that wrote them could not be run again", lambda f: f.leaves_out),
    ("after what can't be replayed", r"it uses what a command before it in the same submission left", lambda f: f.leaves_out),
    ("scales", r"it scales or converts images", lambda f: f.blits),
    ("only hashes", r"of which the document has only hashes|are not in the document; capture", lambda f: f.hashes),
    # Bytes that are read once a user event lets them: the part may end before, or another queue overwrite them.
    ("held back", r"are not in the document; the notes that", lambda f: f.user_events or f.native or f.is_cut or f.turned),
    # A read of ours that can't be waited for: work may be held back, or the host is called back and may write at once.
    (
        "overwritten before read",
        r"^c\d+ is not checked in b\d+: the program may have overwritten",
        lambda f: f.user_events or f.native or f.window or ((f.shares_memory or f.maps) and f.learns_without_waiting),
    ),
    ("given while it ended", r"^The program gave commands while the capture ended", lambda f: f.window or f.leaves_working),
    # Memory that the host sees is a result only as long as the host changes nothing there.
    (
        "no result after",
        r"^no result was recorded after the last command",
        lambda f: f.hashes or f.window or f.shares_memory or f.native or f.leaves_working or f.user_events
        or (f.threads and f.releases)
        # A command that ran before one that was given earlier may have written that one's inputs, and is left out.
        or f.turned
        # A thread's command beside what another thread has mapped is given what the host wrote there, which hides what a
        # device had left.
        or (f.threads and f.maps)
        or f.wrong,  # what a refused call was to use is not known any more, and given anew
    ),
    ("written meanwhile", r"work that is not in the capture wrote them before they could be read", lambda f: f.window),
    ("released too early", r"released before the commands that write it were done", lambda f: f.user_events or f.native),
    ("released meanwhile", r"released while another thread gave commands", lambda f: f.threads),
    ("released at its end", r"the program released it while the capture ended", lambda f: f.window),
    ("memory is gone", r"its memory was the program's, and is gone", lambda f: f.shares_memory and f.releases),
    # What the heap left in memory that nobody wrote yet may be such addresses, where it was made before the capture.
    ("may follow pointers", r"it may follow pointers that are stored in shared", lambda f: f.svm),
    ("overlapping memory", r"its memory is that of another buffer or image as well", lambda f: f.overlaps),
    # Work from before the window may be under way, and write there for all that anybody knows.
    ("address not known", r"an address that it follows may be written by a command before it", lambda f: f.window),
    # Bytes that aren't in the document may hold addresses, and the kernel that took them from there is not known.
    ("addresses as numbers", r"it follows addresses that a command before it wrote as numbers", lambda f: f.hashes),
    ("unfinished", r"was still running when the capture ended", lambda f: f.window or f.leaves_working),
    ("cut", r"end of the document is missing", lambda f: f.is_cut),
    ("", r"^c\d+ was given once the program had seen c\d+ done by asking", lambda f: f.learns_without_waiting),
    ("", r"^c\d+ was refused: ", lambda f: f.wrong),
    ("", r"^A queue without order had more than", lambda f: True),
)


class OpenclCase:
    """How a program is captured: all of it or through a window, with which contents, and what is tampered with."""

    windows, threads = WINDOWS, 3

    @staticmethod
    def counts(written):
        return {"commands": sum(1 for node in written.nodes if node.queue)}

    def __init__(self, chance, written, whole, without=()):
        self.contents = chance.choice(("inputs", "inputs", "all", "all", "hashes"))
        self.options, self.captures, self.window = [], None, "whole"
        if whole:
            return
        counts = self.counts(written)
        self.window = chance.choice([one for one in self.windows if f"window_{one}" not in without] or ["whole"])
        if self.window == "first":
            self.options = ["--first", str(chance.randrange(1, counts["commands"] + 2))]
        elif self.window in counts:
            first = chance.randrange(counts[self.window] + 1)
            self.options = [f"--{self.window}", f"{first}-{first + chance.randrange(counts[self.window] + 1)}"]
        elif self.window == "kernel":
            self.options = ["--kernel", kernels.ENTRY[chance.choice([n for _, n in written.kernels_run] or ["scale"])]]
        elif self.window == "time":
            self.options = ["--after", f"{chance.randrange(1, 60)}ms", "--for", f"{chance.randrange(5, 200)}ms"]
        elif self.window == "last":
            self.options = ["--last", f"{chance.choice((5, 20, 100))}ms"]
        elif self.window == "inside":
            self.options = ["--trigger"]
            places = sorted(chance.sample(range(len(written.plan.actions) + 1), 2))
            self.captures = {
                place: (what, chance.randrange(self.threads)) for place, what in zip(places, ("start", "stop"))
            }

    @property
    def words(self):
        return ["--contents", self.contents, *self.options]


def reported(ran):
    """The report of `reel replay --json`, or a Failure."""
    try:
        return json.loads(ran.out[max(ran.out.find("{\n"), 0) :])
    except json.JSONDecodeError:
        raise Failure("no-report", "The replay made no report.\n" + ran.told())


class Checker:
    """Checks programs in a folder of its own, and counts what came of them."""

    Facts = Facts

    def __init__(self, tools, folder):
        self.tools, self.folder = tools, pathlib.Path(folder)
        self.counts = {}

    def count(self, *what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def fresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def reel(self, *words, ends=(0,)):
        ran = Ran([self.tools.reel, *words], self.folder)
        if ran.code not in ends:
            crashed = "crash" if ran.code >= 128 else "exit"
            raise Failure(f"{words[0]}-{crashed}", f"{ran.told()}Allowed: {', '.join(map(str, ends))}.")
        return ran

    # --- what a program prints

    def bare(self, written, words):
        ran = Ran(words, self.folder)
        said = {}
        for line in ran.out.splitlines():
            step, _, rest = line.partition(": ")
            if step.isdigit() and written.steps[int(step)].split()[1] != "wrong":
                said[int(step)] = rest
        model = Model(written.effects)
        if ran.code != written.code or said != model.said:
            wrong = [s for s in sorted(set(said) | set(model.said)) if said.get(s) != model.said.get(s)]
            lines = [f"step {s}, {written.steps[s]}: {said.get(s)}, not {model.said.get(s)}" for s in wrong[:5]]
            raise Failure("bare", "The program itself, bare, is not as its model says.\n" + "\n".join(lines) + ran.told())
        return ran

    def compare(self, bare, captured):
        if bare.code != captured.code:
            raise Failure("end", f"It ends otherwise under capture.\n--- bare\n{bare.told()}--- captured\n{captured.told()}")
        if bare.out != captured.out:
            raise Failure("stdout", f"It prints something else under capture.\n--- bare\n{bare.told()}--- captured\n{captured.told()}")

    # --- what a document says

    def check_document(self, document, written, window, contents, host_kernels=()):
        """Returns the report of its replay, or None where there was nothing to replay."""
        complete = "_exit" not in written.causes
        self.reel("verify", document, ends=(0,) if complete else (0, 3))
        info = json.loads(self.reel("info", "--json", document).out)
        if complete and info["problems"]:
            raise Failure("problems", f"The document has problems: {info['problems']}")
        # That recording gives a graph in pieces is no reason for anything not to be proved.
        in_pieces = ("nodes_one_by_one", "launched_in_parts")
        info["notes"] = [note for note in info["notes"] if isinstance(note, str) or note["kind"] not in in_pieces]
        self.check_numbers(document)
        found = json.loads(self.reel("insights", "--json", document).out)["findings"]
        # Where no barrier was left out on purpose, all of it is in order, the host's own writes too.
        false = [one["title"] for one in found if one["id"].startswith("sync.") and one["confidence"] != "possible" and not getattr(written, "missing", 0)]
        if false:
            raise Failure("sync", "Something is said to be out of order, and nothing is.\n" + "\n".join(false))
        if not info["commands"]["total"]:
            return None
        ran = self.reel("replay", "--json", *host_kernels, document, ends=(0, 1, 3, 4))
        if ran.code == 4 and not ran.out and "can't be replayed" in ran.err:
            self.judge_reasons([ran.err.strip()], written, window, contents, turned=True)  # there is no report to tell
            self.verdict(written, window, contents, "said why not", ran)
            return None
        if ran.code == 3 and not complete:
            return None
        report = reported(ran)
        if report["races"]:
            raise Failure("race", "The replay tells of a race, and there is none.\n" + self.tell(report, document))
        if report["differences"] or report["checks"]["different"] or ran.code == 1:
            raise Failure("different", "The replay differs, and nothing was changed.\n" + self.tell(report, document))
        if ran.code == 3:
            raise Failure("damaged", ran.told())
        reasons = report["left_out"] or report["not_checked"] or info["notes"] or ran.err or report["remarks"]
        reasons = reasons or report["incomplete"]
        # No check at all is a reason that `reel replay` says in its verdict.
        if ran.code == 4 and report["checks"]["made"] and not reasons:
            raise Failure("silent", "Not all of it is proved, and nothing says why.\n" + ran.told())
        said = [one["reason"] for one in report["left_out"] + report["not_checked"]]
        said += [note if isinstance(note, str) else note["text"] for note in info["notes"]] + report["incomplete"]
        turned = any("relied on timing" in warning for warning in report["warnings"])
        self.judge_reasons(said, written, window, contents, turned)
        if report["not_checked"]:
            self.count("verdict", window, "not checked in part")  # each with its reason
        elif report["checks"]["made"] or (contents == "all" and info["commands"]["dispatch"]):
            # Where the host overwrote all that devices wrote, nothing is left to check at the end.
            self.verdict(written, window, contents, report["verdict"], ran)
        return report

    def check_numbers(self, document):
        """All answers about times agree, in every second document: it takes ten runs of `reel`."""
        self.documents = getattr(self, "documents", 0) + 1
        if self.documents % 2:
            return
        answers = {}

        def ask(verb, *options):
            words = (verb, str(document), *options, "--json")
            if words not in answers:
                answers[words] = json.loads(self.reel(*words).out)
            return answers[words]

        try:
            Numbers(ask).check()
        except Untrue as untrue:
            raise Failure("numbers", f"{untrue}\n{json.dumps(ask('insights'), indent=1)[:4000]}") from None

    def judge_reasons(self, said, written, window, contents, turned):
        """Why something is not proved: each reason must be one that this program gives by construction."""
        facts = self.Facts(written, window, contents, turned)
        for reason in said:
            fitting = [(name, holds) for name, pattern, holds in REASONS if re.search(pattern, reason)]
            if not any(holds(facts) for _, holds in fitting):
                raise Failure("reason", f"Nothing in this program is a reason to say: {reason}")
            if fitting[0][0]:
                self.count("reason", "whole" if window == "whole" else "window", fitting[0][0])

    def tell(self, report, document):
        ran = Ran([self.tools.reel, "replay", document], self.folder)
        keys = ("verdict", "checks", "races", "culprit", "culprit_reason", "left_out", "not_checked")
        return json.dumps({k: report[k] for k in keys}, indent=1) + "\n" + ran.told()

    # --- a document against a model of its own, and with a byte changed

    def told(self, document, program):
        """What the document holds, where its checks are as the model says; None where the model can't tell."""
        lines = Ran([self.tools.programs / "oracle_document", "tell", document], self.folder)
        if lines.code:
            raise Failure("tell", lines.told())
        known = Document(lines.out.splitlines(), program)
        try:
            found = known.run()
        except Unknown as why:
            return self.count("model", f"can't tell: {why}")
        for row, is_now in found:
            if row.data is not None and row.data != is_now:
                at = next(i for i, (a, b) in enumerate(zip(row.data, is_now)) if a != b)
                raise Failure(
                    "recorded",
                    f"The check after c{row.command} of buffer {row.buffer}, bytes {row.first} to {row.end}, is not what "
                    f"its commands give: byte {row.first + at} is {row.data[at]:02x}, and must be {is_now[at]:02x}.",
                )
        self.count("model", "every check is right")
        return known, found

    def tamper_bytes(self, document, program, chance, host_kernels=()):
        """One bit of what the host gave, or of a number of a dispatch: the first check that changes must differ."""
        told = self.told(document, program)
        if not told:
            return
        known, before = told
        changes = [("page", page) for page in known.pages()] + [("value", place) for place in known.values()]
        if not changes:
            return
        kind, which = chance.choice(changes)
        changed = self.folder / "changed.reel.tampered"
        changed.unlink(missing_ok=True)
        words = [self.tools.programs / "oracle_document", kind, document, changed]
        if kind == "page":
            size = next(len(row.data) for row in known.rows if row.page == which)
            byte = chance.randrange(size)
            after = known.run(page=which, byte=byte)
            made = Ran([*words, which, byte], self.folder)
        else:
            after = known.run(value=which)
            made = Ran([*words, which], self.folder)
        if made.code:
            raise Failure("tamper", made.told())
        self.reel("verify", changed)
        first = known.blamed(before, after)
        ran = self.reel("replay", "--json", *host_kernels, changed, ends=(0, 1, 4))
        report = reported(ran)
        if first is None:
            if ran.code != 0:
                raise Failure("blamed", f"The {kind} {which} changes no result.\n" + ran.told())
            return self.count("tampered", kind, "changes no result")
        writer, shows = (f"c{number}" for number in first)
        if ran.code != 1:
            raise Failure("accepted", f"The {kind} {which} was changed, which {shows} shows first.\n" + ran.told())
        said = report["differences"][0]
        if (said["command"] or f"c{len(known.commands)}", said["check"] if not said["command"] else shows) != (writer, shows):
            raise Failure(
                "culprit", f"The {kind} {which} was changed: {shows} shows it first, of {writer}; not {said}.\n" + ran.told()
            )
        self.count("tampered", kind, "noticed")

    def is_named(self, document, program, kernel, first):
        """The first difference is of the command that the model says, once this kernel has another constant."""
        told = self.told(document, program)
        if not told:
            return True
        known, before = told
        blamed = known.blamed(before, known.run(kernel=kernel))
        return blamed is not None and first.get("command") == f"c{blamed[0]}"

    def verdict(self, written, window, contents, verdict, ran):
        self.count("verdict", window, verdict)
        if verdict == "equal" or contents in ("hashes", "none"):
            return
        # Fresh shared memory may hold what looks like pointers to it: the heap's own.
        if "it may follow pointers that are stored in shared" in ran.told() and "shared" in written.text:
            return
        if window == "whole" and not written.causes & UNPROVED:
            raise Failure("unproved", "Nothing in this program is a reason not to prove it.\n" + ran.told())


class Kept:
    """A program of a file: lines at its top say how it is captured, and what must come of its replay."""

    causes = {"asynchronous"}

    def __init__(self, path):
        said = dict(re.findall(r"^# ([a-z ]+): (.*)$", path.read_text(), re.M))
        self.options = said["captured with"].split()
        self.must_be, _, checks = said["must be"].partition(" with ")
        self.checks = int(checks.split()[0]) if checks else None
        self.steps = [line for line in path.read_text().splitlines() if line[0].isdigit()]

    def check(self, report):
        verdict = report["verdict"].replace("_", " ") if report else "not replayed"
        if verdict != self.must_be:
            raise Failure("verdict", f"The verdict is '{verdict}', and must be '{self.must_be}'.")
        if self.checks not in (None, report["checks"]["made"]):
            raise Failure("checks", f"{report['checks']['made']} checks were made, and must be {self.checks}.")


# By construction: what may leave a replay of a whole program unproved.
UNPROVED = {"native kernel", "user event", "leaves with work under way", "_exit", "released", "asynchronous", "overlapping", "blits"}


class OpenclChecker(Checker):
    kind, program_name = "opencl", "oracle_opencl"

    def check_kept(self, path):
        self.fresh()
        kept, document = Kept(path), self.folder / "captured.reel"
        words = [self.tools.programs / self.program_name, path]
        bare = Ran(words, self.folder)
        self.compare(bare, Ran([self.tools.reel, "capture", "-o", document, *kept.options, "--", *words], self.folder))
        contents = kept.options[kept.options.index("--contents") + 1]
        kept.check(self.check_document(document, kept, "kept", contents))

    def check(self, written, case):
        self.fresh()
        program = self.folder / "program.txt"
        program.write_text(written.text)
        words = [self.tools.programs / self.program_name, program]
        try:
            bare = self.bare(written, words)
        except Failure as failure:
            if failure.kind != "bare":
                raise
            return self.count("driver otherwise")  # nothing of Reel is in it: a fault of the driver
        document = self.folder / "captured.reel"
        captured = Ran([self.tools.reel, "capture", "-o", document, *case.words, "--", *words], self.folder)
        try:
            self.compare(bare, captured)
        except Failure:
            # A driver that crashes now and then is no fault of the capture.
            again = [Ran(words, self.folder) for _ in range(8)]
            if all(ran.code == bare.code and ran.out == bare.out for ran in again):
                raise
            return self.count("driver unsteady")
        self.count("captured", case.window)
        documents = sorted(self.folder.glob("*.reel"))
        if not documents and case.window == "whole":
            raise Failure("no-document", "There is no document.\n" + captured.told())
        for one in documents:
            report = self.check_document(one, written, case.window, case.contents)
            if report and case.contents != "hashes" and report["verdict"] == "equal":
                if self.program_of(written):
                    self.tamper_bytes(one, self.program_of(written), chance_of("tamper", written.text))
                if case.window == "whole":
                    self.tamper(written, case, one)

    @staticmethod
    def program_of(written):
        """Which kernels it has; None where there are two programs, whose kernels have the same names."""
        programs = [t for t in written.things if t.kind == "program"]
        return (programs[0].which, programs[0].variant) if len(programs) == 1 else None

    def tamper(self, written, case, document):
        """Another constant in one kernel: results that depend on it must be seen to differ."""
        if not written.kernels_run or written.causes & {"leaves with work under way", "_exit"}:
            return
        which, name = written.kernels_run[len(written.steps) % len(written.kernels_run)]
        if not self.program_of(written):
            return
        original, changed = Model(written.effects), Model(written.effects, (which, name))
        alive = {t.root for t in written.things if t.kind in ("buffer", "image", "shared")}
        alive -= {t.root for t in written.things if t.kind in ("buffer", "image") and not t.alive}
        seen = any(original.memory[root] != changed.memory[root] for root in alive) or original.said != changed.said
        if not seen:
            return self.count("tampered", "cannot be seen")
        listed = json.loads(self.reel("kernels", "--json", document).out)
        ids = [k["id"] for k in listed["kernels"] if k["name"] == kernels.ENTRY[name]]
        if not ids:
            raise Failure("kernels", f"The document doesn't know the kernel {name}.")
        source = self.folder / "changed.cl"
        source.write_text(kernels.tampered_source(which, name))
        ran = self.reel("replay", "--json", "--what-if", f"{ids[0]}={source}", document, ends=(0, 1, 4))
        report = reported(ran)
        if ran.code != 1:
            raise Failure("accepted", f"The kernel {name} was changed, and the replay says {report['verdict']}.\n" + ran.told())
        first = report["differences"][0] if report["differences"] else {}
        if case.contents == "all" and not self.is_named(document, self.program_of(written), name, first):
            raise Failure("culprit", f"The kernel {name} was changed, and this is said to differ first: {first}\n" + ran.told())
        self.count("tampered", "noticed")


class VulkanCase(OpenclCase):
    """The same windows; how many submits there are is known, too."""

    windows, threads = ("first", "commands", "kernel", "time", "inside", "last", "submits"), 1

    @staticmethod
    def counts(written):
        return {"commands": len(written.nodes), "submits": len(written.submits)}


class VulkanChecker(OpenclChecker):
    kind, program_name, Facts = "vulkan", "oracle_vulkan", VulkanFacts

    @staticmethod
    def program_of(written):
        return written.plan.which, 1

    def tamper(self, written, case, document):
        """Another kernel can't be given yet: `--what-if` takes sources, and there are none."""


class OwnCase:
    """All of a program, a part of it that it chooses itself, or a pass of it that the environment asks for."""

    def __init__(self, chance, written, whole, without=()):
        self.contents = chance.choice(("inputs", "inputs", "all", "all", "hashes"))
        self.device, self.window, self.captures = written.plan.device, "whole", None
        passes = sum(step.split()[1] in ("session", "launch") for step in written.steps)
        if whole:
            return
        if passes and chance.random() < 0.4 and "window_pass" not in without:
            self.window, self.number = "pass", chance.randrange(1, passes + 1)
        elif "window_inside" not in without:
            self.window = "inside"
            places = sorted(chance.sample(range(len(written.plan.actions)), 2))
            threads = written.plan.threads
            self.captures = {
                places[0]: ("start", chance.randrange(threads)),
                places[1]: ("stop", chance.randrange(threads)),
            }

    def environment(self, document):
        if self.window != "pass":
            return {"ORACLE_DOCUMENT": str(document), "ORACLE_CONTENTS": self.contents}
        return {
            "REEL_CAPTURE_ENABLED": "1",
            "REEL_CAPTURE": str(document),
            "REEL_CAPTURE_CONTENTS": self.contents,
            "REEL_CAPTURE_PASS": str(self.number),
        }

    @property
    def words(self):
        return [self.device, self.contents, self.window, *([str(self.number)] if self.window == "pass" else [])]


class OwnChecker(Checker):
    kind = "own"

    def check_kept(self, path):
        """Captured with: the device, and contents."""
        self.fresh()
        kept, document = Kept(path), self.folder / "captured.reel"
        device, contents = kept.options
        words = [self.tools.programs / "oracle_own", device, path]
        bare = Ran(words, self.folder)
        environment = {"ORACLE_DOCUMENT": str(document), "ORACLE_CONTENTS": contents}
        self.compare(bare, Ran(words, self.folder, environment))
        library = ["--host-kernels", self.tools.programs / "oracle_kernels.so"]
        kept.check(self.check_document(document, kept, "kept", contents, library))

    def check(self, written, case):
        self.fresh()
        program = self.folder / "program.txt"
        program.write_text(written.text)
        device = written.plan.device
        words = [self.tools.programs / "oracle_own", device, program]
        bare = self.bare(written, words)
        document = self.folder / "captured.reel"
        captured = Ran(words, self.folder, case.environment(document))
        self.compare(bare, captured)
        self.count("captured", f"{device} {case.window}")
        if not document.exists():
            raise Failure("no-document", "There is no document.\n" + captured.told())
        library = ["--host-kernels", self.tools.programs / "oracle_kernels.so"]
        report = self.check_document(document, written, case.window, case.contents, library)
        if report and case.contents != "hashes" and report["verdict"] == "equal":
            self.tamper_bytes(document, None, chance_of("tamper", written.text), library)
            if device == "opencl" and case.window == "whole":
                self.tamper(written, case, document)

    def tamper(self, written, case, document):
        if not written.kernels_run:
            return
        _, name = written.kernels_run[len(written.steps) % len(written.kernels_run)]
        original, changed = Model(written.effects), Model(written.effects, (0, name))
        alive = {t.root for t in written.alive("buffer")}
        if not any(original.memory[root] != changed.memory[root] for root in alive) and original.said == changed.said:
            return self.count("tampered", "cannot be seen")
        listed = json.loads(self.reel("kernels", "--json", document).out)
        ids = [k["id"] for k in listed["kernels"] if k["name"] == f"oracle_{name}"]
        if not ids:
            raise Failure("kernels", f"The document doesn't know the kernel {name}.")
        source = self.folder / "changed.cl"
        text = self.reel("source", document, ids[0]).out
        before = OWN_CONSTANTS[name]
        source.write_text(text.replace(f"{before}u", f"{before ^ 0x10}u"))
        ran = self.reel("replay", "--json", "--what-if", f"{ids[0]}={source}", document, ends=(0, 1, 4))
        report = reported(ran)
        if ran.code != 1:
            raise Failure("accepted", f"The kernel {name} was changed: {report['verdict']}.\n" + ran.told())
        first = report["differences"][0] if report["differences"] else {}
        if case.contents == "all" and not self.is_named(document, None, name, first):
            raise Failure("culprit", f"The kernel {name} was changed, and this differs first: {first}\n" + ran.told())
        self.count("tampered", "noticed")
