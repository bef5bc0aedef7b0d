"""Documents run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from . import _reel
from ._commands import TraceCommand
from ._errors import Code, Error
from ._records import ExtractReport
from ._row import time_text
from ._rows import TraceBuffer, TraceKernel
from ._trace import Path, Trace, to_trace

ORDERS = ("recorded", "sequential", "relaxed")


@dataclass(frozen=True)
class Spread:
    """Times of the measured runs."""

    runs: int
    min_ns: float
    median_ns: float
    p95_ns: float
    max_ns: float
    noise: float  # half the interquartile range, as a part of the median


@dataclass(frozen=True)
class KernelTime:
    """One kernel: all of its commands together."""

    kernel: TraceKernel
    commands: int
    recorded_ns: int | None
    replayed: Spread
    original: Spread | None  # of a replaced kernel: what it took before

    def __repr__(self) -> str:
        return f"<{self.kernel.id} '{self.kernel.name}', {time_text(self.replayed.median_ns)}>"


@dataclass(frozen=True)
class CommandTime:
    command: TraceCommand
    recorded_ns: int | None
    replayed: Spread


@dataclass(frozen=True)
class Mismatch:
    """Bytes that are not what was recorded, and who wrote them."""

    command: TraceCommand | None  # the last that wrote them
    check: TraceCommand | None  # after which they were recorded
    buffer: TraceBuffer | None
    offset_bytes: int
    type: str | None
    expected: str  # empty: recorded as a hash
    found: str
    elements: int  # how many of this check differ; 0: not known

    def __repr__(self) -> str:
        who = self.command.id if self.command else "no recorded command"
        where = self.buffer.id if self.buffer else "a buffer"
        return f"<mismatch by {who} in {where} at byte {self.offset_bytes}: {self.expected or 'a hash'} became {self.found}>"


@dataclass(frozen=True)
class FirstNan:
    command: TraceCommand | None
    buffer: TraceBuffer | None
    offset_bytes: int
    value: str
    was_read: bool


@dataclass(frozen=True)
class ReplayResult:
    """What :func:`reel.replay` found."""

    verdict: str  # "equal", "within tolerance", "different", "not proved"
    device: str
    recorded_device: str
    commands: int
    skipped: int
    left_out: list[tuple[TraceCommand | None, str]]  # could not be run here, and why
    checks: int
    equal_checks: int
    mismatches: list[Mismatch]
    unchecked: list[dict[str, Any]]  # reason, checks, bytes
    buffers: list[dict[str, Any]]
    races: list[dict[str, Any]]
    possible_races: list[dict[str, Any]]  # nobody knows whether the same bytes
    culprit: TraceCommand | None
    culprit_reason: str
    first_nan: FirstNan | None
    remarks: list[str]
    warnings: list[str]
    incomplete: list[str]  # what of the document is missing; then nothing is proved
    runs: int
    recorded_span_ns: int | None
    recorded_together_ns: int  # of commands that were only timed together, which no CommandTime has
    span: Spread
    kernels: list[KernelTime]  # the longest first
    command_times: list[CommandTime]

    @property
    def verified(self) -> bool:
        """Every byte that was written is what was recorded, to the bit or within the tolerance."""
        return self.verdict in ("equal", "within tolerance")

    def __repr__(self) -> str:
        return (
            f"<reel.ReplayResult {self.verdict} on {self.device}: {self.commands} commands, "
            f"{self.equal_checks} of {self.checks} checks equal>"
        )


def _spread(row: Mapping[str, Any]) -> Spread:
    return Spread(*(row[name] for name in ("runs", "min_ns", "median_ns", "p95_ns", "max_ns", "noise")))


class _Rows:
    """Indices of a report as rows of its trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def command(self, index: int | None) -> TraceCommand | None:
        return None if index is None else self.trace.commands[index]

    def buffer(self, index: int | None) -> TraceBuffer | None:
        return None if index is None else self.trace.buffers[index]

    def result(self, row: dict[str, Any]) -> ReplayResult:
        nan = row["first_nan"]
        return ReplayResult(
            verdict=row["verdict"].replace("_", " "),
            device=row["device"],
            recorded_device=row["recorded_device"],
            commands=row["commands"],
            skipped=row["skipped"],
            left_out=[(self.command(index), reason) for index, reason in row["left_out"]],
            checks=row["checks"],
            equal_checks=row["equal_checks"],
            mismatches=[self.mismatch(one) for one in row["differences"]],
            unchecked=row["unchecked"],
            buffers=[one | {"buffer": self.buffer(one["buffer"])} for one in row["buffers"]],
            races=[self.race(one) for one in row["races"]],
            possible_races=[self.race(one) for one in row["possible_races"]],
            culprit=self.command(row["culprit"]),
            culprit_reason=row["culprit_reason"],
            first_nan=None if nan is None else self.nan(nan),
            remarks=row["remarks"],
            warnings=row["warnings"],
            incomplete=row["incomplete"],
            runs=row["runs"],
            recorded_span_ns=row["recorded_span_ns"],
            recorded_together_ns=row["recorded_together_ns"],
            span=_spread(row["span"]),
            kernels=[self.kernel_time(one) for one in row["kernel_times"] if one["kernel"] is not None],
            command_times=[
                CommandTime(self.trace.commands[one["command"]], one["recorded_ns"], _spread(one))
                for one in row["command_times"]
            ],
        )

    def mismatch(self, row: dict[str, Any]) -> Mismatch:
        return Mismatch(
            self.command(row["command"]),
            self.command(row["check"]),
            self.buffer(row["buffer"]),
            row["offset_bytes"],
            row["type"],
            row["expected"],
            row["found"],
            row["elements"],
        )

    def race(self, row: dict[str, Any]) -> dict[str, Any]:
        return row | {
            "first": self.command(row["first"]),
            "second": self.command(row["second"]),
            "buffer": self.buffer(row["buffer"]),
        }

    def nan(self, row: dict[str, Any]) -> FirstNan:
        return FirstNan(
            self.command(row["command"]), self.buffer(row["buffer"]), row["offset_bytes"], row["value"], row["was_read"]
        )

    def kernel_time(self, row: dict[str, Any]) -> KernelTime:
        original = row["original"]
        return KernelTime(
            self.trace.kernels[row["kernel"]],
            row["commands"],
            row["recorded_ns"],
            _spread(row),
            None if original is None else _spread(original),
        )


def _device(device: _reel.Device | str | None) -> _reel.Device | None:
    return _reel.open_device(device) if isinstance(device, str) else device


def replay(
    trace: Union[Trace, Path],
    device: _reel.Device | str | None = None,
    repeat: int = 1,
    *,
    order: str = "recorded",
    first: TraceCommand | str | int = 0,
    last: TraceCommand | str | int | None = None,
    tolerance: float | None = None,
    find_culprit: bool = False,
    find_nan: bool = False,
    time_limit_s: int = 0,
    replacements: Mapping[str, tuple[str, str]] | None = None,
    without: Sequence[TraceCommand | str | int] = (),
) -> ReplayResult:
    """Runs a document again, and compares every byte it wrote with what was recorded.

    Without a device, on the one where it was recorded. ``repeat`` runs are measured. What is on
    another device may differ by ``tolerance``, relative; without one by 1e-4. ``replacements``
    tries another source for a kernel: ``{"k4": ("opencl_c", text)}``. Commands ``without`` which it
    is run are left out, to see whether other results need them.

    >>> result = reel.replay("pass.reel", repeat=10)
    >>> assert result.verified, result.mismatches[0]
    >>> result.kernels[0].replayed.median_ns
    """
    if order not in ORDERS:
        raise ValueError(f"order is one of {', '.join(map(repr, ORDERS))}, not {order!r}.")
    if repeat < 1:
        raise ValueError(f"repeat is 1 or more, not {repeat}.")
    loaded = to_trace(trace)
    others = {loaded.kernels[name].index: pair for name, pair in (replacements or {}).items()}
    if not len(loaded.commands):
        raise Error(f"{loaded.path} has no commands, so there is nothing to replay.", Code.INVALID_ARGUMENT)
    row = _reel.replay(
        loaded._data,
        _device(device),
        {
            "order": order,
            "repeat": repeat,
            "first": loaded._command_index(first),
            "last": None if last is None else loaded._command_index(last),
            "tolerance": tolerance,
            "find_culprit": find_culprit,
            "find_nan": find_nan,
            "time_limit_s": time_limit_s,
            "replacements": others,
            "without": [loaded._command_index(command) for command in without],
        },
    )
    return _Rows(loaded).result(row)


def extract(
    trace: Union[Trace, Path],
    commands: Sequence[TraceCommand | str | int],
    path: Path,
    device: _reel.Device | str | None = None,
) -> ExtractReport:
    """These commands as a document of their own, with the bytes that they need and make."""
    loaded = to_trace(trace)
    indices = [loaded._command_index(command) for command in commands]
    return ExtractReport(**_reel.extract(loaded._data, _device(device), indices, str(path)))
