// host_writes.hpp - what the host changed by itself, in memory that it sees: bytes that were others
// when a command was about to use them than when an earlier one was.
//
// Documents have the bytes that a command reads where they are news; two looks at the same range
// are compared by their bytes, as far as those are stored, else by name. Whether a
// command wrote in between is not asked. A pure function of the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

struct HostWrite {
  std::uint32_t before;      // the command at the last look
  std::uint32_t command;     // that was about to use them
  std::uint32_t buffer;      // index
  std::uint64_t begin, end;  // within it
  bool is_exact;             // else some of these bytes, and nobody knows which
};

std::vector<HostWrite> find_host_writes(const Trace& trace);

}  // namespace reel::analysis
