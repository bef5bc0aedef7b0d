// forks.hpp - which process this is, among those that came from each other by fork().
//
// Threads and drivers don't survive a fork, but objects do: whoever has some of either keeps a
// Birth, and asks it before touching them. The one way to tell a forked child.
#pragma once

#include <atomic>
#include <cstdint>

namespace reel {

namespace detail {
// 0 in the process that loaded the library; in the child of a fork(), one more than in its parent.
extern std::atomic<std::uint32_t> forks;
}  // namespace detail

// This process was forked after it had loaded the library.
inline bool is_forked() noexcept { return detail::forks.load(std::memory_order_relaxed) != 0; }

// When something was made.
class Birth {
 public:
  // It was made before a fork(), in the parent.
  bool is_inherited() const noexcept {
    return generation_ != detail::forks.load(std::memory_order_relaxed);
  }

 private:
  std::uint32_t generation_ = detail::forks.load(std::memory_order_relaxed);
};

}  // namespace reel
