#include "recording/contents/host_pages.hpp"

#include <algorithm>

#include "base/hash128.hpp"

namespace reel::capture {

void HostPages::hash(Hashes& into, const std::byte* bytes, std::uint64_t size_bytes) {
  into.clear();
  for (std::uint64_t at = 0; at < size_bytes; at += page_bytes)
    into.push_back(hash_of({bytes + at, std::min(page_bytes, size_bytes - at)}));
}

std::uint64_t HostPages::hash_of(std::span<const std::byte> page) {
  const std::uint64_t low = hash128(page).low;
  return low == not_looked_at ? 1 : low;
}

HostPages::Hashes HostPages::of(std::span<const std::byte> bytes) {
  Hashes hashes;
  hashes.reserve((bytes.size() + page_bytes - 1) / page_bytes);
  hash(hashes, bytes.data(), bytes.size());
  return hashes;
}

// Pages of so many bytes that wanted(i) takes, neighbours joined.
template <class F>
HostPages::Ranges HostPages::pages(std::size_t count, std::uint64_t size_bytes, F&& wanted) {
  Ranges ranges;
  for (std::size_t i = 0; i < count; ++i) {
    if (!wanted(i)) continue;
    const std::uint64_t at = i * page_bytes, size = std::min(page_bytes, size_bytes - at);
    if (!ranges.empty() && ranges.back().first + ranges.back().second == at)
      ranges.back().second += size;
    else
      ranges.emplace_back(at, size);
  }
  return ranges;
}

HostPages::Ranges HostPages::differences(const Hashes& before, const Hashes& now,
                                         std::uint64_t size_bytes) {
  return pages(std::min(now.size(), before.size()), size_bytes,
               [&](std::size_t i) { return now[i] != before[i]; });
}

void HostPages::begin(const void* key, const Hashes& hashes) {
  const std::lock_guard lock(mutex_);
  hashes_.try_emplace(key, hashes);
}

HostPages::Ranges HostPages::changed(const void* key, const std::byte* bytes,
                                     std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  Ranges ranges;
  Hashes now;
  hash(now, bytes, size_bytes);
  const auto [it, is_new] = hashes_.try_emplace(key);
  if (!is_new) ranges = differences(it->second, now, size_bytes);
  it->second = std::move(now);
  return ranges;
}

HostPages::Ranges HostPages::same(const void* key, std::uint64_t offset_bytes,
                                  std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  const auto it = hashes_.find(key);
  if (it == hashes_.end()) return {};
  Hashes now;
  hash(now, bytes.data(), bytes.size());
  const std::size_t first = offset_bytes / page_bytes;
  return pages(now.size(), bytes.size(), [&](std::size_t i) {
    return first + i < it->second.size() && now[i] == it->second[first + i];
  });
}

void HostPages::refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto it = hashes_.find(key); it != hashes_.end()) hash(it->second, bytes, size_bytes);
}

void HostPages::refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
                        std::uint64_t range_offset, std::uint64_t range_size) {
  const std::lock_guard lock(mutex_);
  const auto it = hashes_.find(key);
  if (it == hashes_.end()) return;
  const std::uint64_t end = std::min(range_offset + range_size, size_bytes);
  for (std::uint64_t at = range_offset / page_bytes * page_bytes; at < end; at += page_bytes)
    if (const std::size_t i = at / page_bytes; i < it->second.size())
      it->second[i] = hash_of({bytes + at, std::min(page_bytes, size_bytes - at)});
}

void HostPages::learn(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
                      std::uint64_t range_offset, std::uint64_t range_size) {
  const std::lock_guard lock(mutex_);
  Hashes& known = hashes_[key];
  known.resize((size_bytes + page_bytes - 1) / page_bytes, not_looked_at);
  const std::uint64_t end = std::min(range_offset + range_size, size_bytes);
  for (std::uint64_t at = range_offset / page_bytes * page_bytes; at < end; at += page_bytes)
    known[at / page_bytes] = hash_of({bytes + at, std::min(page_bytes, size_bytes - at)});
}

bool HostPages::knows(const void* key) {
  const std::lock_guard lock(mutex_);
  return hashes_.contains(key);
}

void HostPages::forget(const void* key) {
  const std::lock_guard lock(mutex_);
  hashes_.erase(key);
}

}  // namespace reel::capture
