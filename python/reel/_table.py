"""A list of a document: rows by number or id, and columns as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np


if TYPE_CHECKING:
    from ._trace import Trace

Row = TypeVar("Row")
NO_INDEX = 0xFFFFFFFF  # of an index in a document: there is none

Array = np.ndarray[Any, Any]


class Table(Sequence[Row], Generic[Row]):
    """Rows of a document. ``table[3]``, ``table["c3"]``, ``len(table)``, ``for row in table``."""

    _letter = ""  # of the ids of its rows
    _noun = "row"

    def __init__(self, trace: Trace, length: int) -> None:
        self._trace = trace
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, key: int | str) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> list[Row]: ...
    def __getitem__(self, key: int | str | slice) -> Row | list[Row]:
        if isinstance(key, slice):
            return [self._row(index) for index in range(*key.indices(self._length))]
        if isinstance(key, str):
            return self._row(self._index_of_id(key))
        index = key.__index__()
        if not -self._length <= index < self._length:
            raise IndexError(f"{self._trace.path} has {self._length} {self._noun}s, so there is no number {index}.")
        return self._row(index % self._length)

    def _row(self, index: int) -> Row:
        raise NotImplementedError

    def _id_number(self, index: int) -> int:
        return index

    def _index_of_id(self, text: str) -> int:
        digits = text[len(self._letter) :]
        if self._letter and text.startswith(self._letter) and digits.isascii() and digits.isdigit():
            index = self._find(int(digits))
            if index is not None:
                return index
        example = f"{self._letter}{self._id_number(0)}" if self._letter and self._length else "none"
        raise KeyError(f"{self._trace.path} has no {self._noun} '{text}'; its first is {example}.")

    def _find(self, number: int) -> int | None:
        return number if number < self._length else None

    def columns(self) -> dict[str, Array]:
        """The rows as one array for each column, as ``pandas.DataFrame(...)`` takes them.

        Columns that the document holds as they are, are views on its memory, and keep the trace
        alive; those of commands and calls, which it holds packed, are views on one copy, made when
        first asked for. They can't be written.
        """
        raise NotImplementedError

    def to_dict(self) -> dict[str, Array]:
        """The same as :meth:`columns`, by the name that other libraries have for it."""
        return self.columns()

    def __repr__(self) -> str:
        return f"<{self._length} {self._noun}{'' if self._length == 1 else 's'} of {self._trace.path}>"


def text_column(values: list[str]) -> Array:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def number_column(values: list[int | None]) -> Array:
    """Whole numbers; where one is missing, real ones with NaN in its place."""
    if any(value is None for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(values, dtype=np.int64)


