// heartbeat.hpp - whether a replay still gets on, and the limit on how long it may not.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "reel/trace.hpp"

namespace reel::rerun {

// Told by the thread that replays, looked at by the one that waits for it.
class Heartbeat {
 public:
  // `at_work`: where else the command is kept; may be null.
  explicit Heartbeat(std::atomic<std::uint32_t>* at_work = nullptr) : at_work_(at_work) {}

  // Work is on a device, and the oldest that is not done is this command (none: not known).
  void running(std::uint32_t oldest) noexcept {
    running_still(oldest);
    is_running_.store(true, std::memory_order_relaxed);
    beat();
  }
  // As running(), and nothing new is done.
  void running_still(std::uint32_t oldest) noexcept {
    oldest_.store(oldest, std::memory_order_relaxed);
    if (at_work_) at_work_->store(oldest, std::memory_order_relaxed);
  }
  void beat() noexcept { beats_.fetch_add(1, std::memory_order_relaxed); }
  void idle() noexcept {
    is_running_.store(false, std::memory_order_relaxed);
    if (at_work_) at_work_->store(no_index, std::memory_order_relaxed);
  }

  bool is_running() const noexcept { return is_running_.load(std::memory_order_relaxed); }
  std::uint64_t beats() const noexcept { return beats_.load(std::memory_order_relaxed); }
  std::uint32_t oldest() const noexcept { return oldest_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> beats_{0};
  std::atomic<std::uint32_t> oldest_{no_index};
  std::atomic<bool> is_running_{false};
  std::atomic<std::uint32_t>* const at_work_;
};

// Runs the work on a thread of its own, and gives up on it (timed_out, with the sentence of
// `describe`) when it is at work on a device and nothing gets done for so long. The thread is left
// behind then: work must own all it uses. 0: no limit, and on the calling thread.
void run_with_limit(std::uint32_t limit_s, const std::shared_ptr<Heartbeat>& heart,
                    std::function<void()> work,
                    const std::function<std::string(std::uint32_t oldest)>& describe);

}  // namespace reel::rerun
