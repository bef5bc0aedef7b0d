// query_pools.hpp - query pools for timestamps of a device, used again and again.
//
// Any thread. Its lock is held around nothing of the driver.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "layers/vulkan/functions.hpp"

namespace reel::layer::vk {

struct QueryPool {
  VkQueryPool handle = VK_NULL_HANDLE;
  std::uint32_t size = 0;
};

class QueryPools {
 public:
  // One with at least so many queries, which may hold anything; a null handle: there is none.
  QueryPool take(std::uint32_t size) noexcept {
    const std::lock_guard lock(mutex_);
    for (auto one = spare_.rbegin(); one != spare_.rend(); ++one)
      if (one->size >= size) {
        const QueryPool found = *one;
        spare_.erase(std::next(one).base());
        return found;
      }
    return {};
  }
  // False: there are enough; the caller destroys it.
  bool give_back(const QueryPool& pool) noexcept {
    constexpr std::size_t most = 64;
    const std::lock_guard lock(mutex_);
    if (is_closed_ || spare_.size() >= most) return false;
    try {
      spare_.push_back(pool);
      return true;
    } catch (...) {
      return false;
    }
  }
  // All of them; none is kept from now on.
  std::vector<QueryPool> close() noexcept {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    return std::move(spare_);
  }

 private:
  std::mutex mutex_;
  std::vector<QueryPool> spare_;
  bool is_closed_ = false;
};

}  // namespace reel::layer::vk
