// trace.hpp - a document loaded: sorted, checked, immutable.
//
//   const reel::Trace trace = reel::Trace::load("pass.reel");
//   for (const reel::TraceCommand& command : trace.commands()) …
//
// Every index in here is within its list: load() leaves out rows that say otherwise and counts
// them among problems(). Ids of commands are contiguous; loading stops at the first gap. Times are
// nanoseconds on the host's clock; device times have been converted to it. Contents stay in the
// file until they are read; what is truncated meanwhile is lost. Any thread; copies share one file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reel/dim3.hpp"
#include "reel/ids.hpp"
#include "reel/image.hpp"
#include "reel/kernel_form.hpp"
#include "reel/parameter.hpp"
#include "reel/trace_commands.hpp"

namespace reel {

struct TraceDevice {  // a device of the document
  std::uint32_t id = 0;
  std::string selector, backend, name, type, driver, driver_version, api_version;
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_units = 0;
  bool can_stamp_time = false;
  double stamp_resolution_ns = 0;
  std::optional<std::uint64_t> clock_error_ns;    // the largest; none: its times can't be placed
  std::vector<std::string> features, extensions;  // that a Vulkan program switched on
};

struct TraceStream {  // a stream or queue
  StreamId id{};
  std::uint32_t device = no_index;  // index in devices()
  std::string label;
  // Each command starts when the one before it is done; else only barriers and waits say so, and
  // ids are the order in which commands were submitted.
  bool is_ordered = true;
  std::optional<std::uint32_t> family = std::nullopt;  // of a queue of Vulkan
};

enum class BufferKind : std::uint8_t { buffer, image, svm };  // buffer, image or SVM
const char* to_string(BufferKind kind) noexcept;

// Where a buffer or an image of Vulkan lies, and what it is for.
struct BufferMemory {
  std::uint32_t allocation = no_index;  // a number of the process; none: not known
  std::uint64_t offset_bytes = 0;
  std::uint32_t flags = 0;    // of the memory: VkMemoryPropertyFlags
  std::uint32_t usage = 0;    // VkBufferUsageFlags, of an image VkImageUsageFlags
  std::uint64_t address = 0;  // of its first byte, as kernels know it; 0: none
};

struct TraceBuffer {  // a buffer of the document
  BufferId id{};
  std::uint32_t device = no_index;
  std::uint64_t size_bytes = 0;
  std::string label;
  BufferKind kind = BufferKind::buffer;
  std::optional<ImageShape> image = std::nullopt;  // of an image
  bool starts_undefined = false;                   // fresh memory holds anything, not zeros
  BufferMemory memory = {};
  std::optional<std::uint64_t> allocated_ns, freed_ns;  // none: not within the capture
};

// Names a blob of the document by the hash of its bytes.
struct BlobId {
  std::uint64_t low = 0, high = 0;
  // clang-tidy 14 takes the 0 that an order is compared with for a pointer.
  friend auto operator<=>(const BlobId&, const BlobId&) = default;  // NOLINT(modernize-use-nullptr)
};

struct TraceVariant {  // one form of a kernel
  KernelForm form{};
  std::optional<BlobId> blob;  // none: the form has no text (a C++ function)
};

struct TraceKernel {  // a kernel of the document
  KernelId id{};
  std::uint32_t device = no_index;
  std::string name, entry;
  KernelForm built_form{};
  std::vector<TraceVariant> variants;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> constants;  // id, value
  std::string options;
  Dim3 group_size = unset_dim;
  std::vector<Parameter> parameters;
  std::string build_log, binary_hash;
  bool declared_layout = false;               // see KernelSource
  std::vector<DescriptorCount> array_counts;  // of arrays without a size in the source
  std::uint32_t subgroup_size = 0;            // required; 0: any
  bool full_subgroups = false;                // required

  // Reflection on a shader tells the order of buffers and that of values, not how they are mixed.
  bool has_parameters_by_kind() const noexcept { return is_shader(built_form) && !declared_layout; }
};

enum class WorkKind : std::uint8_t {  // what a command does
  dispatch,
  copy,
  fill,
  write,
  read,
  host_call,
  barrier,
  launch,  // of a graph; its nodes are commands of their own
  opaque,  // work of a device that no replay has, as drawing: its ranges say what it touches
  unknown  // a newer version's; what it touches is known as far as its arguments tell
};
const char* to_string(WorkKind kind) noexcept;

// Recorders keep these rows as flat bytes and compare them as such: there is no padding.
struct TraceArgument {
  ArgumentKind kind{};
  Access access = Access::read;
  std::uint16_t zero = 0;
  std::uint32_t buffer = no_index;  // index in buffers(); in a file its id
  std::uint64_t offset_bytes = 0;   // of a range; of a value: where its bytes begin in value_bytes
  std::uint64_t size_bytes = 0;
  // Index in buffers() of an image that is made on this range of a buffer, and is what is bound.
  std::uint32_t view = no_index;
  std::uint32_t zero_too = 0;

  constexpr TraceArgument() = default;
  constexpr TraceArgument(ArgumentKind kind_, Access access_, std::uint32_t buffer_,
                          std::uint64_t offset, std::uint64_t size, std::uint32_t view_ = no_index)
      : kind(kind_),
        access(access_),
        buffer(buffer_),
        offset_bytes(offset),
        size_bytes(size),
        view(view_) {}

  // Of a buffer: that the kernel is given, or that is read beside.
  bool has_range() const noexcept { return kind == ArgumentKind::buffer || is_read_beside(kind); }
  bool has_value() const noexcept {  // not a buffer
    return kind == ArgumentKind::value || kind == ArgumentKind::sampler;
  }
};

// What a command does; equal commands share one. No padding, as above.
struct TraceWork {
  WorkKind kind{};
  std::uint8_t zero[3] = {};
  std::uint32_t kernel = no_index;     // index in kernels()
  std::uint32_t graph = no_index;      // of a launch
  std::uint32_t label = 0, scope = 0;  // texts; 0 is the empty one
  // As in a Dispatch. Both 0: the driver chose them, and only `items` is known.
  Dim3 groups{0, 0, 0}, group_size{0, 0, 0};
  Dim3 offset{0, 0, 0};  // of the first item's global id
  Dim3 items{0, 0, 0};   // 0: groups × group_size; else fewer, the last groups are not full
  std::uint32_t dimensions = 0;  // get_work_dim(); 0: the number of dimensions larger than 1
  std::uint32_t pattern = 0, pattern_bytes = 0;
  std::uint32_t first_argument = 0, argument_count = 0;

  bool has_own_groups() const noexcept { return group_size != unset_dim; }  // by launch
  // How many items of each dimension there are, however they were given.
  Dim3 all_items() const noexcept {
    if (items != unset_dim || !has_own_groups()) return items;
    Dim3 all;
    all.x = groups.x * group_size.x, all.y = groups.y * group_size.y,
    all.z = groups.z * group_size.z;
    return all;
  }
};

enum class OrderKind : std::uint8_t {  // what orders commands
  event,                               // that was waited for on the device, or nobody told how
  semaphore,                           // of Vulkan
  host                                 // the host had seen it done before it gave `command`
};
const char* to_string(OrderKind kind) noexcept;

// Before `command` runs, `after`, and all that was given to its stream before, is done. Of the same
// stream only where that one orders nothing by itself.
struct TraceOrder {
  std::uint32_t command, after;  // indices in commands(); `after` is the smaller
  OrderKind kind = OrderKind::event;
  // Of a semaphore: only these stages of the stream's commands wait, from `command` on
  // (VkPipelineStageFlags2). 0: all of them.
  std::uint64_t stages = 0;
};

// Commands that one call gave to a stream together: `count` of them, from `first` on.
struct TraceSubmission {
  std::uint32_t first, count;
  std::uint32_t stream;  // index in streams()
  std::uint32_t call;    // text: the function
};

// Commands that have no times of their own, since only all of them together were timed: `count` of
// them, from `first` on, ran within this span of time. Barriers may stand among them.
struct TraceInterval {
  std::uint32_t first = no_index, count = 0;
  std::uint32_t stream = no_index;  // index in streams()
  std::uint64_t begin_ns = 0, end_ns = 0;

  std::uint64_t size_ns() const noexcept { return end_ns - begin_ns; }  // how long
};

// What a command of the kind barrier asks for; one may have several. Stages and accesses are
// Vulkan's bits (VkPipelineStageFlags2, VkAccessFlags2), layouts VkImageLayout.
struct TraceBarrier {
  std::uint32_t command = no_index;
  std::uint64_t source_stages = 0, target_stages = 0, source_accesses = 0, target_accesses = 0;
  std::uint32_t buffer = no_index;  // index in buffers(); none: all memory
  std::uint64_t offset_bytes = 0, size_bytes = 0;
  std::uint32_t old_layout = 0, new_layout = 0;
  std::uint32_t source_family = no_index, target_family = no_index;  // none: it changes no owner
};

enum class ContentRole : std::uint8_t { input, written, check };  // what bytes were kept for
const char* to_string(ContentRole role) noexcept;

// When a check was read. `end`: when the capture ended, so it is what all commands left, also those
// that ran later than its own. Documents of earlier versions don't tell.
enum class CheckMoment : std::uint8_t { command, end, unknown };

// What a range of a buffer held: before `command` (input), by it (written), or after it (check).
struct TraceContents {
  ContentRole role{};
  std::uint32_t command = no_index;  // index in commands(); none: at the very start
  std::uint32_t buffer = no_index;
  std::uint64_t offset_bytes = 0, size_bytes = 0;
  bool stored = false;  // the bytes are there; otherwise only their hashes
  std::uint32_t first_page = 0, page_count = 0;
  CheckMoment moment = CheckMoment::unknown;  // of a check
};
inline constexpr std::uint64_t page_bytes = 1u << 20;

struct TraceRegion {  // a part of the run
  // A launch is one of a graph that decides, which is recorded in parts. In it lie its decisions,
  // in those the branch or the rounds that ran, and in these further decisions.
  enum class Kind : std::uint8_t {
    pass,
    named,
    launch,
    if_else,
    while_loop,
    switch_case,
    repeat,
    branch,
    round
  } kind{};
  // Of a launch: the same for all of one graph. Of an if or a switch: its condition. Of a while:
  // rounds that ran; of a repeat: rounds it has. Of a branch or a round: which, from 0.
  std::uint32_t number = 0;
  std::uint32_t name = 0;  // text; none of a branch or a round
  std::uint32_t thread = 0;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint32_t parent = no_index;  // index in regions(): the innermost of its thread around it
  // An if, while, switch or repeat.
  bool is_decision() const noexcept { return kind >= Kind::if_else && kind <= Kind::repeat; }
};

// `commands` is what calls of the program take beside the driver, of many of them together: a row
// ends when they were that much. So does one of `reading`, time that devices took to read contents
// for us, and one of `writing`, CPU time of the thread that writes the document. The others are
// time of the program's threads.
enum class OverheadKind : std::uint8_t {
  inputs,
  checks,
  waiting,
  starting,
  stopping,
  commands,
  writing,
  reading
};
inline constexpr std::size_t overhead_kinds = static_cast<std::size_t>(OverheadKind::reading) + 1;
const char* to_string(OverheadKind kind) noexcept;

// Time that capture itself took.
struct TraceOverhead {
  OverheadKind kind{};
  std::uint32_t thread = 0;
  std::uint64_t begin_ns = 0, end_ns = 0, bytes = 0;
};

// What capture took, by kind. What a thread did within something else counts once, as what it did.
std::array<std::uint64_t, overhead_kinds> overhead_ns(std::span<const TraceOverhead> overheads);

// What another clock said at a moment of the host's clock (CLOCK_MONOTONIC).
enum class ClockKind : std::uint8_t {
  real,   // CLOCK_REALTIME of the same host
  common  // CLOCK_MONOTONIC of the host that the fact `clock_boot_id` names, by messages
};
const char* to_string(ClockKind kind) noexcept;
struct TraceClock {  // host against device
  ClockKind kind{};
  std::uint64_t time_ns = 0, other_ns = 0;  // ours, and the other's at the same moment
  std::uint64_t error_ns = 0;               // give or take
};

struct TraceEdge {  // of a graph
  std::uint32_t graph, from, to;
  std::uint8_t kind;  // as EdgeKind
};

struct TraceNote {  // what the capture noted
  std::uint64_t time_ns = 0;
  std::string kind, text;
};

struct TraceState;

class Trace {
 public:
  // Throws io_failed where there is no such file, damaged_document where it is no document, and
  // unsupported where a newer format would be misread. A document that is cut short or damaged
  // further on loads as far as it goes: see is_complete() and problems().
  static Trace load(const std::string& path);
  // Copies share everything, and moving one copies it.
  Trace(const Trace&) = default;
  Trace& operator=(const Trace&) = default;

  const std::string& path() const;                   // it was loaded from
  std::uint64_t file_bytes() const;                  // of the file
  bool is_complete() const;                          // closed properly, nothing damaged
  const std::vector<std::string>& problems() const;  // a sentence each

  // The keys of docs/document-format.md, "Metadata".
  const std::map<std::string, std::string>& facts() const;
  // Those of them that tell of the run: rank, ranks, local_rank, node, job, host, boot_id,
  // container, commit, and what the user added. A fact that nobody knew is absent.
  const std::map<std::string, std::string>& run_facts() const;
  const std::map<std::string, std::string>& end_facts() const;  // at the end

  const std::vector<TraceDevice>& devices() const;      // all
  const std::vector<TraceStream>& streams() const;      // all
  const std::vector<TraceBuffer>& buffers() const;      // all
  const std::vector<TraceKernel>& kernels() const;      // all
  const std::vector<TraceWork>& works() const;          // what commands do
  const TraceCommands& commands() const;                // [12] is c12
  const std::vector<TraceOrder>& orders() const;        // by command
  const std::vector<TraceContents>& contents() const;   // by command, then as recorded
  const TraceCalls& calls() const;                      // by begin; those of commands among them
  const std::vector<TraceRegion>& regions() const;      // passes, named parts, launches that decide
  const std::vector<TraceOverhead>& overheads() const;  // of recording
  const std::vector<TraceEdge>& edges() const;          // of graphs
  const std::vector<TraceNote>& notes() const;          // all
  const std::vector<TraceClock>& clocks() const;        // by kind, then by time
  const std::vector<TraceSubmission>& submissions() const;  // by first command
  const std::vector<TraceBarrier>& barriers() const;        // by command
  const std::vector<TraceInterval>& intervals() const;      // by first command
  // Index of the submission that gave this command; none: it was given by itself.
  std::optional<std::uint32_t> submission_of(std::uint32_t command) const;
  // Index of the interval that this command was timed in together with others; none: it was not.
  std::optional<std::uint32_t> interval_of(std::uint32_t command) const;
  std::span<const TraceBarrier> barriers_of(std::uint32_t command) const;  // before it

  // What it does. Always inlined, so that of a row that is made for it the index alone is read.
  [[gnu::always_inline]] const TraceWork& work_of(const TraceCommand& command) const {
    return works()[command.work];
  }
  std::span<const TraceArgument> arguments(const TraceWork& work) const;     // of it
  std::span<const std::byte> value_bytes(const TraceArgument& value) const;  // of a value
  std::span<const BlobId> pages(const TraceContents& contents) const;        // their bytes
  const std::string& text(std::uint32_t id) const;                           // by its number

  std::optional<std::uint32_t> find_buffer(BufferId id) const;  // index
  std::optional<std::uint32_t> find_kernel(KernelId id) const;  // its index
  std::optional<std::uint32_t> find_stream(StreamId id) const;  // its index

  bool has_blob(const BlobId& id) const;  // are its bytes there?
  std::uint64_t stored_bytes() const;     // of all blobs, as they lie in the file
  // The bytes, checked against their name; none where the blob is missing or damaged.
  std::optional<std::vector<std::byte>> blob(const BlobId& id) const;
  // One page of it; none where it is missing or damaged.
  std::optional<std::vector<std::byte>> page(const TraceContents& contents,
                                             std::uint32_t number) const;
  // All pages of it, as large as it is; none where any is missing.
  std::optional<std::vector<std::byte>> bytes(const TraceContents& contents) const;

 private:
  friend struct TraceTotals;
  explicit Trace(std::shared_ptr<const TraceState> state) : state_(std::move(state)) {}
  std::shared_ptr<const TraceState> state_;
};

// "c12", "b7", "k4", "s0".
std::string command_name(std::size_t index);
std::string name_of(BufferId id);  // "b7"
std::string name_of(KernelId id);  // "k4"
std::string name_of(StreamId id);  // "s0"

// How sentences name them: "c12 'q_proj' (matmul_f32) in layer0/attention", "b3 'x'". An index that
// the trace doesn't have throws invalid_argument.
std::string describe_command(const Trace& trace, std::uint32_t command);
std::string describe_buffer(const Trace& trace, std::uint32_t buffer);  // "b7 'kv'"

}  // namespace reel
