// biased_mutex.hpp - a mutex that the thread which uses it most enters with two plain stores.
//
// A thread that takes the lock often enough without anybody in between becomes its owner. The owner
// says "inside", looks whether it still is the owner, and is in: no instruction waits for other
// cores, where a std::mutex has two that do (8 of the 19 ns of a dispatch written by hand).
// Everybody else takes the mutex, ends the ownership, makes every core see that (membarrier(2),
// 0.4 to some µs) and waits until the owner is out. Who was interrupted like that must wait longer
// to become the owner again, so that threads which share it pay for a mutex and little else.
//
// A thread may be held up for long between its look at the owner and saying "inside", and takes
// that back when it sees that it isn't the owner any more. So each thread says it in a place of its
// own: in a common one it would take back what the next owner said.
//
// Where the kernel has no membarrier, nobody becomes the owner.
#pragma once

#include <array>
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
  friend class OwnersLock;
  friend struct BiasedMutexSteps;  // tests: a thread held up on its way in
  using Mark = std::atomic<bool>;
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};  // no thread has this number
  static constexpr std::size_t marks = 8;  // they fill what was padding before mutex_

  // Where the owner says that it is in; null: this thread isn't the owner.
  [[gnu::always_inline]] Mark* enter_as_owner() noexcept {
    const std::uint64_t self = detail::own_thread_token;  // 0, which owns nothing, or its number
    if (owner_.load(std::memory_order_relaxed) != self) return nullptr;
    return enter_if_still_owner(self);
  }
  [[gnu::always_inline]] Mark* enter_if_still_owner(std::uint64_t self) noexcept {
    Mark& inside = inside_[self % marks];
    inside.store(true, std::memory_order_relaxed);
    // The compiler must keep the order; that the core does, is up to whoever ends the ownership.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (owner_.load(std::memory_order_acquire) == self) [[likely]]
      return &inside;
    inside.store(false, std::memory_order_release);
    return nullptr;
  }

  void lock_slowly();
  void end_ownership();
  bool is_owner_inside() const noexcept;
  void wait_for_owner() const;
  void count_use() noexcept;

  std::atomic<std::uint64_t> owner_{nobody};  // changes with mutex_ held
  std::array<Mark, marks> inside_{};          // the owner is, at its number's place
  std::mutex mutex_;
  // With mutex_ held: who had it last, how often in a row, and how often it takes to own it.
  std::uint64_t last_ = nobody;
  std::uint32_t in_a_row_ = 0, to_own_ = first_to_own;
  std::array<std::uint64_t, marks> users_{};  // of inside_, for good; 0: nobody yet
  static constexpr std::uint32_t first_to_own = 16, most_to_own = 4096;
};

// The lock, for a block, where that takes no waiting: false where this thread isn't the owner.
class OwnersLock {
 public:
  [[gnu::always_inline]] explicit OwnersLock(BiasedMutex& mutex)
      : inside_(mutex.enter_as_owner()) {}
  [[gnu::always_inline]] ~OwnersLock() {
    if (inside_) [[likely]]
      inside_->store(false, std::memory_order_release);
  }
  OwnersLock(const OwnersLock&) = delete;
  OwnersLock& operator=(const OwnersLock&) = delete;
  explicit operator bool() const noexcept { return inside_ != nullptr; }

 private:
  BiasedMutex::Mark* const inside_;
};

// The lock, for a block.
class BiasedLock {
 public:
  // In place: as calls, the two took 32 instructions of a dispatch's 430.
  [[gnu::always_inline]] explicit BiasedLock(BiasedMutex& mutex)
      : mutex_(mutex), inside_(mutex.enter_as_owner()) {
    if (!inside_) [[unlikely]]
      mutex_.lock_slowly();
  }
  [[gnu::always_inline]] ~BiasedLock() {
    if (inside_) [[likely]]
      inside_->store(false, std::memory_order_release);
    else
      mutex_.mutex_.unlock();
  }
  BiasedLock(const BiasedLock&) = delete;
  BiasedLock& operator=(const BiasedLock&) = delete;

 private:
  BiasedMutex& mutex_;
  BiasedMutex::Mark* const inside_;
};

}  // namespace reel
