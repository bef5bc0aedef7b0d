"""What is worth knowing about a document, and what changed from one to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from . import _reel
from ._commands import TraceCommand
from ._row import time_text
from ._rows import TraceBuffer, TraceKernel, TraceStream
from ._trace import Path, Trace, to_trace


@dataclass(frozen=True)
class Proof:
    """What a replay made of a finding's claim."""

    experiment: str  # "as_graph"; empty: there is none for such a finding
    verdict: str  # "supported", "withdrawn", "inconclusive", "not tried"
    measured_ns: float | None  # saved; less than nothing: it took longer
    noise_ns: float | None  # half of the 95 % interval of it
    runs: int  # of each way
    sentence: str  # what was seen, or why nothing was tried

    def __repr__(self) -> str:
        return f"<{self.verdict}: {self.sentence}>"


@dataclass(frozen=True)
class Finding:
    """One insight; docs/insights.md has the rule of each id."""

    id: str
    severity: str  # "info", "warning", "error"
    confidence: str  # "possible", "likely", "certain"
    title: str
    advice: str
    saving_ns: int | None
    saving_bytes: int | None
    formula: str  # how the saving was computed
    small: bool  # it saves less than a hundredth of the time
    after: list[str]  # ids of findings to act on first; the advice says why
    numbers: dict[str, tuple[float, str]]  # by name: value and unit
    commands: list[TraceCommand]
    buffers: list[TraceBuffer]
    kernels: list[TraceKernel]
    streams: list[TraceStream]
    begin_ns: int
    end_ns: int
    proof: Proof | None = None  # by insights(…, prove=True)

    def __repr__(self) -> str:
        saving = f", saves {time_text(self.saving_ns)}" if self.saving_ns else ""
        return f"<{self.severity} {self.id}: {self.title}{saving}>"


@dataclass(frozen=True)
class DiffSide:
    """One pass of one document."""

    total_ns: int
    busy_ns: int
    idle_ns: int
    passes: int
    peak_bytes: int
    commands: int
    enqueued: int  # by the host: those that ran alone, and launches of graphs
    launches: int  # of graphs
    noise: float
    cut: bool  # it ends before its recording did: only whole passes are compared


@dataclass(frozen=True)
class DiffTime:
    """A time of one pass in both documents; docs/analysis.md says when it is significant."""

    ns_a: int  # medians over the passes
    ns_b: int
    delta_ns: int
    spread_a_ns: int  # half the interquartile range
    spread_b_ns: int
    p: float | None  # None: too few passes
    shift_ns: int  # of the lower decile
    floor_ns: int  # a shift must be larger
    least_ns: int  # of that, what is too little to matter
    verdict: str  # "slower", "faster", "longer", "shorter", or why it is not called a change
    significant: bool
    comparable: bool  # False: recording takes the graphs of one document apart
    passes_needed: int | None


@dataclass(frozen=True)
class DiffKernel(DiffTime):
    """A kernel or kind of copy in all its scopes."""

    name: str
    rows: int


@dataclass(frozen=True)
class DiffRow(DiffTime):
    """A kernel or kind of copy in one scope."""

    change: str  # "same", "slower", "faster", "more runs", "fewer runs", "added", "removed"
    scope: str
    name: str
    count_a: int
    count_b: int
    run: DiffTime | None  # of one run, where a pass doesn't have as many
    new_shape: bool
    new_source: bool
    new_program: bool  # a module of several kernels changed; which of them can't be told
    new_arguments: bool
    kernel_a: TraceKernel | None
    kernel_b: TraceKernel | None
    first_a: TraceCommand | None
    first_b: TraceCommand | None


@dataclass(frozen=True)
class SourceChange:
    kernel_a: TraceKernel | None
    kernel_b: TraceKernel | None
    form: str
    text_a: str
    text_b: str


@dataclass(frozen=True)
class ContentChange:
    """The first command whose results are not the same."""

    command_a: TraceCommand | None
    command_b: TraceCommand | None
    buffer_a: TraceBuffer | None
    buffer_b: TraceBuffer | None
    offset_bytes: int
    value_a: str  # empty: only hashes are there
    value_b: str
    largest_absolute: float


@dataclass(frozen=True)
class Diff:
    """From document a to document b. Rows, idle time and the rest make up the change of the total."""

    a: DiffSide
    b: DiffSide
    comparable: bool  # False: nothing in common
    differs: bool  # anything is called a difference in time
    total: DiffTime
    busy: DiffTime
    idle: DiffTime
    between: DiffTime | None  # from the end of a pass to the start of the next; None: of one pass
    rest_ns: int  # medians of parts don't quite make up the median of the whole
    common: float | None  # how the typical kernel changed, as a part
    rows: list[DiffRow]  # significant ones first, then by size of the change
    kernels: list[DiffKernel]  # likewise
    sources: list[SourceChange]
    compared_contents: int
    equal_contents: int
    contents: ContentChange | None
    new_findings: list[Finding]
    fixed_findings: list[Finding]
    cause: str

    @property
    def significant(self) -> bool:
        """Whether the total changed by more than noise."""
        return self.total.significant

    @property
    def total_delta_ns(self) -> int:
        """How much longer a pass of b takes."""
        return self.total.delta_ns

    @property
    def idle_delta_ns(self) -> int:
        """How much longer its device is idle."""
        return self.idle.delta_ns

    def __repr__(self) -> str:
        return f"<reel.Diff {self.cause}>"


def _at(table: Any, index: int | None) -> Any:
    return None if index is None else table[index]


def _finding(trace: Trace, row: dict[str, Any]) -> Finding:
    tables: dict[str, Any] = {
        "commands": trace.commands,
        "buffers": trace.buffers,
        "kernels": trace.kernels,
        "streams": trace.streams,
    }
    evidence: dict[str, Any] = {name: [table[index] for index in row[name]] for name, table in tables.items()}
    proof = row.get("proof")
    if proof is not None:
        evidence["proof"] = Proof(**(proof | {"verdict": proof["verdict"].replace("_", " ")}))
    return Finding(**(row | evidence))


def insights(
    trace: Union[Trace, Path],
    *,
    prove: bool = False,
    device: _reel.Device | str | None = None,
    prove_seconds: int = 60,
    time_limit_s: int = 0,
) -> list[Finding]:
    """Findings about a document, most important first.

    With ``prove`` each claim is tried by replay, in this process and within ``prove_seconds``, and
    has a ``proof``. That runs the kernels of the document: without a ``device``, on the one where
    it was recorded.

    >>> for finding in reel.insights("pass.reel", prove=True):
    ...     print(finding.title, finding.saving_ns, finding.proof.verdict, finding.proof.measured_ns)
    """
    loaded = to_trace(trace)
    if not prove:
        if device is not None:
            raise ValueError("A device is for prove=True: without it nothing is run.")
        return [_finding(loaded, row) for row in _reel.insights(loaded._data)]
    opened = _reel.open_device(device) if isinstance(device, str) else device
    return [_finding(loaded, row) for row in _reel.prove(loaded._data, opened, prove_seconds, time_limit_s)]


def diff(a: Union[Trace, Path], b: Union[Trace, Path]) -> Diff:
    """What changed from document ``a`` to document ``b``.

    >>> found = reel.diff("before.reel", "after.reel")
    >>> found.cause, found.rows[0].name, found.rows[0].delta_ns
    """
    before, after = to_trace(a), to_trace(b)
    row = _reel.diff(before._data, after._data)
    contents = row["contents"]
    return Diff(
        a=DiffSide(**row["a"]),
        b=DiffSide(**row["b"]),
        comparable=row["comparable"],
        differs=row["differs"],
        total=DiffTime(**row["total"]),
        busy=DiffTime(**row["busy"]),
        idle=DiffTime(**row["idle"]),
        between=None if row["between"] is None else DiffTime(**row["between"]),
        rest_ns=row["rest_ns"],
        common=row["common"],
        kernels=[DiffKernel(**one) for one in row["kernels"]],
        rows=[
            DiffRow(
                **one
                | {
                    "run": None if one["run"] is None else DiffTime(**one["run"]),
                    "kernel_a": _at(before.kernels, one["kernel_a"]),
                    "kernel_b": _at(after.kernels, one["kernel_b"]),
                    "first_a": _at(before.commands, one["first_a"]),
                    "first_b": _at(after.commands, one["first_b"]),
                }
            )
            for one in row["rows"]
        ],
        sources=[
            SourceChange(_at(before.kernels, kernel_a), _at(after.kernels, kernel_b), form, text_a, text_b)
            for kernel_a, kernel_b, form, text_a, text_b in row["sources"]
        ],
        compared_contents=row["compared_contents"],
        equal_contents=row["equal_contents"],
        contents=None
        if contents is None
        else ContentChange(
            **contents
            | {
                "command_a": _at(before.commands, contents["command_a"]),
                "command_b": _at(after.commands, contents["command_b"]),
                "buffer_a": _at(before.buffers, contents["buffer_a"]),
                "buffer_b": _at(after.buffers, contents["buffer_b"]),
            }
        ),
        new_findings=[_finding(after, one) for one in row["new_findings"]],
        fixed_findings=[_finding(before, one) for one in row["fixed_findings"]],
        cause=row["cause"],
    )
