"""One number for one thing: the command line, SQL, Python and the page answer alike."""

import base64
import functools
import gzip
import json
import os
import re
import subprocess

import numpy as np
import pytest

import reel
from conftest import N, add_kernel, open_or_skip, record, scale_kernel

PROGRAM = os.environ.get("REEL_TEST_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="the program reel was not built")


@functools.cache
def ask(verb, path, *options):
    run = subprocess.run([PROGRAM, verb, path, "--json", *options], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def say(verb, path, *options):
    run = subprocess.run([PROGRAM, verb, path, *options], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout


@functools.cache
def page_of(path):
    """The JSON resources of the page, out of its HTML file."""
    html = path + ".html"
    subprocess.run([PROGRAM, "view", path, "--html", html], check=True, capture_output=True, timeout=120)
    found = re.findall(r'data-name="([a-z/0-9]+)">([^<]*)</script>', open(html, encoding="utf-8").read())
    pages = {name: gzip.decompress(base64.b64decode(text)) for name, text in found}
    return {name: json.loads(pages[name]) for name in ("summary", "kernels", "scopes", "findings")}


def record_graph(device, path):
    """Four launches of a graph of three nodes, after a fill that belongs to none."""
    scale, add = scale_kernel(device), add_kernel(device)
    x = device.buffer(np.arange(N, dtype=np.float32), "x")
    y = device.buffer(np.ones(N, dtype=np.float32), "y")
    graph = reel.Graph()
    graph.add_dispatch(scale, N // 64, reel.inout(x), 1.5)
    graph.add_dispatch(add, N // 64, reel.inp(x), reel.inout(y), N)
    graph.add_fill(x[:16], 0)
    exec = graph.instantiate(device)
    stream = device.stream("main")
    reel.start_capture(path, contents="inputs")
    stream.fill(y, 0)
    for _ in range(4):
        exec.launch(stream)
        stream.synchronize()
    return reel.stop_capture().path


def save_graph(device, path):
    x = device.buffer(np.arange(N, dtype=np.float32), "x")
    graph = reel.Graph()
    graph.add_dispatch(scale_kernel(device), N // 64, reel.inout(x), 1.5)
    graph.save(str(path))
    return str(path)


def record_calls(path):
    """An OpenCL program as it is, under the layer."""
    layer, program = os.environ.get("REEL_TEST_LAYER"), os.environ.get("REEL_TEST_LAYER_PROGRAM")
    if not layer or not program:
        pytest.skip("the OpenCL layer was not built")
    subprocess.run(
        [PROGRAM, "capture", "-o", path, "--", program], check=True, capture_output=True, timeout=120
    )
    return str(path)


@pytest.fixture(scope="module", params=["host", "opencl", "host graph", "opencl graph", "saved graph", "layer"])
def document(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("documents") / "x.reel"
    if request.param == "layer":
        return record_calls(path)
    device = open_or_skip("opencl" if request.param.startswith("opencl") else "host")
    if request.param == "saved graph":
        return save_graph(device, path)
    return (record_graph if request.param.endswith("graph") else record)(device, path)


def whole(value):
    return None if value is None or (isinstance(value, float) and np.isnan(value)) else int(value)


def only_row(document, query):
    return {name: whole(values[0]) for name, values in reel.sql(document, query).items()}


def oracle(document):
    """The same from the rows as they were recorded."""
    columns = reel.load(document).commands.columns()
    work = ~np.isin(columns["kind"], ["host_call", "barrier"]) & (np.nan_to_num(columns["own_ns"]) > 0)
    runs = sorted(zip(columns["started_ns"][work].tolist(), columns["ended_ns"][work].tolist()))
    if not runs:
        return None
    busy, until = 0, runs[0][0]
    for begin, end in runs:
        busy += max(0, end - max(begin, until))
        until = max(until, end)
    return {"busy_ns": busy, "active_ns": until - runs[0][0], "sum_ns": int(np.nansum(columns["own_ns"][work]))}


def test_time_is_the_same_everywhere(document):
    info, gaps, kernels = ask("info", document), ask("gaps", document), ask("kernels", document)
    page, row = page_of(document), only_row(document, "select * from activity")
    summary = page["summary"]
    expected = oracle(document)
    for name in ("active_ns", "busy_ns"):
        numbers = [info[name], gaps[name], row[name], summary[name] or None]
        assert len(set(numbers)) == 1 and numbers[0] == (expected and expected[name]), name
    assert kernels["sum_ns"] == row["sum_ns"] == (summary["sum_ns"] or None) == (expected and expected["sum_ns"])
    assert info["span_ns"] == row["span_ns"] == (summary["span_ns"] or None)
    if not expected:
        assert set(gaps["idle_ns"].values()) == {None} and gaps["gaps"] == []
        assert "no timings were recorded" in say("gaps", document)
        assert not re.search(r"\b0 ns", say("commands", document) + say("kernels", document) + say("calls", document))
        return
    assert info["origin_ns"] == gaps["origin_ns"] == row["begin_ns"] == summary["begin_ns"]

    by_cause = reel.sql(document, "select cause, total_ns from idle_by_cause")
    idle = {cause: ns for cause, ns in gaps["idle_ns"].items() if ns}
    assert idle == dict(zip(by_cause["cause"].tolist(), by_cause["total_ns"].tolist()))
    assert idle == {cause: ns for cause, ns in summary["idle_ns"].items() if ns}
    assert sum(idle.values()) == row["idle_ns"] == info["active_ns"] - info["busy_ns"]
    assert sum(gap["ns"] for gap in gaps["gaps"]) == row["idle_ns"]
    told = next(f for f in ask("insights", document)["findings"] if f["id"] == "verdict")
    numbers = {number["name"]: number["value"] for number in told["numbers"]}
    assert numbers["active"] == info["active_ns"]
    assert numbers["busy"] == pytest.approx(100 * info["busy_ns"] / info["active_ns"])
    assert {name[5:]: ns for name, ns in numbers.items() if name.startswith("idle.")} == idle
    assert next(f for f in reel.insights(document) if f.id == "verdict").title == told["title"]
    assert next(f for f in page["findings"]["findings"] if f["id"] == "verdict") == told


def test_kernels_and_scopes_are_the_same_everywhere(document):
    page = page_of(document)
    asked = {kernel["id"]: kernel for kernel in ask("kernels", document)["kernels"]}
    usage = reel.sql(document, "select kernel, runs, total_ns, share_percent from kernel_usage")
    sum_ns = ask("kernels", document)["sum_ns"]
    for kernel, runs, total, share in zip(*usage.values()):
        of_command_line = asked[f"k{kernel}"]
        assert of_command_line["count"] == runs
        assert of_command_line["total_ns"] == whole(total)
        if sum_ns:
            assert share == pytest.approx(100 * total / sum_ns)
    for kernel in page["kernels"]:
        assert (kernel["total_ns"] if kernel["timed"] else None) == asked[kernel["id"]]["total_ns"]
    scopes = ask("scopes", document)
    assert scopes["run_ns"] == sum_ns
    assert scopes == {**page["scopes"], "document": scopes["document"]}
    found = reel.sql(document, "select sum(total_ns) as total_ns from scope_usage")
    assert whole(found["total_ns"][0]) == sum_ns


def test_passes_are_the_same_everywhere(document):
    info, page = ask("info", document), page_of(document)["summary"]
    rows = reel.sql(document, "select kind, first_command, end_command from passes")
    assert info["passes"] == len(page["passes"]) == len(rows["kind"])
    assert [(p["kind"], p["first"], p["end"]) for p in page["passes"]] == list(zip(*(v.tolist() for v in rows.values())))
    if info["passes"]:
        assert info["pass_kind"] == page["passes"][0]["kind"]


def test_launches_of_a_graph_are_passes(tmp_path):
    info = ask("info", record_graph(open_or_skip("host"), tmp_path / "x.reel"))
    assert (info["passes"], info["pass_kind"]) == (4, "launch")


def test_every_time_counts_from_one_origin(document):
    answer = ask("commands", document, "--limit", "0")
    origin = answer["origin_ns"]
    for command in answer["commands"]:
        for name in ("call_begin_ns", "call_end_ns", "queued_ns", "submitted_ns", "started_ns", "ended_ns"):
            assert command[name] is None or (origin is not None and command[name] >= origin), name
    text = "".join(say("commands", document, command["id"]) for command in answer["commands"][:5])
    assert " -" not in re.sub(r" -+ ", "", text.split("ARGUMENT")[0]) or origin is None
    if origin is None:
        return
    rows = reel.sql(document, "select min(call_begin_ns) as first from commands")
    assert min(whole(rows["first"][0]), min(c["begin_ns"] for c in ask("calls", document, "--all")["calls"])) >= origin
    started = {command["id"]: command["started_ns"] for command in answer["commands"]}
    for gap in ask("gaps", document)["gaps"]:
        assert gap["begin_ns"] + gap["ns"] <= started[gap["after"]] - origin
