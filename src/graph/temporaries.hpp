// temporaries.hpp - memory that a graph needs only while it runs, laid into one buffer by lives.
//
// A life is from the first node that names it to the last, in the order of the graph. What goes
// into a loop, or comes out of one, lives as long as the loop does. Two whose lives don't meet may
// have the same bytes: the hazards that this makes keep them in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/commands/resource.hpp"
#include "reel/graph.hpp"

namespace reel {

// Of no device.
struct TemporaryBuffer final : BufferResource {};
inline bool is_temporary(const BufferResource& buffer) noexcept {
  return dynamic_cast<const TemporaryBuffer*>(&buffer) != nullptr;
}

struct TemporaryPlace {
  std::shared_ptr<BufferResource> buffer;
  std::uint64_t offset_bytes = 0;
};

struct TemporaryLayout {
  std::vector<TemporaryPlace> places;  // in order of first use
  std::uint64_t size_bytes = 0;        // that they share
  std::uint64_t sum_bytes = 0;         // that they would take each by itself
};

// Those that are `wanted`. One that is read before every byte of it was written is refused.
TemporaryLayout lay_out_temporaries(const Graph& graph, std::uint64_t alignment_bytes,
                                    const std::function<bool(const BufferResource&)>& wanted);

}  // namespace reel
