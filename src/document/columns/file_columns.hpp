// file_columns.hpp - the tables and columns of a document, described once.
//
// Writer and loader go by these lists: which columns there are, at which place of schema.fbs, which
// member of a row is there, which numbers may stand there, and what counts where a document lacks
// the column. A test compares them with schema.fbs and with docs/document-format.md, which has the
// same words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "document/columns/rows.hpp"
#include "reel/command.hpp"

namespace reel::document {

enum class FileType : std::uint8_t {
  u32,     // a number of at most 32 bits
  id,      // the same; 4294967295: none
  text,    // the same: a row of /texts
  u64,     // a number
  ns,      // a time or a duration
  string,  // not in columns of numbers: a text of the row itself
  real,
  list,  // of rows or numbers, in each row
  bytes  // of all rows, one after the other
};
const char* to_string(FileType type) noexcept;

struct FileColumn {
  const char* name;
  std::uint8_t slot;  // its place in the table of schema.fbs
  FileType type;
  const char* meaning;
  std::uint64_t if_absent = type == FileType::id ? no_index : 0;
  std::uint8_t since = 1;  // the format that first had it

  constexpr bool has_32_bits() const noexcept { return type <= FileType::text; }
};

// A column of numbers, and what of a row they are. Rows that are loaded may be others than those
// that are written. A larger number than `most` is a newer version's.
template <class Row, class Loaded = Row>
struct StoredColumn : FileColumn {
  std::uint64_t (*get)(const Row&) = nullptr;
  void (*set)(Loaded&, std::uint64_t) = nullptr;
  std::uint64_t most = ~std::uint64_t{0};
};

// Of works: fields that a Dispatch has under the same name come from there, and go back.
struct WorkColumn : StoredColumn<WorkRow> {
  void (*store)(TraceWork&, const Dispatch&) = nullptr;
  void (*load)(Dispatch&, const TraceWork&) = nullptr;
};

// visit(column) of each, with the place in `columns` known when compiling.
template <const auto& columns, class Visit>
constexpr void for_each_column(Visit&& visit) {
  [&]<std::size_t... place>(std::index_sequence<place...>) {
    (visit(std::integral_constant<std::size_t, place>{}), ...);
  }
  (std::make_index_sequence<columns.size()>{});
}

enum class TableId : std::uint8_t {
  texts,
  devices,
  streams,
  buffers,
  kernels,
  works,
  commands,
  stamps,
  orders,
  contents,
  calls,
  allocations,
  regions,
  overheads,
  clocks,
  edges,
  notes,
  submissions,
  barriers,
  intervals,
  host_clocks
};
inline constexpr std::array table_topics{
    "/texts",    "/devices",   "/streams",    "/buffers",  "/kernels", "/works",
    "/commands", "/stamps",    "/orders",     "/contents", "/calls",   "/allocations",
    "/regions",  "/overheads", "/clocks",     "/edges",    "/notes",   "/submissions",
    "/barriers", "/intervals", "/host_clocks"};
inline constexpr std::size_t table_count = table_topics.size();

// --- tables whose rows are numbers, column by column --------------------------------------------

namespace columns {

using enum FileType;

// The column of what member(row) refers to.
template <class Row, class Member>
constexpr StoredColumn<Row> of(const FileColumn& column, Member /*member*/,
                               std::uint64_t most = ~std::uint64_t{0}) {
  return {column, [](const Row& row) { return static_cast<std::uint64_t>(Member{}(row)); },
          [](Row& row, std::uint64_t number) {
            auto& member = Member{}(row);
            member = static_cast<std::remove_reference_t<decltype(member)>>(number);
          },
          most};
}
// The same of a member, of the row that has it or of another that derives from that.
template <class Row, class Value>
Row row_with(Value Row::*member);
template <auto member, class Row = decltype(row_with(member))>
constexpr StoredColumn<Row> of(const FileColumn& column, std::uint64_t most = ~std::uint64_t{0}) {
  return of<Row>(
      column, [](auto& row) -> auto& { return row.*member; }, most);
}
// The length of a span of time, which stands behind its begin. Of a span that ended before it began
// the length wraps, and so it is loaded: as one that ended before it began.
template <class Row>
constexpr StoredColumn<Row> span_of(const FileColumn& column) {
  return {column, [](const Row& row) { return row.end_ns - row.begin_ns; },
          [](Row& row, std::uint64_t ns) { row.end_ns = row.begin_ns + ns; }};
}
// The same member of the two rows of contents.
template <auto written_member, auto loaded>
constexpr StoredColumn<ContentsRow, TraceContents> both(const FileColumn& column) {
  return {column, of<written_member>(column).get, of<loaded>(column).set};
}
template <class Row>
constexpr StoredColumn<Row> written(const FileColumn& column, std::uint64_t (*get)(const Row&)) {
  return {column, get};
}

template <auto member>
constexpr WorkColumn work(const FileColumn& column) {
  return {of<member, WorkRow>(column)};
}
// A field that Dispatch and TraceWork both have.
template <auto dispatched_field, auto field>
constexpr WorkColumn dispatched(const FileColumn& column) {
  return {
      of<field, WorkRow>(column),
      [](TraceWork& row, const Dispatch& dispatch) { row.*field = dispatch.*dispatched_field; },
      [](Dispatch& dispatch, const TraceWork& row) { dispatch.*dispatched_field = row.*field; }};
}
// One dimension of such a field.
template <auto dispatched_field, auto field, auto part>
constexpr WorkColumn dispatched(const FileColumn& column) {
  return {of<WorkRow>(
              column, [](auto& row) -> auto& { return row.*field.*part; }),
          [](TraceWork& row, const Dispatch& dispatch) {
            row.*field.*part = dispatch.*dispatched_field.*part;
          },
          [](Dispatch& dispatch, const TraceWork& row) {
            dispatch.*dispatched_field.*part = row.*field.*part;
          }};
}

inline constexpr std::array texts{
    of<std::uint32_t>(
        {"id", 0, u32, "the number that others use; 0 is the empty text and has no row"},
        [](auto& id) -> auto& { return id; }),
};

inline constexpr std::array works{
    work<&WorkRow::id>({"id", 0, u32, "number, from 0"}),
    work<&WorkRow::kind>(
        {"kind", 1, u32,
         "0 dispatch, 1 copy, 2 fill, 3 write, 4 read, 5 host call, 6 barrier, 7 launch of a "
         "graph, 8 opaque: work that no replay has (drawing, scaling, resolving, presenting), with "
         "what it "
         "reads and writes"}),
    work<&WorkRow::kernel>(
        {"kernel", 2, id, "of a dispatch; of a launch: number of its graph in `/edges`"}),
    work<&WorkRow::label>({"label", 3, text, "as the program named it"}),
    work<&WorkRow::scope>({"scope", 4, text, "`layer0/attention`"}),
    dispatched<&Dispatch::groups, &TraceWork::groups, &Dim3::x>(
        {"groups_x", 5, u32, "groups of a dispatch. Where the group size is 0: its items"}),
    dispatched<&Dispatch::groups, &TraceWork::groups, &Dim3::y>(
        {"groups_y", 6, u32, "the same in the second dimension"}),
    dispatched<&Dispatch::groups, &TraceWork::groups, &Dim3::z>(
        {"groups_z", 7, u32, "the same in the third dimension"}),
    dispatched<&Dispatch::group_size, &TraceWork::group_size, &Dim3::x>(
        {"group_size_x", 8, u32, "items in a group; 0: the driver chose"}),
    dispatched<&Dispatch::group_size, &TraceWork::group_size, &Dim3::y>(
        {"group_size_y", 9, u32, "the same in the second dimension"}),
    dispatched<&Dispatch::group_size, &TraceWork::group_size, &Dim3::z>(
        {"group_size_z", 10, u32, "the same in the third dimension"}),
    WorkColumn{
        {{"pattern", 11, u64,
          "of a fill: its bytes in the low half, how many of them (1, 2, 4) from bit 32 on"},
         [](const WorkRow& work) { return work.pattern | std::uint64_t{work.pattern_bytes} << 32; },
         [](WorkRow& work, std::uint64_t number) {
           work.pattern = static_cast<std::uint32_t>(number);
           work.pattern_bytes = static_cast<std::uint32_t>(number >> 32);
         }}},
    work<&WorkRow::argument_count>(
        {"argument_count", 12, u64,
         "how many rows of the argument columns are its own; they follow each other"}),
    dispatched<&Dispatch::offset, &TraceWork::offset, &Dim3::x>(
        {"offset_x", 19, u32, "added to the global ids of items"}),
    dispatched<&Dispatch::offset, &TraceWork::offset, &Dim3::y>(
        {"offset_y", 20, u32, "the same in the second dimension"}),
    dispatched<&Dispatch::offset, &TraceWork::offset, &Dim3::z>(
        {"offset_z", 21, u32, "the same in the third dimension"}),
    dispatched<&Dispatch::items, &TraceWork::items, &Dim3::x>(
        {"items_x", 22, u32,
         "0: groups × group size. Else how many there are in all, fewer: the last groups are "
         "not full"}),
    dispatched<&Dispatch::items, &TraceWork::items, &Dim3::y>(
        {"items_y", 23, u32, "the same in the second dimension"}),
    dispatched<&Dispatch::items, &TraceWork::items, &Dim3::z>(
        {"items_z", 24, u32, "the same in the third dimension"}),
    dispatched<&Dispatch::dimensions, &TraceWork::dimensions>(
        {"dimensions", 26, u32,
         "that the kernel is told of (`get_work_dim()`); 0: as many as are more than 1"}),
};
// Of the arguments of all works of a batch, one after the other.
inline constexpr std::array arguments{
    of<&TraceArgument::kind>(
        {"argument_kind", 13, u32,
         "0 range of a buffer, an image or shared virtual memory, 1 value, 2 shared memory of "
         "a group, 3 the range that an indirect grid is read from, 4 sampler, 5 a pointer to "
         "nothing, 6 something that can't be given again, 8 a word of 4 bytes: where it is 0, "
         "nothing runs, 9 one that has to be 0 for it to run. A grid and then such a word stand "
         "behind all others"}),
    of<&TraceArgument::access>({"argument_access", 14, u32, "1 read, 2 write, 3 both", 3}),
    of<&TraceArgument::buffer>({"argument_buffer", 15, id, "that the range is of"}),
    of<&TraceArgument::offset_bytes>({"argument_offset", 16, u64, "of the range, in bytes"}),
    of<&TraceArgument::size_bytes>(
        {"argument_size", 17, u64, "of the range, the value or the shared memory, in bytes"}),
    of<&TraceArgument::view>(
        {"argument_view", 25, id,
         "the image that is made on this range of a buffer, and is what is bound"}),
};
inline constexpr FileColumn values{
    "values", 18, bytes,
    "of all values and samplers, one after the other. A sampler is three numbers of 32 bits, as "
    "OpenCL has them: normalized, addressing, filter"};

inline constexpr std::array commands{
    of<&CommandRow::id>(
        {"id", 0, u32,
         "`c<id>`; every number from 0 on comes once. Where one is missing (a damaged chunk), "
         "a reader ends before it"}),
    of<&CommandRow::work>({"work", 1, id, "what it does: a row of `/works`"}),
    of<&CommandRow::stream>({"stream", 2, id, "that it was given to"}),
    of<&CommandRow::launch>(
        {"launch", 3, id, "of a node of a graph: the command that launched it, a smaller id"}),
    of<&CommandRow::node>({"node", 4, id, "its number in that graph"}),
    of<&CommandRow::thread>({"thread", 5, u32, "that made the call, as the system numbers it"}),
    of<&CommandRow::call_begin_ns>(
        {"call_begin_ns", 6, ns,
         "when the call that gave it began, on the host. Nodes of a launch have the times of "
         "the launch"}),
    written<CommandRow>({"call_ns", 7, ns, "how long the call took"},
                        [](const CommandRow& row) { return row.call_end_ns - row.call_begin_ns; }),
};

// Times that are missing repeat the one before, which costs nothing.
constexpr std::uint64_t submitted(const StampRow& row) {
  return row.submitted_ns ? row.submitted_ns : row.queued_ns;
}
constexpr std::uint64_t started(const StampRow& row) {
  return row.started_ns ? row.started_ns : submitted(row);
}
constexpr std::uint64_t known_times(const StampRow& row) {
  return (row.queued_ns ? 1u : 0u) | (row.submitted_ns ? 2u : 0u) | (row.started_ns ? 4u : 0u) |
         (row.ended_ns ? 8u : 0u);
}
inline constexpr std::array stamps{
    of<&StampRow::command>({"command", 0, id, "that ran"}),
    written<StampRow>(
        {"known", 1, u32, "bit 0 queued, bit 1 submitted, bit 2 started, bit 3 ended"},
        [](const StampRow& row) { return known_times(row); }),
    of<&StampRow::queued_ns>({"queued_ns", 2, ns, "on the clock of the device"}),
    written<StampRow>({"submitted_ns", 3, ns, "nanoseconds since it was queued"},
                      [](const StampRow& row) { return submitted(row) - row.queued_ns; }),
    written<StampRow>({"started_ns", 4, ns, "nanoseconds since it was submitted"},
                      [](const StampRow& row) { return started(row) - submitted(row); }),
    written<StampRow>({"ended_ns", 5, ns, "nanoseconds since it started"},
                      [](const StampRow& row) {
                        return (row.ended_ns ? row.ended_ns : started(row)) - started(row);
                      }),
};

inline constexpr std::array orders{
    of<&OrderRow::command>({"command", 0, id, "that waits"}),
    of<&OrderRow::stream>({"stream", 1, id, "that it runs on"}),
    of<&OrderRow::after>({"after", 2, id,
                          "the command that is done before, with a smaller id; of another stream, "
                          "unless its own is not ordered"}),
    of<&OrderRow::kind>(
        {"kind", 3, u32, "0 an event, 1 a semaphore of Vulkan, 2 the host had seen it done"}, 2),
    of<&OrderRow::stages>({"stages", 4, u64,
                           "of a semaphore: only these stages wait, bits of "
                           "`VkPipelineStageFlags2`; 0: all"}),
};

inline constexpr std::array contents{
    both<&ContentsRow::role, &TraceContents::role>(
        {"role", 0, u32,
         "0 **input**: the range held this before `command`; 1 **written**: the host gave "
         "these bytes by `command`; 2 **check**: the range held this after `command` and all "
         "before it"}),
    both<&ContentsRow::command, &TraceContents::command>(
        {"command", 1, id, "none: at the very start"}),
    both<&ContentsRow::buffer, &TraceContents::buffer>({"buffer", 2, id, "that the range is of"}),
    both<&ContentsRow::offset_bytes, &TraceContents::offset_bytes>(
        {"offset", 3, u64, "of the range, in bytes"}),
    both<&ContentsRow::size_bytes, &TraceContents::size_bytes>(
        {"size", 4, u64, "of the range, in bytes"}),
    both<&ContentsRow::stored, &TraceContents::stored>(
        {"stored", 5, u64, "1: the pages are there as blobs; 0: only their hashes"}),
    StoredColumn<ContentsRow, TraceContents>{
        {"page_count", 6, u64, "pages of 1 MiB from `offset` on, the last one shorter"},
        [](const ContentsRow& row) { return std::uint64_t{row.pages.size()}; },
        [](TraceContents& row, std::uint64_t count) {
          row.page_count = static_cast<std::uint32_t>(count);
        }},
    both<&ContentsRow::moment, &TraceContents::moment>(
        {"final", 8, u32,
         "of a check: 1 where it was read when the capture ended, and is what all commands left, "
         "also those that ran later than `command`; 2: nobody knows which",
         2}),
};
inline constexpr FileColumn pages{"pages", 7, bytes,
                                  "the hash of each page, 16 bytes, low half first"};

inline constexpr std::array calls{
    of<&CallRow::name>({"name", 0, text, "of the function"}),
    of<&CallRow::thread>({"thread", 1, u32, "that called it, as the system numbers it"}),
    of<&CallRow::begin_ns>({"begin_ns", 2, ns, "when it began, on the host"}),
    span_of<CallRow>({"ns", 3, ns, "how long it took"}),
    of<&CallRow::command>({"command", 4, id, "none: it made no command"}),
    of<&CallRow::peer>(
        {"peer", 5, id,
         "of a call of MPI: the rank that it sends to, receives from or that is the root"}),
    of<&CallRow::bytes>(
        {"bytes", 6, u64, "of a call of MPI: that this process gives and takes by it"}),
};

inline constexpr std::array allocations{
    of<&AllocationRow::freed>({"kind", 0, u32, "0 allocated, 1 freed"}, 1),
    of<&AllocationRow::buffer>({"buffer", 1, id, "that was"}),
    of<&AllocationRow::time_ns>({"time_ns", 2, ns, "when, on the host"}),
};

inline constexpr std::array regions{
    of<&RegionRow::kind>(
        {"kind", 0, u32,
         "0 a pass of a GraphExecutor, 1 a region named by the program, 2 a launch of a graph that "
         "decides, and in it: 3 an if, 4 a while, 5 a switch, 6 a repeat, 7 the branch of an if or "
         "switch that ran, 8 a round of a while or repeat"},
        8),
    of<&RegionRow::number>({"number", 1, u32,
                            "of a pass: counted through the process, from 1; of a launch: that of "
                            "the graph, which no other graph has; of an if or switch: its "
                            "condition; of a while: how many rounds ran; of a repeat: how many it "
                            "has; of a branch or round: which, from 0"}),
    of<&RegionRow::name>({"name", 2, text,
                          "as the program named it; of a decision without a label its node, as n3; "
                          "none of a branch or round"}),
    of<&RegionRow::thread>({"thread", 3, u32, "that was in it"}),
    of<&RegionRow::begin_ns>({"begin_ns", 4, ns, "when it began, on the host"}),
    span_of<RegionRow>({"ns", 5, ns, "how long it took"}),
};

inline constexpr std::array overheads{
    of<&OverheadRow::kind>(
        {"kind", 0, u32,
         "0 reading inputs, 1 reading checks, 2 waiting for the writer, 3 starting, 4 "
         "stopping, 5 what calls of the program take beside the driver, 6 CPU time of the "
         "thread that writes the document, 7 time that devices took to read contents for the"
         " capture. A row of 5, 6 or 7 is of many together, and ends when they were so much;"
         " 5 is estimated from each eighth call or so"},
        overhead_kinds - 1),
    of<&OverheadRow::thread>(
        {"thread", 1, u32, "that was held up; of 6, that wrote; of 7, that noticed"}),
    of<&OverheadRow::begin_ns>({"begin_ns", 2, ns, "when it began, on the host"}),
    span_of<OverheadRow>({"ns", 3, ns, "how long it took"}),
    of<&OverheadRow::bytes>({"bytes", 4, u64, "that were recorded meanwhile"}),
};

inline constexpr std::array clocks{
    of<&ClockRow::device>({"device", 0, id, "whose clock it is"}),
    of<&ClockRow::host_ns>({"host_ns", 1, ns, "a moment on the host's clock"}),
    of<&ClockRow::device_ns>({"device_ns", 2, ns, "the same moment on the device's"}),
    of<&ClockRow::error_ns>({"error_ns", 3, ns, "give or take"}),
};

inline constexpr std::array edges{
    of<&EdgeRow::graph>({"graph", 0, id, "number of the graph in the document"}),
    of<&EdgeRow::from>({"from", 1, id, "the node that is done before"}),
    of<&EdgeRow::to>({"to", 2, id, "the node that starts after"}),
    of<&EdgeRow::kind>(
        {"kind", 3, u32, "0 asked for, 1 order of a stream, 2 conflict of byte ranges"}, 2),
};

inline constexpr std::array submissions{
    of<&SubmissionRow::first>({"first", 0, id, "its first command"}),
    of<&SubmissionRow::count>(
        {"count", 1, u32, "how many commands it has; they follow each other"}),
    of<&SubmissionRow::stream>({"stream", 2, id, "that they were given to"}),
    of<&SubmissionRow::call>({"call", 3, text, "the function that gave them: `vkQueueSubmit`"}),
};

inline constexpr std::array barriers{
    of<&BarrierRow::command>({"command", 0, id, "of the kind barrier; one may have several rows"}),
    of<&BarrierRow::source_stages>(
        {"source_stages", 1, u64,
         "what comes before waits with these stages: bits of `VkPipelineStageFlags2`"}),
    of<&BarrierRow::target_stages>(
        {"target_stages", 2, u64, "and what comes later starts with these"}),
    of<&BarrierRow::source_accesses>(
        {"source_accesses", 3, u64,
         "what was written by these accesses is made available: bits of `VkAccessFlags2`"}),
    of<&BarrierRow::target_accesses>({"target_accesses", 4, u64, "and made visible to these"}),
    of<&BarrierRow::buffer>({"buffer", 5, id, "that it is about; none: all memory"}),
    of<&BarrierRow::offset_bytes>({"offset", 6, u64, "of the range of that buffer, in bytes"}),
    of<&BarrierRow::size_bytes>(
        {"size", 7, u64, "of the range, in bytes; 0: none, it only orders"}),
    of<&BarrierRow::old_layout>({"old_layout", 8, u32, "of an image: `VkImageLayout` before", 0}),
    of<&BarrierRow::new_layout>({"new_layout", 9, u32, "of an image: `VkImageLayout` after", 0}),
    of<&BarrierRow::source_family>(
        {"source_family", 10, id, "the queue family that gives it away; none: it stays"}),
    of<&BarrierRow::target_family>({"target_family", 11, id, "the queue family that gets it"}),
};

inline constexpr std::array intervals{
    of<&IntervalRow::first>({"first", 0, id, "the first of its commands"}),
    of<&IntervalRow::count>(
        {"count", 1, u32, "how many commands it has, barriers among them; they follow each other"}),
    of<&IntervalRow::stream>({"stream", 2, id, "that they were given to"}),
    of<&IntervalRow::begin_ns>(
        {"begin_ns", 3, ns, "none of them had started, on the clock of the device"}),
    span_of<IntervalRow>({"ns", 4, ns, "nanoseconds from there until all of them had ended"}),
};

inline constexpr std::array host_clocks{
    of<&HostClockRow::kind>(
        {"kind", 0, u32,
         "0 the real time (CLOCK_REALTIME) of this host, 1 CLOCK_MONOTONIC of the host whose boot"
         " id is the fact `clock_boot_id`"},
        1),
    of<&HostClockRow::time_ns>({"time_ns", 1, ns, "a moment on the host's clock"}),
    of<&HostClockRow::other_ns>({"other_ns", 2, ns, "the same moment on the other clock"}),
    of<&HostClockRow::error_ns>({"error_ns", 3, ns, "give or take"}),
};

}  // namespace columns

// --- all of it, for tests and documents ---------------------------------------------------------

// A table of schema.fbs. Its topic is empty where it stands within rows of another.
struct FileTable {
  const char *topic, *schema;  // "/works", "Works"
  std::vector<FileColumn> columns;
};
std::vector<FileTable> file_tables();  // with a topic: in the order of TableId

}  // namespace reel::document
