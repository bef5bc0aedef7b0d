// trace_tables.hpp - the rows of a loaded document, and what its batches said before they were
// looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "document/columns/row_packer.hpp"
#include "document/columns/rows.hpp"
#include "document/trace/loading/command_totals.hpp"
#include "reel/trace.hpp"

namespace reel::document {

struct TraceTables {
  std::vector<std::string> texts{""};
  std::vector<TraceDevice> devices;
  std::vector<TraceStream> streams;
  std::vector<TraceBuffer> buffers;
  std::vector<TraceKernel> kernels;
  std::vector<TraceWork> works;
  std::vector<TraceArgument> arguments;  // of all works
  std::vector<std::byte> values;         // of all arguments
  TraceCommands commands;
  std::vector<TraceOrder> orders;
  std::vector<TraceContents> contents;
  std::vector<BlobId> pages;          // of all contents
  std::vector<TraceCall> calls;       // by begin; without those that gave commands
  std::uint32_t first_kind_name = 0;  // text: what a call is named that gave the first WorkKind
  std::vector<TraceRegion> regions;
  std::vector<TraceOverhead> overheads;
  std::vector<TraceEdge> edges;
  std::vector<TraceNote> notes;
  std::vector<TraceSubmission> submissions;
  std::vector<TraceBarrier> barriers;
  std::vector<TraceInterval> intervals;
  std::vector<TraceClock> clocks;
};

// Columns of RawTables::commands and ::stamps, as the file has them.
namespace raw_command {
enum Column : std::uint8_t {
  id_from_place,
  work,
  stream,
  launch,
  node,
  thread,
  call_begin,
  call_ns
};
}
namespace raw_stamp {
// Times of the device, each from the one before it.
enum Column : std::uint8_t { command_from_place, known, queued, submitted, started, ended };
}  // namespace raw_stamp

// Rows in the order of the file. Where a TraceTables has an index, the id stands here as the file
// has it; rows within a batch (arguments, pages, values) are checked already.
struct RawTables {
  TraceTables rows;
  std::vector<std::uint32_t> text_ids{0}, work_ids;  // of the rows at the same place
  RowPacker<8> commands;
  RowPacker<6> stamps;
  CommandTotals* totals = nullptr;  // where it is set, both are counted there and not kept
  // Is each row at the place that its command's id says? Recorders of one stream write it so.
  bool commands_are_in_place = true, stamps_are_in_place = true;

  std::uint32_t command_id(std::size_t place) const {
    return static_cast<std::uint32_t>(commands.at(place, raw_command::id_from_place) + place);
  }
  std::uint32_t stamped_command(std::size_t place) const {
    return static_cast<std::uint32_t>(stamps.at(place, raw_stamp::command_from_place) + place);
  }
  std::vector<AllocationRow> allocations;
  std::vector<ClockRow> clocks;
};

}  // namespace reel::document
