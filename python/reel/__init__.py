"""Reel records GPU compute work into documents that one opens, questions, replays and compares.

>>> import reel
>>> with reel.capture("step.reel"):          # or: reel capture -- python3 program.py
...     train_step()
>>> trace = reel.load("step.reel")
>>> trace.commands[0], reel.insights(trace)[0].title
>>> reel.replay(trace).verified
True

docs/python.md is the guide; the functions here are those of the command line by the same names.
"""

from ._capture import (
    CaptureBlock,
    EndingCapture,
    capture,
    is_capturing,
    label,
    scope,
    start_capture,
    stop_capture,
    stop_capture_async,
    trigger,
)
from ._commands import TraceArgument, TraceCommand, TraceContents
from ._errors import CaptureWarning, Code, Error
from ._export import export, export_formats, sql
from ._findings import (
    ContentChange,
    Diff,
    DiffKernel,
    DiffRow,
    DiffSide,
    DiffTime,
    Finding,
    Proof,
    SourceChange,
    diff,
    insights,
)
from ._host_kernel import HostGroup, host_kernel
from ._many import Traces, load_many
from ._records import (
    CaptureReport,
    DeviceInfo,
    ExportReport,
    ExtractReport,
    GraphBuffer,
    ImageShape,
    Parameter,
    PassReport,
)
from ._reel import (
    Binding,
    Buffer,
    BufferRange,
    Device,
    Event,
    Graph,
    GraphExec,
    GraphExecutor,
    GraphSession,
    Kernel,
    PendingPass,
    Program,
    Shared,
    Stream,
    StreamCapture,
    TimedLaunch,
    __version__,
    copy_between,
    devices,
    elapsed_ns,
    inout,
    inp,
    open_device,
    out,
    register_host_kernel,
    shared,
)
from ._replay import (
    CommandTime,
    FirstNan,
    KernelTime,
    Mismatch,
    ReplayResult,
    Spread,
    extract,
    replay,
)
from ._rows import (
    TraceBuffer,
    TraceCall,
    TraceDevice,
    TraceKernel,
    TraceNote,
    TraceRegion,
    TraceStream,
)
from ._trace import Trace, load

# As users know them.
for _public in list(vars().values()):
    if isinstance(_public, type) and _public.__module__.startswith("reel._"):
        _public.__module__ = "reel"

__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]
