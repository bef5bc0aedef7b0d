"""Rows of a document: what one device, kernel, buffer, call, ... is.

Each is a light view of its trace; attributes are read when they are asked for. Times are
nanoseconds on the host's clock. What the document doesn't tell is ``None``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _reel
from ._errors import Code, Error
from ._row import Field, ListedRow, Row, dtype_of_element, time_text
from ._table import NO_INDEX, Array

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._commands import TraceCommand
    from ._records import ImageShape, Parameter


class TraceDevice(ListedRow):
    """A device that ran some of the commands."""

    __slots__ = ()

    selector: Field[str] = Field('What open_device() took: "opencl:0".')
    backend: Field[str] = Field('"host", "opencl", "vulkan".')
    name: Field[str] = Field("As its driver calls it.")
    type: Field[str] = Field('"cpu", "discrete gpu", ...')
    driver: Field[str] = Field("Its name.")
    driver_version: Field[str] = Field("As the driver tells it.")
    api_version: Field[str] = Field('"OpenCL 3.0", ...')
    memory_bytes: Field[int] = Field("Of the device.")
    compute_units: Field[int] = Field("As its driver counts them.")
    can_stamp_time: Field[bool] = Field("Whether its commands have times.")
    clock_error_ns: Field[int | None] = Field("How wrong its times may be on the host's clock.")

    def __repr__(self) -> str:
        return f"<device {self.selector}, {self.name}>"


class TraceStream(ListedRow):
    """A stream or queue."""

    __slots__ = ()

    @property
    def id(self) -> str:
        """As "s0"."""
        return f"s{self._row['id']}"

    @property
    def label(self) -> str:
        """As the program gave it."""
        return str(self._row["label"])

    @property
    def device(self) -> TraceDevice | None:
        """That it belongs to."""
        index = self._row["device"]
        return None if index is None else self._trace.devices[index]

    def __repr__(self) -> str:
        return f"<stream {self.id} '{self.label}'>"


class TraceNote(ListedRow):
    """What capture noted about itself: limits reached, bytes cut, work it could not see."""

    __slots__ = ()

    time_ns: Field[int] = Field("When.")
    kind: Field[str] = Field("For programs.")
    text: Field[str] = Field("For people.")

    def __repr__(self) -> str:
        return f"<note {self.kind}: {self.text}>"


class TraceKernel(ListedRow):
    """A kernel, with every form of its source that was recorded."""

    __slots__ = ()

    name: Field[str] = Field("As the program gave it.")
    entry: Field[str] = Field("The function's name in the source.")
    built_form: Field[str] = Field('"opencl_c", "glsl", "spirv", "host"')
    defines: Field[dict[str, str]] = Field("Of the preprocessor.")
    constants: Field[dict[int, int]] = Field("Specialization constants, as bits.")
    options: Field[str] = Field("That it was built with.")
    group_size: Field[tuple[int, int, int] | None] = Field("Where it has one of its own.")
    parameters: Field[list[Parameter]] = Field("What it takes.")
    build_log: Field[str] = Field("What the compiler said.")
    declared_layout: Field[bool] = Field("A shader that says itself where its arguments go.")
    array_counts: Field[dict[tuple[int, int], int]] = Field(
        "Elements of arrays of descriptors without a size in the source, by set and binding."
    )
    subgroup_size: Field[int] = Field("That it requires; 0: any.")
    full_subgroups: Field[bool] = Field("Whether it requires them.")

    @property
    def id(self) -> str:
        """As "k4"."""
        return f"k{self._row['id']}"

    @property
    def device(self) -> TraceDevice | None:
        """For which it was built."""
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
        return [self._trace.commands[int(index)] for index in np.flatnonzero(kernels == self.index)]

    def __repr__(self) -> str:
        return f"<kernel {self.id} '{self.name}', {self.built_form or 'of no known form'}>"


class TraceBuffer(ListedRow):
    """A buffer, and what it held at any command as far as the document tells."""

    __slots__ = ()

    size_bytes: Field[int] = Field("Of all of it; of an image: of its pixels.")
    label: Field[str] = Field("As the program gave it.")
    kind: Field[str] = Field('"buffer", "image" or "svm".')
    image: Field[ImageShape | None] = Field("An ImageShape; None of what is no image.")
    starts_undefined: Field[bool] = Field("Fresh, it held anything, not zeros.")
    allocated_ns: Field[int | None] = Field("None: before the capture.")
    freed_ns: Field[int | None] = Field("None: not within the capture.")

    @property
    def id(self) -> str:
        """As "b7"."""
        return f"b{self._row['id']}"

    @property
    def device(self) -> TraceDevice | None:
        """That it belongs to."""
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


class TraceCall(Row):
    """A call that the program made."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """As the API has it."""
        return str(self._trace._data.text(self._trace._calls["name"][self.index]))

    @property
    def thread(self) -> int:
        """Of the host."""
        return int(self._trace._calls["thread"][self.index])

    @property
    def begin_ns(self) -> int:
        """When it began."""
        return int(self._trace._calls["begin_ns"][self.index])

    @property
    def end_ns(self) -> int:
        """When it returned."""
        return int(self._trace._calls["end_ns"][self.index])

    @property
    def command(self) -> TraceCommand | None:
        """What it gave to a stream."""
        index = int(self._trace._calls["command"][self.index])
        return None if index == NO_INDEX else self._trace.commands[index]

    def __repr__(self) -> str:
        return f"<call {self.name}, {time_text(self.end_ns - self.begin_ns)}>"


class TraceRegion(Row):
    """A pass, a span that the program named, a launch of a graph that decides, or what it decided."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """As "pass", "named", "launch"; in a launch "if", "while", "switch", "repeat", and in those "branch" or "round"."""
        kinds = ("pass", "named", "launch", "if", "while", "switch", "repeat", "branch", "round")
        return kinds[int(self._trace._regions["kind"][self.index])]

    @property
    def name(self) -> str:
        """As it was given."""
        return str(self._trace._data.text(self._trace._regions["name"][self.index]))

    @property
    def number(self) -> int:
        """Of a pass: its number; of a launch: its graph's.

        Of an "if" or "switch": its condition; of a "while": rounds that ran; of a "repeat": rounds it has; of a "branch" or
        "round": which, from 0.
        """
        return int(self._trace._regions["number"][self.index])

    @property
    def thread(self) -> int:
        """Of the host."""
        return int(self._trace._regions["thread"][self.index])

    @property
    def begin_ns(self) -> int:
        """When it began."""
        return int(self._trace._regions["begin_ns"][self.index])

    @property
    def end_ns(self) -> int:
        """When it ended."""
        return int(self._trace._regions["end_ns"][self.index])

    @property
    def parent(self) -> TraceRegion | None:
        """The innermost region of its thread that it lies in."""
        index = int(self._trace._regions["parent"][self.index])
        return None if index == NO_INDEX else self._trace.regions[index]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name or self.number}, {time_text(self.end_ns - self.begin_ns)}>"
