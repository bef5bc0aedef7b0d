"""Documents as files that other programs open, and questions to them in SQL."""

from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from . import _reel
from ._records import ExportReport
from ._table import Array
from ._trace import Path, Trace, to_trace

export_formats: list[str] = list(_reel.export_formats)


def export(trace: Union[Trace, Path], format: str, path: Path, overwrite: bool = False) -> ExportReport:
    """Writes a document for another program: ``"perfetto"``, ``"chrome"``, ``"sqlite"``, ``"dot"``,
    ``"csv"``, ``"jsonl"``, ``"pprof"``, ``"parquet"`` or ``"arrow"``.

    >>> reel.export("pass.reel", "perfetto", "pass.pftrace").bytes
    """
    return ExportReport(**_reel.export(to_trace(trace)._data, format, os.fspath(path), overwrite))


def _column(values: list[Any]) -> Array:
    kinds = {type(value) for value in values}
    if kinds == {int}:
        return np.array(values, dtype=np.int64)
    if kinds and kinds <= {int, float, type(None)} and kinds != {type(None)}:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def sql(trace: Union[Trace, Path], query: str) -> dict[str, Array]:
    """Asks a document in SQL; docs/sql.md has the tables. One array for each column.

    Whole numbers become int64; real ones, and columns with missing numbers, float64 with NaN;
    everything else objects, with ``None`` for what is missing.

    >>> reel.sql("pass.reel", "select name, total_ns from kernel_usage limit 3")["name"]
    """
    return {name: _column(values) for name, values in _reel.sql(to_trace(trace)._data, query).items()}
