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

    def _texts(self, name: str) -> Array:
        return text_column([row[name] for row in self._rows])

    def _numbers(self, name: str) -> Array:
        return number_column([row[name] for row in self._rows])

    def _ids(self) -> Array:
        return text_column([f"{self._letter}{row['id']}" for row in self._rows])


class DeviceTable(_ListTable[TraceDevice]):
    _row_type, _noun = TraceDevice, "device"

    def columns(self) -> dict[str, Array]:
        texts = ("selector", "backend", "name", "type", "driver", "driver_version", "api_version")
        numbers = ("memory_bytes", "compute_units", "clock_error_ns")
        return {name: self._texts(name) for name in texts} | {name: self._numbers(name) for name in numbers}


class StreamTable(_ListTable[TraceStream]):
    _row_type, _noun, _letter = TraceStream, "stream", "s"

    def columns(self) -> dict[str, Array]:
        return {"id": self._ids(), "label": self._texts("label"), "device": self._numbers("device")}


class BufferTable(_ListTable[TraceBuffer]):
    _row_type, _noun, _letter = TraceBuffer, "buffer", "b"

    def columns(self) -> dict[str, Array]:
        return {"id": self._ids(), "label": self._texts("label")} | {
            name: self._numbers(name) for name in ("size_bytes", "device", "allocated_ns", "freed_ns")
        }


class KernelTable(_ListTable[TraceKernel]):
    _row_type, _noun, _letter = TraceKernel, "kernel", "k"

    def columns(self) -> dict[str, Array]:
        """What each kernel is, and where its time went."""
        usage: dict[int, dict[str, int]] = {
            row["kernel"]: row for row in _reel.kernel_usage(self._trace._data)
        }
        names = ("count", "timed", "total_ns", "mean_ns", "least_ns", "p50_ns", "p95_ns", "most_ns")
        return {
            "id": self._ids(),
            "name": self._texts("name"),
            "form": self._texts("built_form"),
            "device": self._numbers("device"),
        } | {name: number_column([usage[i][name] for i in range(len(self))]) for name in names}


class NoteTable(_ListTable[TraceNote]):
    _row_type, _noun = TraceNote, "note"

    def columns(self) -> dict[str, Array]:
        return {"time_ns": self._numbers("time_ns"), "kind": self._texts("kind"), "text": self._texts("text")}


class CommandTable(Table[TraceCommand]):
    _noun, _letter = "command", "c"

    def _row(self, index: int) -> TraceCommand:
        return TraceCommand(self._trace, index)

    def columns(self) -> dict[str, Array]:
        """One array for each column, for ``pandas.DataFrame(trace.commands.columns())``.

        The times of calls and the stamps of devices are views on the document's own rows; in
        those, 0 is a time that isn't known. ``duration_ns`` is NaN there.
        """
        trace, rows = self._trace, self._trace._commands
        works = trace._works[rows["work"]]
        kernel_names = text_column([kernel.name for kernel in trace.kernels] + [""])
        kernel_ids = text_column([kernel.id for kernel in trace.kernels] + [""])
        kernels = np.where(works["kernel"] == NO_INDEX, len(trace.kernels), works["kernel"])
        kinds = text_column(list(_reel.work_kinds))[works["kind"]]
        labels = trace._data.texts(np.ascontiguousarray(works["label"]))
        kernel = kernel_names[kernels]
        known = (rows["started_ns"] != 0) & (rows["ended_ns"] != 0)
        # Stamps may run backwards on a bad clock: such a command takes no time, not 2^64 ns.
        ran = np.maximum(rows["ended_ns"].astype(np.int64) - rows["started_ns"].astype(np.int64), 0)
        return {
            "id": np.arange(len(rows), dtype=np.uint32),
            "name": np.where(labels != "", labels, np.where(kernel != "", kernel, kinds)),
            "kind": kinds,
            "kernel": kernel,
            "kernel_id": kernel_ids[kernels],
            "label": labels,
            "scope": trace._data.texts(np.ascontiguousarray(works["scope"])),
            "stream": text_column([stream.id for stream in trace.streams])[rows["stream"]],
            "groups_x": works["groups"][:, 0],
            "groups_y": works["groups"][:, 1],
            "groups_z": works["groups"][:, 2],
            "group_size_x": works["group_size"][:, 0],
            "group_size_y": works["group_size"][:, 1],
            "group_size_z": works["group_size"][:, 2],
            "thread": rows["thread"],
            "call_begin_ns": rows["call_begin_ns"],
            "call_end_ns": rows["call_end_ns"],
            "queued_ns": rows["queued_ns"],
            "submitted_ns": rows["submitted_ns"],
            "begin_ns": rows["started_ns"],
            "end_ns": rows["ended_ns"],
            "duration_ns": np.where(known, ran.astype(np.float64), np.nan),
        }


class CallTable(Table[TraceCall]):
    _noun = "call"

    def _row(self, index: int) -> TraceCall:
        return TraceCall(self._trace, index)

    def columns(self) -> dict[str, Array]:
        """``command`` is the number of the command that a call gave, or NaN."""
        rows = self._trace._calls
        command = np.where(rows["command"] == NO_INDEX, np.nan, rows["command"].astype(np.float64))
        return {
            "name": self._trace._data.texts(np.ascontiguousarray(rows["name"])),
            "thread": rows["thread"],
            "begin_ns": rows["begin_ns"],
            "end_ns": rows["end_ns"],
            "duration_ns": rows["end_ns"] - rows["begin_ns"],
            "command": command,
        }


class RegionTable(Table[TraceRegion]):
    _noun = "region"

    def _row(self, index: int) -> TraceRegion:
        return TraceRegion(self._trace, index)

    def columns(self) -> dict[str, Array]:
        rows = self._trace._regions
        return {
            "kind": text_column(["pass", "named"])[rows["kind"]],
            "number": rows["number"],
            "name": self._trace._data.texts(np.ascontiguousarray(rows["name"])),
            "thread": rows["thread"],
            "begin_ns": rows["begin_ns"],
            "end_ns": rows["end_ns"],
        }


class Trace:
    """A document loaded: sorted, checked, immutable. ``reel.load(path)`` makes one.

    >>> trace = reel.load("pass.reel")
    >>> trace.commands[0], trace["c12"], trace["k4"].source
    >>> pandas.DataFrame(trace.commands.columns()).groupby("kernel").duration_ns.sum()
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
        return self._data.path

    @property
    def file_bytes(self) -> int:
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
    def commands(self) -> CommandTable:
        return CommandTable(self, len(self._commands))

    @cached_property
    def kernels(self) -> KernelTable:
        return KernelTable(self, self._data.kernels())

    @cached_property
    def buffers(self) -> BufferTable:
        return BufferTable(self, self._data.buffers())

    @cached_property
    def streams(self) -> StreamTable:
        return StreamTable(self, self._data.streams())

    @cached_property
    def devices(self) -> DeviceTable:
        return DeviceTable(self, self._data.devices())

    @cached_property
    def calls(self) -> CallTable:
        return CallTable(self, len(self._calls))

    @cached_property
    def regions(self) -> RegionTable:
        return RegionTable(self, len(self._regions))

    @cached_property
    def notes(self) -> NoteTable:
        return NoteTable(self, self._data.notes())

    def __getitem__(self, id: str) -> TraceCommand | TraceKernel | TraceBuffer | TraceStream:
        """``trace["c12"]``, ``trace["k4"]``, ``trace["b7"]``, ``trace["s0"]``."""
        if not isinstance(id, str):
            raise TypeError(f"A trace is indexed by an id such as 'c12', not by {id!r}; trace.commands[12] takes numbers.")
        tables: dict[str, Any] = {"c": self.commands, "k": self.kernels, "b": self.buffers, "s": self.streams}
        if id[:1] not in tables:
            raise KeyError(f"'{id}' is no id: they begin with c (command), k (kernel), b (buffer) or s (stream).")
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
