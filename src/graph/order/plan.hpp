// plan.hpp - a graph lowered as far as that can be done without knowing the device.
//
// Child graphs are flattened, hazards inferred, order relaxed and reduced. Steps come in an
// order that respects all of it; barrier_before says where a device that runs commands side by
// side must be told to finish first. Commands point into their payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reel/graph.hpp"

namespace reel {

// A node in its place. Its command is a Barrier only where it decides without reading.
struct Step : Node {
  NodeId node{};            // of the top graph; nodes of a child share the child's node
  std::uint32_t level = 0;  // 0: needs nothing; otherwise one more than the deepest it needs
  bool barrier_before = false;
  std::vector<std::uint32_t> waits;  // steps it needs directly (transitively reduced)
};

struct Plan {
  std::vector<Step> steps;
  std::size_t barriers = 0;   // steps with barrier_before
  std::size_t reordered = 0;  // steps that don't stand where they were recorded
};

struct PlanOptions {
  bool relax_order = true;
  bool reorder = true;
};

Plan make_plan(const Graph& graph, const PlanOptions& options);

// Steps [first, last), with the order that holds among them.
Plan part_of(const Plan& plan, std::uint32_t first, std::uint32_t last);

}  // namespace reel
