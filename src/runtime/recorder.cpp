#include "runtime/recorder.hpp"

#include <thread>

#include "base/process/exit_watch.hpp"

namespace reel {

namespace detail {
std::atomic<Recorder*> active_recorder{nullptr};
std::atomic<std::uint64_t> recorder_users{0};
std::atomic<bool> launches_are_passes{false};
std::atomic<bool> pass_is_unsettled{false};
thread_local const PassRecord* giving_pass = nullptr;
}  // namespace detail

void RecorderUse::take() noexcept {
  watch_exit();
  // First counted, then looked again: who removes it looks at the count after taking it away.
  detail::recorder_users.fetch_add(1, std::memory_order_seq_cst);
  recorder_ = detail::active_recorder.load(std::memory_order_seq_cst);
  if (!recorder_) detail::recorder_users.fetch_sub(1, std::memory_order_release);
}

bool set_recorder(Recorder* recorder) noexcept {
  Recorder* expected = nullptr;
  return detail::active_recorder.compare_exchange_strong(expected, recorder);
}

bool remove_recorder(std::uint64_t patience_ns) noexcept {
  detail::active_recorder.store(nullptr, std::memory_order_seq_cst);
  const std::uint64_t begin_ns = monotonic_ns();
  while (detail::recorder_users.load(std::memory_order_seq_cst) != 0) {
    if (monotonic_ns() - begin_ns > patience_ns) return false;
    std::this_thread::yield();
  }
  return true;
}

void forget_recorder() noexcept {
  detail::active_recorder.store(nullptr, std::memory_order_relaxed);
  detail::recorder_users.store(0, std::memory_order_relaxed);
}

void RecordedCall::tell() const noexcept {
  const RecorderUse recorder;
  if (recorder) recorder->called(name_, begin_ns_);
}

}  // namespace reel
