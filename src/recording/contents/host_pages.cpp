#include "recording/contents/host_pages.hpp"

#include <algorithm>
#include <utility>

#include "base/hash128.hpp"

namespace reel::capture {

namespace {

std::size_t count_of(std::uint64_t size_bytes) {
  return (size_bytes + HostPages::page_bytes - 1) / HostPages::page_bytes;
}
std::uint64_t hash_of(const std::byte* bytes, std::uint64_t size_bytes, std::size_t page) {
  const std::uint64_t at = page * HostPages::page_bytes;
  return hash128({bytes + at, std::min(HostPages::page_bytes, size_bytes - at)}).low;
}

}  // namespace

HostPages::Hashes HostPages::of(std::span<const std::byte> bytes) {
  Hashes hashes(count_of(bytes.size()));
  for (std::size_t i = 0; i < hashes.size(); ++i)
    hashes[i] = hash_of(bytes.data(), bytes.size(), i);
  return hashes;
}

// Memory that is looked at for the second time at the same place is watched: what a map copied, or
// what is looked at once, isn't worth it.
HostPages::Ranges HostPages::look(Known& known, const std::byte* bytes, std::uint64_t size_bytes,
                                  std::size_t first, std::size_t last) {
  const std::size_t count = count_of(size_bytes);
  if (known.address != bytes || known.size_bytes != size_bytes) {
    unwatch(known);
    known = {std::move(known.hashes), bytes, size_bytes, false, {}};
    // Of pages that were not there at the last look, what is there now counts as what was.
    for (std::size_t i = known.hashes.size(); i < count; ++i)
      known.hashes.push_back(hash_of(bytes, size_bytes, i));
    known.hashes.resize(count);
    known.hashed.resize(count);
  } else if (!known.is_watched) {
    known.is_watched = written_.watch(bytes, size_bytes);
  }
  // The kernel is asked first: what is written from here on is found by the next scan.
  const auto now = known.is_watched ? written_.scan(bytes, size_bytes, dates_) : std::nullopt;
  if (!now) known.is_watched = false;
  return pages(first, std::min(last, count), size_bytes, [&](std::size_t i) {
    if (now && known.hashed[i] && dates_[i] <= known.hashed[i]) return false;
    known.hashed[i] = now.value_or(0);
    const std::uint64_t hash = hash_of(bytes, size_bytes, i);
    return std::exchange(known.hashes[i], hash) != hash;
  });
}

void HostPages::unwatch(const Known& known) {
  if (known.is_watched) written_.unwatch(known.address, known.size_bytes);
}

// Pages of so many bytes that wanted(i) takes, neighbours joined.
template <class F>
HostPages::Ranges HostPages::pages(std::size_t first, std::size_t last, std::uint64_t size_bytes,
                                   F&& wanted) {
  Ranges ranges;
  for (std::size_t i = first; i < last; ++i) {
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
  return pages(0, std::min(now.size(), before.size()), size_bytes,
               [&](std::size_t i) { return now[i] != before[i]; });
}

void HostPages::begin(const void* key, const Hashes& hashes) {
  const std::lock_guard lock(mutex_);
  known_.try_emplace(key, Known{hashes, nullptr, 0, false, {}});
}

HostPages::Ranges HostPages::changed(const void* key, const std::byte* bytes,
                                     std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  const auto [it, is_new] = known_.try_emplace(key);
  if (!is_new) return look(it->second, bytes, size_bytes, 0, count_of(size_bytes));
  const std::size_t count = count_of(size_bytes);
  it->second = {of({bytes, size_bytes}), bytes, size_bytes, false, Dates(count)};
  return {};
}

HostPages::Ranges HostPages::same(const void* key, std::uint64_t offset_bytes,
                                  std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(key);
  if (it == known_.end()) return {};
  const Hashes now = of(bytes);
  const Hashes& then = it->second.hashes;
  const std::size_t first = offset_bytes / page_bytes;
  return pages(0, now.size(), bytes.size(),
               [&](std::size_t i) { return first + i < then.size() && now[i] == then[first + i]; });
}

void HostPages::refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes) {
  refresh(key, bytes, size_bytes, 0, size_bytes);
}

void HostPages::refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
                        std::uint64_t range_offset, std::uint64_t range_size) {
  const std::lock_guard lock(mutex_);
  if (const auto it = known_.find(key); it != known_.end())
    look(it->second, bytes, size_bytes, range_offset / page_bytes,
         count_of(range_offset + range_size));
}

void HostPages::let_write(const void* key, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  if (size_bytes < WrittenPages::worth_bytes) return;
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(key);
  if (it == known_.end() || !it->second.is_watched) return;
  const Known& known = it->second;
  if (offset_bytes < known.size_bytes)
    written_.let_write(known.address + offset_bytes,
                       std::min(size_bytes, known.size_bytes - offset_bytes));
}

bool HostPages::knows(const void* key) {
  const std::lock_guard lock(mutex_);
  return known_.contains(key);
}

void HostPages::forget(const void* key) {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(key);
  if (it == known_.end()) return;
  unwatch(it->second);
  known_.erase(it);
}

}  // namespace reel::capture
