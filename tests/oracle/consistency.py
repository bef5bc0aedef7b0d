"""consistency.py - what `reel` says of a document's times must be one truth: docs/analysis.md, verb against verb.

Counts from the rows of `reel commands` what devices did, and compares with `info`, `gaps`, `kernels`, `scopes`, `insights` and SQL.
Every id that a sentence names must exist, no share may exceed 100 %, and no wait may be longer than the call it is said to be in.
"""

import json
import math
import re

NOT_WORK = ("host_call", "barrier", "launch")


def is_work(command):
    """A native kernel of OpenCL runs on its device, whatever it is kept as."""
    return command["kind"] not in NOT_WORK or command["label"] == "clEnqueueNativeKernel"


UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
CAUSES = {"idle.dep": "dependency", "idle.alloc": "allocation"}  # findings whose name is not the cause's


class Untrue(Exception):
    """Two answers that can't both be true."""


def expect(is_true, *words):
    if not is_true:
        raise Untrue(" ".join(map(str, words)))


def same(what, *numbers):
    expect(len(set(numbers)) == 1, what, "has several values:", *numbers)


class Numbers:
    """`ask(verb, *options)` gives the JSON of a verb of `reel`."""

    def __init__(self, ask):
        self.ask = ask
        self.info, self.gaps, self.kernels = ask("info"), ask("gaps"), ask("kernels")
        self.commands = ask("commands", "--limit", "0")["commands"]
        self.scopes = ask("scopes")
        self.findings = ask("insights")["findings"]
        self.calls = ask("calls", "--all")["calls"]

    def check(self):
        self.check_times()
        self.check_gaps()
        self.check_kernels_and_scopes()
        self.check_findings()
        self.check_savings()
        self.check_decisions()
        self.check_path()
        self.check_ids()

    # --- from the rows

    def runs(self):
        """What ran: device, begin, end. A launch stands for nodes that have no times; commands timed together are one run."""
        streams = {f"s{row['id']}": row["device"] for row in self.sql("select id, device from streams")}
        timed_launches = {c["launch"] for c in self.commands if c["launch"] and c["started_ns"] and c["ended_ns"]}
        together = {}
        for command in self.commands:
            device = streams[command["stream"]]
            interval = command.get("together")
            if interval and not command["started_ns"]:
                if is_work(command):
                    together[interval["first"]] = (device, interval["begin_ns"], interval["end_ns"])
                continue
            if not command["started_ns"] or not command["ended_ns"] or command["ended_ns"] < command["started_ns"]:
                continue
            is_launch = command["kind"] == "launch" and command["id"] not in timed_launches
            if is_launch or is_work(command):
                yield device, command["started_ns"], command["ended_ns"]
        self.together_ns = sum(end - begin for _, begin, end in together.values())
        yield from together.values()

    def sql(self, query):
        answer = self.ask("sql", query)
        return [dict(zip(answer["columns"], row)) for row in answer["rows"]]

    def check_times(self):
        lanes, total = {}, 0
        for device, begin, end in sorted(self.runs(), key=lambda run: run[1]):
            first, busy, until = lanes.get(device, (begin, 0, begin))
            lanes[device] = (first, busy + max(0, end - max(begin, until)), max(until, end))
            total += end - begin
        active = sum(until - first for first, _, until in lanes.values())
        busy = sum(busy for _, busy, _ in lanes.values())
        told = self.sql("select * from activity")[0]
        if not active:
            expect(not self.gaps["gaps"], "There are gaps, and no times.")
            return
        same("active time", active, self.info["active_ns"], self.gaps["active_ns"], told["active_ns"])
        same("busy time", busy, self.info["busy_ns"], self.gaps["busy_ns"], told["busy_ns"])
        same("the sum", total, self.kernels["sum_ns"], told["sum_ns"])
        # What was only timed together is no time of a scope.
        same("the sum of scopes", total - self.together_ns, self.scopes["run_ns"] or 0)
        same("the span", self.info["span_ns"], told["span_ns"])
        same("idle time", active - busy, sum(self.gaps["idle_ns"].values()), told["idle_ns"])
        self.first = min(first for first, _, _ in lanes.values())
        self.last = max(until for _, _, until in lanes.values())

    def check_gaps(self):
        by_id = {command["id"]: command for command in self.commands}
        origin, periods = self.gaps["origin_ns"], {}
        for gap in self.gaps["gaps"]:
            expect(gap["before"] in by_id and gap["after"] in by_id, "A gap is between commands that don't exist:", gap)
            expect(gap["ns"] > 0, "A gap has no length:", gap)
            periods.setdefault(gap["period"], []).append((gap["begin_ns"], gap["begin_ns"] + gap["ns"]))
            if started := by_id[gap["after"]]["started_ns"]:
                expect(gap["begin_ns"] + gap["ns"] <= started - origin, "A gap ends after the command behind it started:", gap)
        for parts in periods.values():
            parts.sort()
            expect(all(a[1] == b[0] for a, b in zip(parts, parts[1:])), "An idle period is not whole:", parts)
        for cause, idle in self.gaps["idle_ns"].items():
            found = sum(gap["ns"] for gap in self.gaps["gaps"] if gap["cause"] == cause)
            same(f"idle time of {cause}", idle or 0, found)

    def check_kernels_and_scopes(self):
        for kernel in self.kernels["kernels"]:
            runs = [c for c in self.commands if c["kernel"] == kernel["id"] and c["kind"] == "dispatch"]
            times = [c["ended_ns"] - c["started_ns"] for c in runs if c["started_ns"] and c["ended_ns"]]
            same(f"runs of {kernel['id']}", kernel["count"], len(runs))
            if times:
                same(f"time of {kernel['id']}", kernel["total_ns"], sum(times))
                expect(min(times) <= kernel["p50_ns"] <= max(times), "P50 of", kernel["id"], "is none of its times.")

        def walk(node):
            below = sum(child["run_ns"] or 0 for child in node["scopes"])
            expect(below <= (node["run_ns"] or 0), "Scopes have more time than the one around them:", node.get("name", "all"))
            for child in node["scopes"]:
                walk(child)

        walk(self.scopes)

    # --- what is concluded

    def finding(self, name):
        return next((one for one in self.findings if one["id"] == name), None)

    def number(self, finding, name):
        return next((n["value"] for n in finding["numbers"] if n["name"] == name), None)

    def check_findings(self):
        verdict, capture = self.finding("verdict"), self.finding("capture")
        if self.info["active_ns"] and self.number(verdict, "active"):
            same("active time of the verdict", self.number(verdict, "active"), self.info["active_ns"])
            share = 100 * self.info["busy_ns"] / self.info["active_ns"]
            expect(math.isclose(self.number(verdict, "busy"), share), "The verdict has another busy share than", share)
            # Two ways to be the same verdict: the word, and the sentence.
            words = {"device": "Device-bound", "host": "Host-bound", "copies": "Copy-bound", "waits": "Wait-bound"}
            if (word := words.get(self.ask("insights")["verdict"])) is not None:
                expect(verdict["title"].startswith(word), "The verdict and its sentence differ:", verdict["title"])
        for finding in self.findings:
            if finding["id"].startswith("idle."):
                cause = CAUSES.get(finding["id"], finding["id"][5:])
                same(f"idle time of {finding['id']}", self.number(finding, "idle"), self.gaps["idle_ns"][cause])
                expect(self.number(finding, "longest") <= self.number(finding, "idle"), finding["id"], "has a gap longer than all of them")
            for share in re.findall(r"(\d+(?:\.\d+)?)%", finding["title"]):
                expect(float(share) <= 100, "More than all:", finding["title"])
            if finding["saving_ns"] is not None and self.info["span_ns"] and finding["id"] not in ("overlap.lost", "copy.small"):
                devices = max(1, len(self.info["devices"]))
                expect(finding["saving_ns"] <= devices * self.info["span_ns"], finding["id"], "saves more than there was.")
        if self.info["active_ns"]:
            same("idle time of recording", self.number(capture, "idle") + self.number(capture, "between_nodes"), self.gaps["idle_ns"]["capture"])
        if self.info["active_ns"] and (passed := re.search(r"([\d.]+) (ns|µs|ms|s) passed before its first command", verdict["title"])):
            self.near("what passed before the first command", passed, self.first - self.info["origin_ns"])

    def near(self, what, match, ns):
        """A time as it is printed: three digits of it at least."""
        said = float(match[1]) * UNITS[match[2]]
        expect(abs(said - ns) <= 0.006 * max(ns, 1) + 1, what, "is said to be", match[0], "and is", ns, "ns")

    def check_savings(self):
        """A transfer can be left out once, whoever advises it."""
        transfers = [f for f in self.findings if f["id"].startswith("copy.") or f["id"] in ("upload.dup", "fill.dead")]
        claimed = sum(f["saving_ns"] or 0 for f in transfers)
        took = self.sql("select coalesce(sum(own_ns), 0) as ns from commands where kind in ('copy', 'write', 'read', 'fill')")[0]["ns"]
        expect(claimed <= took, "Findings about transfers save", claimed, "ns of", took, "ns.")

    def check_decisions(self):
        """Regions lie in each other as in a program; `scopes` counts them, and the commands that SQL says they gave."""
        regions = {row["id"]: row for row in self.sql("select * from regions")}
        inside = {"branch": ("if", "switch"), "round": ("while", "repeat")}
        decisions, given = ("if", "while", "switch", "repeat"), {}
        for row in self.sql("select region, count(*) as n from commands where region is not null group by region"):
            given[row["region"]] = row["n"]
        for region in regions.values():
            above = regions.get(region["parent"])
            kind, around = region["kind"], above and above["kind"]
            expect(above is None or above["begin_ns"] <= region["begin_ns"] <= region["end_ns"] <= above["end_ns"], region, "is not in", above)
            if kind in decisions:
                expect(around in ("launch", *inside), kind, "is in", around)
            elif kind in inside:
                expect(around in inside[kind], kind, "is in", around)
        for region in regions.values():
            parts = [other["number"] for other in regions.values() if other["parent"] == region["id"]]
            if region["kind"] in ("while", "repeat"):
                same("rounds of a loop", tuple(sorted(parts)), tuple(range(region["number"])))
            elif region["kind"] in ("if", "switch"):
                expect(len(parts) <= 1, region, "ran", parts)

        def visit(nodes):
            for node in nodes:
                below = visit(node["decisions"])
                expect(sum(child["commands"] for child in below) <= node["commands"], node["title"], "has fewer commands than what is in it")
            return nodes

        def count(nodes, word):
            return sum((node["times"] if re.match(word, node["title"]) else 0) + count(node["decisions"], word) for node in nodes)

        told = visit(self.scopes["decisions"])
        for word in ("launch", "if", "while", "switch", "repeat", "round"):
            same(f"how often {word} ran", count(told, rf"{word}\b"), sum(region["kind"] == word for region in regions.values()))
        same("commands of launches that decide", sum(node["commands"] for node in told), sum(given.values()))
        in_list = sum("decided" in command for command in self.commands)
        same("commands that `reel commands` says were decided", in_list, sum(given.values()) if any(r["kind"] in decisions for r in regions.values()) else 0)

    def check_path(self):
        path = self.finding("cp")
        if not path:
            return
        parts = sum(self.number(path, name) for name in ("commands", "behind", "host", "delays", "capture"))
        same("the path", parts, self.number(path, "active"), self.last - self.first)
        same("the span of the path", self.number(path, "span"), self.info["span_ns"])
        expect(self.number(path, "commands") <= self.info["busy_ns"], "The path has more time in commands than devices were busy.")
        if call := re.search(r"; ([\d.]+) (ns|µs|ms|s) of it in (.+?)\.(?: |$)", path["title"]):
            longest = max((c["end_ns"] - c["begin_ns"] for c in self.calls if call[3].endswith(c["name"])), default=0)
            expect(float(call[1]) * UNITS[call[2]] <= longest * 1.006 + 1, "No call is as long as the wait in it:", path["title"])

    def check_ids(self):
        there = {"c": {c["id"] for c in self.commands}, "k": {k["id"] for k in self.kernels["kernels"]}}
        there["b"] = {f"b{row['id']}" for row in self.sql("select id from buffers")}
        there["s"] = {f"s{row['id']}" for row in self.sql("select id from streams")}
        for finding in self.findings:
            named = [*finding["evidence"]["commands"], *finding["evidence"]["buffers"], *finding["evidence"]["kernels"], *finding["evidence"]["streams"]]
            # Labels of the program are quoted, and may look like ids.
            said = re.findall(r"\b([cbks]\d+)\b", re.sub(r"'[^']*'", "", finding["title"] + " " + finding["advice"]))
            expect(len(named) == len(set(named)), finding["id"], "names one thing twice:", named)
            for name in named + said:
                expect(str(name) in there[str(name)[0]], finding["id"], "names", name, "which doesn't exist:", finding["title"])


def hints(text):
    """Commands that a verb ends its answer with, as lists of words; those that open a browser or run kernels left out."""
    for line in text.splitlines():
        if line.startswith("  reel "):
            command = line.strip().split("  ")[0]
            if not re.match(r"reel (view|replay|capture|extract)\b|.*--prove|.*--npy", command):
                yield command
