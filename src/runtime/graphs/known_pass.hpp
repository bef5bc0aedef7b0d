// known_pass.hpp - a recorded pass made ready, and kept for those like it.
//
// A pass is like another if it names the same kernels and buffers in the same places, and hazards
// among its ranges are the same: then its plan is the same, and what differs (values, ranges,
// grids, written bytes) is changed in the exec, as GraphExec::set_argument() does.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "graph/order/range_order.hpp"
#include "reel/executor.hpp"
#include "reel/graph_exec.hpp"
#include "runtime/graphs/pass_line.hpp"

namespace reel {

class DeviceState;
class GraphExecState;

// What a plan says of its barriers, for reports.
struct PlannedBarriers {
  std::size_t barriers = 0, avoided = 0, reordered = 0;
  std::vector<std::size_t> group_sizes;
};

class KnownPass {
 public:
  // Takes the commands from `line`; the graph is made of them.
  KnownPass(PassLine& line, const Graph& graph, const std::shared_ptr<DeviceState>& device,
            bool reorder, const std::string& name);

  // Whether a pass of these commands can take_over(). Then `changed` has those that differ.
  bool is_like(const PassLine& line, bool reorder, std::vector<std::uint32_t>& changed) const;
  // Leaves its own commands in `line`.
  void take_over(PassLine& line, std::span<const std::uint32_t> changed, const std::string& name);

  const GraphExec& exec() const noexcept { return exec_; }
  const PlannedBarriers& barriers() const noexcept { return barriers_; }
  // Of its first commands, which it keeps alive. Never changes.
  std::span<const void* const> named() const noexcept { return named_; }

 private:
  PassLine line_;
  const bool reorder_;
  const std::vector<const void*> named_;
  std::vector<const BufferResource*> buffers_;  // each once
  RangeOrder order_;
  GraphExec exec_;
  PlannedBarriers barriers_;
};

// The last passes of an executor. Any thread; who uses one has it alone, until it is given back.
class KnownPasses {
 public:
  // A pass that is like this one, or none. `changed` as in KnownPass::is_like().
  std::shared_ptr<KnownPass> take(const PassLine& line, bool reorder,
                                  std::vector<std::uint32_t>& changed);
  // One that was taken is given back; a new one takes the place of the one used longest ago.
  void give_back(std::shared_ptr<KnownPass> pass);
  void add(std::shared_ptr<KnownPass> pass);
  // The one that was used last, or none.
  std::shared_ptr<const KnownPass> latest() const;

 private:
  // A program may have passes of a few shapes by turns: the first token of a sequence, the others,
  // two sets of buffers. More than that, and their buffers are kept for nothing.
  static constexpr std::size_t most = 4;
  // A program whose passes are never alike has nothing kept, but for a try now and then.
  static constexpr std::uint32_t misses_to_give_up = 2 * most, passes_between_tries = 64;

  // With mutex_ held. Returns the one that there is no place for any more.
  std::shared_ptr<KnownPass> put_first(std::shared_ptr<KnownPass> pass);

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<KnownPass>> passes_;  // the latest first
  std::uint32_t misses_ = 0;                        // in a row
};

}  // namespace reel
