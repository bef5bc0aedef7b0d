// trace_tables.hpp - the rows of a loaded document, and what its batches said before they were
// looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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
  std::vector<TraceCommand> commands;
  std::vector<TraceOrder> orders;
  std::vector<TraceContents> contents;
  std::vector<BlobId> pages;  // of all contents
  std::vector<TraceCall> calls;
  std::vector<TraceRegion> regions;
  std::vector<TraceOverhead> overheads;
  std::vector<TraceEdge> edges;
  std::vector<TraceNote> notes;
};

struct RawStamp {
  std::uint32_t command = 0;
  std::uint8_t known = 0;  // bit 0 queued, 1 submitted, 2 started, 3 ended
  std::uint64_t queued_ns = 0, submitted_ns = 0, started_ns = 0, ended_ns = 0;  // of the device
};

struct RawAllocation {
  std::uint8_t kind = 0;
  std::uint32_t buffer = 0;
  std::uint64_t time_ns = 0;
};

struct RawClock {
  std::uint32_t device = 0;
  std::uint64_t host_ns = 0, device_ns = 0, error_ns = 0;
};

// Rows in the order of the file. Where a TraceTables has an index, the id stands here as the file
// has it; rows within a batch (arguments, pages, values) are checked already.
struct RawTables {
  TraceTables rows;
  std::vector<std::uint32_t> text_ids{0}, work_ids, command_ids;  // of the rows at the same place
  std::vector<RawStamp> stamps;
  std::vector<RawAllocation> allocations;
  std::vector<RawClock> clocks;
};

}  // namespace reel::document
