#include "recording/order/polled_order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reel::capture {

void PolledOrder::saw(std::uint32_t stream, std::uint32_t command) {
  const std::lock_guard lock(mutex_);
  std::uint32_t& last = seen_.try_emplace(stream, command).first->second;
  last = std::max(last, command);
  has_any_.store(true, std::memory_order_relaxed);
}

void PolledOrder::waited(std::uint32_t stream, std::uint32_t command) {
  if (is_empty()) return;
  const std::lock_guard lock(mutex_);
  const auto seen = seen_.find(stream);
  if (seen != seen_.end() && seen->second <= command) seen_.erase(seen);
}

void PolledOrder::given(std::uint32_t command, std::span<const std::uint32_t> after) {
  if (is_empty()) return;
  const std::lock_guard lock(mutex_);
  for (const std::uint32_t one : after)
    for (const auto& [stream, seen] : seen_)
      if (seen == one && orders_++ == 0) {
        first_command_ = command;
        first_after_ = one;
      }
}

std::string PolledOrder::sentence() const {
  const std::lock_guard lock(mutex_);
  if (orders_ == 0) return {};
  return fmt::format(
      "c{} was given once the program had seen c{} done by asking for its status or in a callback, "
      "and not by waiting for it{}. No API promises that memory is visible then; replays keep "
      "this order.",
      first_command_, first_after_,
      orders_ > 1 ? fmt::format(", and so it was {} times more", orders_ - 1) : std::string());
}

}  // namespace reel::capture
