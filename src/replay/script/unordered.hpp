// unordered.hpp - commands that touch the same bytes with nothing to put them in order, and the
// order in which they ran all the same.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "reel/replay.hpp"

namespace reel::rerun {

// Pairs, as find_races() tells them: the first so many.
std::vector<Race> find_unordered(const Trace& trace,
                                 std::size_t most = std::numeric_limits<std::size_t>::max());

// The order that stamps prove of such pairs: on one device, the one had ended before the other
// began.
struct KeptOrder {
  struct Wait {
    std::uint32_t command, after;  // `after` may be the larger: given later, and run earlier
  };
  std::vector<Wait> waits;              // by command
  std::vector<std::uint32_t> sequence;  // all commands in an order that has it so; empty: as given
};

// All commands, each after those of its stream and those that it waits for.
struct SequenceWanted {
  std::set<std::pair<std::uint32_t, std::uint32_t>> without = {};  // waits that don't count
  std::vector<KeptOrder::Wait> also = {};                          // and others that do
  // By command: of all that may be next, the one with the least. Empty: the one given first.
  std::vector<std::uint32_t> rank = {};
};
// Empty where there is none: waits in a circle.
std::vector<std::uint32_t> sequence_of(const Trace& trace, const SequenceWanted& wanted);

KeptOrder kept_order(const Trace& trace, const std::vector<Race>& unordered);

}  // namespace reel::rerun
