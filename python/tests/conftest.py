"""Devices and kernels that the tests share. A missing device skips, unless REEL_REQUIRE_DEVICES=1."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable, Sequence

import numpy as np
import pytest

import reel

N = 1024

SCALE_CL = "kernel void scale(global float* x, float factor) { x[get_global_id(0)] *= factor; }"
SCALE_COMP = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { float x[]; };
layout(push_constant) uniform Values { float factor; };
void main() { x[gl_GlobalInvocationID.x] *= factor; }
"""
ADD_CL = """kernel void add(global const float* x, global float* y, uint n) {
  if (get_global_id(0) < n) y[get_global_id(0)] += x[get_global_id(0)];
}"""
ADD_COMP = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Values { uint n; };
void main() { if (gl_GlobalInvocationID.x < n) y[gl_GlobalInvocationID.x] += x[gl_GlobalInvocationID.x]; }
"""


@reel.host_kernel(x="inout f32", factor="f32")
def scale_host(group, x, factor):
    x[group.items] *= factor


@reel.host_kernel(x="in f32", y="inout f32", n="u32")
def add_host(group, x, y, n):
    items = slice(group.items.start, min(group.items.stop, int(n)))
    y[items] += x[items]


def open_or_skip(name: str) -> reel.Device:
    try:
        return reel.open_device(name)
    except reel.Error as error:
        if os.environ.get("REEL_REQUIRE_DEVICES") == "1":
            raise
        pytest.skip(f"device is not here: {error}")


@pytest.fixture(params=["host", "opencl", "vulkan"])
def device(request: pytest.FixtureRequest) -> reel.Device:
    return open_or_skip(request.param)


@pytest.fixture
def host() -> reel.Device:
    return reel.open_device("host")


def scale_kernel(device: reel.Device) -> reel.Kernel:
    return device.kernel("scale", opencl_c=SCALE_CL, glsl=SCALE_COMP, host=scale_host, group_size=64)


def add_kernel(device: reel.Device) -> reel.Kernel:
    return device.kernel("add", opencl_c=ADD_CL, glsl=ADD_COMP, host=add_host, group_size=64)


@pytest.fixture
def scale(device: reel.Device) -> reel.Kernel:
    return scale_kernel(device)


@pytest.fixture
def add(device: reel.Device) -> reel.Kernel:
    return add_kernel(device)


def record(device: reel.Device, path: Path, contents: str = "all", factor: float = 2.0) -> str:
    """A document of five commands in two scopes: a write, two dispatches, a copy and a fill."""
    scale, add = scale_kernel(device), add_kernel(device)
    x = device.buffer(np.arange(N, dtype=np.float32), "x")
    y = device.buffer(np.ones(N, dtype=np.float32), "y")
    z = device.buffer((N,), "z", dtype=np.float32)
    stream = device.stream("main")
    reel.start_capture(path, contents=contents)
    stream.write(z, np.full(N, 7, dtype=np.float32), label="upload")
    with reel.scope("layer0"):
        stream.dispatch(scale, N // 64, reel.inout(x), factor)
        with reel.scope("sum"):
            stream.dispatch(add, N // 64, reel.inp(x), reel.inout(y), N, label="add up")
    stream.copy(z, y)
    stream.fill(x[:16], 0)
    stream.synchronize()
    return reel.stop_capture().path


@pytest.fixture
def recorded(device: reel.Device, tmp_path: Path) -> str:
    return record(device, tmp_path / "work.reel")


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program in a process of its own."""

    def run(
        program: str, *arguments: str, before: Sequence[str] = (), **variables: str
    ) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "program.py"
        path.write_text(program)
        return subprocess.run(
            [*before, sys.executable, str(path), *arguments],
            env={**os.environ, "PYTHONPATH": str(Path(reel.__file__).parent.parent), **variables},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run
