"""Documents of many runs, asked together."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import reel
from conftest import add_host, record, scale_host

reel.register_host_kernel("scale", scale_host)
reel.register_host_kernel("add", add_host)


@pytest.fixture
def runs(tmp_path, host, monkeypatch):
    for number, commit in enumerate(["a1", "a1", "b2"]):
        monkeypatch.setenv("REEL_CAPTURE_FACTS", f"commit={commit},rank={number}" + (",batch=8" if number else ""))
        record(host, tmp_path / f"{number}.reel")
    return tmp_path


def test_a_folder_is_a_sequence_of_traces(runs):
    traces = reel.load_many(runs)
    assert len(traces) == 3 and "3 documents" in repr(traces)
    assert [trace.run_facts["commit"] for trace in traces] == ["a1", "a1", "b2"]
    assert traces[-1].run_facts["rank"] == "2"
    assert len(traces[1:]) == 2
    assert reel.load_many(str(runs / "[01].reel")).paths == traces.paths[:2]
    assert reel.load_many([runs / "2.reel"]).paths == traces.paths[2:]


def test_columns_are_of_all_documents_and_know_their_run(runs):
    traces = reel.load_many(runs)
    columns = traces.columns()
    one = reel.load(runs / "0.reel").commands.columns()
    assert set(one) < set(columns)
    count = len(one["kernel"])
    assert all(len(values) == 3 * count for values in columns.values())
    assert list(columns["kernel"][:count]) == list(one["kernel"])
    assert list(columns["fact_commit"][::count]) == ["a1", "a1", "b2"]
    assert list(columns["fact_rank"][::count]) == [0, 1, 2] and columns["fact_rank"].dtype == np.int64
    assert list(columns["fact_batch"][::count]) == [None, "8", "8"]
    assert columns["document"][-1] == str(runs / "2.reel")
    assert len(traces.columns("kernels")["name"]) == 3 * len(reel.load(runs / "0.reel").kernels)


def test_sql_is_over_all_documents(runs):
    count = len(reel.load(runs / "0.reel").commands)
    found = reel.load_many(runs).sql("select fact_commit, count(*) as n from commands group by 1 order by 1")
    assert list(found["fact_commit"]) == ["a1", "b2"] and list(found["n"]) == [2 * count, count]


def test_what_cant_be_read_is_an_error(runs):
    (runs / "3.reel").write_text("no document")
    with pytest.raises(reel.Error, match="3.reel"):
        reel.load_many(runs).sql("select 1")
    with pytest.raises(reel.Error):
        reel.load_many(runs).columns()
    with pytest.raises(reel.Error):
        reel.load_many(runs / "missing")[0]


def test_the_example_asks_a_folder(runs):
    example = Path(__file__).parents[2] / "examples" / "fleet" / "fleet.py"
    environment = {**os.environ, "PYTHONPATH": str(Path(reel.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, str(example), str(runs)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "3 documents"
    assert {tuple(line.split()[:3]) for line in lines[1:]} == {
        ("a1", "scale", "2"), ("a1", "add", "2"), ("b2", "scale", "1"), ("b2", "add", "1")
    }
