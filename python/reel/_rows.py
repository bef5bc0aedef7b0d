"""Rows of a document: what one command, kernel, buffer, ... is.

Each is a light view of its trace; attributes are read when they are asked for. Times are
nanoseconds on the host's clock. What the document doesn't tell is ``None``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _reel
from ._errors import Code, Error
from ._host_kernel import ELEMENT_TYPES
from ._table import NO_INDEX, Array

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._trace import Trace


def dtype_of_element(element: str | None) -> np.dtype[Any] | None:
    """NumPy's type for an element type of a kernel; bf16 as the 16 bits it is."""
    if element == "bf16":
        return np.dtype(np.uint16)
    found: np.dtype[Any] | None = ELEMENT_TYPES.get(element or "")
    return found


def time_text(ns: float | None) -> str:
    if ns is None:
        return "time unknown"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns < 100 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:.0f} ns"


class Row:
    __slots__ = ("_trace", "index")

    def __init__(self, trace: Trace, index: int) -> None:
        self._trace = trace
        self.index = index

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and (other._trace, other.index) == (self._trace, self.index)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((id(self._trace), type(self).__name__, self.index))


class ListedRow(Row):
    """A row of one of the short lists, which are dicts."""

    __slots__ = ("_row",)

    def __init__(self, trace: Trace, index: int, row: dict[str, Any]) -> None:
        super().__init__(trace, index)
        self._row = row


class TraceDevice(ListedRow):
    """A device that ran some of the commands."""

    __slots__ = ()

    selector = property(lambda self: self._row["selector"], doc='What open_device() took: "opencl:0".')
    backend = property(lambda self: self._row["backend"])
    name = property(lambda self: self._row["name"])
    type = property(lambda self: self._row["type"])
    driver = property(lambda self: self._row["driver"])
    driver_version = property(lambda self: self._row["driver_version"])
    api_version = property(lambda self: self._row["api_version"])
    memory_bytes = property(lambda self: self._row["memory_bytes"])
    compute_units = property(lambda self: self._row["compute_units"])
    can_stamp_time = property(lambda self: self._row["can_stamp_time"])
    clock_error_ns = property(lambda self: self._row["clock_error_ns"])

    def __repr__(self) -> str:
        return f"<device {self.selector}, {self.name}>"


class TraceStream(ListedRow):
    """A stream or queue."""

    __slots__ = ()

    @property
    def id(self) -> str:
        return f"s{self._row['id']}"

    @property
    def label(self) -> str:
        return str(self._row["label"])

    @property
    def device(self) -> TraceDevice | None:
        index = self._row["device"]
        return None if index is None else self._trace.devices[index]

    def __repr__(self) -> str:
        return f"<stream {self.id} '{self.label}'>"


class TraceNote(ListedRow):
    """What capture noted about itself: limits reached, bytes cut, work it could not see."""

    __slots__ = ()

    time_ns = property(lambda self: self._row["time_ns"])
    kind = property(lambda self: self._row["kind"])
    text = property(lambda self: self._row["text"])

    def __repr__(self) -> str:
        return f"<note {self.kind}: {self.text}>"


class TraceKernel(ListedRow):
    """A kernel, with every form of its source that was recorded."""

    __slots__ = ()

    name = property(lambda self: self._row["name"])
    entry = property(lambda self: self._row["entry"])
    built_form = property(lambda self: self._row["built_form"], doc='"opencl_c", "glsl", "spirv", "host"')
    defines = property(lambda self: dict(self._row["defines"]))
    constants = property(lambda self: dict(self._row["constants"]))
    options = property(lambda self: self._row["options"])
    group_size = property(lambda self: self._row["group_size"])
    parameters = property(lambda self: list(self._row["parameters"]))
    build_log = property(lambda self: self._row["build_log"])

    @property
    def id(self) -> str:
        return f"k{self._row['id']}"

    @property
    def device(self) -> TraceDevice | None:
        index = self._row["device"]
        return None if index is None else self._trace.devices[index]

    @property
    def sources(self) -> dict[str, str | bytes | None]:
        """By form: text, bytes (SPIR-V, a driver's binary), or None where a form has none (a host function)."""
        return {form: self._source(form) for form in self._row["variants"]}

    @property
    def source(self) -> str | bytes | None:
        """The source that was built, or the first there is."""
        if self.built_form in self._row["variants"]:
            return self._source(self.built_form)
        return next((found for found in self.sources.values() if found is not None), None)

    def _source(self, form: str) -> str | bytes | None:
        blob = self._row["variants"][form]
        found: bytes | None = None if blob is None else self._trace._data.blob(*blob)
        if found is None or form in ("spirv", "opencl_il", "opencl_binary"):
            return found
        return found.decode("utf-8", "replace")

    @property
    def commands(self) -> list[TraceCommand]:
        """Its dispatches."""
        kernels = self._trace._works["kernel"][self._trace._commands["work"]]
        return [TraceCommand(self._trace, int(index)) for index in np.flatnonzero(kernels == self.index)]

    def __repr__(self) -> str:
        return f"<kernel {self.id} '{self.name}', {self.built_form or 'of no known form'}>"


class TraceBuffer(ListedRow):
    """A buffer, and what it held at any command as far as the document tells."""

    __slots__ = ()

    size_bytes = property(lambda self: self._row["size_bytes"])
    label = property(lambda self: self._row["label"])
    kind = property(lambda self: self._row["kind"], doc='"buffer", "image" or "svm".')
    image = property(lambda self: self._row["image"], doc="An ImageShape; None of what is no image.")
    starts_undefined = property(lambda self: self._row["starts_undefined"], doc="Fresh, it held anything, not zeros.")
    allocated_ns = property(lambda self: self._row["allocated_ns"], doc="None: before the capture.")
    freed_ns = property(lambda self: self._row["freed_ns"], doc="None: not within the capture.")

    @property
    def id(self) -> str:
        return f"b{self._row['id']}"

    @property
    def device(self) -> TraceDevice | None:
        index = self._row["device"]
        return None if index is None else self._trace.devices[index]

    def at(
        self,
        command: TraceCommand | str | int | None = None,
        dtype: npt.DTypeLike = None,
        *,
        unknown: str = "error",
    ) -> Array:
        """What the buffer held after a command; without one, after the last.

        Without a type it has that of the last kernel that took it, or of a later one, else bytes. Bytes that a
        kernel may have changed since they were recorded are unknown: an error that says which,
        or with ``unknown="mask"`` a masked array.

        >>> trace["b7"].at("c12", np.float32)
        """
        if unknown not in ("error", "mask"):
            raise ValueError(f"unknown is 'error' or 'mask', not '{unknown}'.")
        after = self._trace._command_index(command)
        return self._elements(after, dtype, unknown)

    def before(self, command: TraceCommand | str | int, dtype: npt.DTypeLike = None, *, unknown: str = "error") -> Array:
        """What the buffer held just before a command."""
        if unknown not in ("error", "mask"):
            raise ValueError(f"unknown is 'error' or 'mask', not '{unknown}'.")
        return self._elements(self._trace._command_index(command) - 1, dtype, unknown)

    def _elements(self, after: int, dtype: npt.DTypeLike, unknown: str) -> Array:
        data = self._trace._data
        if dtype is None:
            last = len(self._trace.commands) - 1
            found = dtype_of_element(data.element_of(self.index, after) or data.element_of(self.index, last))
            kind = found if found is not None and self.size_bytes % found.itemsize == 0 else np.dtype(np.uint8)
        else:
            kind = np.dtype(dtype)
        if kind.hasobject or kind.itemsize == 0 or self.size_bytes % kind.itemsize:
            raise ValueError(f"{self.id} has {self.size_bytes} bytes, which are no whole number of {kind} elements.")
        value = _reel.BufferValue(data, self.index, after)
        raw, spans = value.read(0, self.size_bytes)
        array = raw.view(kind)
        if spans and unknown == "error":
            raise Error(self._unknown_sentence(after, spans), Code.UNSUPPORTED)
        if unknown == "error":
            return array
        mask = np.zeros(len(array), dtype=bool)
        for begin, end in spans:
            mask[begin // kind.itemsize : -(-end // kind.itemsize)] = True
        return np.ma.MaskedArray(array, mask=mask)  # type: ignore[no-untyped-call]

    def _unknown_sentence(self, after: int, spans: list[tuple[int, int]]) -> str:
        count = sum(end - begin for begin, end in spans)
        shown = ", ".join(f"{begin} to {end}" for begin, end in spans[:3]) + (", ..." if len(spans) > 3 else "")
        point = f"after c{after}" if after >= 0 else "at the start"
        return (
            f"{count} of {self.size_bytes} bytes of {self.id} '{self.label}' are unknown {point} ({shown}): a kernel "
            'may have written them since they were recorded. unknown="mask" gives the others; a capture with '
            'contents="all" has them all.'
        )

    def __repr__(self) -> str:
        return f"<{self.kind} {self.id} '{self.label}', {self.size_bytes} bytes>"


class TraceArgument:
    """What a command was given: a range of a buffer, a value, or shared memory."""

    __slots__ = ("_trace", "_row")

    def __init__(self, trace: Trace, row: dict[str, Any]) -> None:
        self._trace = trace
        self._row = row

    kind = property(
        lambda self: self._row["kind"], doc='"buffer", "value", "shared", "indirect", "sampler", "null", "opaque"'
    )
    name = property(lambda self: self._row["name"], doc="As the kernel calls it; empty where that isn't known.")
    offset_bytes = property(lambda self: self._row["offset_bytes"])
    size_bytes = property(lambda self: self._row["size_bytes"])

    @property
    def access(self) -> str | None:
        """Of a buffer: "in", "out" or "inout"."""
        return self._row["access"] if self.buffer is not None else None

    @property
    def buffer(self) -> TraceBuffer | None:
        index = self._row["buffer"]
        return None if index is None else self._trace.buffers[index]

    @property
    def view(self) -> TraceBuffer | None:
        """The image that is made on this range of a buffer, and is what the kernel was given."""
        index = self._row["view"]
        return None if index is None else self._trace.buffers[index]

    @property
    def value(self) -> Any:
        """A NumPy scalar of the kernel's type, an array where it is a vector, else the bytes."""
        raw: bytes | None = self._row["bytes"]
        kind = dtype_of_element(self._row["element"])
        if raw is None or kind is None or not raw or len(raw) % kind.itemsize:
            return raw
        array = np.frombuffer(raw, dtype=kind)
        return array[0] if len(array) == 1 else array

    def __repr__(self) -> str:
        name = f" '{self.name}'" if self.name else ""
        if self._row["bytes"] is not None:
            return f"<{self.kind}{name} {self.value!r}>"
        if self.buffer is None:
            return f"<{self.kind}{name}, {self.size_bytes} bytes>"
        end = self.offset_bytes + self.size_bytes
        return f"<{self.kind}{name} {self.access} {self.buffer.id}[{self.offset_bytes}:{end}]>"


class TraceContents(Row):
    """What a range of a buffer held before a command (input), by it (written) or after it (check)."""

    __slots__ = ()

    def _of(self, column: str) -> Any:
        return self._trace._contents[column][self.index]

    @property
    def role(self) -> str:
        return str(_reel.content_roles[self._of("role")])

    @property
    def buffer(self) -> TraceBuffer | None:
        index = int(self._of("buffer"))
        return None if index == NO_INDEX else self._trace.buffers[index]

    @property
    def command(self) -> TraceCommand | None:
        """None: at the very start."""
        index = int(self._of("command"))
        return None if index == NO_INDEX else TraceCommand(self._trace, index)

    @property
    def offset_bytes(self) -> int:
        return int(self._of("offset_bytes"))

    @property
    def size_bytes(self) -> int:
        return int(self._of("size_bytes"))

    @property
    def stored(self) -> bool:
        """Are the bytes there? Otherwise only their hashes."""
        return bool(self._of("stored"))

    def array(self, dtype: npt.DTypeLike = np.uint8) -> Array:
        """The bytes, as elements of a type."""
        raw = self._trace._data.contents_bytes(self.index) if self.stored else None
        if raw is None:
            why = "are damaged" if self.stored else "were recorded as hashes only"
            raise Error(f"The {self.size_bytes} bytes of {self!r} {why}.", Code.UNSUPPORTED)
        return np.frombuffer(raw, dtype=dtype)

    def __repr__(self) -> str:
        buffer = self.buffer.id if self.buffer else "no buffer"
        end = self.offset_bytes + self.size_bytes
        return f"<{self.role} {buffer}[{self.offset_bytes}:{end}]{'' if self.stored else ', as hashes'}>"


class TraceCommand(Row):
    """One command: a dispatch, copy, fill, write, read, host call, barrier or launch of a graph."""

    __slots__ = ()

    def _of(self, column: str) -> Any:
        return self._trace._commands[column][self.index]

    def _work_of(self, column: str) -> Any:
        return self._trace._works[column][self._of("work")]

    def _time(self, column: str) -> int | None:
        return int(self._of(column)) or None

    @property
    def id(self) -> str:
        return f"c{self.index}"

    @property
    def kind(self) -> str:
        return str(_reel.work_kinds[self._work_of("kind")])

    @property
    def kernel(self) -> TraceKernel | None:
        index = int(self._work_of("kernel"))
        return None if index == NO_INDEX else self._trace.kernels[index]

    @property
    def label(self) -> str:
        return str(self._trace._data.text(self._work_of("label")))

    @property
    def scope(self) -> str:
        return str(self._trace._data.text(self._work_of("scope")))

    @property
    def name(self) -> str:
        """Its label, else its kernel's name, else what it is."""
        kernel = self.kernel
        return self.label or (kernel.name if kernel else "") or self.kind

    @property
    def stream(self) -> TraceStream:
        return self._trace.streams[int(self._of("stream"))]

    @property
    def device(self) -> TraceDevice | None:
        return self.stream.device

    @property
    def groups(self) -> tuple[int, int, int]:
        x, y, z = self._work_of("groups").tolist()
        return (x, y, z)

    @property
    def group_size(self) -> tuple[int, int, int]:
        x, y, z = self._work_of("group_size").tolist()
        return (x, y, z)

    @property
    def offset(self) -> tuple[int, int, int]:
        """Of the first item's global id."""
        x, y, z = self._work_of("offset").tolist()
        return (x, y, z)

    @property
    def items(self) -> tuple[int, int, int] | None:
        """Where the last groups are not full; None: groups x group_size."""
        x, y, z = self._work_of("items").tolist()
        return (x, y, z) if x or y or z else None

    @property
    def thread(self) -> int:
        return int(self._of("thread"))

    @property
    def launch(self) -> TraceCommand | None:
        """The launch of a graph that it is a node of."""
        index = int(self._of("launch"))
        return None if index == NO_INDEX else TraceCommand(self._trace, index)

    call_begin_ns = property(lambda self: int(self._of("call_begin_ns")))
    call_end_ns = property(lambda self: int(self._of("call_end_ns")))
    queued_ns = property(lambda self: self._time("queued_ns"))
    submitted_ns = property(lambda self: self._time("submitted_ns"))
    begin_ns = property(lambda self: self._time("started_ns"), doc="When it started to run.")
    end_ns = property(lambda self: self._time("ended_ns"))

    @property
    def duration_ns(self) -> int | None:
        begin, end = self._time("started_ns"), self._time("ended_ns")
        return None if begin is None or end is None else max(end - begin, 0)

    @property
    def arguments(self) -> list[TraceArgument]:
        return [TraceArgument(self._trace, row) for row in self._trace._data.arguments(int(self._of("work")))]

    @property
    def waits_for(self) -> list[TraceCommand]:
        """Commands of other streams that are done before it runs."""
        orders = self._trace._orders
        return [TraceCommand(self._trace, int(row["after"])) for row in orders[orders["command"] == self.index]]

    @property
    def inputs(self) -> list[TraceContents]:
        """What was read from its buffers before it ran, because it needs that."""
        return self._contents("input")

    @property
    def written(self) -> list[TraceContents]:
        """What a write of the host brought."""
        return self._contents("written")

    @property
    def checks(self) -> list[TraceContents]:
        """What buffers held after it: what a replay compares."""
        return self._contents("check")

    def _contents(self, role: str) -> list[TraceContents]:
        rows = self._trace._contents
        wanted = (rows["command"] == self.index) & (rows["role"] == _reel.content_roles.index(role))
        return [TraceContents(self._trace, int(index)) for index in np.flatnonzero(wanted)]

    def __repr__(self) -> str:
        where = f" in {self.scope}" if self.scope else ""
        return f"<command {self.id} {self.kind} '{self.name}'{where}, {time_text(self.duration_ns)}>"


class TraceCall(Row):
    """A call that the program made."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self._trace._data.text(self._trace._calls["name"][self.index]))

    thread = property(lambda self: int(self._trace._calls["thread"][self.index]))
    begin_ns = property(lambda self: int(self._trace._calls["begin_ns"][self.index]))
    end_ns = property(lambda self: int(self._trace._calls["end_ns"][self.index]))

    @property
    def command(self) -> TraceCommand | None:
        """What it gave to a stream."""
        index = int(self._trace._calls["command"][self.index])
        return None if index == NO_INDEX else TraceCommand(self._trace, index)

    def __repr__(self) -> str:
        return f"<call {self.name}, {time_text(self.end_ns - self.begin_ns)}>"


class TraceRegion(Row):
    """A pass, or a span that the program named."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        return ("pass", "named")[int(self._trace._regions["kind"][self.index])]

    @property
    def name(self) -> str:
        return str(self._trace._data.text(self._trace._regions["name"][self.index]))

    number = property(lambda self: int(self._trace._regions["number"][self.index]))
    thread = property(lambda self: int(self._trace._regions["thread"][self.index]))
    begin_ns = property(lambda self: int(self._trace._regions["begin_ns"][self.index]))
    end_ns = property(lambda self: int(self._trace._regions["end_ns"][self.index]))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name or self.number}, {time_text(self.end_ns - self.begin_ns)}>"
