// polled_order.hpp - order that a program relied on without having waited for it.
//
// It asked for the status of a command, or was called back, and gave the next one because of that.
// Replays keep such an order; the document says that it was relied on. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>

namespace reel::capture {

class PolledOrder {
 public:
  // The host has seen it done, and has not waited for it.
  void saw(std::uint32_t stream, std::uint32_t command);
  // The host has waited for it, and so for all before it on its stream.
  void waited(std::uint32_t stream, std::uint32_t command);
  bool is_empty() const noexcept { return !has_any_.load(std::memory_order_relaxed); }
  // `command` is given after these, which the host has seen done in one way or the other.
  void given(std::uint32_t command, std::span<const std::uint32_t> after);
  // A sentence for the document; empty: nothing was relied on.
  std::string sentence() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::uint32_t> seen_;  // by stream: the last command, never waited for
  std::uint32_t orders_ = 0, first_command_ = 0, first_after_ = 0;
  std::atomic<bool> has_any_{false};
};

}  // namespace reel::capture
