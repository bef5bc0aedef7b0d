#include "capture/host_waits.hpp"

namespace reel::capture {

bool HostWaits::saw_done(std::uint32_t stream, std::uint32_t command) {
  const std::lock_guard lock(mutex_);
  const auto [done, is_new] = done_.try_emplace(stream, command);
  if (!is_new && done->second >= command) return false;
  done->second = command;
  news_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool HostWaits::is_done(std::uint32_t stream, std::uint32_t command) const {
  const std::lock_guard lock(mutex_);
  const auto done = done_.find(stream);
  return done != done_.end() && done->second >= command;
}

}  // namespace reel::capture
