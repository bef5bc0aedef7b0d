"""Random programs, captured: whatever `reel` concludes from their times is consistent, and names what exists.

tests/oracle/consistency.py has what must hold; the oracle asks the same of random programs of OpenCL and Vulkan under the layer.
"""

import functools
import itertools
import json
import os
import random
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import reel
from conftest import N, add_kernel, open_or_skip, scale_kernel

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "oracle"))
from consistency import Numbers, Untrue, hints  # noqa: E402

PROGRAM = os.environ.get("REEL_TEST_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="the program reel was not built")
SEEDS = range(int(os.environ.get("REEL_TEST_CONSISTENCY_SEEDS", "6")))


def run(words):
    ran = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, f"{words}: {ran.stderr}"
    return ran.stdout


def check(path):
    @functools.cache
    def ask(verb, *options):
        return json.loads(run([PROGRAM, verb, path, *options, "--json"]))

    Numbers(ask).check()
    # What is said to follow can be run, and names what this document has.
    for verb in ("info", "commands", "gaps", "kernels", "scopes", "buffers", "memory", "deps", "calls", "insights"):
        for command in hints(run([PROGRAM, verb, path])):
            run([PROGRAM, *shlex.split(command)[1:]])
    # Python has what the command line has.
    told = {finding["id"]: finding["title"] for finding in ask("insights")["findings"]}
    assert told == {finding.id: finding.title for finding in reel.insights(path)}


class Program:
    """Actions on two streams, one graph and some buffers, chosen by a seed; races are avoided by one wait after each switch."""

    def __init__(self, device, seed):
        self.chance = random.Random(seed)
        self.device = device
        self.streams = [device.stream("first"), device.stream("second")]
        self.x = device.buffer(np.ones(N, dtype=np.float32), "x")
        self.y = device.buffer(np.zeros(N, dtype=np.float32), "y")
        self.builds = self.chance.random() < 0.5
        self.scale = None if self.builds else scale_kernel(device)
        self.add = add_kernel(device)
        graph = reel.Graph()
        for _ in range(self.chance.randint(2, 12)):
            graph.add_dispatch(self.add, N // 64, reel.inp(self.x), reel.inout(self.y), N)
        self.exec = graph.instantiate(device)
        self.flag = device.buffer(np.array([self.chance.randint(0, 2)], dtype=np.uint32), "flag")
        self.deciding = self.decisions(graph, 0).instantiate(device)

    def decisions(self, leaf, depth):
        """A graph of decisions, nested, with `leaf` in the innermost."""
        graph = reel.Graph()
        for number in range(self.chance.randint(1, 2)):
            inner = leaf if depth == 2 or self.chance.random() < 0.4 else self.decisions(leaf, depth + 1)
            label = self.chance.choice(["", f"decision {depth}.{number}"])
            kind = self.chance.choice(["if", "else", "while", "switch", "repeat"])
            if kind == "if":
                graph.add_if(self.flag, inner, label=label)
            elif kind == "else":
                graph.add_if(self.flag, inner, leaf, label=label)
            elif kind == "while":
                rounds = self.chance.randint(0, 3)
                asked = iter(itertools.cycle([1] * rounds + [0]))
                graph.add_while(lambda asked=asked: next(asked), inner, label=label)
            elif kind == "switch":
                graph.add_switch(self.flag, [inner, leaf, inner], label=label)
            else:
                graph.add_repeat(self.chance.randint(0, 3), inner, label=label)
        return graph

    def act(self, stream):
        choice = self.chance.choice(["run", "run", "run", "runs", "launch", "launch", "decide", "decide", "fill", "copy", "write", "read", "call", "wait", "sleep", "allocate", "think"])
        with reel.scope(self.chance.choice(["embedding", "layer0/mlp", "layer0/attention", "head"])):
            if choice == "run":
                stream.dispatch(self.scale, N // 64, reel.inout(self.x), 1.01)
            elif choice == "runs":
                for _ in range(self.chance.randint(3, 20)):
                    stream.dispatch(self.add, N // 64, reel.inp(self.x), reel.inout(self.y), N)
            elif choice == "launch":
                self.exec.launch(stream)
            elif choice == "decide":
                self.deciding.launch(stream)
            elif choice == "fill":
                stream.fill(self.y, 0)
            elif choice == "copy":
                stream.copy(self.x, self.y)
            elif choice == "write":
                stream.write(self.x, np.ones(N, dtype=np.float32))
            elif choice == "read":
                stream.read_now(self.y)
            elif choice == "call":
                pause = self.chance.random() * 2e-3
                stream.host_call(lambda: time.sleep(pause))
            elif choice == "wait":
                stream.synchronize()
            elif choice == "sleep":
                time.sleep(self.chance.random() * 3e-3)
            elif choice == "allocate":
                self.device.buffer(np.zeros(N, dtype=np.float32), "passing")
            else:
                sum(range(self.chance.randint(1000, 100000)))

    def run(self, path):
        reel.start_capture(path, contents=self.chance.choice(["none", "hashes", "inputs", "all"]))
        if self.builds:
            self.scale = scale_kernel(self.device)
        for _ in range(self.chance.randint(0, 40)):
            stream = self.chance.choice(self.streams)
            self.act(stream)
            event = self.device.event()
            stream.record(event)
            for other in self.streams:
                if other is not stream:
                    other.wait(event)
        for stream in self.streams:
            if self.chance.random() < 0.8:
                stream.synchronize()
        return reel.stop_capture().path


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["host", "opencl"])
def test_random_programs(name, seed, tmp_path):
    check(Program(open_or_skip(name), seed).run(tmp_path / "x.reel"))


def test_a_program_under_the_layer(tmp_path):
    program = os.environ.get("REEL_TEST_LAYER_PROGRAM")
    if not program or not os.environ.get("REEL_TEST_LAYER"):
        pytest.skip("the OpenCL layer was not built")
    path = str(tmp_path / "x.reel")
    run([PROGRAM, "capture", "-o", path, "--", program])
    check(path)


def lie_about_busy(verb, answer):
    if verb == "info":
        answer["busy_ns"] += 1


def lie_about_a_cause(verb, answer):
    if verb == "gaps":
        answer["idle_ns"]["host"], answer["idle_ns"]["unknown"] = answer["idle_ns"]["unknown"], answer["idle_ns"]["host"] + 1


def lie_about_an_id(verb, answer):
    if verb == "insights":
        answer["findings"][0]["title"] += " Look at c99999."


def lie_about_the_path(verb, answer):
    for finding in answer.get("findings", []) if verb == "insights" else []:
        for number in finding["numbers"]:
            if finding["id"] == "cp" and number["name"] == "delays":
                number["value"] += 1000


def lie_about_a_share(verb, answer):
    if verb == "insights":
        answer["findings"][0]["title"] += " 120.0% of it."


def lie_about_a_decision(verb, answer):
    if verb == "scopes":
        answer["decisions"][0]["decisions"][0]["times"] += 1


def lie_about_a_transfer(verb, answer):
    if verb == "insights":
        answer["findings"].append({**answer["findings"][0], "id": "copy.unused", "saving_ns": 10**12})


LIES = [
    lie_about_busy,
    lie_about_a_cause,
    lie_about_an_id,
    lie_about_the_path,
    lie_about_a_share,
    lie_about_a_decision,
    lie_about_a_transfer,
]


@pytest.mark.parametrize("lie", LIES)
def test_a_number_that_is_changed_is_noticed(lie, tmp_path):
    device = open_or_skip("host")
    scale, stream, x = scale_kernel(device), device.stream(), device.buffer(np.ones(N, dtype=np.float32), "x")
    once, graph = reel.Graph(), reel.Graph()
    once.add_dispatch(scale, N // 64, reel.inout(x), 1.01)
    graph.add_repeat(2, once, label="rounds")
    twice = graph.instantiate(device)
    reel.start_capture(tmp_path / "x.reel")
    for _ in range(4):
        stream.dispatch(scale, N // 64, reel.inout(x), 1.01)
        stream.synchronize()
        time.sleep(1e-3)
    twice.launch(stream)
    path = reel.stop_capture().path

    def ask(verb, *options):
        answer = json.loads(run([PROGRAM, verb, path, *options, "--json"]))
        lie(verb, answer)
        return answer

    with pytest.raises(Untrue):
        Numbers(ask).check()
