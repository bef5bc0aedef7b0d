// trace_totals.hpp - what a document holds in sum.
//
//   const reel::TraceTotals totals = reel::TraceTotals::load("pass.reel");
//
// Of a large document this takes a fraction of the time and memory of Trace::load(), because its
// commands are counted and not kept. What is checked is the same. Who wants the commands of small
// documents as well reads them only once: TraceTotals::load("pass.reel", 4'000'000).trace.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel {

struct TraceTotals {
  // Throws as Trace::load() does. Of a document with at most so many commands, `trace` is kept.
  static TraceTotals load(const std::string& path, std::uint64_t max_commands_kept = 0);
  std::optional<Trace> trace;

  std::uint64_t command_count = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(WorkKind::unknown) + 1> commands{};  // by kind
  std::uint64_t first_ns = 0, last_ns = 0;  // from the first call to the last end
  std::uint64_t busy_ns = 0;                // of all runs, those of a launch's nodes not twice
  std::uint64_t contents_count = 0, stored_contents = 0, contents_bytes = 0;
  std::uint64_t buffer_bytes = 0;  // an image on another buffer's bytes has none of its own

  // As of a Trace.
  std::string path;
  std::uint64_t file_bytes = 0, stored_bytes = 0;
  bool is_complete = false;
  std::vector<std::string> problems;
  std::map<std::string, std::string> facts, run_facts, end_facts;
  std::vector<TraceDevice> devices;
  std::vector<TraceStream> streams;
  std::vector<TraceBuffer> buffers;
  std::vector<TraceKernel> kernels;
  std::vector<TraceRegion> regions;
  std::vector<TraceOverhead> overheads;
  std::vector<TraceNote> notes;
};

}  // namespace reel
