#include "reel/trace_columns.hpp"

#include <array>

#include "document/trace/row_columns.hpp"
#include "reel/arguments.hpp"
#include "reel/graph.hpp"

namespace reel {

// Names of enumerators that only these lists need.
static const char* to_string(TraceRegion::Kind kind) noexcept {
  constexpr std::array names{"pass",   "named",  "launch", "if",   "while",
                             "switch", "repeat", "branch", "round"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {

using document::made_column;
using document::number_column;
using document::optional_column;
using document::string_column;
using document::word_column;
using enum ColumnKind;

// Short lists: the rows are not held as numbers, so they have no place in memory to look at.

constexpr RowColumn<TraceDevice> devices[] = {
    number_column<&TraceDevice::id>("id", number, "its number in the document"),
    string_column<&TraceDevice::selector>("selector", "what opens it: `opencl:0`"),
    string_column<&TraceDevice::backend>("backend", "`host`, `opencl`, `vulkan`"),
    string_column<&TraceDevice::name>("name", "as its driver calls it"),
    string_column<&TraceDevice::type>("type", "`cpu`, `discrete gpu`, …"),
    string_column<&TraceDevice::driver>("driver", "the name of its driver"),
    string_column<&TraceDevice::driver_version>("driver_version", "as the driver tells it"),
    string_column<&TraceDevice::api_version>("api_version", "of OpenCL or Vulkan"),
    number_column<&TraceDevice::memory_bytes>("memory_bytes", count, "all of its memory"),
    number_column<&TraceDevice::compute_units>("compute_units", count,
                                               "cores, or what the driver counts as such"),
    number_column<&TraceDevice::can_stamp_time>("can_stamp_time", flag,
                                                "1: it tells when commands ran"),
    made_column<TraceDevice>("stamp_resolution_ns", real, "of its timestamps",
                             [](const TraceDevice& d) -> ColumnValue {
                               if (!(d.stamp_resolution_ns > 0)) return {};
                               return d.stamp_resolution_ns;
                             }),
    optional_column<&TraceDevice::clock_error_ns>(
        "clock_error_ns", number, "the largest error of its times on the host's clock"),
};

constexpr RowColumn<TraceStream> streams[] = {
    number_column<&TraceStream::id>("id", number, "7 is `s7`"),
    number_column<&TraceStream::device>("device", device, "that runs its commands"),
    string_column<&TraceStream::label>("label", "as the program named it"),
    number_column<&TraceStream::is_ordered>(
        "ordered", flag,
        "1: each command starts when the one before it is done; 0: only barriers and waits say so"),
    optional_column<&TraceStream::family>("family", number, "of a queue of Vulkan: its family"),
};

bool has_memory(const TraceBuffer& buffer) { return buffer.memory.allocation != no_index; }
bool has_address(const TraceBuffer& buffer) { return buffer.memory.address != 0; }
bool is_image(const TraceBuffer& buffer) { return buffer.image.has_value(); }
template <auto size>
constexpr RowColumn<TraceBuffer> image_column(const char* name, const char* meaning) {
  RowColumn<TraceBuffer> column{name, number, meaning};
  column.number = [](const TraceBuffer& buffer) -> std::uint64_t {
    return buffer.image ? (*buffer.image).*size : 0;
  };
  column.applies = is_image;
  return column;
}

constexpr RowColumn<TraceBuffer> buffers[] = {
    number_column<&TraceBuffer::id>("id", number, "7 is `b7`"),
    number_column<&TraceBuffer::device>("device", device, "that it belongs to"),
    string_column<&TraceBuffer::label>("label", "as the program named it"),
    number_column<&TraceBuffer::size_bytes>("size_bytes", number,
                                            "of an image: of its pixels, without padding"),
    word_column<&TraceBuffer::kind, BufferKind::svm>(
        "kind", "`buffer`, `image`, `svm` (shared virtual memory)"),
    number_column<&TraceBuffer::starts_undefined>("starts_undefined", flag,
                                                  "1: fresh, it holds anything; 0: zeros"),
    made_column<TraceBuffer>("image_type", string,
                             "of an image: `1d`, `1d_buffer`, `1d_array`, `2d`, `2d_array`, `3d`",
                             [](const TraceBuffer& b) -> ColumnValue {
                               if (!b.image) return {};
                               return std::string_view(to_string(b.image->type));
                             }),
    made_column<TraceBuffer>("format", string, "of an image: `RGBA8 unorm`, …",
                             [](const TraceBuffer& b) -> ColumnValue {
                               if (!b.image) return {};
                               return format_name(*b.image);
                             }),
    image_column<&ImageShape::width>("width", "of an image, in pixels"),
    image_column<&ImageShape::height>("height", "of an image, in pixels"),
    image_column<&ImageShape::depth>("depth", "of an image, in pixels"),
    image_column<&ImageShape::layers>("layers", "of an array of images"),
    image_column<&ImageShape::levels>("levels", "of an image: its mip levels"),
    image_column<&ImageShape::samples>("samples", "of an image: samples of a pixel"),
    number_column<&TraceBuffer::memory, &BufferMemory::allocation>(
        "memory", index, "of Vulkan: the allocation that it lies in"),
    number_column<&TraceBuffer::memory, &BufferMemory::offset_bytes>(
        "memory_offset", number, "where it begins there, in bytes", has_memory),
    number_column<&TraceBuffer::memory, &BufferMemory::flags>(
        "memory_flags", number, "of that memory: bits of `VkMemoryPropertyFlags`", has_memory),
    number_column<&TraceBuffer::memory, &BufferMemory::usage>(
        "usage", number, "what it was made for: bits of Vulkan's usage flags", has_memory),
    number_column<&TraceBuffer::memory, &BufferMemory::address>(
        "address", number, "of its first byte, as kernels were given it", has_address),
    optional_column<&TraceBuffer::allocated_ns>("allocated_ns", time, "`NULL`: before the capture"),
    optional_column<&TraceBuffer::freed_ns>("freed_ns", time, "`NULL`: not within the capture"),
};

bool has_group_size(const TraceKernel& kernel) { return kernel.group_size != unset_dim; }

constexpr RowColumn<TraceKernel> kernels[] = {
    number_column<&TraceKernel::id>("id", number, "7 is `k7`"),
    number_column<&TraceKernel::device>("device", device, "that it was built for"),
    string_column<&TraceKernel::name>("name", "its label"),
    string_column<&TraceKernel::entry>("entry", "the function in its source"),
    made_column<TraceKernel>(
        "built_form", string,
        "`opencl_c`, `glsl`, `spirv`, `host`, `opencl_binary`, `opencl_il`, `opencl_parts`, "
        "`opencl_builtin`",
        [](const TraceKernel& kernel) -> ColumnValue {
          return std::string_view(to_string(kernel.built_form));
        }),
    made_column<TraceKernel>("forms", string, "every form that it has, separated by commas",
                             [](const TraceKernel& kernel) -> ColumnValue {
                               std::string list;
                               for (const TraceVariant& variant : kernel.variants)
                                 list +=
                                     std::string(list.empty() ? "" : ",") + to_string(variant.form);
                               return list;
                             }),
    string_column<&TraceKernel::options>("options", "of the compiler"),
    number_column<&TraceKernel::group_size, &Dim3::x>(
        "group_x", number, "the group size it was built for", has_group_size),
    number_column<&TraceKernel::group_size, &Dim3::y>(
        "group_y", number, "the same in the second dimension", has_group_size),
    number_column<&TraceKernel::group_size, &Dim3::z>(
        "group_z", number, "the same in the third dimension", has_group_size),
    string_column<&TraceKernel::build_log>("build_log", "what the compiler said"),
    string_column<&TraceKernel::binary_hash>(
        "binary_hash", "of what the driver made of it; empty where that isn't known"),
    number_column<&TraceKernel::declared_layout>(
        "declared_layout", flag, "1: a shader that says itself where its arguments go"),
    number_column<&TraceKernel::subgroup_size>("subgroup_size", count, "that it requires"),
    number_column<&TraceKernel::full_subgroups>("full_subgroups", flag,
                                                "1: it requires full subgroups"),
};

bool has_access(const Parameter& parameter) {
  return parameter.kind == ArgumentKind::buffer || parameter.kind == ArgumentKind::image;
}

bool is_bound(const Parameter& parameter) { return parameter.descriptor != DescriptorKind::none; }
bool has_place(const Parameter& parameter) {
  return is_bound(parameter) && parameter.descriptor != DescriptorKind::push_constants;
}

constexpr RowColumn<Parameter> parameters[] = {
    string_column<&Parameter::name>("name", "as the source has it"),
    word_column<&Parameter::kind, ArgumentKind::image>(
        "kind", "`buffer`, `value`, `shared`, `image`, `sampler`, `opaque` (a queue, a pipe)"),
    word_column<&Parameter::access, Access::read_write>(
        "access", "of a buffer or an image: `in`, `out`, `inout`", has_access),
    made_column<Parameter>("element", string, "the type of its numbers: `f32`, …",
                           [](const Parameter& parameter) -> ColumnValue {
                             if (!parameter.element) return {};
                             return std::string_view(name_of(*parameter.element));
                           }),
    number_column<&Parameter::size_bytes>("size_bytes", count, "of a value"),
    word_column<&Parameter::descriptor, DescriptorKind::other>(
        "descriptor",
        "of a shader with a declared layout: `storage buffer`, `uniform buffer`, `storage image`, "
        "`sampled image`, `sampler`, `combined image sampler`, `storage texel buffer`, `uniform "
        "texel buffer`, `push constants`, `other`",
        is_bound),
    number_column<&Parameter::set>("descriptor_set", number, "where it is bound", has_place),
    number_column<&Parameter::binding>("binding", number, "where it is bound in that set",
                                       has_place),
    number_column<&Parameter::array_element>("array_element", number,
                                             "where it is in an array of descriptors", has_place),
};

constexpr RowColumn<TraceNote> notes[] = {
    number_column<&TraceNote::time_ns>("time_ns", time, "when it was noted"),
    string_column<&TraceNote::kind>("kind", "`limit`, `unchecked`, `refused`, …"),
    string_column<&TraceNote::text>("text", "a sentence"),
};

// Long lists.

bool is_dispatch(const TraceWork& work) { return work.kind == WorkKind::dispatch; }
bool is_fill(const TraceWork& work) { return work.kind == WorkKind::fill; }
bool has_groups(const TraceWork& work) { return is_dispatch(work) && work.groups != unset_dim; }

constexpr RowColumn<TraceWork> works[] = {
    word_column<&TraceWork::kind, WorkKind::unknown>(
        "kind",
        "`dispatch`, `copy`, `fill`, `write`, `read`, `host_call`, `barrier`, `launch`, `opaque` "
        "(in a "
        "saved graph: a decision), `unknown`"),
    number_column<&TraceWork::kernel>("kernel", kernel, "of a dispatch"),
    number_column<&TraceWork::graph>("graph", index, "of a launch: its number in `edges`"),
    number_column<&TraceWork::label>("label", text, "as the program named it"),
    number_column<&TraceWork::scope>("scope", text, "`layer0/attention`"),
    number_column<&TraceWork::groups, &Dim3::x>(
        "groups_x", number, "groups of a dispatch; `NULL`: the driver chose them", has_groups),
    number_column<&TraceWork::groups, &Dim3::y>("groups_y", number,
                                                "the same in the second dimension", has_groups),
    number_column<&TraceWork::groups, &Dim3::z>("groups_z", number,
                                                "the same in the third dimension", has_groups),
    number_column<&TraceWork::group_size, &Dim3::x>(
        "group_x", number, "items of a group; 0: the driver chose", is_dispatch),
    number_column<&TraceWork::group_size, &Dim3::y>(
        "group_y", number, "the same in the second dimension", is_dispatch),
    number_column<&TraceWork::group_size, &Dim3::z>("group_z", number,
                                                    "the same in the third dimension", is_dispatch),
    number_column<&TraceWork::offset, &Dim3::x>("offset_x", number,
                                                "added to the global ids of items", is_dispatch),
    number_column<&TraceWork::offset, &Dim3::y>("offset_y", number,
                                                "the same in the second dimension", is_dispatch),
    number_column<&TraceWork::offset, &Dim3::z>("offset_z", number,
                                                "the same in the third dimension", is_dispatch),
    number_column<&TraceWork::items, &Dim3::x>(
        "items_x", number,
        "all items, where the last groups are not full or the driver chose; else 0", is_dispatch),
    number_column<&TraceWork::items, &Dim3::y>("items_y", number,
                                               "the same in the second dimension", is_dispatch),
    number_column<&TraceWork::items, &Dim3::z>("items_z", number, "the same in the third dimension",
                                               is_dispatch),
    number_column<&TraceWork::dimensions>(
        "dimensions", number,
        "that the kernel is told of (`get_work_dim()`); 0: as many as are more than 1",
        is_dispatch),
    number_column<&TraceWork::pattern>("pattern", number, "of a fill, as a number", is_fill),
    number_column<&TraceWork::pattern_bytes>("pattern_size", number,
                                             "bytes of the pattern of a fill: 1, 2 or 4", is_fill),
    number_column<&TraceWork::first_argument>("first_argument", place, "where its arguments begin"),
    number_column<&TraceWork::argument_count>("argument_count", place, "how many it has"),
};

constexpr RowColumn<TraceCommand> commands[] = {
    number_column<&TraceCommand::work>("work", number, "equal commands have the same number"),
    number_column<&TraceCommand::stream>("stream", stream, "that it was given to"),
    number_column<&TraceCommand::launch>("launch", command, "the command that launched its graph"),
    number_column<&TraceCommand::node>("node", index, "its number in that graph"),
    number_column<&TraceCommand::thread>("thread", count, "that gave it"),
    number_column<&TraceCommand::call_begin_ns>("call_begin_ns", time,
                                                "when the call that gave it began"),
    number_column<&TraceCommand::call_end_ns>("call_end_ns", time, "when that call returned"),
    number_column<&TraceCommand::queued_ns>("queued_ns", time,
                                            "when it was queued, by the driver's timestamps"),
    number_column<&TraceCommand::submitted_ns>("submitted_ns", time,
                                               "when it was submitted to the device"),
    number_column<&TraceCommand::started_ns>("started_ns", time, "when it began to run"),
    number_column<&TraceCommand::ended_ns>("ended_ns", time, "when it had run"),
};

bool has_range(const TraceArgument& argument) { return argument.buffer != no_index; }

constexpr RowColumn<TraceArgument> arguments[] = {
    word_column<&TraceArgument::kind, ArgumentKind::run_unless>(
        "kind",
        "`buffer`, `value`, `shared`, `indirect`, `sampler`, `null`, `opaque`; `run_if`, "
        "`run_unless`: the word by which the command runs or doesn't"),
    word_column<&TraceArgument::access, Access::read_write>(
        "access", "of a range of a buffer: `in`, `out`, `inout`", has_range),
    number_column<&TraceArgument::buffer>("buffer", buffer, "that the range is of"),
    number_column<&TraceArgument::offset_bytes>("offset_bytes", number, "of the range", has_range),
    number_column<&TraceArgument::size_bytes>("size_bytes", number,
                                              "of the range, the value or the shared memory"),
    number_column<&TraceArgument::view>("view", buffer,
                                        "the image that is made on the range, and bound"),
};

constexpr RowColumn<TraceCall> calls[] = {
    number_column<&TraceCall::name>("name", text, "of the function"),
    number_column<&TraceCall::thread>("thread", count, "that called it"),
    number_column<&TraceCall::begin_ns>("begin_ns", time, "when it began"),
    number_column<&TraceCall::end_ns>("end_ns", time, "when it returned"),
    number_column<&TraceCall::command>("command", command, "that it gave"),
    number_column<&TraceCall::peer>("peer", index,
                                    "of a call of MPI: the rank it sends to, receives from, or "
                                    "that is the root"),
    number_column<&TraceCall::bytes>("bytes", count,
                                     "of a call of MPI: that this process gives and takes by it"),
};

constexpr RowColumn<TraceOrder> orders[] = {
    number_column<&TraceOrder::command>("command", command, "that waits"),
    number_column<&TraceOrder::after>("after", command, "the command that is done before"),
    word_column<&TraceOrder::kind, OrderKind::host>(
        "kind", "`event`, `semaphore`, `host` (which had seen it done)"),
    number_column<&TraceOrder::stages>(
        "stages", number, "of a semaphore: those that wait (`VkPipelineStageFlags2`); 0: all"),
};

constexpr RowColumn<TraceEdge> edges[] = {
    number_column<&TraceEdge::graph>("graph", number, "its number in the document"),
    number_column<&TraceEdge::from>("from_node", number, "that is done before"),
    number_column<&TraceEdge::to>("to_node", number, "that waits"),
    word_column<&TraceEdge::kind, EdgeKind::hazard>("kind", "`asked`, `stream`, `hazard`"),
};

constexpr RowColumn<TraceSubmission> submissions[] = {
    number_column<&TraceSubmission::first>("first", command, "its first command"),
    number_column<&TraceSubmission::count>("count", number, "how many commands it has, in a row"),
    number_column<&TraceSubmission::stream>("stream", stream, "that they were given to"),
    number_column<&TraceSubmission::call>("call", text, "the function: `vkQueueSubmit`"),
};

constexpr RowColumn<TraceClock> clocks[] = {
    word_column<&TraceClock::kind, ClockKind::common>(
        "kind", "`real` (time of day on this host), `common` (clock of the host that answered)"),
    number_column<&TraceClock::time_ns>("time_ns", time, "a moment on the host's clock"),
    number_column<&TraceClock::other_ns>("other_ns", number, "the same moment on the other clock"),
    number_column<&TraceClock::error_ns>("error_ns", number, "give or take"),
};

constexpr RowColumn<TraceInterval> intervals[] = {
    number_column<&TraceInterval::first>("first", command, "the first of its commands"),
    number_column<&TraceInterval::count>("count", number, "how many commands it has, in a row"),
    number_column<&TraceInterval::stream>("stream", stream, "that they were given to"),
    number_column<&TraceInterval::begin_ns>("begin_ns", time, "none of them had started"),
    number_column<&TraceInterval::end_ns>("end_ns", time, "all of them had ended"),
};

bool is_of_buffer(const TraceBarrier& barrier) { return barrier.buffer != no_index; }

constexpr RowColumn<TraceBarrier> barriers[] = {
    number_column<&TraceBarrier::command>("command", command, "of the kind `barrier`"),
    number_column<&TraceBarrier::source_stages>(
        "source_stages", number, "what comes before waits with these: bits of Vulkan's stages"),
    number_column<&TraceBarrier::target_stages>("target_stages", number,
                                                "what comes later starts with these"),
    number_column<&TraceBarrier::source_accesses>(
        "source_accesses", number, "writes that are made available: bits of Vulkan's accesses"),
    number_column<&TraceBarrier::target_accesses>("target_accesses", number,
                                                  "accesses that they are made visible to"),
    number_column<&TraceBarrier::buffer>("buffer", buffer, "that it is about; `NULL`: all memory"),
    number_column<&TraceBarrier::offset_bytes>("offset_bytes", number, "of the range",
                                               is_of_buffer),
    number_column<&TraceBarrier::size_bytes>("size_bytes", number, "of the range", is_of_buffer),
    number_column<&TraceBarrier::old_layout>("old_layout", number,
                                             "of an image: `VkImageLayout` before", is_of_buffer),
    number_column<&TraceBarrier::new_layout>("new_layout", number,
                                             "of an image: `VkImageLayout` after", is_of_buffer),
    number_column<&TraceBarrier::source_family>("source_family", index,
                                                "the queue family that gives it away"),
    number_column<&TraceBarrier::target_family>("target_family", index,
                                                "the queue family that gets it"),
};

constexpr RowColumn<TraceContents> contents[] = {
    number_column<&TraceContents::command>("command", command, "`NULL`: at the very start"),
    word_column<&TraceContents::role, ContentRole::check>(
        "role", "`input` (before the command), `written` (by it), `check` (after it)"),
    number_column<&TraceContents::buffer>("buffer", buffer, "that held them"),
    number_column<&TraceContents::offset_bytes>("offset_bytes", number, "of the range"),
    number_column<&TraceContents::size_bytes>("size_bytes", number, "of the range"),
    number_column<&TraceContents::stored>("stored", flag,
                                          "1: the bytes are there; 0: only their hashes"),
    number_column<&TraceContents::page_count>("page_count", number, "pages of 1 MiB"),
};

bool is_numbered(const TraceRegion& region) { return region.kind != TraceRegion::Kind::named; }

constexpr RowColumn<TraceRegion> regions[] = {
    word_column<&TraceRegion::kind, TraceRegion::Kind::round>(
        "kind",
        "`pass`, `named`, `launch` (of a graph that decides, which is recorded in parts); in a "
        "launch its decisions, `if`, `while`, `switch` and `repeat`, and in those what ran: the "
        "`branch`, or each `round`"),
    number_column<&TraceRegion::number>(
        "number", number,
        "of a pass; of a launch, its graph's; of an `if` or `switch`, its condition; of a `while`, "
        "rounds that ran; of a `repeat`, rounds it has; of a `branch` or `round`, which, from 0",
        is_numbered),
    number_column<&TraceRegion::name>(
        "name", text, "as the program named it; of a decision without a label its node, as `n3`"),
    number_column<&TraceRegion::thread>("thread", count, "that was in it"),
    number_column<&TraceRegion::begin_ns>("begin_ns", time, "when it began"),
    number_column<&TraceRegion::end_ns>("end_ns", time, "when it ended"),
    number_column<&TraceRegion::parent>("parent", index,
                                        "the innermost region of its thread that it lies in"),
};

constexpr RowColumn<TraceOverhead> overheads[] = {
    word_column<&TraceOverhead::kind, OverheadKind::reading>(
        "kind",
        "`inputs`, `checks`, `waiting`, `starting`, `stopping`, `commands`, `writing`, `reading`"),
    number_column<&TraceOverhead::thread>(
        "thread", count, "that was held up; of `writing`, that wrote; of `reading`, that noticed"),
    number_column<&TraceOverhead::begin_ns>("begin_ns", time, "when it began"),
    number_column<&TraceOverhead::end_ns>("end_ns", time, "when it ended"),
    number_column<&TraceOverhead::bytes>("bytes", number, "that were recorded meanwhile"),
};

ColumnValue index_value(std::uint64_t index) {
  if (index == no_index) return {};
  return index;
}
template <class Rows>
ColumnValue id_value(const Rows& rows, std::uint64_t index) {
  if (index == no_index) return {};
  return static_cast<std::uint64_t>(rows[index].id);
}

}  // namespace

// clang-format off
template <> std::span<const RowColumn<TraceDevice>> columns_of() { return devices; }
template <> std::span<const RowColumn<TraceStream>> columns_of() { return streams; }
template <> std::span<const RowColumn<TraceBuffer>> columns_of() { return buffers; }
template <> std::span<const RowColumn<TraceKernel>> columns_of() { return kernels; }
template <> std::span<const RowColumn<Parameter>> columns_of() { return parameters; }
template <> std::span<const RowColumn<TraceNote>> columns_of() { return notes; }
template <> std::span<const RowColumn<TraceWork>> columns_of() { return works; }
template <> std::span<const RowColumn<TraceCommand>> columns_of() { return commands; }
template <> std::span<const RowColumn<TraceArgument>> columns_of() { return arguments; }
template <> std::span<const RowColumn<TraceCall>> columns_of() { return calls; }
template <> std::span<const RowColumn<TraceOrder>> columns_of() { return orders; }
template <> std::span<const RowColumn<TraceEdge>> columns_of() { return edges; }
template <> std::span<const RowColumn<TraceSubmission>> columns_of() { return submissions; }
template <> std::span<const RowColumn<TraceInterval>> columns_of() { return intervals; }
template <> std::span<const RowColumn<TraceClock>> columns_of() { return clocks; }
template <> std::span<const RowColumn<TraceBarrier>> columns_of() { return barriers; }
template <> std::span<const RowColumn<TraceContents>> columns_of() { return contents; }
template <> std::span<const RowColumn<TraceRegion>> columns_of() { return regions; }
template <> std::span<const RowColumn<TraceOverhead>> columns_of() { return overheads; }
// clang-format on

ColumnValue shown(const Trace& trace, ColumnKind kind, std::uint64_t value) {
  switch (kind) {
    case number:
    case flag:
    case place:
    case real:
    case string:
    case word:
      return value;
    case ColumnKind::count:
    case time:
      return value == 0 ? ColumnValue() : ColumnValue(value);
    case text:
      return std::string_view(trace.text(static_cast<std::uint32_t>(value)));
    case device:
      return id_value(trace.devices(), value);
    case stream:
      return id_value(trace.streams(), value);
    case buffer:
      return id_value(trace.buffers(), value);
    case kernel:
      return id_value(trace.kernels(), value);
    case index:
    case command:
    case call:
      return index_value(value);
  }
  return {};
}

}  // namespace reel
