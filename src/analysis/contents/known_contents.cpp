#include "analysis/contents/known_contents.hpp"

#include <algorithm>

#include "analysis/contents/contents_hash.hpp"
#include "document/trace/ranges.hpp"

namespace reel::analysis {

std::span<const TraceContents> KnownContents::contents_of(std::uint32_t command) const {
  const auto key = [](const TraceContents& c) { return c.command + 1; };  // of none: 0
  return {std::ranges::lower_bound(trace_.contents(), command + 1, {}, key),
          std::ranges::upper_bound(trace_.contents(), command + 1, {}, key)};
}

void KnownContents::know(const TraceContents& contents) {
  const std::uint64_t begin = contents.offset_bytes;
  known_[contents.buffer].set(begin, begin + contents.size_bytes, hash_of(trace_, contents));
}

void KnownContents::before(std::uint32_t command) {
  for_each_input(command, [&](const TraceContents& contents) { know(contents); });
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
    const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
    if (copied)
      known_[range.buffer].set(begin, end, *copied);
    else
      known_[range.buffer].forget(begin, end);
  });
  for (const TraceContents& contents : contents_of(command)) {
    if (contents.role == ContentRole::input) continue;
    know(contents);
  }
}

std::optional<BlobId> KnownContents::of(std::uint32_t buffer, std::uint64_t offset,
                                        std::uint64_t size) const {
  const BlobId* hash = known_[buffer].of(offset, offset + size);
  return hash ? std::optional(*hash) : std::nullopt;
}

std::optional<BlobId> KnownContents::written_by(std::uint32_t command) const {
  for (const TraceContents& contents : contents_of(command))
    if (contents.role == ContentRole::written) return hash_of(trace_, contents);
  return std::nullopt;
}

}  // namespace reel::analysis
