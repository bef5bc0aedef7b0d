#include "recording/contents/host_pages.hpp"

#include "base/bytes/hash128.hpp"

namespace reel::capture {

std::uint64_t HostPages::hash_of(const std::byte* bytes, std::uint64_t size_bytes,
                                 std::size_t page) {
  const std::uint64_t at = page * page_bytes;
  const std::uint64_t low = hash128({bytes + at, std::min(page_bytes, size_bytes - at)}).low;
  return low == 0 ? 1 : low;
}

HostPages::Hashes HostPages::of(std::span<const std::byte> bytes) {
  Hashes hashes(count_of(bytes.size()));
  for (std::size_t i = 0; i < hashes.size(); ++i)
    hashes[i] = hash_of(bytes.data(), bytes.size(), i);
  return hashes;
}

HostPages::Ranges HostPages::differences(const Hashes& before, const Hashes& now,
                                         std::uint64_t size_bytes) {
  return joined({0, std::min(now.size(), before.size())}, size_bytes,
                [&](std::size_t i) { return now[i] != before[i]; });
}

HostPages::Pages HostPages::pages_of(std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                     std::uint64_t within) {
  return {offset_bytes / page_bytes, count_of(std::min(offset_bytes + size_bytes, within))};
}

// Memory that is looked at for the second time at the same place is watched: what a map copied, or
// what is looked at once, isn't worth it.
void HostPages::prepare(Known& known, const std::byte* bytes, std::uint64_t size_bytes,
                        const Pages& range) {
  constexpr std::size_t worth_pages = 16;  // asking takes as long as hashing some pages
  if (known.address != bytes || known.size_bytes != size_bytes) {
    unwatch(known);
    known = {std::move(known.hashes), bytes, size_bytes};
    known.hashes.resize(count_of(size_bytes));
    known.hashed.resize(known.hashes.size());
  } else if (!known.is_watched) {
    known.is_watched = written_.watch(bytes, size_bytes);
  }
  now_ = 0;
  if (!known.is_watched || range.last < range.first + worth_pages) return;
  // The kernel is asked first: what is written from here on is found by the next scan.
  const std::uint64_t at = range.first * page_bytes;
  const auto now =
      written_.scan(bytes + at, std::min(range.last * page_bytes, size_bytes) - at, dates_);
  known.is_watched = now.has_value();
  now_ = now.value_or(0);
}

bool HostPages::look(Known& known, const Pages& range, std::size_t page) {
  if (is_untouched(known, range, page)) return false;
  known.hashed[page] = now_;
  const std::uint64_t now = hash_of(known.address, known.size_bytes, page);
  const std::uint64_t before = std::exchange(known.hashes[page], now);
  return before != now && before != 0;
}

void HostPages::look_at_all(Known& known, const std::byte* bytes, std::uint64_t size_bytes,
                            const Pages& range) {
  prepare(known, bytes, size_bytes, range);
  for (std::size_t i = range.first; i < range.last; ++i) look(known, range, i);
}

void HostPages::unwatch(const Known& known) {
  if (known.is_watched) written_.unwatch(known.address, known.size_bytes);
}

void HostPages::begin(const void* key, const Hashes& hashes) {
  const std::lock_guard lock(mutex_);
  known_.try_emplace(key, Known{hashes});
}

HostPages::Ranges HostPages::changed(const void* key, const std::byte* bytes,
                                     std::uint64_t size_bytes) {
  return changed_in(key, bytes, size_bytes, 0, size_bytes,
                    [](std::uint64_t, std::uint64_t) { return false; });
}

HostPages::Ranges HostPages::same(const void* key, std::uint64_t offset_bytes,
                                  std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(key);
  if (it == known_.end()) return {};
  const Hashes now = of(bytes);
  const Hashes& then = it->second.hashes;
  const std::size_t first = offset_bytes / page_bytes;
  return joined({0, now.size()}, bytes.size(), [&](std::size_t i) {
    return first + i < then.size() && now[i] == then[first + i];
  });
}

void HostPages::refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes) {
  refresh(key, bytes, size_bytes, 0, size_bytes);
}

void HostPages::refresh(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
                        std::uint64_t range_offset, std::uint64_t range_size) {
  const std::lock_guard lock(mutex_);
  if (const auto it = known_.find(key); it != known_.end())
    look_at_all(it->second, bytes, size_bytes, pages_of(range_offset, range_size, size_bytes));
}

void HostPages::learn(const void* key, const std::byte* bytes, std::uint64_t size_bytes,
                      std::uint64_t range_offset, std::uint64_t range_size) {
  const std::lock_guard lock(mutex_);
  look_at_all(known_[key], bytes, size_bytes, pages_of(range_offset, range_size, size_bytes));
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
