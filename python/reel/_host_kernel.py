"""Python functions as kernels of the host device."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

# As `reel buffer --as` names them.
ELEMENT_TYPES: dict[str, np.dtype[Any]] = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "f64": np.dtype(np.float64),
    "i8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "i16": np.dtype(np.int16),
    "u16": np.dtype(np.uint16),
    "i32": np.dtype(np.int32),
    "u32": np.dtype(np.uint32),
    "i64": np.dtype(np.int64),
    "u64": np.dtype(np.uint64),
}
USES = ("in", "out", "inout", "shared")


@dataclass(frozen=True)
class HostGroup:
    """The work-group that a host kernel is called for."""

    id: tuple[int, int, int]
    count: tuple[int, int, int]
    size: tuple[int, int, int]  # of this group: the last ones of a launch by items may have fewer
    first: tuple[int, int, int]  # the global id of its first item

    @property
    def items(self) -> slice:
        """The items of this group in the first dimension, to index arrays with."""
        return slice(self.first[0], self.first[0] + self.size[0])


@dataclass(frozen=True)
class HostParameter:
    name: str
    use: str  # "in", "out", "inout", "shared", "value"
    element: str
    dtype: np.dtype[Any]


def _parameter(name: str, text: str) -> HostParameter:
    words = text.split()
    use, element = ("value", words[0]) if len(words) == 1 else (words[0], words[-1])
    if len(words) not in (1, 2) or element not in ELEMENT_TYPES or (len(words) == 2 and use not in USES):
        raise ValueError(
            f"Parameter '{name}' of a host kernel is a type ({', '.join(ELEMENT_TYPES)}), with "
            f"{', '.join(USES)} before it where it is memory, not '{text}'."
        )
    return HostParameter(name, use, element, ELEMENT_TYPES[element])


def host_kernel(**parameters: str) -> Callable[[F], F]:
    """Makes a function a kernel of the host device, called once for each work-group.

    Buffers are NumPy arrays over the device's memory, of all that was bound and for the length of
    the call only; values are NumPy scalars.

    >>> @reel.host_kernel(x="inout f32", factor="f32")
    ... def scale(group, x, factor):
    ...     x[group.items] *= factor
    >>> kernel = device.kernel("scale", host=scale, group_size=64)
    """

    def mark(function: F) -> F:
        found = list(inspect.signature(function).parameters)[1:]
        if found != list(parameters):
            raise TypeError(
                f"Host kernel '{function.__name__}' takes a group and then ({', '.join(found)}), "
                f"but @host_kernel tells of ({', '.join(parameters)})."
            )
        function.__reel_parameters__ = [  # type: ignore[attr-defined]
            _parameter(name, text) for name, text in parameters.items()
        ]
        return function

    return mark
