// decision_tree.hpp - what graphs that decide did: launches, their decisions, branches and rounds.
//
// Read from the regions of a trace (TraceRegion). Documents of earlier versions have launches
// alone: their decisions are known by the labels of commands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

// Regions in words: "while 'loop': 12 rounds", "if 'enough': 0, not taken", "round 3 of 8". Holds
// the trace, which must outlive it.
class RegionTitles {
 public:
  explicit RegionTitles(const Trace& trace);
  std::string of(std::uint32_t region) const;  // by its index in Trace::regions()
  // With all it lies in, from its launch on: "launch 'count' > while 'loop': 12 rounds > round 3".
  std::string path(std::uint32_t region) const;

 private:
  const Trace& trace_;
  std::vector<bool> has_parts_;  // of each region: a branch or round of it ran
};

// Of each command: the innermost launch, decision, branch or round that gave it; none: no_index.
std::vector<std::uint32_t> regions_of_commands(const Trace& trace);

// All launches, decisions, branches or rounds that are one in the program; the root is everything.
// Decisions are told apart by their labels, those without one by their nodes: "if 'n3'".
struct DecisionNode {
  std::string title = {};   // "launch 'count'", "while 'loop'", "then", "case 2", "round"
  std::uint64_t times = 0;  // that it ran
  std::uint64_t commands = 0, timed = 0;
  std::uint64_t run_ns = 0;  // on a device
  std::vector<DecisionNode> below = {};
};
DecisionNode find_decisions(const Trace& trace);  // the root

}  // namespace reel::analysis
