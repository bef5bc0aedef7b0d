// stand_ins.hpp - the buffers that an exec uses in place of those its graph was made with.
//
// Buffers of a loaded graph belong to no device; each gets one that the caller gives by its name,
// or memory of the exec's own. Keeps both alive.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph_buffers.hpp"
#include "reel/graph.hpp"

namespace reel {

class DeviceState;

class StandIns {
 public:
  // Throws invalid_argument for names that are unknown, ambiguous or given twice, and for buffers
  // that are too small, of another device, or in the graph already.
  StandIns(const Graph& graph, const std::shared_ptr<DeviceState>& device,
           std::span<const std::pair<std::string, Buffer>> given);

  // Do temporaries of the graph lie as those of the one they were made for?
  bool fits(const Graph& graph) const;
  std::uint64_t temporary_bytes() const noexcept { return temporary_bytes_; }
  std::uint64_t packed_bytes() const noexcept { return packed_bytes_; }
  // The memory that temporaries share; null where there are none.
  const std::shared_ptr<BufferResource>& temporaries() const noexcept { return temporaries_; }
  void renew_temporaries(const std::shared_ptr<DeviceState>& device);

  // For the graph they were made for, or another with buffers of the same names.
  Graph applied_to(const Graph& graph) const;
  // The label of what this buffer stands in for; its own where it stands in for nothing.
  const std::string& label_of(const BufferResource& buffer) const;

 private:
  struct Exchange {
    std::shared_ptr<BufferResource> original;
    StandIn in_place;
  };
  void add_temporaries(const Graph& graph, const std::shared_ptr<DeviceState>& device);
  void add(const std::shared_ptr<BufferResource>& original, const Buffer& buffer);

  std::unordered_map<const BufferResource*, Exchange> by_original_;
  std::unordered_map<const BufferResource*, std::shared_ptr<BufferResource>> original_of_;
  std::unordered_map<std::string, StandIn> of_no_device_;  // by label
  std::shared_ptr<BufferResource> temporaries_;
  std::uint64_t temporary_bytes_ = 0, packed_bytes_ = 0, alignment_bytes_ = 1;
};

}  // namespace reel
