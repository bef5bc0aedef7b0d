// stream_order.hpp - what comes before a command: in its stream, and by what it was told to wait
// for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

class StreamOrder {
 public:
  explicit StreamOrder(const Trace& trace) : trace_(trace) {
    std::vector<std::uint32_t> last(trace.streams().size(), no_index);
    previous_.reserve(trace.commands().size());
    for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
      std::uint32_t& before = last[trace.commands()[c].stream];
      previous_.push_back(before);
      before = c;
    }
  }

  std::optional<std::uint32_t> previous(std::uint32_t command) const {
    const std::uint32_t before = previous_[command];
    return before == no_index ? std::nullopt : std::optional(before);
  }

  std::span<const TraceOrder> waits(std::uint32_t command) const {
    const auto& orders = trace_.orders();
    return {std::ranges::lower_bound(orders, command, {}, &TraceOrder::command),
            std::ranges::upper_bound(orders, command, {}, &TraceOrder::command)};
  }

 private:
  const Trace& trace_;
  std::vector<std::uint32_t> previous_;
};

}  // namespace reel::analysis
