// slices.hpp - spans of time with names, on lanes where they nest.
//
// Viewers draw what overlaps on one lane as one inside the other, and lose what is neither inside
// nor beside: such slices get lanes of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel {

struct Slice {
  std::uint64_t begin_ns = 0, end_ns = 0;  // end: not before begin
  std::uint32_t lane = 0;
  std::uint32_t id = no_index;  // of what it stands for, in a list of its maker
  std::string name = {};        // empty: the maker knows
};

struct Lanes {
  std::uint32_t count = 0;
  std::uint64_t cut = 0;  // slices that end earlier than they did, for want of lanes
};
// Sorts them by begin, the longer first, and puts each on the first lane where it nests. There are
// at most `most`: more overlap in nothing but a document made to break us.
Lanes assign_lanes(std::vector<Slice>& slices, std::uint32_t most = 256);

// The scopes that the commands of a stream ran in: a slice for each part of a path, from the first
// start to the last end of commands that follow each other in it. `commands`: of one stream, in
// order; those without times don't count.
std::vector<Slice> scope_slices(const Trace& trace, const std::vector<std::uint32_t>& commands);

// The commands of each stream, in order.
std::vector<std::vector<std::uint32_t>> commands_by_stream(const Trace& trace);

// How a command is named on a timeline: its kernel, else its label, else its kind.
std::string slice_name(const Trace& trace, const TraceCommand& command);
// "c4 to c9, timed together"
std::string slice_name(const TraceInterval& interval);
std::string stream_name(const TraceStream& stream);  // "s0 main"
// Passes and named regions, and what capture itself took; each has its name.
std::vector<Slice> region_slices(const Trace& trace);
std::vector<Slice> overhead_slices(const Trace& trace);

}  // namespace reel
