"""Captures: which work goes into a document.

Two worlds. Where Reel's OpenCL layer is in the process (the program runs under ``reel capture``,
or ``OPENCL_LAYERS`` names it), captures are the layer's: it sees every OpenCL call, PyOpenCL's
among them. Elsewhere they are the library's own, which sees the work of this package's devices.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Union

from . import _reel
from ._errors import CaptureWarning, Code, Error
from ._records import CaptureReport
from ._trace import Path, load

CONTENTS = ("none", "hashes", "inputs", "all")

# The document of the capture under way in the layer, as it was asked for.
_layer_path: str | None = None
_lock = threading.Lock()


def _command_line() -> str:
    return " ".join(["python3", *(sys.argv if sys.argv and sys.argv[0] not in ("", "-c") else ["program.py"])])


def _limit_bytes(limit: int | str | None) -> int:
    """An int of bytes, or "500M", "2Gi" as REEL_CAPTURE_LIMIT has it."""
    if limit is None:
        return 0
    if isinstance(limit, int):
        if limit <= 0:
            raise ValueError(f"limit is a number of bytes above 0, or None for no limit, not {limit}.")
        return limit
    found = re.fullmatch(r"(\d+)\s*([kKMGT]?)(i?)B?", limit) if isinstance(limit, str) else None
    if not found:
        raise ValueError(f"limit is a number of bytes, or text such as '500M' or '2Gi', not {limit!r}.")
    size: int = (1024 if found[3] else 1000) ** " KMGT".index(found[2].upper() or " ")
    return int(found[1]) * size


def _options_of_layer(contents: str, limit_bytes: int) -> dict[str, str]:
    """What was asked for beyond the defaults, as the layer's variables have it."""
    options = {}
    if contents != "inputs":
        options["REEL_CAPTURE_CONTENTS"] = contents
    if limit_bytes:
        options["REEL_CAPTURE_LIMIT"] = str(limit_bytes)
    return options


def _prepare_layer(contents: str, limit_bytes: int, stacklevel: int) -> None:
    """The layer reads its options once, at the first call of OpenCL: they can be set before that,
    and later only be compared with."""
    options = _options_of_layer(contents, limit_bytes)
    if not _reel.layer.is_awake():
        if "reel_layer" in os.environ.get("OPENCL_LAYERS", ""):
            os.environ.update(options)
        return
    for name, value in options.items():
        if os.environ.get(name) != value:
            flag = {"REEL_CAPTURE_CONTENTS": "--contents", "REEL_CAPTURE_LIMIT": "--limit"}[name]
            warnings.warn(
                f"Reel's OpenCL layer took its options when OpenCL was first called, so {value} comes too late. "
                f"Run: reel capture {flag} {value} --trigger -- {_command_line()}",
                CaptureWarning,
                stacklevel=stacklevel + 1,
            )


def _start_in_layer(path: str, overwrite: bool) -> None:
    global _layer_path
    with _lock:
        if overwrite and not _reel.layer.is_capturing() and os.path.isfile(path):
            os.remove(path)
        _reel.layer.start(path)
        _layer_path = path


def _warn_of_pyopencl(stacklevel: int) -> None:
    warnings.warn(
        "PyOpenCL is loaded, but Reel's OpenCL layer is not in this process, so this capture sees only work of "
        f"reel's own devices. To capture PyOpenCL's, run: reel capture --trigger -- {_command_line()}",
        CaptureWarning,
        stacklevel=stacklevel + 1,
    )


def start_capture(
    path: Path,
    contents: str = "inputs",
    limit: Union[int, str, None] = None,
    overwrite: bool = False,
) -> None:
    """Records GPU work into a document from now on, until :func:`stop_capture`.

    ``contents`` says which bytes of buffers are kept: ``"none"``, ``"hashes"``, ``"inputs"`` (what
    a replay needs) or ``"all"`` (results of every command too). From ``limit`` bytes on (an int, or
    ``"500M"``) contents become hashes. In the path, ``%p`` is the process and ``%n`` the number of
    the capture.
    """
    _start(path, contents, limit, overwrite, stacklevel=3)


def _start(path: Path, contents: str, limit: Union[int, str, None], overwrite: bool, stacklevel: int) -> None:
    if contents not in CONTENTS:
        raise ValueError(f"contents is one of {', '.join(map(repr, CONTENTS))}, not {contents!r}.")
    limit_bytes = _limit_bytes(limit)
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"The path of a document is text, not {type(name).__name__}.")
    _prepare_layer(contents, limit_bytes, stacklevel=stacklevel)
    if _reel.layer.is_loaded():
        _start_in_layer(name, overwrite)
        return
    if "pyopencl" in sys.modules:
        _warn_of_pyopencl(stacklevel=stacklevel)
    _reel.library.start(name, contents, limit_bytes, overwrite, "")


def _layer_report(path: str) -> CaptureReport:
    expanded = path.replace("%p", str(os.getpid()))
    if not os.path.exists(expanded):  # %n, %r: which document it was isn't told
        return CaptureReport(path, 0, 0, None, "")
    trace = load(expanded)
    lost = " ".join(trace.problems)
    return CaptureReport(expanded, len(trace.commands), trace.file_bytes, None, lost)


def _stop_in_layer() -> str:
    global _layer_path
    with _lock:
        path, _layer_path = _layer_path, None
    _reel.layer.stop()
    return path if path is not None else os.environ.get("REEL_CAPTURE", "")


def stop_capture() -> CaptureReport:
    """Ends the capture, waits for what it holds, and says what was written."""
    if _reel.layer.is_loaded():
        return _layer_report(_stop_in_layer())
    return _report_of(_reel.library.stop(), stacklevel=3)


def _report_of(row: dict[str, Any], stacklevel: int) -> CaptureReport:
    report = CaptureReport(**row)
    if report.commands == 0 and "pyopencl" in sys.modules:
        _warn_of_pyopencl(stacklevel=stacklevel)
    return report


class EndingCapture:
    """A capture that has ended, and whose document may still be written while the program goes on.

    The document is finished when :meth:`report` has returned, and when the program ends at the
    latest, whether anybody holds this or not.
    """

    def __init__(self, ending: _reel._Ending | None, path: str) -> None:
        self._ending, self._path = ending, path

    def report(self) -> CaptureReport:
        """Waits for the document, and says what was written, as :func:`stop_capture` does."""
        return _report_of(self._ending.report(), stacklevel=3) if self._ending else _layer_report(self._path)

    @property
    def is_finished(self) -> bool:
        """Would :meth:`report` return at once?"""
        return self._ending is None or self._ending.is_finished()


def stop_capture_async() -> EndingCapture:
    """Ends the capture without waiting for its document.

    The work has been waited for, and what the document needs of its buffers has been read, so the
    program may go on and change them. The layer's captures wait for their documents all the same.
    """
    if _reel.layer.is_loaded():
        return EndingCapture(None, _stop_in_layer())
    return EndingCapture(_reel.library.stop_async(), "")


def is_capturing() -> bool:
    """Is a capture under way?"""
    return _reel.layer.is_capturing() if _reel.layer.is_loaded() else _reel.library.is_capturing()


class CaptureBlock:
    """A capture of a block; ``report`` says what was written, once the block is over."""

    report: CaptureReport | None = None  # what was written; None until the block has ended


@contextmanager
def capture(
    path: Path,
    contents: str = "inputs",
    limit: Union[int, str, None] = None,
    overwrite: bool = False,
) -> Iterator[CaptureBlock]:
    """A capture of what the block does; the document is finished when an exception leaves it, too.

    >>> with reel.capture("step.reel") as capture:
    ...     train_step()
    >>> capture.report.commands
    """
    _start(path, contents, limit, overwrite, stacklevel=4)  # past contextlib, to the with
    block = CaptureBlock()
    try:
        yield block
    except BaseException:
        # The program's own exception is what matters; one of the capture is told beside it.
        try:
            block.report = stop_capture()
        except Error as error:
            warnings.warn(f"The capture could not be finished: {error}", CaptureWarning, stacklevel=3)
        raise
    block.report = stop_capture()


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Commands that this thread gives in the block carry the name; scopes nest.

    >>> with reel.scope("layer0"), reel.scope("attention"):
    ...     stream.dispatch(...)          # in layer0/attention
    """
    if not isinstance(name, str) or not name:
        raise ValueError(f"A scope has a name, not {name!r}.")
    in_layer = _reel.layer.is_loaded()
    _reel.push_scope(name)
    if in_layer:
        _reel.layer.push_scope(name)
    try:
        yield
    finally:
        if in_layer:
            _reel.layer.pop_scope()
        _reel.pop_scope()


def label(object: Any, name: str) -> None:
    """Names an object of PyOpenCL in documents: a buffer, kernel, queue or program.

    Does nothing where Reel's OpenCL layer isn't in the process, so it may stay in a program.
    """
    if not isinstance(name, str):
        raise TypeError(f"A label is text, not {type(name).__name__}.")
    if isinstance(object, (_reel.Buffer, _reel.Kernel, _reel.Stream, _reel.Event)):
        raise TypeError("Objects of reel get their label when they are made: device.buffer(array, 'x').")
    pointer = getattr(object, "int_ptr", None)
    if pointer is None:
        raise TypeError(f"Objects of PyOpenCL can be labelled, which have an int_ptr; {type(object).__name__} has none.")
    if _reel.layer.is_loaded():
        _reel.layer.label(pointer, name)


def trigger() -> None:
    """Does what ``reel trigger`` does from outside: starts the capture that a program run by
    ``reel capture --trigger`` waits for, or ends it."""
    if not _reel.layer.is_loaded():
        raise Error(
            "trigger() asks Reel's OpenCL layer, which isn't in this process; run the program by: "
            f"reel capture --trigger -- {_command_line()}",
            Code.UNSUPPORTED,
        )
    _reel.layer.trigger()
