// host_pages.hpp - finds what the host wrote where it needs no call to write.
//
// Memory that host and device share (USE_HOST_PTR, fine-grained shared memory, a map that is never
// undone) is looked at before each command that uses it: pages whose hash changed since the device
// was last seen done with it were written by the host. While a command that may write it is under
// way nobody can tell, so what changes then counts as the device's. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reel::capture {

class HostPages {
 public:
  static constexpr std::uint64_t page_bytes = 4096;
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // offset, size

  using Hashes = std::vector<std::uint64_t>;  // of each page

  static Hashes of(std::span<const std::byte> bytes);
  // Pages of `now` that differ from `before`; the last one ends at `size_bytes`.
  static Ranges differences(const Hashes& before, const Hashes& now, std::uint64_t size_bytes);

  // What it was when last looked at, where nothing is known of it.
  void begin(const void* key, const Hashes& hashes);
  // Bytes of `key` that the host changed since the last look; none at the first.
  Ranges changed(const void* key, const std::byte* bytes, std::uint64_t size_bytes);
  // The device is done: what is there now is known.
  void refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes);
  // The same of the pages of a range only.
  void refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
               std::uint64_t range_offset, std::uint64_t range_size);
  // Parts of `bytes`, which begin at `offset_bytes` (a multiple of a page), that are as they were
  // at the last look; none where there was none.
  Ranges same(const void* key, std::uint64_t offset_bytes, std::span<const std::byte> bytes);
  // The same for one range at a time, where only some of `size_bytes` is ever looked at: pages that
  // were not looked at before count as unchanged. What skips(begin, end) takes is left as it is.
  template <class F>
  Ranges changed_in(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
                    std::uint64_t range_offset, std::uint64_t range_size, F&& skips) {
    const std::lock_guard lock(mutex_);
    Hashes& known = hashes_[key];
    known.resize((size_bytes + page_bytes - 1) / page_bytes, not_looked_at);
    Ranges ranges;
    const std::uint64_t end = std::min(range_offset + range_size, size_bytes);
    for (std::uint64_t at = range_offset / page_bytes * page_bytes; at < end; at += page_bytes) {
      const std::uint64_t size = std::min(page_bytes, size_bytes - at);
      if (skips(at, at + size)) continue;
      std::uint64_t& before = known[at / page_bytes];
      const std::uint64_t now = hash_of({bytes + at, size});
      if (before != now && before != not_looked_at) {
        if (!ranges.empty() && ranges.back().first + ranges.back().second == at)
          ranges.back().second += size;
        else
          ranges.emplace_back(at, size);
      }
      before = now;
    }
    return ranges;
  }
  // The device is done with a range: what is there now is known, whoever looked before.
  void learn(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
             std::uint64_t range_offset, std::uint64_t range_size);
  void forget(const void* key);
  bool knows(const void* key);

 private:
  static constexpr std::uint64_t not_looked_at = 0;
  static std::uint64_t hash_of(std::span<const std::byte> page);
  static void hash(Hashes& into, const std::byte* bytes, std::uint64_t size_bytes);
  template <class F>
  static Ranges pages(std::size_t count, std::uint64_t size_bytes, F&& wanted);

  std::mutex mutex_;
  std::unordered_map<const void*, Hashes> hashes_;
};

}  // namespace reel::capture
