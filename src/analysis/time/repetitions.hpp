// repetitions.hpp - what comes again and again in a list: layers of a pass, and passes of a
// program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reel/analysis.hpp"

namespace reel::analysis {

// "layer12/mlp" and "layer13/mlp" are the same place of a loop.
std::string without_numbers(const std::string& text);

// Not allocated and freed during the capture: what passes of a program share.
inline bool is_lasting(const TraceBuffer& buffer) {
  return !buffer.allocated_ns || !buffer.freed_ns;
}

// A number for each command; equal ones do the same, to the same lasting buffers. Of places: equal
// ones may have other numbers in their names and other buffers, as the layers of a pass do.
std::vector<std::uint32_t> identities(const Trace& trace, bool of_places);

// Runs of equal blocks in the list, all of one length: the shortest that covers four fifths of what
// the best length does. `is`, where given, is asked of the longest run of a length, and refuses it.
using IsRepeated = std::function<bool(const Repetition&)>;
std::vector<Repetition> best_runs(const std::vector<std::uint32_t>& list,
                                  const IsRepeated& is = {});
// The one that covers most; of none there is none.
const Repetition& longest(const std::vector<Repetition>& runs);

}  // namespace reel::analysis
