"""Replays, insights, differences, exports and SQL."""

import json
import sqlite3

import numpy as np
import pytest

import reel
from conftest import SCALE_CL, SCALE_COMP, add_host, record, scale_host

reel.register_host_kernel("scale", scale_host)
reel.register_host_kernel("add", add_host)


def test_a_replay_proves_every_byte(recorded):
    result = reel.replay(recorded)
    assert result.verified and result.verdict == "equal" and result.mismatches == []
    assert result.checks == result.equal_checks > 0 and result.commands == 5
    assert "equal" in repr(result)


def test_repeats_are_measured_by_kernel(recorded, device):
    result = reel.replay(reel.load(recorded), device, repeat=3)
    assert result.runs == 3
    if device.info.can_stamp_time:
        assert {time.kernel.name for time in result.kernels} == {"scale", "add"}
        assert all(time.replayed.min_ns <= time.replayed.median_ns for time in result.kernels)


def test_another_source_shows_as_a_mismatch(recorded, device):
    if device.info.backend == "host":
        pytest.skip("a host kernel has no source")
    trace = reel.load(recorded)
    kernel = next(kernel for kernel in trace.kernels if kernel.name == "scale")
    form, text = kernel.built_form, {"opencl_c": SCALE_CL, "glsl": SCALE_COMP}[kernel.built_form]
    result = reel.replay(trace, device, replacements={kernel.id: (form, text.replace("*=", "+="))}, find_culprit=True)
    assert not result.verified and result.verdict == "different"
    assert result.mismatches[0].command.id == "c1" and result.culprit.id == "c1"
    assert "c1" in repr(result.mismatches[0])


def test_a_replay_elsewhere_is_within_tolerance(recorded):
    result = reel.replay(recorded, "host", tolerance=1e-6)
    assert result.verified and result.device.startswith("host")


def test_wrong_replays_are_refused(recorded, tmp_path, host):
    with pytest.raises(ValueError, match="order is one of"):
        reel.replay(recorded, order="random")
    with pytest.raises(ValueError, match="repeat is 1 or more"):
        reel.replay(recorded, repeat=0)
    with pytest.raises(KeyError):
        reel.replay(recorded, replacements={"k999": ("glsl", "")})
    with pytest.raises(reel.Error):
        reel.replay(recorded, "toaster")
    with pytest.raises(reel.Error):
        reel.replay(tmp_path / "missing.reel")


def test_one_command_is_extracted(recorded, tmp_path):
    report = reel.extract(recorded, ["c1"], tmp_path / "c1.reel")
    assert report.commands == 1
    assert reel.replay(report.path).verified


def test_insights_have_titles_and_evidence(recorded):
    findings = reel.insights(recorded)
    assert findings and all(finding.id and finding.title for finding in findings)
    assert all(finding.saving_ns is None or finding.saving_ns >= 0 for finding in findings)
    assert all(command.id.startswith("c") for finding in findings for command in finding.commands)
    assert findings[0].id in repr(findings[0])


def test_a_replay_leaves_out_commands(recorded):
    trace = reel.load(recorded)
    result = reel.replay(trace, without=[trace.commands[0], "c1"])
    assert result.commands == reel.replay(trace).commands - 2
    assert result.verdict == "different"


def test_insights_are_proved_when_asked(recorded, device):
    assert all(finding.proof is None for finding in reel.insights(recorded))
    findings = reel.insights(recorded, prove=True, device=device, prove_seconds=20)
    assert [finding.id for finding in findings] == [finding.id for finding in reel.insights(recorded)]
    for finding in findings:
        assert finding.proof.verdict in ("supported", "withdrawn", "inconclusive", "not tried")
        assert finding.proof.sentence.endswith(".")
        assert (finding.proof.measured_ns is None) == (finding.proof.noise_ns is None)
    tried = [finding.proof for finding in findings if finding.proof.verdict != "not tried"]
    assert tried, findings
    # A proof that only compares bytes measures nothing.
    assert all(proof.runs > 1 for proof in tried if proof.measured_ns is not None), findings
    assert tried[0].verdict in repr(tried[0])
    with pytest.raises(ValueError, match="prove=True"):
        reel.insights(recorded, device=device)


def test_a_diff_names_what_changed(device, tmp_path):
    a = record(device, tmp_path / "a.reel")
    b = record(device, tmp_path / "b.reel", factor=3.0)
    same = reel.diff(a, a)
    assert same.total_delta_ns == 0 and same.contents is None and not same.significant
    found = reel.diff(reel.load(a), b)
    parts = sum(row.delta_ns for row in found.rows) + found.idle_delta_ns + found.rest_ns
    assert parts == found.total_delta_ns == found.total.ns_b - found.total.ns_a
    assert not found.differs and found.total.p is None, "one pass of each tells nothing of noise"
    assert {kernel.name for kernel in found.kernels} == {row.name for row in found.rows}
    assert any(row.new_arguments for row in found.rows if row.name == "scale")
    assert found.contents is not None and found.contents.command_a.id == "c1"
    assert found.cause


def test_sql_gives_columns(recorded):
    found = reel.sql(recorded, "select id, label, run_ns from commands order by id")
    assert found["id"].dtype == np.int64 and found["id"].tolist() == [0, 1, 2, 3, 4]
    assert found["label"].dtype == object and found["label"][0] == "upload"
    assert reel.sql(recorded, "select 1 as a, 2 as a, null as b where 1") .keys() == {"a", "a_2", "b"}
    assert reel.sql(recorded, "select id from commands where 0")["id"].tolist() == []
    with pytest.raises(reel.Error, match="nonsense") as caught:
        reel.sql(recorded, "select nonsense from commands")
    assert caught.value.code is reel.Code.INVALID_ARGUMENT
    with pytest.raises(reel.Error):
        reel.sql(recorded, "drop table commands")


def test_exports_are_files_that_others_open(recorded, tmp_path):
    report = reel.export(recorded, "chrome", tmp_path / "x.json")
    assert report.files == [str(tmp_path / "x.json")] and report.bytes > 0
    assert json.loads((tmp_path / "x.json").read_text())["traceEvents"]
    reel.export(reel.load(recorded), "sqlite", tmp_path / "x.db")
    assert sqlite3.connect(tmp_path / "x.db").execute("select count(*) from commands").fetchone() == (5,)
    with pytest.raises(reel.Error, match="x.db"):
        reel.export(recorded, "sqlite", tmp_path / "x.db")
    reel.export(recorded, "sqlite", tmp_path / "x.db", overwrite=True)
    with pytest.raises(ValueError, match="perfetto, chrome, sqlite"):
        reel.export(recorded, "pdf", tmp_path / "x.pdf")
    assert "perfetto" in reel.export_formats
