"""Documents of many runs, as one."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Union, overload

import numpy as np

from . import _reel
from ._export import _column
from ._table import Array
from ._trace import Path, Trace

_NUMBERS = ("rank", "ranks", "local_rank", "node", "sequence")


def _fact(key: str, text: str | None) -> Union[int, str, None]:
    if key not in _NUMBERS or text is None:
        return text
    return int(text) if text.isascii() and text.isdigit() else None


class Traces(Sequence[Trace]):
    """Documents in the order of their paths, each loaded when it is asked for and not kept."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths: list[str] = list(paths)

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, key: int) -> Trace: ...
    @overload
    def __getitem__(self, key: slice) -> Traces: ...
    def __getitem__(self, key: int | slice) -> Trace | Traces:
        if isinstance(key, slice):
            return Traces(self.paths[key])
        return Trace(self.paths[key])

    def __iter__(self) -> Iterator[Trace]:
        return (Trace(path) for path in self.paths)

    def columns(self, table: str = "commands") -> dict[str, Array]:
        """``trace.commands.columns()`` of all documents, one after the other, with ``document`` and a
        column ``fact_…`` for each fact of a run; ``None`` or NaN where a document doesn't have it.

        >>> pandas.DataFrame(reel.load_many("runs").columns()).groupby("fact_commit").run_ns.median()
        """
        parts: list[dict[str, Array]] = []
        facts: list[dict[str, str]] = []
        for trace in self:
            # A copy: a view would keep the document in memory.
            parts.append({name: np.array(values) for name, values in getattr(trace, table).columns().items()})
            facts.append(trace.run_facts)
        if not parts:
            return {}
        result = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        lengths = [len(next(iter(part.values()))) for part in parts]
        result["document"] = np.repeat(np.array(self.paths, dtype=object), lengths)
        for key in sorted({key for one in facts for key in one}):
            values = _column([_fact(key, one.get(key)) for one in facts])
            result["fact_" + key.replace(".", "_")] = np.repeat(values, lengths)
        return result

    def sql(self, query: str) -> dict[str, Array]:
        """``reel.sql`` over all of them; docs/fleet.md has the columns. What can't be read is an error."""
        return {name: _column(values) for name, values in _reel.sql_many(self.paths, query).items()}

    def __repr__(self) -> str:
        return f"<{len(self)} document{'' if len(self) == 1 else 's'}>"


def load_many(paths: Union[Path, Iterable[Path]]) -> Traces:
    """Documents of a folder and all below it, of a pattern (``"runs/*.reel"``), or these.

    >>> reel.load_many("runs").sql("select fact_commit, sum(run_ns) from commands group by 1")
    """
    if isinstance(paths, (str, os.PathLike)):
        path = os.fspath(paths)
        if os.path.isdir(path):
            return Traces(_reel.documents_in(path))
        return Traces(sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else [path])
    return Traces([os.fspath(path) for path in paths])
