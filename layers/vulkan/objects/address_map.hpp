// address_map.hpp - the buffers of a device by the addresses that the driver gives them.
//
// A driver is asked as soon as a buffer is bound to memory, whether the program asks or not: a
// kernel may find a buffer by an address that was computed from another's. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "layers/vulkan/functions.hpp"

namespace reel::layer::vk {

class AddressMap {
 public:
  struct Entry {
    std::uint64_t address, size_bytes;
    VkBuffer buffer;
  };

  void add(const Entry& entry) {
    const std::lock_guard lock(mutex_);
    all_.emplace(entry.address, entry);
    largest_ = std::max(largest_, entry.size_bytes);
  }
  void remove(std::uint64_t address, VkBuffer buffer) noexcept {
    const std::lock_guard lock(mutex_);
    auto [it, end] = all_.equal_range(address);
    for (; it != end; ++it)
      if (it->second.buffer == buffer) {
        all_.erase(it);
        return;
      }
  }
  // Those that have this byte; buffers may overlap.
  std::vector<Entry> find(std::uint64_t address) const {
    std::vector<Entry> found;
    const std::lock_guard lock(mutex_);
    for (auto it = all_.upper_bound(address); it != all_.begin();) {
      --it;
      if (address - it->first >= largest_) break;
      if (address - it->first < it->second.size_bytes) found.push_back(it->second);
    }
    return found;
  }
  std::vector<Entry> all() const {
    std::vector<Entry> found;
    const std::lock_guard lock(mutex_);
    for (const auto& one : all_) found.push_back(one.second);
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::multimap<std::uint64_t, Entry> all_;
  std::uint64_t largest_ = 0;  // of all that there ever were
};

}  // namespace reel::layer::vk
