#include "runtime/recorder.hpp"

#include <thread>

namespace reel {

namespace detail {
std::atomic<Recorder*> active_recorder{nullptr};
std::atomic<std::uint64_t> recorder_users{0};
}  // namespace detail

void RecorderUse::take() noexcept {
  // First counted, then looked again: who removes it looks at the count after taking it away.
  detail::recorder_users.fetch_add(1, std::memory_order_seq_cst);
  recorder_ = detail::active_recorder.load(std::memory_order_seq_cst);
  if (!recorder_) detail::recorder_users.fetch_sub(1, std::memory_order_release);
}

bool set_recorder(Recorder* recorder) noexcept {
  Recorder* expected = nullptr;
  return detail::active_recorder.compare_exchange_strong(expected, recorder);
}

void remove_recorder() noexcept {
  detail::active_recorder.store(nullptr, std::memory_order_seq_cst);
  while (detail::recorder_users.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
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
