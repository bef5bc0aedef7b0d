#include "base/process/biased_mutex.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/log.hpp"
#include "base/os/thread.hpp"

namespace reel {
namespace {

// Every thread of the process has passed a full barrier when this returns.
void bar_every_thread() noexcept {
  if (os::bar_every_thread()) return;
  // Going on would let two threads in.
  log(LogLevel::error,
      "The kernel took membarrier(2) away from this process after it had allowed it, so a stream "
      "can't be handed from one thread to another; allow it, or forbid it from the beginning.");
  std::abort();
}

}  // namespace

void BiasedMutex::lock_slowly() {
  mutex_.lock();
  end_ownership();
  wait_for_owner();
  count_use();
}

std::unique_lock<std::mutex> BiasedMutex::lock_plainly() {
  std::unique_lock lock(mutex_);
  end_ownership();
  wait_for_owner();
  return lock;
}

std::unique_lock<std::mutex> BiasedMutex::try_lock_plainly() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return lock;
  end_ownership();
  if (is_owner_inside()) lock.unlock();
  return lock;
}

void BiasedMutex::end_ownership() {
  const std::uint64_t owner = owner_.load(std::memory_order_relaxed);
  if (owner == nobody) return;
  owner_.store(nobody, std::memory_order_relaxed);
  in_a_row_ = 0;
  if (owner == thread_token()) return;
  bar_every_thread();
  to_own_ = std::min(to_own_ * 4, most_to_own);
}

bool BiasedMutex::is_owner_inside() const noexcept {
  return std::any_of(inside_.begin(), inside_.end(),
                     [](const Mark& mark) { return mark.load(std::memory_order_acquire); });
}

// It may be in for as long as a driver takes for a command.
void BiasedMutex::wait_for_owner() const {
  for (int look = 0; is_owner_inside(); ++look) {
    if (look < 100)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void BiasedMutex::count_use() noexcept {
  const std::uint64_t self = thread_token();
  if (last_ != self) {
    last_ = self;
    in_a_row_ = 0;
    return;
  }
  if (++in_a_row_ < to_own_ || !os::can_bar_every_thread()) return;
  std::uint64_t& user = users_[self % marks];
  if (user != 0 && user != self) return;  // it stays with the mutex
  user = self;
  owner_.store(self, std::memory_order_release);
}

}  // namespace reel
