// scope_tree.hpp - time by scope, as a tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

// A scope with all that is below it; the root has no name and is everything.
struct ScopeNode {
  std::string name = {};
  std::uint64_t commands = 0, timed = 0;
  std::uint64_t run_ns = 0;           // on a device; a launch whose nodes are there takes none
  std::uint32_t first = no_index;     // command
  std::vector<ScopeNode> below = {};  // by first
};

ScopeNode find_scopes(const Trace& trace);  // the root

// What `reel scopes --json` prints and the page shows.
std::string scopes_json(const Trace& trace, const ScopeNode& root);

}  // namespace reel::analysis
