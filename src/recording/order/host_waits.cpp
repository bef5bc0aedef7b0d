#include "recording/order/host_waits.hpp"

namespace reel::capture {

bool HostWaits::saw_done(std::uint32_t stream, std::uint32_t command) {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t>& seen = done_[stream];
  if (!seen.empty() && seen.back() >= command) return false;
  if (seen.size() == most_seen) seen.erase(seen.begin());
  seen.push_back(command);
  news_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool HostWaits::is_done(std::uint32_t stream, std::uint32_t command) const {
  const std::lock_guard lock(mutex_);
  const auto done = done_.find(stream);
  return done != done_.end() && !done->second.empty() && done->second.back() >= command;
}

}  // namespace reel::capture
