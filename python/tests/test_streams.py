"""Work on streams: dispatches, copies, events, functions of Python."""

import gc
import threading

import numpy as np
import pytest

import reel
from conftest import N


def test_devices_are_listed_with_a_reason_where_they_are_missing():
    found = {info.backend: info for info in reel.devices()}
    assert found["host"].is_available and found["host"].kernel_forms == ["host"]
    assert all(info.is_available or info.unavailable for info in reel.devices())


def test_an_unknown_device_is_an_error_with_a_code():
    with pytest.raises(reel.Error, match="toaster") as caught:
        reel.open_device("toaster")
    assert caught.value.code is reel.Code.NO_DEVICE
    assert isinstance(caught.value, RuntimeError)


def test_a_dispatch_does_what_its_kernel_says(device, scale, add):
    x = device.buffer(np.arange(N, dtype=np.float32), "x")
    y = device.buffer(np.ones(N, dtype=np.float32), "y")
    stream = device.stream("main")
    stream.dispatch(scale, N // 64, reel.inout(x), 3.0)
    stream.dispatch(add, (N // 64, 1, 1), reel.inp(x), reel.inout(y), np.uint32(N), label="sum")
    np.testing.assert_array_equal(stream.read_now(y), np.arange(N, dtype=np.float32) * 3 + 1)


def test_copies_fills_writes_and_reads_go_in_order(device):
    a, b = device.buffer(label="a", size_bytes=64), device.buffer(label="b", size_bytes=64)
    stream = device.stream()
    into = np.empty(16, dtype=np.uint32)
    data = np.arange(16, dtype=np.uint32)
    stream.write(a, data)
    data[:] = 0  # consumed when write returned
    stream.copy(b, a)
    stream.fill(b[:8], 255)
    stream.fill(b.range(8, 8), np.uint16(0x1234))
    stream.read(b, into)
    stream.synchronize()
    assert into[:4].tolist() == [0xFFFFFFFF, 0xFFFFFFFF, 0x12341234, 0x12341234]
    assert into[4:].tolist() == list(range(4, 16))


def test_an_array_stays_alive_until_it_was_read_into(device):
    buffer = device.buffer(np.arange(1 << 16, dtype=np.uint32))
    stream = device.stream()
    for _ in range(20):
        stream.read(buffer, np.empty(1 << 16, dtype=np.uint32))
    gc.collect()
    stream.synchronize()


def test_targets_of_reads_must_be_contiguous_and_writable(device):
    buffer, stream = device.buffer(size_bytes=16), device.stream()
    with pytest.raises(ValueError, match="isn't contiguous"):
        stream.read(buffer, np.empty(32, dtype=np.uint8)[::2])
    with pytest.raises(ValueError, match="can't be written"):
        stream.read(buffer, b"0123456789abcdef")
    with pytest.raises(TypeError, match="not into a list"):
        stream.read(buffer, [0] * 16)
    with pytest.raises(reel.Error):
        stream.read(buffer, np.empty(5, dtype=np.uint8))


def test_fills_say_what_they_take(device):
    buffer, stream = device.buffer(size_bytes=16), device.stream()
    with pytest.raises(ValueError, match="0 to 255, not 256"):
        stream.fill(buffer, 256)
    with pytest.raises(TypeError, match="1, 2 or 4 bytes, not 8"):
        stream.fill(buffer, np.float64(1))
    with pytest.raises(TypeError, match="not a float"):
        stream.fill(buffer, 1.0)


def test_numbers_take_the_type_of_the_kernel(device, scale, add):
    x, y = device.buffer(np.ones(64, dtype=np.float32)), device.buffer(np.zeros(64, dtype=np.float32))
    stream = device.stream()
    stream.dispatch(scale, 1, x, 2)  # an int becomes the float that the kernel has
    stream.dispatch(scale, 1, x, np.float32(2))
    stream.dispatch(add, 1, x, y, np.int32(64))  # the same bits as its unsigned
    assert stream.read_now(y).tolist() == [4] * 64


@pytest.mark.parametrize(
    "value, kind, words",
    [
        (np.float64(2), TypeError, "is f32, not numpy's float64"),
        (np.int32(2), TypeError, "is f32, not numpy's int32"),
        (True, TypeError, "can't be a bool"),
        (np.bool_(True), TypeError, "can't be a bool"),
        ("2", TypeError, "not a str"),
        (1e300, ValueError, "is f32, which can't hold 1e"),
        (np.zeros(100, dtype=np.float32), TypeError, "device.buffer"),
    ],
)
def test_wrong_values_are_refused_with_the_argument(device, scale, value, kind, words):
    x = device.buffer(np.ones(64, dtype=np.float32))
    with pytest.raises(kind, match=words) as caught:
        device.stream().dispatch(scale, 1, x, value)
    assert "Argument 1" in str(caught.value) and "'scale'" in str(caught.value)


def test_wrong_whole_numbers_are_refused(device, add):
    x = device.buffer(np.ones(64, dtype=np.float32))
    stream = device.stream()
    for value in (-1, 1 << 32, 1 << 70):
        with pytest.raises(ValueError, match="is u32, which can't hold"):
            stream.dispatch(add, 1, x, x, value)
    with pytest.raises(TypeError, match="would be cut off"):
        stream.dispatch(add, 1, x, x, 1.5)
    with pytest.raises(TypeError, match="is a buffer, not a ndarray"):
        stream.dispatch(add, 1, np.ones(64, dtype=np.float32), x, 64)


def test_wrong_grids_are_refused(device, scale):
    x, stream = device.buffer(np.ones(64, dtype=np.float32)), device.stream()
    for groups in ("1", 1.0, (), (1, 1, 1, 1), True):
        with pytest.raises(TypeError, match="groups is an int or up to three of them"):
            stream.dispatch(scale, groups, x, 1.0)
    for groups in (-1, 1 << 40):
        with pytest.raises(reel.Error):
            stream.dispatch(scale, groups, x, 1.0)
    with pytest.raises(ValueError):
        stream.dispatch(scale, 1 << 80, x, 1.0)


def test_a_kernel_that_does_not_build_has_the_log(device):
    if device.info.backend == "host":
        with pytest.raises(reel.Error) as caught:
            device.kernel("nothing", opencl_c="kernel void nothing() {}")
        assert caught.value.code is reel.Code.UNSUPPORTED
        return
    with pytest.raises(reel.Error, match="nonsense") as caught:
        device.kernel("bad", opencl_c="kernel void bad() { nonsense; }", glsl="#version 450\nvoid main() { nonsense; }")
    assert caught.value.code is reel.Code.BUILD_FAILED


def test_kernels_tell_of_their_parameters(scale):
    first, second = scale.parameters
    assert (first.kind, first.element) == ("buffer", "f32")
    assert (second.kind, second.element, second.size_bytes) == ("value", "f32", 4)
    assert repr(scale) == "<reel.Kernel 'scale'>"


def test_events_order_streams(device, scale):
    x = device.buffer(np.ones(N, dtype=np.float32))
    first, second, event = device.stream("first"), device.stream("second"), device.event("ready")
    first.dispatch(scale, N // 64, x, 2.0)
    first.record(event)
    second.wait(event)
    second.dispatch(scale, N // 64, x, 5.0)
    assert second.read_now(x)[0] == 10
    event.synchronize()
    assert event.done()


def test_a_python_function_runs_between_commands(device, scale):
    seen = []
    x = device.buffer(np.ones(64, dtype=np.float32))
    stream = device.stream()
    stream.dispatch(scale, 1, x, 2.0)
    stream.host_call(lambda: seen.append(threading.get_ident()), label="look")
    stream.dispatch(scale, 1, x, 2.0)
    stream.synchronize()
    assert len(seen) == 1 and x.read()[0] == 4


def test_what_a_function_raises_comes_out_of_the_wait(device):
    def fail():
        raise KeyError("lost")

    stream = device.stream()
    stream.host_call(fail, label="broken")
    with pytest.raises(reel.Error, match="broken.*KeyError: 'lost'") as caught:
        stream.synchronize()
    assert caught.value.code is reel.Code.HOST_CALL_FAILED


def test_what_a_host_kernel_raises_comes_out_of_the_wait(host):
    @reel.host_kernel(x="in f32")
    def broken(group, x):
        x[0] = 1  # it said it only reads

    kernel = host.kernel("broken", host=broken, group_size=1)
    stream = host.stream()
    with pytest.raises(reel.Error, match="'broken', a Python function, raised ValueError"):
        stream.dispatch(kernel, 1, host.buffer(size_bytes=4))
        stream.synchronize()


def test_host_kernels_are_declared_as_they_are():
    with pytest.raises(TypeError, match=r"takes a group and then \(x\), but @host_kernel tells of \(y\)"):
        reel.host_kernel(y="in f32")(lambda group, x: None)
    with pytest.raises(ValueError, match="not 'in float'"):
        reel.host_kernel(x="in float")(lambda group, x: None)
    with pytest.raises(TypeError, match="@reel.host_kernel"):
        reel.open_device("host").kernel("plain", host=lambda group: None)


def test_more_host_kernels_than_there_are_places_for_at_once(host):
    def make(value):
        @reel.host_kernel(x="out u32")
        def put(group, x):
            x[0] = value

        return put

    stream = host.stream()
    for number in range(600):
        x = host.buffer(size_bytes=4)
        stream.dispatch(host.kernel("put", host=make(number), group_size=1), 1, reel.out(x))
        stream.synchronize()
        assert x.read(np.uint32)[0] == number


def test_a_graph_keeps_the_function_of_its_host_kernel(host):
    def make(value):
        @reel.host_kernel(x="out u32")
        def put(group, x):
            x[0] = value

        return host.kernel("put", host=put, group_size=1)

    x = host.buffer(np.zeros(1, np.uint32))
    graph = reel.Graph()
    graph.add_dispatch(make(7), 1, x)
    for value in range(300):  # each takes a place that the graph's must not be
        make(value)
        gc.collect(0)
    stream = host.stream()
    graph.instantiate(host).launch(stream)
    stream.synchronize()
    assert x.read()[0] == 7


def test_equal_devices_have_one_hash(host):
    other = reel.open_device("host")
    assert hash(host) == hash(host.stream().device)
    assert len({host, host.stream().device, other}) == 2


def test_shared_memory_of_a_host_kernel(host):
    @reel.host_kernel(x="in f32", y="out f32", tile="shared f32")
    def reverse(group, x, y, tile):
        tile[:] = x[group.items]
        y[group.items] = tile[::-1]

    kernel = host.kernel("reverse", host=reverse, group_size=4)
    x = host.buffer(np.arange(8, dtype=np.float32))
    y = host.buffer((8,), dtype=np.float32)
    stream = host.stream()
    stream.dispatch(kernel, 2, reel.inp(x), reel.out(y), reel.shared(16))
    assert stream.read_now(y).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_threads_share_a_device(device, scale):
    errors = []

    def work(number):
        try:
            stream = device.stream(f"thread {number}")
            x = device.buffer(np.full(N, number, dtype=np.float32))
            for _ in range(20):
                stream.dispatch(scale, N // 64, x, 2.0)
                stream.dispatch(scale, N // 64, x, 0.5)
            assert (stream.read_now(x) == number).all()
        except BaseException as error:  # noqa: BLE001 - told by the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert not errors


def test_waiting_lets_other_threads_run(device):
    """A wait that held the GIL would keep the function that it waits for from running."""
    entered = threading.Event()
    stream = device.stream()
    stream.host_call(lambda: entered.wait(30), label="waits for Python")
    timer = threading.Timer(0.05, entered.set)
    timer.start()
    stream.synchronize()
    assert entered.is_set()


def test_a_program_may_end_with_work_in_flight(run_python):
    result = run_python(
        """
import time, reel
stream = reel.open_device("host").stream()
stream.host_call(lambda: time.sleep(0.3))
stream.host_call(lambda: print("never", flush=True))
print("done", flush=True)
"""
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("done")


def test_a_launch_by_items_runs_so_many(device, add):
    x, y = (device.buffer(np.ones(N, dtype=np.float32), label) for label in "xy")
    stream = device.stream()
    stream.dispatch(add, None, reel.inp(x), reel.inout(y), 100, items=100, guarded=True)
    assert stream.read_now(y).tolist() == [2] * 100 + [1] * (N - 100)
    for wrong in ({"groups": None}, {"groups": 1, "items": 64}):
        with pytest.raises(TypeError, match="A launch is given groups, or None and items="):
            stream.dispatch(add, wrong.pop("groups"), reel.inp(x), reel.inout(y), 100, **wrong)


def test_the_last_group_of_a_host_kernel_has_what_is_left(host):
    seen = []

    @reel.host_kernel(x="inout u32")
    def note(group, x):
        x[group.items] += 1
        seen.append((group.id[0], group.first[0], group.size[0]))

    x = host.buffer((200,), dtype=np.uint32)
    stream = host.stream()
    stream.dispatch(host.kernel("note", host=note), None, reel.inout(x), items=150, group_size=64, offset=10)
    assert stream.read_now(x).tolist() == [0] * 10 + [1] * 150 + [0] * 40
    assert sorted(seen) == [(0, 10, 64), (1, 74, 64), (2, 138, 22)]


def test_fills_take_the_same_values_everywhere(device):
    x, stream, one = device.buffer((4,), dtype=np.float32), device.stream(), np.float32(1)
    graph = reel.Graph()
    graph.add_fill(x, one)
    for session in (reel.GraphExecutor(device).begin(), reel.GraphExecutor(device).begin_recorded()):
        stream.fill(x, 0)
        stream.synchronize()
        session.fill(x, one)
        session.finish()
        assert x.read().tolist() == [1] * 4
    stream.fill(x, 0)
    graph.instantiate(device).launch(stream)
    assert stream.read_now(x).tolist() == [1] * 4
    with pytest.raises(ValueError, match="one byte, 0 to 255, not 256"):
        graph.add_fill(x, 256)


def test_rows_are_copied_a_pitch_apart(device):
    x, stream = device.buffer(np.arange(16, dtype=np.uint8)), device.stream()
    y = device.buffer(size_bytes=16)
    stream.copy_2d(y, x, width_bytes=2, rows=4, target_pitch_bytes=4, source_pitch_bytes=3)
    assert stream.read_now(y).reshape(4, 4).tolist() == [[3 * i, 3 * i + 1, 0, 0] for i in range(4)]


def test_elapsed_time_is_that_between_two_events(device):
    stream, begin, end = device.stream(priority="high"), device.event("begin"), device.event("end")
    assert reel.elapsed_ns(begin, end) is None
    x = device.buffer(size_bytes=1 << 20)
    stream.record(begin)
    stream.fill(x, 1)
    stream.record(end)
    stream.synchronize()
    assert (reel.elapsed_ns(begin, end) is not None) == device.info.can_stamp_time
    with pytest.raises(ValueError, match="'low', 'normal' or 'high', not 'urgent'"):
        device.stream(priority="urgent")


def test_a_program_has_several_kernels(device):
    from conftest import ADD_CL, ADD_COMP, SCALE_CL, SCALE_COMP, add_host, scale_host

    program = device.program(opencl_c=SCALE_CL + ADD_CL, group_size=64)
    scale = program.kernel("scale", glsl=SCALE_COMP, host=scale_host)
    add = program.kernel("add", "sum", glsl=ADD_COMP, host=add_host)
    assert (scale.name, add.name) == ("scale", "sum")
    x, y = (device.buffer(np.ones(N, dtype=np.float32), label) for label in "xy")
    stream = device.stream()
    stream.dispatch(scale, N // 64, reel.inout(x), 3.0)
    stream.dispatch(add, N // 64, reel.inp(x), reel.inout(y), N)
    assert stream.read_now(y).tolist() == [4] * N
