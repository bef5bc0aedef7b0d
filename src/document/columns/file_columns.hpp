// file_columns.hpp - the tables and columns of a document, described once.
//
// Writer and loader go by these lists: which columns there are, at which place of schema.fbs, which
// numbers may stand there, and what counts where a document lacks the column. A test compares them
// with schema.fbs and with docs/document-format.md, which has the same words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reel/trace.hpp"

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
  barriers
};
inline constexpr std::array table_topics{
    "/texts",  "/devices", "/streams",  "/buffers",     "/kernels",     "/works",   "/commands",
    "/stamps", "/orders",  "/contents", "/calls",       "/allocations", "/regions", "/overheads",
    "/clocks", "/edges",   "/notes",    "/submissions", "/barriers"};
inline constexpr std::size_t table_count = table_topics.size();

// --- tables whose rows are numbers, column by column --------------------------------------------

namespace columns {

using enum FileType;

inline constexpr std::array texts{
    FileColumn{"id", 0, u32, "the number that others use; 0 is the empty text and has no row"},
};

inline constexpr std::array works{
    FileColumn{"id", 0, u32, "number, from 0"},
    FileColumn{"kind", 1, u32,
               "0 dispatch, 1 copy, 2 fill, 3 write, 4 read, 5 host call, 6 barrier, 7 launch of a "
               "graph"},
    FileColumn{"kernel", 2, id, "of a dispatch; of a launch: number of its graph in `/edges`"},
    FileColumn{"label", 3, text, "as the program named it"},
    FileColumn{"scope", 4, text, "`layer0/attention`"},
    FileColumn{"groups_x", 5, u32, "groups of a dispatch. Where the group size is 0: its items"},
    FileColumn{"groups_y", 6, u32, "the same in the second dimension"},
    FileColumn{"groups_z", 7, u32, "the same in the third dimension"},
    FileColumn{"group_size_x", 8, u32, "items in a group; 0: the driver chose"},
    FileColumn{"group_size_y", 9, u32, "the same in the second dimension"},
    FileColumn{"group_size_z", 10, u32, "the same in the third dimension"},
    FileColumn{"pattern", 11, u64,
               "of a fill: its bytes in the low half, how many of them (1, 2, 4) from bit 32 on"},
    FileColumn{"argument_count", 12, u64,
               "how many rows of the argument columns are its own; they follow each other"},
    FileColumn{"offset_x", 19, u32, "added to the global ids of items"},
    FileColumn{"offset_y", 20, u32, "the same in the second dimension"},
    FileColumn{"offset_z", 21, u32, "the same in the third dimension"},
    FileColumn{"items_x", 22, u32,
               "0: groups × group size. Else how many there are in all, fewer: the last groups are "
               "not full"},
    FileColumn{"items_y", 23, u32, "the same in the second dimension"},
    FileColumn{"items_z", 24, u32, "the same in the third dimension"},
    FileColumn{"dimensions", 26, u32,
               "that the kernel is told of (`get_work_dim()`); 0: as many as are more than 1"},
};
// Of the arguments of all works of a batch, one after the other.
inline constexpr std::array arguments{
    FileColumn{
        "argument_kind", 13, u32,
        "0 range of a buffer, an image or shared virtual memory, 1 value, 2 shared memory of "
        "a group, 3 the range that an indirect grid is read from, 4 sampler, 5 a pointer to "
        "nothing, 6 something that can't be given again"},
    FileColumn{"argument_access", 14, u32, "1 read, 2 write, 3 both", 3},
    FileColumn{"argument_buffer", 15, id, "that the range is of"},
    FileColumn{"argument_offset", 16, u64, "of the range, in bytes"},
    FileColumn{"argument_size", 17, u64, "of the range, the value or the shared memory, in bytes"},
    FileColumn{"argument_view", 25, id,
               "the image that is made on this range of a buffer, and is what is bound"},
};
inline constexpr FileColumn values{
    "values", 18, bytes,
    "of all values and samplers, one after the other. A sampler is three numbers of 32 bits, as "
    "OpenCL has them: normalized, addressing, filter"};

inline constexpr std::array commands{
    FileColumn{
        "id", 0, u32,
        "`c<id>`; every number from 0 on comes once. Where one is missing (a damaged chunk), "
        "a reader ends before it"},
    FileColumn{"work", 1, id, "what it does: a row of `/works`"},
    FileColumn{"stream", 2, id, "that it was given to"},
    FileColumn{"launch", 3, id, "of a node of a graph: the command that launched it, a smaller id"},
    FileColumn{"node", 4, id, "its number in that graph"},
    FileColumn{"thread", 5, u32, "that made the call, as the system numbers it"},
    FileColumn{"call_begin_ns", 6, ns,
               "when the call that gave it began, on the host. Nodes of a launch have the times of "
               "the launch"},
    FileColumn{"call_ns", 7, ns, "how long the call took"},
};

inline constexpr std::array stamps{
    FileColumn{"command", 0, id, "that ran"},
    FileColumn{"known", 1, u32, "bit 0 queued, bit 1 submitted, bit 2 started, bit 3 ended"},
    FileColumn{"queued_ns", 2, ns, "on the clock of the device"},
    FileColumn{"submitted_ns", 3, ns, "nanoseconds since it was queued"},
    FileColumn{"started_ns", 4, ns, "nanoseconds since it was submitted"},
    FileColumn{"ended_ns", 5, ns, "nanoseconds since it started"},
};

inline constexpr std::array orders{
    FileColumn{"command", 0, id, "that waits"},
    FileColumn{"stream", 1, id, "that it runs on"},
    FileColumn{"after", 2, id,
               "the command of another stream that is done before, with a smaller id"},
};

inline constexpr std::array contents{
    FileColumn{"role", 0, u32,
               "0 **input**: the range held this before `command`; 1 **written**: the host gave "
               "these bytes by `command`; 2 **check**: the range held this after `command` and all "
               "before it"},
    FileColumn{"command", 1, id, "none: at the very start"},
    FileColumn{"buffer", 2, id, "that the range is of"},
    FileColumn{"offset", 3, u64, "of the range, in bytes"},
    FileColumn{"size", 4, u64, "of the range, in bytes"},
    FileColumn{"stored", 5, u64, "1: the pages are there as blobs; 0: only their hashes"},
    FileColumn{"page_count", 6, u64, "pages of 1 MiB from `offset` on, the last one shorter"},
};
inline constexpr FileColumn pages{"pages", 7, bytes,
                                  "the hash of each page, 16 bytes, low half first"};

inline constexpr std::array calls{
    FileColumn{"name", 0, text, "of the function"},
    FileColumn{"thread", 1, u32, "that called it, as the system numbers it"},
    FileColumn{"begin_ns", 2, ns, "when it began, on the host"},
    FileColumn{"ns", 3, ns, "how long it took"},
    FileColumn{"command", 4, id, "none: it made no command"},
};

inline constexpr std::array allocations{
    FileColumn{"kind", 0, u32, "0 allocated, 1 freed"},
    FileColumn{"buffer", 1, id, "that was"},
    FileColumn{"time_ns", 2, ns, "when, on the host"},
};

inline constexpr std::array regions{
    FileColumn{"kind", 0, u32, "0 a pass of a GraphExecutor, 1 a region named by the program"},
    FileColumn{"number", 1, u32, "of a pass: counted through the process, from 1"},
    FileColumn{"name", 2, text, "as the program named it"},
    FileColumn{"thread", 3, u32, "that was in it"},
    FileColumn{"begin_ns", 4, ns, "when it began, on the host"},
    FileColumn{"ns", 5, ns, "how long it took"},
};

inline constexpr std::array overheads{
    FileColumn{"kind", 0, u32,
               "0 reading inputs, 1 reading checks, 2 waiting for the writer, 3 starting, 4 "
               "stopping, 5 what calls of the program take beside the driver, 6 CPU time of the "
               "thread that writes the document, 7 time that devices took to read contents for the"
               " capture. A row of 5, 6 or 7 is of many together, and ends when they were so much;"
               " 5 is estimated from each eighth call or so"},
    FileColumn{"thread", 1, u32, "that was held up; of 6, that wrote; of 7, that noticed"},
    FileColumn{"begin_ns", 2, ns, "when it began, on the host"},
    FileColumn{"ns", 3, ns, "how long it took"},
    FileColumn{"bytes", 4, u64, "that were recorded meanwhile"},
};

inline constexpr std::array clocks{
    FileColumn{"device", 0, id, "whose clock it is"},
    FileColumn{"host_ns", 1, ns, "a moment on the host's clock"},
    FileColumn{"device_ns", 2, ns, "the same moment on the device's"},
    FileColumn{"error_ns", 3, ns, "give or take"},
};

inline constexpr std::array edges{
    FileColumn{"graph", 0, id, "number of the graph in the document"},
    FileColumn{"from", 1, id, "the node that is done before"},
    FileColumn{"to", 2, id, "the node that starts after"},
    FileColumn{"kind", 3, u32, "0 asked for, 1 order of a stream, 2 conflict of byte ranges"},
};

inline constexpr std::array submissions{
    FileColumn{"first", 0, id, "its first command"},
    FileColumn{"count", 1, u32, "how many commands it has; they follow each other"},
    FileColumn{"stream", 2, id, "that they were given to"},
    FileColumn{"call", 3, text, "the function that gave them: `vkQueueSubmit`"},
};

inline constexpr std::array barriers{
    FileColumn{"command", 0, id, "of the kind barrier; one may have several rows"},
    FileColumn{"source_stages", 1, u64,
               "what comes before waits with these stages: bits of `VkPipelineStageFlags2`"},
    FileColumn{"target_stages", 2, u64, "and what comes later starts with these"},
    FileColumn{"source_accesses", 3, u64,
               "what was written by these accesses is made available: bits of `VkAccessFlags2`"},
    FileColumn{"target_accesses", 4, u64, "and made visible to these"},
    FileColumn{"buffer", 5, id, "that it is about; none: all memory"},
    FileColumn{"offset", 6, u64, "of the range of that buffer, in bytes"},
    FileColumn{"size", 7, u64, "of the range, in bytes; 0: none, it only orders"},
    FileColumn{"old_layout", 8, u32, "of an image: `VkImageLayout` before", 0},
    FileColumn{"new_layout", 9, u32, "of an image: `VkImageLayout` after", 0},
    FileColumn{"source_family", 10, id, "the queue family that gives it away; none: it stays"},
    FileColumn{"target_family", 11, id, "the queue family that gets it"},
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
