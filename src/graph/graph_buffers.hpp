// graph_buffers.hpp - the buffers that a graph names, child graphs included, and others in their
// place.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "reel/graph.hpp"

namespace reel {

struct NamedBuffer {
  std::shared_ptr<BufferResource> buffer;
  GraphBuffer facts;
};
// In order of first use; what Graph::buffers() tells, and which they are.
std::vector<NamedBuffer> named_buffers(const Graph& graph);

// What stands in for a buffer of the graph, from `offset_bytes` on; null: it stays.
struct StandIn {
  std::shared_ptr<BufferResource> buffer = {};
  std::uint64_t offset_bytes = 0;
};
using BufferChoice = std::function<StandIn(const BufferResource&)>;
Graph with_buffers(const Graph& graph, const BufferChoice& choose);

// Is `wanted` true of any buffer that the graph names?
bool names_any_buffer(const Graph& graph, const std::function<bool(const BufferResource&)>& wanted);

}  // namespace reel
