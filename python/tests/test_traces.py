"""Documents: rows, columns, what buffers held; damaged ones."""

import gc

import numpy as np
import pytest

import reel
from conftest import N, record, scale_kernel


@pytest.fixture
def trace(recorded):
    return reel.load(recorded)


def test_a_document_says_what_it_holds(trace, recorded):
    assert trace.is_complete and trace.problems == []
    assert repr(trace) == f"<reel.Trace {recorded}: 5 commands, 2 kernels, 3 buffers>"
    assert trace.facts and all(isinstance(value, str) for value in trace.facts.values())
    assert len(trace.devices) == 1 and trace.streams[0].label == "main"
    assert trace.streams[0].device == trace.devices[0]


def test_commands_have_their_kernel_scope_arguments_and_times(trace):
    write, scale, add, copy, fill = trace.commands
    assert [command.kind for command in trace.commands] == ["write", "dispatch", "dispatch", "copy", "fill"]
    assert (write.label, write.name, add.name, scale.name) == ("upload", "upload", "add up", "scale")
    assert scale.kernel.name == "scale" and copy.kernel is None
    assert (add.scope, scale.groups, scale.group_size) == ("layer0/sum", (N // 64, 1, 1), (64, 1, 1))
    x, factor = scale.arguments
    assert (x.kind, x.access, x.buffer.label, factor.value) == ("buffer", "inout", "x", 2.0)
    assert factor.value.dtype == np.float32 and add.arguments[2].value == N
    assert scale.call_begin_ns <= scale.call_end_ns
    if scale.run_ns is not None:
        assert scale.ended_ns - scale.started_ns == scale.run_ns
    assert "c2 dispatch 'add up' in layer0/sum" in repr(add)


def test_rows_are_found_by_id_number_and_slice(trace):
    assert trace["c2"] == trace.commands[2] == trace.commands["c2"] == trace.commands[-3]
    assert [command.id for command in trace.commands[1:3]] == ["c1", "c2"]
    kernel = trace.kernels[0]
    assert trace[kernel.id] == kernel and trace[trace.buffers[0].id].id == trace.buffers[0].id
    assert trace["s" + trace.streams[0].id[1:]] == trace.streams[0]
    for wrong in ("c99", "c", "x1", "", "c-1", "c1.0"):
        with pytest.raises(KeyError):
            trace[wrong]
    with pytest.raises(IndexError, match="has 5 commands"):
        trace.commands[5]
    with pytest.raises(TypeError, match="trace.commands"):
        trace[12]


def test_sources_of_kernels_are_there(trace):
    kernel = next(kernel for kernel in trace.kernels if kernel.name == "scale")
    assert "kernel void scale" in kernel.sources["opencl_c"]
    assert kernel.sources["glsl"].startswith("#version 450")
    if kernel.built_form in ("opencl_c", "glsl"):
        assert kernel.source == kernel.sources[kernel.built_form]
    assert [command.id for command in kernel.commands] == ["c1"]


def test_columns_are_views_that_keep_the_trace(trace):
    columns = trace.commands.columns()
    assert {len(column) for column in columns.values()} == {5}
    assert columns["kernel"].tolist() == ["", "scale", "add", "", ""]
    assert columns["kind"].tolist() == ["write", "dispatch", "dispatch", "copy", "fill"]
    assert columns["scope"].tolist() == ["", "layer0", "layer0/sum", "", ""]
    assert columns["groups_x"][1] == N // 64
    begin = columns["call_begin_ns"]
    assert np.shares_memory(begin, trace.commands.columns()["call_begin_ns"])  # no copy
    assert not begin.flags.writeable
    expected = begin.tolist()
    del trace, columns
    gc.collect()
    assert begin.tolist() == expected
    with pytest.raises(ValueError):
        begin[0] = 1


def test_every_table_has_columns_of_one_length(trace):
    for table in (trace.commands, trace.kernels, trace.buffers, trace.streams, trace.devices, trace.calls, trace.regions,
                  trace.notes):
        columns = table.columns()
        assert columns and {len(column) for column in columns.values()} == {len(table)}, table
        assert list(columns) == list(table.to_dict())
        assert len(list(table)) == len(table)
    kernels = trace.kernels.columns()
    assert dict(zip(kernels["name"], kernels["count"])) == {"scale": 1, "add": 1}
    assert len(trace.calls) > 0 and trace.calls[0].name


def test_columns_are_those_of_sql(trace):
    for name in ("commands", "kernels", "buffers", "streams", "devices", "calls", "regions", "notes"):
        columns, asked = getattr(trace, name).columns(), reel.sql(trace, f"select * from {name}")
        assert set(asked) - set(columns) == ({"id"} if name in ("calls", "regions") else set()), name
    columns, asked = trace.commands.columns(), reel.sql(trace, "select * from commands")
    for name in ("kind", "scope", "label", "work", "call_begin_ns", "bytes"):
        assert columns[name].tolist() == asked[name].tolist(), name
    for name in ("run_ns", "own_ns"):
        np.testing.assert_array_equal(columns[name], asked[name].astype(np.float64))
    dispatches = columns["kind"] == "dispatch"
    for name in ("groups_x", "group_x", "offset_x", "items_x", "dimensions"):
        assert columns[name][dispatches].tolist() == asked[name][dispatches].tolist(), name
    assert trace["c1"].dimensions == columns["dimensions"][1]


def test_decisions_are_regions_in_each_other(device, tmp_path):
    once, graph = reel.Graph(), reel.Graph()
    x = device.buffer(np.ones(N, dtype=np.float32), "x")
    once.add_dispatch(scale_kernel(device), N // 64, reel.inout(x), 1.01)
    graph.add_repeat(2, once, label="rounds")
    twice, stream = graph.instantiate(device), device.stream()
    reel.start_capture(tmp_path / "decided.reel")
    twice.launch(stream)
    stream.synchronize()
    trace = reel.load(reel.stop_capture().path)
    told = [(region.kind, region.number, region.name, region.parent and region.parent.kind) for region in trace.regions][1:]
    assert told == [("repeat", 2, "rounds", "launch"), ("round", 0, "", "repeat"), ("round", 1, "", "repeat")]
    columns = trace.commands.columns()
    assert columns["region"][columns["kind"] == "dispatch"].tolist() == [2, 3]


def test_pandas_takes_the_columns(trace):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(trace.commands.columns())
    assert len(frame) == 5 and frame.kernel[1] == "scale"


def test_what_a_buffer_held_at_each_command(trace):
    x = next(buffer for buffer in trace.buffers if buffer.label == "x")
    y = next(buffer for buffer in trace.buffers if buffer.label == "y")
    start = np.arange(N, dtype=np.float32)
    np.testing.assert_array_equal(x.before("c1"), start)
    np.testing.assert_array_equal(x.at("c1", np.float32), start * 2)
    np.testing.assert_array_equal(y.at(trace["c2"]), start * 2 + 1)
    after = x.at()
    assert after.dtype == np.float32 and not after[:16].any() and after[16] == 32
    assert x.at(dtype=np.uint8).nbytes == N * 4
    with pytest.raises(ValueError, match="no whole number"):
        x.at(dtype="S7")
    with pytest.raises(ValueError, match="another trace"):
        x.at(reel.load(trace.path)["c1"])


def test_inputs_and_checks_of_a_command(trace):
    scale = trace["c1"]
    (given,) = scale.inputs
    assert (given.role, given.buffer.label, given.stored, given.command) == ("input", "x", True, scale)
    np.testing.assert_array_equal(given.array(np.float32), np.arange(N, dtype=np.float32))
    assert trace["c0"].written[0].array(np.float32)[0] == 7
    assert any(check.role == "check" for command in trace.commands for check in command.checks)


def test_unknown_bytes_are_an_error_or_a_mask(device, tmp_path):
    trace = reel.load(record(device, tmp_path / "inputs.reel", contents="inputs"))
    x = next(buffer for buffer in trace.buffers if buffer.label == "x")
    with pytest.raises(reel.Error, match="4096 of 4096 bytes of .* 'x' are unknown after c1") as caught:
        x.at("c1")
    assert caught.value.code is reel.Code.UNSUPPORTED
    masked = x.at(unknown="mask")
    assert masked.mask[16:].all() and not masked.mask[:16].any() and not masked[:16].any()
    hashed = [check for command in trace.commands for check in command.checks if not check.stored]
    with pytest.raises(reel.Error, match="recorded as hashes only"):
        hashed[0].array()
    with pytest.raises(ValueError, match="unknown is"):
        x.at(unknown="guess")


def test_a_missing_file_is_an_error_with_its_name(tmp_path):
    with pytest.raises(reel.Error, match="missing.reel") as caught:
        reel.load(tmp_path / "missing.reel")
    assert caught.value.code is reel.Code.IO_FAILED


def test_what_is_no_document_is_refused(tmp_path):
    for bytes_ in (b"hello", b"\x89MCAP0\r\n" + b"\xff" * 200):
        (tmp_path / "no.reel").write_bytes(bytes_)
        with pytest.raises(reel.Error) as caught:
            reel.load(tmp_path / "no.reel")
        assert caught.value.code is reel.Code.DAMAGED_DOCUMENT


def test_a_document_that_is_cut_loads_as_far_as_it_goes(recorded, tmp_path):
    whole = open(recorded, "rb").read()
    loaded = 0
    for part in range(1, 20):
        cut = tmp_path / f"cut{part}.reel"
        cut.write_bytes(whole[: len(whole) * part // 20])
        try:
            trace = reel.load(cut)
        except reel.Error as error:
            assert error.code is reel.Code.DAMAGED_DOCUMENT
            continue
        loaded += 1
        assert not trace.is_complete and trace.problems
        assert "not complete" in repr(trace)
        trace.commands.columns(), trace.kernels.columns(), list(trace.calls)
    assert loaded > 0


def test_damaged_bytes_never_crash(recorded, tmp_path):
    whole = bytearray(open(recorded, "rb").read())
    random = np.random.default_rng(1)
    for number in range(60):
        damaged = bytearray(whole)
        for at in random.integers(0, len(whole), 8):
            damaged[at] ^= int(random.integers(1, 256))
        path = tmp_path / "damaged.reel"
        path.write_bytes(damaged)
        try:
            trace = reel.load(path)
            trace.commands.columns(), [repr(row) for row in trace.commands], list(trace.notes)
            for buffer in trace.buffers:
                buffer.at(unknown="mask", dtype=np.uint8)
            for kernel in trace.kernels:
                kernel.sources
        except reel.Error:
            pass


def test_threads_load_and_read_at_once(recorded):
    from concurrent.futures import ThreadPoolExecutor

    trace = reel.load(recorded)

    def look(_):
        return reel.load(recorded).commands.columns()["call_begin_ns"].sum() + trace.buffers[0].at("c0", unknown="mask").sum() * 0

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(look, range(16)))) == 1
