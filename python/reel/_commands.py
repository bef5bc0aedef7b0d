"""Commands of a document, with what they were given and what was recorded of their buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _reel
from ._errors import Code, Error
from ._row import Field, Row, dtype_of_element, time_text
from ._table import NO_INDEX, Array

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._rows import TraceBuffer, TraceDevice, TraceKernel, TraceStream
    from ._trace import Trace


class TraceArgument:
    """What a command was given: a range of a buffer, a value, or shared memory."""

    __slots__ = ("_trace", "_row")

    def __init__(self, trace: Trace, row: dict[str, Any]) -> None:
        self._trace = trace
        self._row = row

    kind: Field[str] = Field('"buffer", "value", "shared", "indirect", "sampler", "null", "opaque", "run_if", "run_unless"')
    name: Field[str] = Field("As the kernel calls it; empty where that isn't known.")
    offset_bytes: Field[int] = Field("Of a buffer: where the range begins.")
    size_bytes: Field[int] = Field("Of the range, or of the value.")

    @property
    def access(self) -> str | None:
        """Of a buffer: "in", "out" or "inout"."""
        return self._row["access"] if self.buffer is not None else None

    @property
    def buffer(self) -> TraceBuffer | None:
        """Of which the range is; None of a value."""
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
        """Why they were recorded: "input", "written" or "check"."""
        return str(_reel.content_roles[self._of("role")])

    @property
    def buffer(self) -> TraceBuffer | None:
        """Whose bytes they are."""
        index = int(self._of("buffer"))
        return None if index == NO_INDEX else self._trace.buffers[index]

    @property
    def command(self) -> TraceCommand | None:
        """None: at the very start."""
        index = int(self._of("command"))
        return None if index == NO_INDEX else TraceCommand(self._trace, index)

    @property
    def offset_bytes(self) -> int:
        """Where they begin."""
        return int(self._of("offset_bytes"))

    @property
    def size_bytes(self) -> int:
        """How many they are."""
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

    def _size(self, name: str) -> tuple[int, int, int]:
        x, y, z = (int(self._work_of(f"{name}_{axis}")) for axis in "xyz")
        return (x, y, z)

    def _time(self, column: str) -> int | None:
        return int(self._of(column)) or None

    @property
    def id(self) -> str:
        """As "c12"."""
        return f"c{self.index}"

    @property
    def kind(self) -> str:
        """As "dispatch", "copy", "fill", "write", "read", ..."""
        return str(_reel.work_kinds[self._work_of("kind")])

    @property
    def kernel(self) -> TraceKernel | None:
        """That it dispatches; None of others."""
        index = int(self._work_of("kernel"))
        return None if index == NO_INDEX else self._trace.kernels[index]

    @property
    def label(self) -> str:
        """As the program gave it."""
        return str(self._trace._data.text(self._work_of("label")))

    @property
    def scope(self) -> str:
        """As "layer0/attention"."""
        return str(self._trace._data.text(self._work_of("scope")))

    @property
    def name(self) -> str:
        """Its label, else its kernel's name, else what it is."""
        kernel = self.kernel
        return self.label or (kernel.name if kernel else "") or self.kind

    @property
    def stream(self) -> TraceStream:
        """On which it ran."""
        return self._trace.streams[int(self._of("stream"))]

    @property
    def device(self) -> TraceDevice | None:
        """On which it ran."""
        return self.stream.device

    @property
    def groups(self) -> tuple[int, int, int]:
        """Of a dispatch, in three directions."""
        return self._size("groups")

    @property
    def group_size(self) -> tuple[int, int, int]:
        """(0, 0, 0), and so are ``groups``: the driver chose; ``items`` has how many there were."""
        return self._size("group")

    @property
    def offset(self) -> tuple[int, int, int]:
        """Of the first item's global id."""
        return self._size("offset")

    @property
    def items(self) -> tuple[int, int, int] | None:
        """Where the last groups are not full; None: groups x group_size."""
        items = self._size("items")
        return items if any(items) else None

    @property
    def dimensions(self) -> int:
        """That the kernel is told of (``get_work_dim()``); 0: as many as are more than 1."""
        return int(self._work_of("dimensions"))

    @property
    def thread(self) -> int:
        """Of the host, that enqueued it."""
        return int(self._of("thread"))

    @property
    def launch(self) -> TraceCommand | None:
        """The launch of a graph that it is a node of."""
        index = int(self._of("launch"))
        return None if index == NO_INDEX else TraceCommand(self._trace, index)

    @property
    def call_begin_ns(self) -> int:
        """When the call that enqueued it began."""
        return int(self._of("call_begin_ns"))

    @property
    def call_end_ns(self) -> int:
        """When that call ended."""
        return int(self._of("call_end_ns"))

    @property
    def queued_ns(self) -> int | None:
        """When it was in the queue."""
        return self._time("queued_ns")

    @property
    def submitted_ns(self) -> int | None:
        """When the device was given it."""
        return self._time("submitted_ns")

    @property
    def started_ns(self) -> int | None:
        """When it started to run."""
        return self._time("started_ns")

    @property
    def ended_ns(self) -> int | None:
        """When the device was done."""
        return self._time("ended_ns")

    @property
    def run_ns(self) -> int | None:
        """From started to ended."""
        begin, end = self._time("started_ns"), self._time("ended_ns")
        return None if begin is None or end is None else max(end - begin, 0)

    @property
    def arguments(self) -> list[TraceArgument]:
        """What it was given: a list of TraceArgument."""
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
        return f"<command {self.id} {self.kind} '{self.name}'{where}, {time_text(self.run_ns)}>"
