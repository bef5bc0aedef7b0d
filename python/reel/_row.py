"""What rows of documents have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

import numpy as np

from ._host_kernel import ELEMENT_TYPES

if TYPE_CHECKING:
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


T = TypeVar("T")


class HasFields(Protocol):
    _row: dict[str, Any]


class Field(Generic[T]):
    """An attribute that is a field of the row, by the same name."""

    def __init__(self, doc: str = "") -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, row: None, owner: type) -> Field[T]: ...
    @overload
    def __get__(self, row: HasFields, owner: type) -> T: ...
    def __get__(self, row: HasFields | None, owner: type) -> Field[T] | T:
        return self if row is None else row._row[self._name]
