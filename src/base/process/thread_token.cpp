#include "base/process/thread_token.hpp"

#include <atomic>

namespace reel::detail {

constinit thread_local std::uint64_t own_thread_token = 0;

std::uint64_t give_thread_token() noexcept {
  static std::atomic<std::uint64_t> next{1};
  return own_thread_token = next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace reel::detail
