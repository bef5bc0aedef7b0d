// host_waits.hpp - what the host has seen done: whatever is given afterwards, to any stream, comes
// after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

namespace reel::capture {

class HostWaits {
 public:
  // What the commands of one stream are known to come after.
  struct Known {
    std::uint32_t looked = 0;                     // when it last asked, in news
    std::map<std::uint32_t, std::uint32_t> done;  // by stream
  };

  // False where that was known.
  bool saw_done(std::uint32_t stream, std::uint32_t command);
  bool is_done(std::uint32_t stream, std::uint32_t command) const;

  bool has_news(const Known& known) const noexcept {
    return news_.load(std::memory_order_relaxed) != known.looked;
  }
  // visit(after) for each command of another stream that `command` comes after, and that those of
  // its own stream before it did not.
  template <class F>
  void catch_up(Known& known, std::uint32_t stream, std::uint32_t command, F&& visit) const {
    const std::lock_guard lock(mutex_);
    known.looked = news_.load(std::memory_order_relaxed);
    for (const auto& [other, after] : done_) {
      if (other == stream) continue;
      const auto [last, is_new] = known.done.try_emplace(other, after);
      if (!is_new && last->second >= after) continue;
      last->second = after;
      // Another thread may have waited for a command given after this one.
      if (after < command) visit(after);
    }
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::uint32_t> done_;  // by stream: the last command seen done
  std::atomic<std::uint32_t> news_{0};           // counts the changes of it
};

}  // namespace reel::capture
