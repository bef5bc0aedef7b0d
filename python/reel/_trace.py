"""A document loaded."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Union

import numpy as np

from . import _reel
from ._commands import TraceCommand
from ._rows import TraceBuffer, TraceCall, TraceDevice, TraceKernel, TraceNote, TraceRegion, TraceStream
from ._table import NO_INDEX, Array, Row, Table, number_column, text_column

Path = Union[str, "os.PathLike[str]"]


class _ListTable(Table[Row]):
    """One of the short lists."""

    _row_type: Any
    _list: str  # as the extension calls it

    def __init__(self, trace: Trace, rows: list[dict[str, Any]]) -> None:
        super().__init__(trace, len(rows))
        self._rows = rows

    def _row(self, index: int) -> Row:
        return self._row_type(self._trace, index, self._rows[index])  # type: ignore[no-any-return]

    @cached_property
    def _by_number(self) -> dict[int, int]:
        return {row["id"]: index for index, row in enumerate(self._rows)}

    def _id_number(self, index: int) -> int:
        return int(self._rows[index]["id"])

    def _find(self, number: int) -> int | None:
        return self._by_number.get(number)

    def columns(self) -> dict[str, Array]:
        result = {}
        for name, kind, _, _ in self._trace._data.columns(self._list):
            values = [row[name] for row in self._rows]
            if name == "id" and self._letter:
                result[name] = text_column([f"{self._letter}{value}" for value in values])
            else:
                result[name] = text_column(values) if kind in ("string", "word") else number_column(values)
        return result


class DeviceTable(_ListTable[TraceDevice]):
    _row_type, _noun, _list = TraceDevice, "device", "devices"


class StreamTable(_ListTable[TraceStream]):
    _row_type, _noun, _letter, _list = TraceStream, "stream", "s", "streams"


class BufferTable(_ListTable[TraceBuffer]):
    _row_type, _noun, _letter, _list = TraceBuffer, "buffer", "b", "buffers"


class KernelTable(_ListTable[TraceKernel]):
    _row_type, _noun, _letter, _list = TraceKernel, "kernel", "k", "kernels"

    def columns(self) -> dict[str, Array]:
        """What each kernel is, and where its time went."""
        usage: dict[int, dict[str, int]] = {
            row["kernel"]: row for row in _reel.kernel_usage(self._trace._data)
        }
        names = ("count", "timed", "total_ns", "mean_ns", "min_ns", "p50_ns", "p95_ns", "max_ns", "together", "together_ns")
        return super().columns() | {name: number_column([usage[i][name] for i in range(len(self))]) for name in names}


class NoteTable(_ListTable[TraceNote]):
    _row_type, _noun, _list = TraceNote, "note", "notes"


def _shown_columns(trace: Trace, name: str, rows: Array) -> dict[str, Array]:
    """The columns of a long list as people read them: words, texts and ids in place of numbers."""
    ids = {"stream": trace.streams, "kernel": trace.kernels, "buffer": trace.buffers}

    def shown(kind: str, words: list[str], values: Array) -> Array:
        if kind == "word":
            return text_column(words)[values]
        if kind == "text":
            return trace._data.texts(np.ascontiguousarray(values))
        if kind == "index":
            return np.where(values == NO_INDEX, np.nan, values.astype(np.float64))
        if kind in ids:
            named = text_column([row.id for row in ids[kind]] + [""])  # type: ignore[attr-defined]
            values = named[np.where(values == NO_INDEX, len(named) - 1, values)]
        return values

    columns = trace._data.columns(name)
    return {column: shown(kind, words, rows[column]) for column, kind, words, _ in columns if kind != "place"}


class CommandTable(Table[TraceCommand]):
    _noun, _letter = "command", "c"

    def _row(self, index: int) -> TraceCommand:
        return TraceCommand(self._trace, index)

    def columns(self) -> dict[str, Array]:
        """One array for each column, for ``pandas.DataFrame(trace.commands.columns())``.

        Those of docs/sql.md, but for ``kernel``, which is its name (``kernel_id`` is its id), and with ``name``: the
        label, else the kernel's name, else the kind. The times of calls and the stamps of devices are views on the
        document's own rows; in those, 0 is a time that isn't known. ``run_ns`` is NaN there.
        """
        trace, rows = self._trace, self._trace._commands
        works = trace._works[rows["work"]]
        columns = _shown_columns(trace, "works", works) | _shown_columns(trace, "commands", rows)
        kernels = np.where(works["kernel"] == NO_INDEX, len(trace.kernels), works["kernel"])
        kernel = text_column([kernel.name for kernel in trace.kernels] + [""])[kernels]
        labels = columns["label"]
        known = (rows["started_ns"] != 0) & (rows["ended_ns"] != 0)
        # Stamps may run backwards on a bad clock: such a command takes no time, not 2^64 ns.
        ran = np.maximum(rows["ended_ns"].astype(np.int64) - rows["started_ns"].astype(np.int64), 0)
        devices = number_column([row["device"] for row in trace._data.streams()])
        regions = trace._data.command_regions()
        return {
            "id": np.arange(len(rows), dtype=np.uint32),
            "name": np.where(labels != "", labels, np.where(kernel != "", kernel, columns["kind"])),
            **columns,
            "kernel": kernel,
            "kernel_id": columns["kernel"],
            "device": devices[rows["stream"]],
            "bytes": trace._data.work_bytes()[rows["work"]],
            "run_ns": np.where(known, ran.astype(np.float64), np.nan),
            "own_ns": np.where(known, trace._data.own_ns().astype(np.float64), np.nan),
            "region": np.where(regions == NO_INDEX, np.nan, regions.astype(np.float64)),
        }


class CallTable(Table[TraceCall]):
    _noun = "call"

    def _row(self, index: int) -> TraceCall:
        return TraceCall(self._trace, index)

    def columns(self) -> dict[str, Array]:
        """``command`` is the number of the command that a call gave, or NaN."""
        rows = self._trace._calls
        return _shown_columns(self._trace, "calls", rows) | {"duration_ns": rows["end_ns"] - rows["begin_ns"]}


class RegionTable(Table[TraceRegion]):
    _noun = "region"

    def _row(self, index: int) -> TraceRegion:
        return TraceRegion(self._trace, index)

    def columns(self) -> dict[str, Array]:
        return _shown_columns(self._trace, "regions", self._trace._regions)


class Trace:
    """A document loaded: sorted, checked, immutable. ``reel.load(path)`` makes one.

    >>> trace = reel.load("pass.reel")
    >>> trace.commands[0], trace["c12"], trace["k4"].source
    >>> pandas.DataFrame(trace.commands.columns()).groupby("kernel").run_ns.sum()
    """

    def __init__(self, path: Path) -> None:
        self._data = _reel.TraceData.load(os.fspath(path))
        self._works: Array = self._data.table("works")

    # What only some questions need is looked at when it is first asked for.
    @cached_property
    def _commands(self) -> Array:
        return self._data.table("commands")

    @cached_property
    def _contents(self) -> Array:
        return self._data.table("contents")

    @cached_property
    def _calls(self) -> Array:
        return self._data.table("calls")

    @cached_property
    def _regions(self) -> Array:
        return self._data.table("regions")

    @cached_property
    def _orders(self) -> Array:
        return self._data.table("orders")

    @property
    def path(self) -> str:
        """It was loaded from."""
        return self._data.path

    @property
    def file_bytes(self) -> int:
        """Size of the file."""
        return self._data.file_bytes

    @property
    def is_complete(self) -> bool:
        """Closed properly, and nothing in it is damaged."""
        return self._data.is_complete

    @cached_property
    def problems(self) -> list[str]:
        """What is damaged or missing, a sentence each."""
        return self._data.problems()

    @cached_property
    def facts(self) -> dict[str, str]:
        """Device, driver, process, options: the metadata of docs/document-format.md."""
        return self._data.facts() | self._data.end_facts()

    @cached_property
    def run_facts(self) -> dict[str, str]:
        """Of the facts, those of the run: rank, ranks, job, host, commit, … and what the user added."""
        return self._data.run_facts()

    @cached_property
    def commands(self) -> CommandTable:
        """What ran, in order: TraceCommand."""
        return CommandTable(self, len(self._commands))

    @cached_property
    def kernels(self) -> KernelTable:
        """TraceKernel of each."""
        return KernelTable(self, self._data.kernels())

    @cached_property
    def buffers(self) -> BufferTable:
        """TraceBuffer of each."""
        return BufferTable(self, self._data.buffers())

    @cached_property
    def streams(self) -> StreamTable:
        """TraceStream of each."""
        return StreamTable(self, self._data.streams())

    @cached_property
    def devices(self) -> DeviceTable:
        """TraceDevice of each."""
        return DeviceTable(self, self._data.devices())

    @cached_property
    def calls(self) -> CallTable:
        """Calls of the host: TraceCall."""
        return CallTable(self, len(self._calls))

    @cached_property
    def regions(self) -> RegionTable:
        """Passes, parts that the program named, launches of graphs that decide, and what they decided: TraceRegion."""
        return RegionTable(self, len(self._regions))

    @cached_property
    def notes(self) -> NoteTable:
        """What the capture noted about itself."""
        return NoteTable(self, self._data.notes())

    def __getitem__(self, id: str) -> TraceCommand | TraceKernel | TraceBuffer | TraceStream:
        """``trace["c12"]``, ``trace["k4"]``, ``trace["b7"]``, ``trace["s0"]``."""
        if not isinstance(id, str):
            raise TypeError(f"A trace is indexed by an id such as 'c12', not by {id!r}; trace.commands[12] takes numbers.")
        tables: dict[str, Any] = {"c": self.commands, "k": self.kernels, "b": self.buffers, "s": self.streams}
        if id[:1] not in tables:
            raise KeyError(f"'{id}' is not an id: they begin with c (command), k (kernel), b (buffer) or s (stream).")
        found: TraceCommand | TraceKernel | TraceBuffer | TraceStream = tables[id[:1]][id]
        return found

    def _command_index(self, command: TraceCommand | str | int | None) -> int:
        if command is None:
            return len(self.commands) - 1
        if isinstance(command, TraceCommand):
            if command._trace is not self:
                raise ValueError(f"{command!r} is of another trace, {command._trace.path}.")
            return command.index
        return self.commands[command].index

    def __repr__(self) -> str:
        state = "" if self.is_complete else ", not complete"
        return (
            f"<reel.Trace {self.path}: {len(self.commands)} commands, {len(self.kernels)} kernels, "
            f"{len(self.buffers)} buffers{state}>"
        )


def load(path: Path) -> Trace:
    """Loads a document.

    One that was cut short or damaged loads as far as it goes: see ``trace.is_complete`` and
    ``trace.problems``. What is no document raises :class:`reel.Error`.
    """
    return Trace(path)


def to_trace(trace: Trace | Path) -> Trace:
    return trace if isinstance(trace, Trace) else load(trace)
