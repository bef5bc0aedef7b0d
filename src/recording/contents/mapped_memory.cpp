#include "recording/contents/mapped_memory.hpp"

#include <algorithm>
#include <cstring>

#include "graph/commands/resource.hpp"

namespace reel::capture {
namespace {

// Differences closer than this are one: a row of the document costs more than some equal bytes.
constexpr std::uint64_t gap_bytes = 64;

void add_differences(MappedMemory::Ranges& ranges, const std::byte* known, const std::byte* now,
                     std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t size = std::min<std::uint64_t>(4096, end - at);
    if (std::memcmp(known + at, now + at, size) == 0) {
      at += size;
      continue;
    }
    for (const std::uint64_t last = at + size; at < last; ++at) {
      if (known[at] == now[at]) continue;
      if (!ranges.empty() && ranges.back().second >= begin && at - ranges.back().second < gap_bytes)
        ranges.back().second = at + 1;
      else
        ranges.emplace_back(at, at + 1);
    }
  }
}

}  // namespace

MappedMemory::Copy& MappedMemory::copy_of(const BufferResource& buffer) {
  Copy& copy = copies_[&buffer];
  if (copy.bytes.empty()) copy.bytes.resize(buffer.size_bytes);
  return copy;
}

void MappedMemory::allocated(const BufferResource& buffer) {
  const std::lock_guard lock(mutex_);
  copy_of(buffer).known.add(0, buffer.size_bytes);
}

void MappedMemory::take_expected(Copy& copy) {
  std::erase_if(copy.expected, [&](const Expected& one) {
    if (!one.is_done()) return false;
    one.for_each_wanted([&](std::uint64_t begin, std::uint64_t end) {
      std::memcpy(copy.bytes.data() + begin, one.bytes->data() + (begin - one.begin), end - begin);
      copy.known.add(begin, end);
    });
    return true;
  });
}

MappedMemory::Ranges MappedMemory::take_host_writes(const BufferRange& range) {
  Ranges ranges;
  const std::lock_guard lock(mutex_);
  const auto found = copies_.find(range.buffer);
  if (found == copies_.end()) return ranges;  // nothing is known that could have changed
  Copy& copy = found->second;
  take_expected(copy);
  const std::byte* now = range.buffer->mapped;
  copy.known.for_each_in(range.offset_bytes, range.offset_bytes + range.size_bytes,
                         [&](std::uint64_t begin, std::uint64_t end) {
                           add_differences(ranges, copy.bytes.data(), now, begin, end);
                         });
  for (const auto& [begin, end] : ranges)
    std::memcpy(copy.bytes.data() + begin, now + begin, end - begin);
  return ranges;
}

void MappedMemory::forget(const BufferRange& range) {
  const std::lock_guard lock(mutex_);
  const auto found = copies_.find(range.buffer);
  if (found == copies_.end()) return;
  Copy& copy = found->second;
  take_expected(copy);
  copy.known.remove(range.offset_bytes, range.offset_bytes + range.size_bytes);
  // A read that isn't done finds what was there before.
  for (Expected& one : copy.expected)
    one.wanted.remove(range.offset_bytes, range.offset_bytes + range.size_bytes);
}

void MappedMemory::expect(const BufferRange& range, Target bytes, IsDone is_done) {
  const std::lock_guard lock(mutex_);
  Copy& copy = copy_of(*range.buffer);
  Expected one{range.offset_bytes, std::move(bytes), std::move(is_done), {}};
  one.wanted.add(range.offset_bytes, range.offset_bytes + range.size_bytes);
  copy.known.remove(range.offset_bytes, range.offset_bytes + range.size_bytes);
  copy.expected.push_back(std::move(one));
}

void MappedMemory::release(const BufferResource& buffer) {
  const std::lock_guard lock(mutex_);
  copies_.erase(&buffer);
}

}  // namespace reel::capture
