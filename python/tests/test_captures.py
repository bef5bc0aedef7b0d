"""Captures of the package's own devices, and what is said where the OpenCL layer is missing."""

import os
import threading
import warnings

import numpy as np
import pytest

import reel
from conftest import N, add_host, record


def test_a_capture_holds_what_was_given_between_start_and_stop(device, scale, tmp_path):
    x = device.buffer(np.ones(N, dtype=np.float32), "x")
    stream = device.stream("main")
    stream.dispatch(scale, N // 64, x, 2.0)
    assert not reel.is_capturing()
    reel.start_capture(tmp_path / "step.reel")
    assert reel.is_capturing()
    stream.dispatch(scale, N // 64, x, 2.0)
    stream.synchronize()
    report = reel.stop_capture()
    assert not reel.is_capturing()
    assert report.commands == 1 and report.lost == ""
    assert report.path == str(tmp_path / "step.reel") and report.document_bytes == os.path.getsize(report.path)
    assert [command.kind for command in reel.load(report.path).commands] == ["dispatch"]


def test_a_document_is_written_while_the_program_goes_on(device, tmp_path):
    stream = device.stream()
    noise = np.random.default_rng(1).integers(0, 2**32, 4 << 20, dtype=np.uint32)
    x, y = device.buffer(noise, "x"), device.buffer(size_bytes=noise.nbytes)
    endings = []
    for number in range(4):
        reel.start_capture(tmp_path / f"{number}.reel")
        stream.copy(y, x)
        endings.append(reel.stop_capture_async())
        assert not reel.is_capturing()
    x.write(np.zeros_like(noise))
    for number, ending in enumerate(endings):
        report = ending.report()
        assert ending.is_finished and ending.report() == report
        assert report.commands == 1 and report.document_bytes == os.path.getsize(tmp_path / f"{number}.reel")
        trace = reel.load(report.path)
        taken = next(buffer for buffer in trace.buffers if buffer.label == "x")
        assert trace.is_complete and np.array_equal(taken.before("c0", np.uint32), noise)


def test_a_capture_is_a_block(device, scale, tmp_path):
    x = device.buffer(np.ones(N, dtype=np.float32))
    stream = device.stream()
    with reel.capture(tmp_path / "block.reel", contents="hashes", limit="10M") as capture:
        stream.dispatch(scale, N // 64, x, 2.0)
        assert capture.report is None
    assert capture.report.commands == 1
    assert len(reel.load(tmp_path / "block.reel").commands) == 1


def test_an_exception_finishes_the_document(host, tmp_path):
    with pytest.raises(ZeroDivisionError):
        with reel.capture(tmp_path / "broken.reel"):
            host.stream().fill(host.buffer(size_bytes=16), 1)
            raise ZeroDivisionError
    assert not reel.is_capturing()
    trace = reel.load(tmp_path / "broken.reel")
    assert trace.is_complete and len(trace.commands) == 1


def test_scopes_nest_and_are_of_their_thread(device, scale, tmp_path):
    trace = reel.load(record(device, tmp_path / "scopes.reel"))
    assert [command.scope for command in trace.commands] == ["", "layer0", "layer0/sum", "", ""]


def test_a_scope_is_its_threads_own(host, tmp_path):
    stream, buffer = host.stream(), host.buffer(size_bytes=16)
    with reel.capture(tmp_path / "threads.reel"), reel.scope("main"):
        thread = threading.Thread(target=lambda: stream.fill(buffer, 1))
        thread.start()
        thread.join()
        with stream.scope("outer"):
            stream.fill(buffer, 2)
    assert [command.scope for command in reel.load(tmp_path / "threads.reel").commands] == ["", "outer/main"]


def test_a_scope_closes_when_an_exception_leaves_it(host, tmp_path):
    with pytest.raises(ZeroDivisionError):
        with reel.scope("left"):
            raise ZeroDivisionError
    with reel.capture(tmp_path / "after.reel"):
        host.stream().fill(host.buffer(size_bytes=16), 1)
    assert reel.load(tmp_path / "after.reel").commands[0].scope == ""
    with pytest.raises(ValueError):
        with reel.scope(""):
            pass


def test_an_existing_document_is_replaced_only_when_asked(host, tmp_path):
    path = tmp_path / "twice.reel"
    for overwrite in (False, True):
        with reel.capture(path, overwrite=overwrite):
            host.stream().fill(host.buffer(size_bytes=16), 1)
    with pytest.raises(reel.Error, match="twice.reel"):
        reel.start_capture(path)
    assert not reel.is_capturing()


@pytest.mark.parametrize(
    "options, words",
    [
        ({"contents": "some"}, "contents is one of 'none', 'hashes', 'inputs', 'all', not 'some'"),
        ({"limit": 0}, "above 0"),
        ({"limit": "much"}, "'500M' or '2Gi', not 'much'"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, words):
    with pytest.raises(ValueError, match=words):
        reel.start_capture(tmp_path / "no.reel", **options)
    assert not reel.is_capturing() and not (tmp_path / "no.reel").exists()


def test_one_capture_at_a_time_and_none_to_stop(host, tmp_path):
    with pytest.raises(reel.Error):
        reel.stop_capture()
    with reel.capture(tmp_path / "one.reel"):
        with pytest.raises(reel.Error):
            reel.start_capture(tmp_path / "two.reel")
        host.stream().fill(host.buffer(size_bytes=16), 1)


def test_a_folder_that_is_missing_is_said_before_the_work(tmp_path):
    with pytest.raises(reel.Error, match="missing") as caught:
        reel.start_capture(tmp_path / "missing" / "x.reel")
    assert caught.value.code is reel.Code.IO_FAILED


def test_label_and_trigger_without_the_layer(host):
    class Queue:
        int_ptr = 1234

    reel.label(Queue(), "main")  # nothing to do, and nothing wrong
    with pytest.raises(TypeError, match="when they are made"):
        reel.label(host.buffer(size_bytes=16), "x")
    with pytest.raises(TypeError, match="int_ptr; list has none"):
        reel.label([], "x")
    with pytest.raises(reel.Error, match="reel capture --trigger -- python3") as caught:
        reel.trigger()
    assert caught.value.code is reel.Code.UNSUPPORTED


def test_pyopencl_without_the_layer_is_warned_of(run_python, tmp_path):
    result = run_python(
        f"""
import pyopencl, reel
reel.start_capture({str(tmp_path / 'x.reel')!r})
reel.stop_capture()
"""
    )
    assert result.returncode == 0, result.stderr
    assert "PyOpenCL is loaded, but Reel's OpenCL layer is not" in result.stderr
    assert "reel capture --trigger -- python3 " in result.stderr and "program.py" in result.stderr


def test_without_pyopencl_nothing_is_warned_of(host, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with reel.capture(tmp_path / "quiet.reel"):
            host.stream().fill(host.buffer(size_bytes=16), 1)


def test_launches_by_items_are_recorded_as_they_were_given(device, add, tmp_path):
    x, y = (device.buffer(np.ones(N, dtype=np.float32), label) for label in "xy")
    stream, path = device.stream(), tmp_path / "items.reel"
    launches = [{"items": 64}, {"items": 100, "guarded": True}]
    if device.info.takes_partial_groups:
        launches += [{"items": 100, "offset": 20}]
    with reel.capture(path, contents="all"):
        for launch in launches:
            stream.dispatch(add, None, reel.inp(x), reel.inout(y), N if "offset" in launch else 100, **launch)
        stream.synchronize()
    found = y.read()
    assert found[:20].tolist() == [3] * 20 and found[120:].tolist() == [1] * (N - 120)
    reel.register_host_kernel("add", add_host)  # a document can only name it
    assert reel.replay(path).verified
