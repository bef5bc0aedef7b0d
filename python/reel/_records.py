"""Plain values that the library answers with."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class DeviceInfo:
    """A device that is here, or why it can't be opened (``unavailable``)."""

    id: str
    backend: str
    name: str
    type: str
    driver: str
    driver_version: str
    api_version: str
    unavailable: str
    memory_bytes: int
    max_buffer_bytes: int
    max_binding_bytes: int
    binding_alignment_bytes: int
    compute_units: int
    max_group_items: int
    max_group_size: tuple[int, int, int]
    max_groups: tuple[int, int, int]
    max_shared_bytes: int
    can_stamp_time: bool
    stamp_resolution_ns: float
    can_dispatch_indirect: bool
    can_dispatch_conditionally: bool
    takes_images: bool
    maps_memory: bool  # device.host_visible_buffer()
    takes_stream_priority: bool  # elsewhere it is ignored
    takes_free_grids: bool
    takes_partial_groups: bool
    kernel_forms: list[str]

    @property
    def is_available(self) -> bool:
        """Whether it can be opened."""
        return not self.unavailable

    def __repr__(self) -> str:
        state = f", unavailable: {self.unavailable}" if self.unavailable else ""
        return f"<reel.DeviceInfo {self.id}, {self.name}{state}>"


@dataclass(frozen=True)
class Parameter:
    """What a kernel takes at one place."""

    name: str  # empty where the driver doesn't tell
    kind: str  # "buffer", "value", "shared", "image", "sampler", "opaque"
    size_bytes: int  # of a value; 0: any
    access: str  # of a buffer: "in", "out", "inout"
    element: str | None  # "f32", ...; None where it isn't plain
    descriptor: str = ""  # of a shader with a declared layout: "storage buffer", "push constants", ...
    descriptor_set: int = 0  # where it is bound
    binding: int = 0
    array_element: int = 0  # within an array of descriptors


@dataclass(frozen=True)
class ImageShape:
    """What an image is besides its bytes, which are its pixels, row after row, slice after slice, level after level."""

    type: str  # "1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d"
    channel_order: str  # "RGBA"; empty: not known
    channel_type: str  # "8 unorm"
    pixel_bytes: int
    width: int
    height: int
    depth: int
    layers: int
    row_pitch_bytes: int  # of one that is made on a buffer; 0: rows follow each other
    format: str  # "RGBA8 unorm", "R32 float"
    extent: str  # "640 x 480", "256 x 256, 6 layers"
    levels: int = 1  # mip levels, whose bytes follow each other
    samples: int = 1  # of a pixel
    # Of an image that shows a part of another: its first level and layer there, and what it shows in place of each channel.
    first_level: int = 0
    first_layer: int = 0
    swizzle: int = 0


@dataclass(frozen=True)
class GraphBuffer:
    """A buffer that a graph names."""

    name: str
    size_bytes: int
    is_input: bool
    is_output: bool


@dataclass(frozen=True)
class PassReport:
    """What one pass of a GraphExecutor did."""

    encode_ns: int
    wait_ns: int
    gpu_ns: int | None  # with timing=True
    commands: int
    dispatches: int
    barriers: int
    barriers_avoided: int
    group_sizes: list[int]
    reordered: int
    reused: bool  # planned as an earlier pass, which this one is like
    node_times: list[tuple[int, int, int]]  # node, begin_ns, end_ns


@dataclass(frozen=True)
class CaptureReport:
    """What a capture wrote."""

    path: str
    commands: int
    document_bytes: int
    contents_bytes: int | None  # looked at; None: the layer doesn't tell
    lost: str  # what is missing from the document, and why; empty: nothing


@dataclass(frozen=True)
class ExportReport:
    """Files that an export wrote."""

    files: list[str]
    bytes: int
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ExtractReport:
    """A document that holds some commands of another."""

    path: str
    commands: int
    document_bytes: int
