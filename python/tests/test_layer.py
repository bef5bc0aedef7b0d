"""Captures where Reel's OpenCL layer is in the process: by a double that remembers what it was
asked, and with the real layer and PyOpenCL where that is built."""

import os
from pathlib import Path

import pytest

import reel

DOUBLE = os.environ.get("REEL_TEST_LAYER_DOUBLE", "")
LAYER = os.environ.get("REEL_TEST_LAYER", "")
REEL = os.environ.get("REEL_TEST_PROGRAM", "reel")

needs_double = pytest.mark.skipif(not DOUBLE, reason="REEL_TEST_LAYER_DOUBLE names no library")

LOADED = """
import ctypes, os, sys
layer = ctypes.CDLL(os.environ["REEL_TEST_LAYER_DOUBLE"], mode=os.RTLD_LOCAL | os.RTLD_NOW)
layer.what_was_said.restype = ctypes.c_char_p
import reel
"""


@needs_double
def test_captures_scopes_and_labels_go_to_the_layer(run_python):
    result = run_python(
        LOADED
        + """
class Queue:
    int_ptr = 0xabc
reel.start_capture("x.reel")
assert reel.is_capturing()
with reel.scope("layer0"):
    reel.label(Queue(), "main")
try:
    reel.start_capture("y.reel")
except reel.Error as error:
    print(error)
reel.stop_capture()
assert not reel.is_capturing()
reel.trigger()
print(layer.what_was_said().decode(), end="")
"""
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "The double was asked at the wrong time.",
        "start x.reel",
        "contents -",
        "limit -",
        "push layer0",
        "label abc main",
        "pop -",
        "stop -",
        "trigger -",
    ]


@needs_double
def test_options_that_come_too_late_are_warned_of(run_python):
    program = LOADED + "reel.start_capture('x.reel', contents='all', limit='2k')"
    result = run_python(program)
    assert "comes too late. Run: reel capture --contents all --trigger -- python3 " in result.stderr
    assert "reel capture --limit 2000 --trigger -- python3 " in result.stderr
    told = run_python(program, REEL_CAPTURE_CONTENTS="all", REEL_CAPTURE_LIMIT="2000")
    assert (told.returncode, told.stderr) == (0, "")


@needs_double
def test_a_layer_that_opencl_has_not_loaded_yet_is_loaded_with_the_options(run_python):
    result = run_python(
        """
import os, ctypes, reel
reel.start_capture("x.reel", contents="all", limit=3000)
layer = ctypes.CDLL(os.environ["OPENCL_LAYERS"], mode=os.RTLD_NOLOAD | os.RTLD_NOW)  # it is there
layer.what_was_said.restype = ctypes.c_char_p
print(layer.what_was_said().decode(), end="")
""",
        OPENCL_LAYERS=DOUBLE,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == ["start x.reel", "contents all", "limit 3000"]


@needs_double
def test_an_existing_document_goes_when_overwriting_is_allowed(run_python, tmp_path):
    (tmp_path / "x.reel").write_text("old")
    result = run_python(LOADED + "reel.start_capture('x.reel', overwrite=True)\nprint(os.path.exists('x.reel'))")
    assert (result.returncode, result.stdout) == (0, "False\n")


@needs_double
def test_an_exception_stops_the_layer(run_python):
    result = run_python(
        LOADED
        + """
try:
    with reel.capture("x.reel"), reel.scope("a"):
        raise ZeroDivisionError
except ZeroDivisionError:
    pass
print(layer.what_was_said().decode(), end="")
"""
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-2:] == ["pop -", "stop -"]


@needs_double
def test_a_layer_named_by_the_environment_is_found(run_python, tmp_path):
    """By its path, whatever its file is called; and no warning about PyOpenCL then."""
    other = tmp_path / "some_layer.so"
    other.write_bytes(Path(DOUBLE).read_bytes())
    result = run_python(
        LOADED + "import pyopencl\nreel.start_capture('x.reel')\nprint(layer.what_was_said().decode().split()[0])",
        REEL_TEST_LAYER_DOUBLE=str(other),
        OPENCL_LAYERS=f"/nowhere/other.so:{other}",
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split() == ["start"]


PYOPENCL = """
import sys, numpy, reel
path = sys.argv[1]
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
x = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.ones(64, numpy.float32))
scale = cl.Program(context, "kernel void scale(global float* x, float f) { x[get_global_id(0)] *= f; }").build().scale
reel.label(x, "weights")
scale(queue, (64,), None, x, numpy.float32(2))
with reel.capture(path, contents="all"):
    with reel.scope("layer0"):
        scale(queue, (64,), None, x, numpy.float32(3))
    queue.finish()
scale(queue, (64,), None, x, numpy.float32(5))
queue.finish()
"""


# PyOpenCL keeps binaries of programs, and gives these to OpenCL the next time.
SOURCES = {"PYOPENCL_NO_CACHE": "1"}
needs_layer = pytest.mark.skipif(not LAYER, reason="REEL_TEST_LAYER names no layer: it isn't built")


def expect_one_scaling(path):
    trace = reel.load(path)
    (command,) = [command for command in trace.commands if command.kind == "dispatch"]
    assert command.scope == "layer0" and command.kernel.name == "scale"
    buffer = command.arguments[0].buffer
    assert (buffer.label, buffer.kind, buffer.image) == ("weights", "buffer", None)
    assert buffer.before(command, "f4").tolist() == [2] * 64
    assert buffer.at(command, "f4").tolist() == [6] * 64
    assert "kernel void scale" in command.kernel.source
    assert reel.replay(trace).verified


@needs_layer
def test_pyopencl_is_captured_by_the_real_layer(run_python, tmp_path):
    result = run_python(PYOPENCL, "x.reel", OPENCL_LAYERS=LAYER, REEL_CAPTURE_CONTENTS="all", **SOURCES)
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr
    expect_one_scaling(tmp_path / "x.reel")


@needs_layer
def test_pyopencl_is_captured_under_reel_capture(run_python, tmp_path):
    words = [REEL, "capture", "--contents", "all", "--trigger", "--"]
    result = run_python(PYOPENCL, "x.reel", before=words, **SOURCES)
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr
    expect_one_scaling(tmp_path / "x.reel")


@needs_layer
def test_a_capture_before_the_first_call_of_opencl_has_its_options(run_python, tmp_path):
    program = PYOPENCL.replace("import pyopencl", "reel.start_capture(path, 'all')\nimport pyopencl", 1)
    program = program.replace("with reel.capture(path, contents=\"all\"):", "if True:") + "\nreel.stop_capture()"
    result = run_python(program, "x.reel", OPENCL_LAYERS=LAYER, **SOURCES)
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr
    trace = reel.load(tmp_path / "x.reel")
    last = trace.commands[-1]
    assert last.arguments[0].buffer.at(last, "f4").tolist() == [30] * 64
