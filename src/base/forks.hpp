// forks.hpp - which process this is, among those that came from each other by fork().
//
// Threads and drivers don't survive a fork, but objects do: whoever made them remembers the
// generation they were made in.
#pragma once

#include <atomic>
#include <cstdint>

namespace reel {

namespace detail {
extern std::atomic<std::uint32_t> forks;
}

// 0 in the process that loaded the library; in the child of a fork(), one more than in its parent.
inline std::uint32_t fork_generation() noexcept {
  return detail::forks.load(std::memory_order_relaxed);
}

}  // namespace reel
