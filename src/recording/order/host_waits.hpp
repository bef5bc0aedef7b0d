// host_waits.hpp - what the host has seen done: whatever is given afterwards, to any stream, comes
// after it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

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
  // visit(stream, after) for each command of another stream that `command` comes after, and that
  // those of its own stream before it did not; `with_own`: of its own stream, too. Another thread
  // may have waited for commands with numbers past this one by now: those are for the next command
  // of the stream.
  template <class F>
  void catch_up(Known& known, std::uint32_t stream, std::uint32_t command, bool with_own,
                F&& visit) const {
    const std::lock_guard lock(mutex_);
    known.looked = news_.load(std::memory_order_relaxed);
    for (const auto& [other, seen] : done_) {
      if ((other == stream && !with_own) || seen.empty()) continue;
      if (seen.back() >= command) known.looked = seen_nothing;
      const auto later =
          std::find_if(seen.begin(), seen.end(), [&](std::uint32_t one) { return one >= command; });
      if (later == seen.begin()) continue;
      const std::uint32_t after = *std::prev(later);
      const auto [last, is_new] = known.done.try_emplace(other, after);
      if (!is_new && last->second >= after) continue;
      last->second = after;
      visit(other, after);
    }
  }

 private:
  static constexpr std::uint32_t seen_nothing = ~std::uint32_t{0};
  static constexpr std::size_t most_seen = 16;

  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> done_;  // by stream: the last seen done
  std::atomic<std::uint32_t> news_{0};                        // counts the changes of it
};

}  // namespace reel::capture
