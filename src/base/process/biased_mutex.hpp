// biased_mutex.hpp - a mutex that the thread which uses it most enters with two plain stores.
//
// A thread that takes the lock often enough without anybody in between becomes its owner. The owner
// says "inside", looks whether it still is the owner, and is in: no instruction waits for other
// cores, where a std::mutex has two that do (8 of the 19 ns of a dispatch written by hand).
// Everybody else takes the mutex, ends the ownership, makes every core see that (membarrier(2),
// 0.4 to some µs) and waits until the owner is out. Who was interrupted like that must wait longer
// to become the owner again, so that threads which share it pay for a mutex and little else.
//
// Where the kernel has no membarrier, nobody becomes the owner.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/process/thread_token.hpp"

namespace reel {

class BiasedMutex {
 public:
  // For those who keep it in a hand of their own: ends the ownership first.
  std::unique_lock<std::mutex> lock_plainly();
  // Empty when somebody has it.
  std::unique_lock<std::mutex> try_lock_plainly();

 private:
  friend class BiasedLock;
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};  // no thread has this number

  [[gnu::always_inline]] bool enter_as_owner() noexcept {
    const std::uint64_t self = thread_token();
    if (owner_.load(std::memory_order_relaxed) != self) return false;
    inside_.store(true, std::memory_order_relaxed);
    // The compiler must keep the order; that the core does, is up to whoever ends the ownership.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_acquire) == self) [[likely]]
      return true;
    leave_as_owner();
    return false;
  }
  void leave_as_owner() noexcept { inside_.store(false, std::memory_order_release); }

  void lock_slowly();
  void end_ownership();
  void wait_for_owner() const;
  void count_use() noexcept;

  std::atomic<std::uint64_t> owner_{nobody};  // changes with mutex_ held
  std::atomic<bool> inside_{false};           // the owner is
  std::mutex mutex_;
  // With mutex_ held: who had it last, how often in a row, and how often it takes to own it.
  std::uint64_t last_ = nobody;
  std::uint32_t in_a_row_ = 0, to_own_ = first_to_own;
  static constexpr std::uint32_t first_to_own = 16, most_to_own = 4096;
};

// The lock, for a block.
class BiasedLock {
 public:
  // In place: as calls, the two took 32 instructions of a dispatch's 430.
  [[gnu::always_inline]] explicit BiasedLock(BiasedMutex& mutex)
      : mutex_(mutex), is_owner_(mutex.enter_as_owner()) {
    if (!is_owner_) [[unlikely]]
      mutex_.lock_slowly();
  }
  [[gnu::always_inline]] ~BiasedLock() {
    if (is_owner_) [[likely]]
      mutex_.leave_as_owner();
    else
      mutex_.mutex_.unlock();
  }
  BiasedLock(const BiasedLock&) = delete;
  BiasedLock& operator=(const BiasedLock&) = delete;

 private:
  BiasedMutex& mutex_;
  const bool is_owner_;
};

}  // namespace reel
