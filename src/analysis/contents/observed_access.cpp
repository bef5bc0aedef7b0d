#include "analysis/contents/observed_access.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/contents/contents_hash.hpp"
#include "analysis/contents/source_reads.hpp"
#include "document/trace/ranges.hpp"

namespace reel::analysis {

std::vector<LeftAlone> find_left_alone(const Trace& trace) {
  return ObservedAccess(trace).left_alone();
}

bool was_left_alone(const std::vector<LeftAlone>& found, const TraceWork& work,
                    std::size_t argument) noexcept {
  return work.kind == WorkKind::dispatch &&
         std::ranges::binary_search(
             found, std::pair<std::size_t, std::size_t>(work.kernel, argument), {},
             [](const LeftAlone& l) {
               return std::pair<std::size_t, std::size_t>(l.kernel, l.parameter);
             });
}

namespace {

std::optional<std::string> source_of(const Trace& trace, const TraceKernel& kernel) {
  for (const TraceVariant& variant : kernel.variants) {
    if (variant.form != KernelForm::opencl_c || !variant.blob) continue;
    const auto bytes = trace.blob(*variant.blob);
    if (bytes) return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  return std::nullopt;
}

}  // namespace

ObservedAccess::ObservedAccess(const Trace& trace) : trace_(trace) {
  const auto api = trace.facts().find("api");
  if (api == trace.facts().end() || api->second.find("opencl") == std::string::npos) return;
  known_.resize(trace.buffers().size());
  go_through();
  decide();
  known_.clear();
}

Access ObservedAccess::of(const TraceWork& work, const TraceArgument& argument,
                          Access recorded) const {
  if (left_alone_.empty() || recorded != Access::read_write) return recorded;
  const auto position = static_cast<std::size_t>(&argument - trace_.arguments(work).data());
  return was_left_alone(left_alone_, work, position) ? Access::read : recorded;
}

// Contents are in the order of their commands, those before all first.
void ObservedAccess::go_through() {
  const auto& contents = trace_.contents();
  std::size_t next = 0;
  for (; next < contents.size() && contents[next].command == no_index; ++next)
    know(contents[next], hash_of(trace_, contents[next]));
  for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
    const std::size_t first = next;
    while (next < contents.size() && contents[next].command == c) ++next;
    for (std::size_t i = first; i < next; ++i)
      if (contents[i].role == ContentRole::input) know(contents[i], hash_of(trace_, contents[i]));
    note_uses(trace_.work_of(trace_.commands()[c]));
    for (std::size_t i = first; i < next; ++i) {
      if (contents[i].role == ContentRole::input) continue;
      const BlobId hash = hash_of(trace_, contents[i]);
      if (contents[i].role == ContentRole::check) compare(contents[i], hash);
      know(contents[i], hash);
    }
  }
}

void ObservedAccess::note_uses(const TraceWork& work) {
  for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
    if (!writes(access)) return;
    const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
    // What was skipped left alone what its kernel may well write.
    if (work.kind != WorkKind::dispatch || work.kernel == no_index || predicate_of(trace_, work)) {
      known_[range.buffer].forget(begin, end);
      return;
    }
    const Use use{work.kernel, static_cast<std::uint32_t>(&range - trace_.arguments(work).data())};
    known_[range.buffer].for_each(begin, end, [&](Known& known) {
      const auto place = std::ranges::lower_bound(known.users, use);
      if (place == known.users.end() || *place != use) known.users.insert(place, use);
    });
  });
}

void ObservedAccess::compare(const TraceContents& contents, const BlobId& hash) {
  const std::uint64_t begin = contents.offset_bytes;
  const Known* before = known_[contents.buffer].of(begin, begin + contents.size_bytes);
  if (!before) return;
  const bool same = before->hash == hash;
  for (const Use& use : before->users) {
    Seen& seen = seen_[use];
    if (same) ++seen.same;
    if (!same) seen.perhaps_changed = true;
    if (!same && before->users.size() == 1) seen.changed = true;
  }
}

void ObservedAccess::know(const TraceContents& contents, const BlobId& hash) {
  const std::uint64_t begin = contents.offset_bytes;
  known_[contents.buffer].set(begin, begin + contents.size_bytes, {hash, {}});
}

void ObservedAccess::decide() {
  std::set<std::uint32_t> changed_something;
  for (const auto& [use, seen] : seen_)
    if (seen.changed) changed_something.insert(use.kernel);
  std::uint32_t last = no_index;
  std::optional<std::string> source;  // of the last: uses are in the order of kernels
  for (const auto& [use, seen] : seen_) {
    if (seen.perhaps_changed || !changed_something.contains(use.kernel)) continue;
    const TraceKernel& kernel = trace_.kernels()[use.kernel];
    if (std::exchange(last, use.kernel) != use.kernel) source = source_of(trace_, kernel);
    if (source && (use.argument >= kernel.parameters.size() ||
                   !only_reads(*source, kernel.entry, kernel.parameters[use.argument].name)))
      continue;
    left_alone_.push_back({use.kernel, use.argument, seen.same});
  }
}

}  // namespace reel::analysis
