"""Wrong and unlucky use: an error that says so, never the end of the process."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import reel


def run(script, seconds=60):
    """A Python of its own, since what is tested here may end it."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True,
                          text=True, timeout=seconds, env=os.environ)


def test_buffers_may_go_while_another_thread_collects():
    done = run("""
        import gc, sys, threading, reel
        sys.setswitchinterval(1e-5)  # each call lets the others in: after 5 ms it would get back
        device = reel.open_device("host")
        stop = False
        def collect():
            while not stop: gc.collect()
        threads = [threading.Thread(target=collect) for _ in range(2)]
        for t in threads: t.start()
        for _ in range(20000):
            b = device.buffer(size_bytes=64)
            b.me = [b]           # a cycle, so that some are freed by a collection
            device.buffer(size_bytes=64)
        stop = True
        for t in threads: t.join()
        print("fine")
    """)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


def test_python_may_end_with_daemon_threads_inside_the_library():
    for _ in range(5):
        done = run("""
            import threading, time, reel
            device = reel.open_device("host")
            def work():
                stream = device.stream()
                x = device.buffer(size_bytes=1 << 20)
                while True:
                    stream.fill(x, 1)
                    stream.synchronize()
                    x.read()
            for _ in range(4): threading.Thread(target=work, daemon=True).start()
            time.sleep(0.2)
            print("end")
        """)
        assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_objects_without_an_init_are_refused_not_followed():
    done = run("""
        import reel
        from reel import _reel
        for name, cls in sorted(vars(_reel).items()):
            if not isinstance(cls, type) or issubclass(cls, Exception): continue
            try:
                thing = cls.__new__(cls)
            except TypeError:
                continue
            for attribute in dir(cls):
                if attribute in ("__class__", "__new__", "__init__", "__init_subclass__"): continue
                try:
                    value = getattr(thing, attribute)
                    if callable(value): value()
                except Exception:
                    pass
            del thing
        print("fine")
    """)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


def test_sizes_and_constants_of_the_wrong_kind_are_named():
    device = reel.open_device("host")
    with pytest.raises(reel.Error, match="larger than any device"):
        device.buffer(size_bytes=2**64)
    with pytest.raises(reel.Error, match="larger than"):
        device.buffer((2**40, 2**40), dtype=np.uint8)
    with pytest.raises(ValueError, match="shape"):
        device.buffer((-1, 2), dtype=np.uint8)
    with pytest.raises(TypeError, match="constant_id.*'a'"):
        device.kernel("k", glsl="x", constants={"a": 1})
    with pytest.raises(TypeError, match=r"its bits.*2\*\*64 - 1.*18446744073709551616"):
        device.kernel("k", glsl="x", constants={1: 2**64})


def test_a_host_call_that_waits_for_its_device_is_refused():
    device = reel.open_device("host")
    stream = device.stream("s")
    stream.host_call(stream.synchronize, label="waiting")
    with pytest.raises(reel.Error, match="waiting"):
        stream.synchronize()


def test_ctrl_c_ends_a_question_in_sql(tmp_path):
    path = tmp_path / "x.reel"
    device = reel.open_device("host")
    x = device.buffer(np.zeros(4, np.float32))
    reel.start_capture(str(path))
    stream = device.stream()
    stream.fill(x, 0)
    stream.synchronize()
    reel.stop_capture()
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(f"""
        import reel
        trace = reel.load({str(path)!r})
        print("begun", flush=True)
        try:
            reel.sql(trace, "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n")
        except KeyboardInterrupt:
            print("interrupted")
    """)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out) == (0, "interrupted\n"), err
