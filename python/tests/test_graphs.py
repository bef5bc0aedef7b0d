"""Graphs: built by hand, captured from streams, launched and changed; passes of an executor."""

import gc

import numpy as np
import pytest

import reel
from conftest import N


def ones(device, label=""):
    return device.buffer(np.ones(N, dtype=np.float32), label)


def test_a_graph_is_launched_again_and_again(device, scale, add):
    x, y = ones(device, "x"), ones(device, "y")
    graph = reel.Graph()
    first = graph.add_dispatch(scale, N // 64, reel.inout(x), 2.0, label="double")
    second = graph.add_dispatch(add, N // 64, reel.inp(x), reel.inout(y), N, after=[first])
    assert len(graph) == 2 and (first, second, "asked") in graph.edges()
    assert "double" in graph.describe(first)
    exec = graph.instantiate(device)
    stream = device.stream()
    for _ in range(3):
        exec.launch(stream)
    assert stream.read_now(y)[0] == 1 + 2 + 4 + 8
    assert [buffer.name for buffer in graph.buffers()] == ["x", "y"]


def test_arguments_change_for_later_launches(device, scale):
    x = ones(device)
    graph = reel.Graph()
    node = graph.add_dispatch(scale, N // 64, reel.inout(x), 2.0)
    exec = graph.instantiate(device)
    stream = device.stream()
    exec.launch(stream)
    exec.set_argument(node, 1, 10.0)
    exec.launch(stream)
    assert stream.read_now(x)[0] == 20
    with pytest.raises(TypeError, match="is f32, not numpy's int64"):
        exec.set_argument(node, 1, np.int64(3))
    with pytest.raises(reel.Error):
        exec.set_argument(node, 7, 1.0)
    with pytest.raises(reel.Error):
        exec.set_argument(99, 1, 1.0)
    exec.set_enabled(node, False)
    exec.launch(stream)
    assert stream.read_now(x)[0] == 20 and not exec.enabled(node)


def test_another_buffer_is_bound_by_name(device, scale):
    x, other = ones(device, "x"), ones(device, "other")
    graph = reel.Graph()
    graph.add_dispatch(scale, N // 64, reel.inout(x), 2.0)
    exec = graph.instantiate(device, buffers={"x": other})
    stream = device.stream()
    exec.launch(stream)
    stream.synchronize()
    assert (x.read()[0], other.read()[0]) == (1, 2)
    copy = exec.clone()
    copy.bind("x", x)
    copy.launch(stream)
    stream.synchronize()
    assert (x.read()[0], other.read()[0]) == (2, 2)


def test_a_stream_is_captured_into_a_graph(device, scale):
    x = ones(device)
    stream = device.stream("captured")
    with reel.StreamCapture(stream) as capture:
        stream.dispatch(scale, N // 64, x, 2.0)
        node = capture.record_kernel(scale, N // 64, x, 3.0)
        assert stream.is_in_stream_capture() and capture.recorded_count == 2
    assert stream.read_now(x)[0] == 1  # nothing ran
    exec = capture.graph.instantiate(device)
    exec.set_argument(node, 1, 5.0)
    exec.launch(stream)
    assert stream.read_now(x)[0] == 10


def test_an_exception_leaves_the_captured_stream_usable(device, scale):
    x = ones(device)
    stream = device.stream()
    with pytest.raises(ZeroDivisionError):
        with reel.StreamCapture(stream):
            stream.dispatch(scale, N // 64, x, 2.0)
            raise ZeroDivisionError
    assert not stream.is_in_stream_capture()
    assert stream.read_now(x)[0] == 1


def test_what_a_capture_can_not_record_is_named(device):
    stream = device.stream("decode")
    capture = reel.StreamCapture(stream)
    with pytest.raises(reel.Error, match="decode") as caught:
        stream.synchronize()
    assert caught.value.code is reel.Code.CAPTURE_UNSUPPORTED
    with pytest.raises(reel.Error) as caught:
        capture.end()
    assert caught.value.code in (reel.Code.CAPTURE_UNSUPPORTED, reel.Code.CAPTURE_INVALIDATED)
    with pytest.raises(ValueError, match="mode is 'global'"):
        reel.StreamCapture(stream, mode="other")


def test_a_graph_keeps_the_arrays_it_reads_into(device, scale):
    x = ones(device)
    stream = device.stream()
    results = []
    with reel.StreamCapture(stream) as capture:
        stream.dispatch(scale, N // 64, x, 2.0)
        stream.read(x, np.empty(N, dtype=np.float32))  # nobody else holds it
    into = np.zeros(N, dtype=np.float32)
    graph = capture.graph
    graph.add_read(x, into)
    graph.add_host_call(lambda: results.append(into[0]))
    exec = graph.instantiate(device)
    del capture, graph
    gc.collect()
    exec.launch(stream)
    del exec
    gc.collect()
    stream.synchronize()
    assert into[0] == 2 and results == [2]


def test_a_cycle_is_refused_and_equal_graphs_are_equal(device):
    x = device.buffer(label="x", size_bytes=16)

    def make():
        graph = reel.Graph()
        return graph, graph.add_fill(x, 1), graph.add_fill(x, 2)

    graph, first, second = make()
    assert graph == make()[0] and graph != 5
    graph.add_dependency(first, second)
    assert graph != make()[0]
    with pytest.raises(reel.Error, match="n0"):
        graph.add_dependency(second, first)


def test_a_saved_graph_is_loaded(device, scale, tmp_path):
    if device.info.backend == "host":
        reel.register_host_kernel("scale", __import__("conftest").scale_host)
    x = ones(device, "x")
    graph = reel.Graph()
    graph.add_dispatch(scale, N // 64, reel.inout(x), 2.0)
    path = str(tmp_path / "twice.reel")
    graph.save(path)
    exec = reel.Graph.load(path).instantiate(device, buffers={"x": x})
    stream = device.stream()
    exec.launch(stream)
    assert stream.read_now(x)[0] == 2
    with pytest.raises(reel.Error) as caught:
        reel.Graph.load(str(tmp_path / "missing.reel"))
    assert caught.value.code is reel.Code.IO_FAILED


@pytest.mark.parametrize("recorded", [False, True])
def test_a_pass_gives_the_same_directly_and_recorded(device, scale, add, recorded):
    x, y = ones(device, "x"), ones(device, "y")
    executor = reel.GraphExecutor(device)
    session = executor.begin_recorded() if recorded else executor.begin()
    assert session.is_recording is recorded
    into = np.zeros(N, dtype=np.float32)
    with session.scope("layer0"):
        session.dispatch(scale, N // 64, reel.inout(x), 4.0)
        session.dispatch(add, N // 64, reel.inp(x), reel.inout(y), N)
    session.read(y, into)
    report = session.finish()
    assert into[0] == 5 and report.dispatches == 2 and report.commands == 3
    with pytest.raises(reel.Error):
        session.finish()


def test_a_committed_pass_is_waited_for(device, scale):
    x = ones(device)
    executor = reel.GraphExecutor(device)
    session = executor.begin_recorded()
    session.dispatch(scale, N // 64, reel.inout(x), 4.0)
    graph = session.graph()
    pending = session.commit()
    assert pending.wait().dispatches == 1 and pending.done()
    assert x.read()[0] == 4 and len(graph) == 1


def test_a_timed_launch_has_a_time_for_every_node(device, scale):
    x = ones(device)
    graph = reel.Graph()
    graph.add_dispatch(scale, N // 64, x, 2.0)
    graph.add_dispatch(scale, N // 64, x, 2.0)
    times = graph.instantiate(device).launch_timed(device.stream()).wait()
    assert [node for node, _, _ in times] == [0, 1]
    assert all(begin <= end for _, begin, end in times)


def test_a_graph_is_saved_over_another_and_loaded_from_memory(device, tmp_path):
    path = tmp_path / "graph.reel"
    for label in ("a", "b"):
        graph = reel.Graph()
        graph.add_fill(device.buffer(label=label, size_bytes=16), 1)
        graph.save(str(path), overwrite=True)
    assert [buffer.name for buffer in reel.Graph.load(path).buffers()] == ["b"]
    assert reel.Graph.load(path.read_bytes()).to_json() == reel.Graph.load(str(path)).to_json()
    with pytest.raises(reel.Error, match="graph.reel"):
        graph.save(str(path))


def test_a_graph_decides(device, scale):
    x = ones(device, "x")
    flag = device.buffer(np.array([1, 0, 2], dtype=np.uint32), "flag")
    double, triple = reel.Graph(), reel.Graph()
    double.add_dispatch(scale, N // 64, reel.inout(x), 2.0)
    triple.add_dispatch(scale, N // 64, reel.inout(x), 3.0)
    rounds = iter([True, 1, 0])
    graph = reel.Graph()
    either = graph.add_if(flag, double, triple, label="either")
    graph.add_if(flag[1:2], double)
    graph.add_switch(flag[2:3], [double, double, triple])
    graph.add_repeat(2, double)
    graph.add_while(lambda: next(rounds), double, label="asks")
    assert "'either' (if of 1, else 1)" in graph.describe(either)
    exec = graph.instantiate(device)
    stream = device.stream()
    exec.launch(stream)
    assert stream.read_now(x)[0] == 2 * 3 * 4 * 4
    exec.branch(either).set_argument(0, 1, 10.0)
    exec.launch(stream)
    with pytest.raises(reel.Error, match="'asks'.*StopIteration"):
        stream.synchronize()
    assert "decision" in exec.lowering
    with pytest.raises(reel.Error, match="has 2 branches"):
        exec.branch(either, 2)


def test_a_condition_is_a_whole_number(device, scale):
    x = ones(device, "x")
    body, graph = reel.Graph(), reel.Graph()
    body.add_dispatch(scale, N // 64, reel.inout(x), 2.0)
    for wrong in (x, x[0:1]):
        for add in (graph.add_if, graph.add_while):
            with pytest.raises(TypeError, match="uint32.*'x'.*floating-point"):
                add(wrong, body)
        with pytest.raises(TypeError, match="floating-point"):
            graph.add_switch(wrong, [body])
    graph.add_if(lambda: 0.5, body, label="half")
    stream = device.stream()
    graph.instantiate(device).launch(stream)
    with pytest.raises(reel.Error, match="'half'.*returned a float.*bool or int"):
        stream.synchronize()
    taken = reel.Graph()
    for right in (True, 3, np.bool_(True), np.uint8(7)):
        taken.add_if(lambda right=right: right, body)
    stream = device.stream()
    taken.instantiate(device).launch(stream)
    assert stream.read_now(x)[0] == 2**4


def test_what_a_condition_raises_is_the_cause(device, scale):
    x = ones(device)
    body, graph = reel.Graph(), reel.Graph()
    body.add_dispatch(scale, N // 64, reel.inout(x), 2.0)
    raised = KeyError("no such flag")

    def ask():
        raise raised

    graph.add_if(ask, body, label="asks")
    stream = device.stream()
    graph.instantiate(device).launch(stream)
    with pytest.raises(reel.Error, match="'asks'.*no such flag") as caught:
        stream.synchronize()
    assert caught.value.__cause__ is raised
    assert caught.value.__cause__.__traceback__ is not None

    stream.host_call(ask)
    with pytest.raises(reel.Error, match="no such flag") as caught:
        stream.synchronize()
    assert caught.value.__cause__ is raised


def test_a_while_that_never_ends_is_named(device, scale):
    x, flag = ones(device), device.buffer(np.array([1], dtype=np.uint32))
    body, graph = reel.Graph(), reel.Graph()
    body.add_dispatch(scale, N // 64, reel.inout(x), 1.0)
    graph.add_while(flag, body, label="spin", most_iterations=3)
    stream = device.stream()
    with pytest.raises(reel.Error, match="'spin'.*after 3 rounds"):
        graph.instantiate(device).launch(stream)
        stream.synchronize()


def test_temporary_is_a_buffer_of_bytes(device, scale):
    word = reel.Graph.temporary(4, "word")
    assert (len(word), word.dtype, word.shape) == (4, np.uint8, (4,)) and "word" in repr(word)
    x, body, graph = ones(device, "x"), reel.Graph(), reel.Graph()
    body.add_dispatch(scale, N // 64, reel.inout(x), 2.0)
    graph.add_fill(word, np.uint32(1))
    graph.add_if(word, body)
    graph.add_if(word[0:4], body)
    stream = device.stream()
    graph.instantiate(device).launch(stream)
    assert stream.read_now(x)[0] == 4
    with pytest.raises(reel.Error, match="'word' is a temporary"):
        word.read()


def test_temporaries_share_bytes(device, scale):
    x = ones(device, "x")
    a, b = reel.Graph.temporary(4 * N, "a"), reel.Graph.temporary(4 * N, "b")
    graph = reel.Graph()
    graph.add_copy(a, x)
    graph.add_dispatch(scale, N // 64, reel.inout(a), 2.0)
    graph.add_copy(x, a)
    graph.add_copy(b, x)
    graph.add_dispatch(scale, N // 64, reel.inout(b), 3.0)
    graph.add_copy(x, b)
    exec = graph.instantiate(device)
    assert exec.footprint["temporary_bytes"] == 8 * N and exec.footprint["packed_bytes"] == 4 * N
    stream = device.stream()
    exec.launch(stream)
    assert stream.read_now(x)[0] == 6
