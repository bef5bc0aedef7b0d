// stream_order.hpp - what comes before a command: in its stream, and by what it was told to wait
// for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

// What commands were told to wait for.
class CommandWaits {
 public:
  explicit CommandWaits(const Trace& trace) : orders_(trace.orders()) {
    // Looked up for every command: a search among all orders each time would take longer.
    first_.reserve(trace.commands().size() + 1);
    std::uint32_t next = 0;
    for (std::uint32_t c = 0, count = static_cast<std::uint32_t>(trace.commands().size());
         c <= count; ++c) {
      while (next < orders_.size() && orders_[next].command < c) ++next;
      first_.push_back(next);
    }
  }

  std::span<const TraceOrder> of(std::uint32_t command) const {
    return orders_.subspan(first_[command], first_[command + 1] - first_[command]);
  }

 private:
  std::span<const TraceOrder> orders_;  // by command
  std::vector<std::uint32_t> first_;    // of each command
};

// The command before each one in its stream.
class StreamOrder {
 public:
  explicit StreamOrder(const Trace& trace) {
    std::vector<std::uint32_t> last(trace.streams().size(), no_index);
    previous_.reserve(trace.commands().size());
    std::uint32_t c = 0;
    for (const TraceCommand& command : trace.commands())
      previous_.push_back(std::exchange(last[command.stream], c++));
  }

  std::optional<std::uint32_t> previous(std::uint32_t command) const {
    const std::uint32_t before = previous_[command];
    return before == no_index ? std::nullopt : std::optional(before);
  }

 private:
  std::vector<std::uint32_t> previous_;
};

}  // namespace reel::analysis
