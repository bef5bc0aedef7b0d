"""The one exception of the library, and its codes."""

from __future__ import annotations

import enum


class Code(enum.IntEnum):
    """What kind of thing went wrong; the numbers are those of the C++ library."""

    INVALID_ARGUMENT = 1
    UNSUPPORTED = 2
    OUT_OF_MEMORY = 3
    NO_DEVICE = 4
    DEVICE_LOST = 5
    BUILD_FAILED = 6
    DRIVER_FAILED = 7
    HOST_CALL_FAILED = 8
    IO_FAILED = 9
    DAMAGED_DOCUMENT = 10
    TIMED_OUT = 11
    CAPTURE_UNSUPPORTED = 900
    CAPTURE_INVALIDATED = 901
    CAPTURE_MERGE = 902
    CAPTURE_UNMATCHED = 903
    CAPTURE_UNJOINED = 904
    CAPTURE_ISOLATION = 905
    CAPTURE_IMPLICIT = 906
    CAPTURED_EVENT = 907
    CAPTURE_WRONG_THREAD = 908


class Error(RuntimeError):
    """What the library refuses or can't do, as a whole sentence; ``code`` is for programs.

    >>> try:
    ...     reel.load("missing.reel")
    ... except reel.Error as error:
    ...     print(error.code.name)
    IO_FAILED
    """

    def __init__(self, sentence: str, code: int = Code.INVALID_ARGUMENT) -> None:
        super().__init__(sentence)
        self.code = Code(code)

    def __reduce__(self) -> tuple[type[Error], tuple[str, int]]:
        return (Error, (str(self), int(self.code)))


class CaptureWarning(UserWarning):
    """A capture that will not see what it seems meant to see."""
