#include "analysis/contents/known_contents.hpp"

#include <algorithm>

#include "analysis/contents/contents_hash.hpp"
#include "document/trace/ranges.hpp"

namespace reel::analysis {

KnownContents::KnownContents(const Trace& trace)
    : trace_(trace), rest_(trace.contents()), known_(trace.buffers().size()) {}

// They are by command; those of none come first.
void KnownContents::go_to(std::uint32_t command) {
  const auto key = [](const TraceContents& c) { return std::uint64_t{c.command + 1}; };
  while (!rest_.empty() && key(rest_[0]) < std::uint64_t{command} + 1) rest_ = rest_.subspan(1);
  std::size_t count = 0;
  while (count < rest_.size() && rest_[count].command == command) ++count;
  its_ = rest_.first(count);
}

void KnownContents::know(const TraceContents& contents) {
  const std::uint64_t begin = contents.offset_bytes;
  known_[contents.buffer].set(begin, begin + contents.size_bytes, hash_of(trace_, contents));
}

void KnownContents::before(std::uint32_t command) {
  go_to(command);
  for_each_input([&](const TraceContents& contents) { know(contents); });
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
  for (const TraceContents& contents : its_) {
    if (contents.role == ContentRole::input) continue;
    know(contents);
  }
}

std::optional<BlobId> KnownContents::of(std::uint32_t buffer, std::uint64_t offset,
                                        std::uint64_t size) const {
  const BlobId* hash = known_[buffer].of(offset, offset + size);
  return hash ? std::optional(*hash) : std::nullopt;
}

std::optional<BlobId> KnownContents::written() const {
  for (const TraceContents& contents : its_)
    if (contents.role == ContentRole::written) return hash_of(trace_, contents);
  return std::nullopt;
}

}  // namespace reel::analysis
