// node_payload.hpp - what a node of a graph owns beside its command, which points into it.
//
// Immutable once the node is made, and shared by all graphs that have the node.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "reel/graph.hpp"

namespace reel {

struct NodePayload {
  std::vector<Argument> arguments;
  std::vector<std::byte> data;  // of a Write; of a dispatch: its larger values
  std::string label;
  std::vector<std::shared_ptr<BufferResource>> buffers;  // kept alive
  std::shared_ptr<KernelResource> kernel;
  std::shared_ptr<const Graph> child;  // a whole graph as this node; work is then a Barrier
  // What this node decides; work is then a Read of its condition, or a Barrier if it reads none.
  std::shared_ptr<const Decision> decision;
};

}  // namespace reel
