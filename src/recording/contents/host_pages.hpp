// host_pages.hpp - finds what the host wrote where it needs no call to write.
//
// Memory that host and device share (USE_HOST_PTR, fine-grained shared memory, a map that is never
// undone) is looked at before each command that uses it: pages whose hash changed since the device
// was last seen done with it were written by the host. While a command that may write it is under
// way nobody can tell, so what changes then counts as the device's. Where the kernel tells which
// pages were written (WrittenPages), only those are hashed again. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recording/contents/written_pages.hpp"

namespace reel::capture {

class HostPages {
 public:
  static constexpr std::uint64_t page_bytes = 4096;
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // offset, size

  using Hashes = std::vector<std::uint64_t>;  // of each page; 0: nobody looked at it

  static Hashes of(std::span<const std::byte> bytes);
  // Pages of `now` that differ from `before`; the last one ends at `size_bytes`.
  static Ranges differences(const Hashes& before, const Hashes& now, std::uint64_t size_bytes);

  // What it was when last looked at, where nothing is known of it.
  void begin(const void* key, const Hashes& hashes);
  // Bytes of `key` that the host changed since the last look; none at the first.
  Ranges changed(const void* key, const std::byte* bytes, std::uint64_t size_bytes);
  // The same of a range, where only some of `size_bytes` is ever looked at: pages that nobody
  // looked at before count as unchanged. What skips(begin, end) takes is left as it is.
  template <class F>
  Ranges changed_in(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
                    std::uint64_t range_offset, std::uint64_t range_size, F&& skips) {
    const std::lock_guard lock(mutex_);
    Known& known = known_[key];
    const Pages range = pages_of(range_offset, range_size, size_bytes);
    prepare(known, bytes, size_bytes, range);
    return joined(range, size_bytes, [&](std::size_t i) {
      const std::uint64_t at = i * page_bytes;
      return !skips(at, std::min(at + page_bytes, size_bytes)) && look(known, range, i);
    });
  }
  // The same, of whole pages within the range alone, and without taking them as known: the next
  // look finds them changed again. None where that would take long.
  template <class F>
  Ranges changed_since(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
                       std::uint64_t range_offset, std::uint64_t range_size, F&& skips) {
    const std::lock_guard lock(mutex_);
    const auto it = known_.find(key);
    if (it == known_.end() || it->second.address != bytes || it->second.size_bytes != size_bytes)
      return {};
    Known& known = it->second;
    const Pages range{count_of(range_offset), (range_offset + range_size) / page_bytes};
    if (range.first >= range.last) return {};
    prepare(known, bytes, size_bytes, range);
    if (!now_ && range.last - range.first > most_peeked) return {};
    return joined(range, size_bytes, [&](std::size_t i) {
      const std::uint64_t at = i * page_bytes;
      return !is_untouched(known, range, i) && known.hashes[i] != 0 &&
             !skips(at, at + page_bytes) && hash_of(bytes, size_bytes, i) != known.hashes[i];
    });
  }
  // The device is done: what is there now is known.
  void refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes);
  // The same of the pages of a range only.
  void refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
               std::uint64_t range_offset, std::uint64_t range_size);
  // … and where nobody looked at it before, too.
  void learn(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
             std::uint64_t range_offset, std::uint64_t range_size);
  // Parts of `bytes`, which begin at `offset_bytes` (a multiple of a page), that are as they were
  // at the last look; none where there was none.
  Ranges same(const void* key, std::uint64_t offset_bytes, std::span<const std::byte> bytes);
  // A device is about to write these.
  void let_write(const void* key, std::uint64_t offset_bytes, std::uint64_t size_bytes);
  void forget(const void* key);
  bool knows(const void* key);

 private:
  using Dates = std::vector<WrittenPages::Date>;
  struct Pages {
    std::size_t first, last;  // to before `last`
  };
  struct Known {
    Hashes hashes;
    const std::byte* address = nullptr;  // of the last look
    std::uint64_t size_bytes = 0;
    bool is_watched = false;  // there
    Dates hashed = {};        // when each was hashed; 0: that is not known
  };

  static constexpr std::size_t most_peeked = 256;  // pages that the kernel doesn't tell of

  static std::size_t count_of(std::uint64_t size_bytes) noexcept {
    return (size_bytes + page_bytes - 1) / page_bytes;
  }
  static std::uint64_t hash_of(const std::byte* bytes, std::uint64_t size_bytes, std::size_t page);
  static Pages pages_of(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::uint64_t within);
  // Before look() at pages of this range: asks the kernel, where it can tell.
  void prepare(Known& known, const std::byte* bytes, std::uint64_t size_bytes, const Pages& range);
  // After prepare(): the kernel says that it is as it was hashed.
  bool is_untouched(const Known& known, const Pages& range, std::size_t page) const noexcept {
    return now_ && known.hashed[page] && dates_[page - range.first] <= known.hashed[page];
  }
  // Hashes a page again if it may have changed. True: somebody looked at it before, and it has.
  bool look(Known& known, const Pages& range, std::size_t page);
  void look_at_all(Known& known, const std::byte* bytes, std::uint64_t size_bytes,
                   const Pages& range);
  void unwatch(const Known& known);
  // Pages that wanted(i) takes, neighbours joined.
  template <class F>
  static Ranges joined(const Pages& range, std::uint64_t size_bytes, F&& wanted) {
    Ranges ranges;
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (!wanted(i)) continue;
      const std::uint64_t at = i * page_bytes, size = std::min(page_bytes, size_bytes - at);
      if (!ranges.empty() && ranges.back().first + ranges.back().second == at)
        ranges.back().second += size;
      else
        ranges.emplace_back(at, size);
    }
    return ranges;
  }

  std::mutex mutex_;
  WrittenPages written_;
  WrittenPages::Date now_ = 0;  // of the last prepare(); 0: the kernel can't tell
  Dates dates_;                 // of its pages
  std::unordered_map<const void*, Known> known_;
};

}  // namespace reel::capture
