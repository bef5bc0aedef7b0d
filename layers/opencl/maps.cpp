#include "layers/opencl/maps.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace reel::layer {

namespace {

struct Maps {
  std::mutex mutex;
  std::multimap<const void*, Map> by_pointer;
};

Maps& maps() {
  static Maps& one = *new Maps;  // never destroyed: programs unmap from their last destructors
  return one;
}

}  // namespace

void add_map(const void* pointer, Map map) {
  const std::lock_guard lock(maps().mutex);
  maps().by_pointer.emplace(pointer, std::move(map));
}

std::optional<Map> take_map(const Storage* storage, const void* pointer) {
  const std::lock_guard lock(maps().mutex);
  const auto [begin, end] = maps().by_pointer.equal_range(pointer);
  for (auto it = end; it != begin;) {
    --it;
    if (it->second.storage.get() != storage) continue;
    Map map = std::move(it->second);
    maps().by_pointer.erase(it);
    return map;
  }
  return std::nullopt;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> differences(std::span<const std::byte> before,
                                                                 std::span<const std::byte> now) {
  const std::size_t size = std::min(before.size(), now.size());
  // Bytes that happen to be equal within what was written anew would make a piece of each few.
  for (std::size_t join = 1;; join *= 8) {
    constexpr std::size_t most = 1024;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
    for (std::size_t at = 0; at < size && pieces.size() <= most;) {
      constexpr std::size_t block = 4096;
      const std::size_t step = std::min(block, size - at);
      if (at % block == 0 && std::memcmp(&before[at], &now[at], step) == 0) {
        at += step;
        continue;
      }
      if (before[at] == now[at]) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < size && before[at] != now[at]) ++at;
      if (!pieces.empty() && begin - (pieces.back().first + pieces.back().second) < join)
        pieces.back().second = at - pieces.back().first;
      else
        pieces.emplace_back(begin, at - begin);
    }
    if (pieces.size() <= most || join >= size) return pieces;
  }
}

}  // namespace reel::layer
