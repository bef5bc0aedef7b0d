#include "analysis/known_contents.hpp"

#include <algorithm>

#include "base/hash128.hpp"
#include "document/ranges.hpp"

namespace reel::analysis {

std::span<const TraceContents> KnownContents::contents_of(std::uint32_t command) const {
  const auto key = [](const TraceContents& c) { return c.command + 1; };  // of none: 0
  return {std::ranges::lower_bound(trace_.contents(), command + 1, {}, key),
          std::ranges::upper_bound(trace_.contents(), command + 1, {}, key)};
}

// Of one page, its name; of more, the hash of theirs.
BlobId KnownContents::digest(const TraceContents& contents) const {
  const auto pages = trace_.pages(contents);
  if (pages.size() == 1) return pages[0];
  const Hash128 hash = hash128(std::as_bytes(pages));
  return {hash.low, hash.high};
}

void KnownContents::forget(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) {
  auto& ranges = known_[buffer];
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin() && std::prev(at)->second.end > begin) --at;
  while (at != ranges.end() && at->first < end) at = ranges.erase(at);
}

void KnownContents::before(std::uint32_t command) {
  for (const TraceContents& contents : contents_of(command)) {
    if (contents.role != ContentRole::input) continue;
    const std::uint64_t end = contents.offset_bytes + contents.size_bytes;
    forget(contents.buffer, contents.offset_bytes, end);
    known_[contents.buffer][contents.offset_bytes] = {end, digest(contents)};
  }
}

void KnownContents::after(std::uint32_t command) {
  const TraceWork& work = trace_.work_of(trace_.commands()[command]);
  std::optional<BlobId> copied;
  if (work.kind == WorkKind::copy && work.argument_count == 2) {
    const TraceArgument& from = trace_.arguments(work)[0];
    if (from.buffer != no_index) copied = of(from.buffer, from.offset_bytes, from.size_bytes);
  }
  for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
    if (!writes(access)) return;
    const std::uint64_t end = range.offset_bytes + range.size_bytes;
    forget(range.buffer, range.offset_bytes, end);
    if (copied) known_[range.buffer][range.offset_bytes] = {end, *copied};
  });
  for (const TraceContents& contents : contents_of(command)) {
    if (contents.role == ContentRole::input) continue;
    const std::uint64_t end = contents.offset_bytes + contents.size_bytes;
    forget(contents.buffer, contents.offset_bytes, end);
    known_[contents.buffer][contents.offset_bytes] = {end, digest(contents)};
  }
}

std::optional<BlobId> KnownContents::of(std::uint32_t buffer, std::uint64_t offset,
                                        std::uint64_t size) const {
  const auto found = known_[buffer].find(offset);
  if (found == known_[buffer].end() || found->second.end != offset + size) return std::nullopt;
  return found->second.hash;
}

std::optional<BlobId> KnownContents::written_by(std::uint32_t command) const {
  for (const TraceContents& contents : contents_of(command))
    if (contents.role == ContentRole::written) return digest(contents);
  return std::nullopt;
}

}  // namespace reel::analysis
