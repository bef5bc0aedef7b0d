#include "analysis/diff/contents.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "analysis/contents/buffer_elements.hpp"
#include "document/trace/ranges.hpp"

namespace reel::analysis {

namespace {

// Recorded results by who wrote them. Checks are taken at the end, long after; ids of buffers
// differ from process to process: the writer and the place among its buffers don't.
class Results {
 public:
  using Key = std::tuple<std::uint32_t, std::size_t, std::uint64_t, std::uint64_t>;

  explicit Results(const Trace& trace) : trace_(trace), writers_(trace.buffers().size()) {
    for (std::uint32_t c = 0; c < trace.commands().size(); ++c)
      for_each_range(trace, trace.work_of(trace.commands()[c]),
                     [&](const TraceArgument& range, Access access) {
                       if (writes(access)) writers_[range.buffer].push_back(c);
                     });
    for (std::uint32_t i = 0; i < trace.contents().size(); ++i)
      if (const auto key = key_of(trace.contents()[i])) by_key_[*key] = i;
  }

  const std::map<Key, std::uint32_t>& by_key() const noexcept { return by_key_; }

 private:
  std::optional<Key> key_of(const TraceContents& contents) const {
    if (contents.role == ContentRole::input || contents.command == no_index) return std::nullopt;
    const auto& writers = writers_[contents.buffer];
    for (auto at = std::ranges::upper_bound(writers, contents.command); at != writers.begin();) {
      --at;
      std::size_t place = 0;
      std::optional<Key> key;
      for_each_range(trace_, trace_.work_of(trace_.commands()[*at]),
                     [&](const TraceArgument& range, Access access) {
                       const bool touches =
                           range.buffer == contents.buffer && writes(access) &&
                           range.offset_bytes < contents.offset_bytes + contents.size_bytes &&
                           contents.offset_bytes < range.offset_bytes + range.size_bytes;
                       if (touches && !key)
                         key = Key{*at, place, contents.offset_bytes, contents.size_bytes};
                       ++place;
                     });
      if (key) return key;
    }
    return std::nullopt;
  }

  const Trace& trace_;
  std::vector<std::vector<std::uint32_t>> writers_;  // by buffer, in order
  std::map<Key, std::uint32_t> by_key_;              // in trace.contents()
};

// By command of a: the one of b in the same place. Passes are laid beside each other from the last
// one backwards: results are recorded at the end.
std::vector<std::uint32_t> pairs_of(const Side& a, const Side& b) {
  std::vector<std::uint32_t> pairs(a.trace().commands().size(), no_index);
  const std::size_t passes = std::min(a.passes().size(), b.passes().size());
  for (std::size_t back = passes; back > 0; --back) {
    const PassTime& mine = a.passes()[a.passes().size() - back];
    const PassTime& other = b.passes()[b.passes().size() - back];
    for (const auto& [key, row] : mine.rows) {
      const auto same = other.rows.find(key);
      if (same == other.rows.end()) continue;
      const std::size_t count = std::min(row.commands.size(), same->second.commands.size());
      for (std::size_t i = 0; i < count; ++i) pairs[row.commands[i]] = same->second.commands[i];
    }
  }
  return pairs;
}

void find_values(std::span<const std::byte> mine, std::span<const std::byte> other,
                 ElementType type, ContentDifference& found) {
  const std::size_t size = size_of(type), end = std::min(mine.size(), other.size());
  const std::uint64_t page_begin = found.offset_bytes;
  for (std::size_t at = 0; at + size <= end; at += size) {
    const auto x = mine.subspan(at, size), y = other.subspan(at, size);
    if (std::ranges::equal(x, y)) continue;
    if (found.value_a.empty()) {
      found.offset_bytes = page_begin + at;
      found.value_a = element_text(type, x);
      found.value_b = element_text(type, y);
    }
    const double distance = std::abs(element_value(type, x) - element_value(type, y));
    if (std::isfinite(distance))
      found.largest_absolute = std::max(found.largest_absolute, distance);
  }
}

ContentDifference difference(const Trace& a, const Trace& b, const TraceContents& mine,
                             const TraceContents& other) {
  ContentDifference found;
  found.buffer_a = mine.buffer;
  found.buffer_b = other.buffer;
  const auto pages_a = a.pages(mine), pages_b = b.pages(other);
  const auto page =
      static_cast<std::uint32_t>(std::ranges::mismatch(pages_a, pages_b).in1 - pages_a.begin());
  found.offset_bytes = mine.offset_bytes + page * page_bytes;
  const auto bytes_a = mine.stored ? a.page(mine, page) : std::nullopt;
  const auto bytes_b = other.stored ? b.page(other, page) : std::nullopt;
  if (bytes_a && bytes_b)
    find_values(*bytes_a, *bytes_b, buffer_elements(a)[mine.buffer].value_or(ElementType::hex),
                found);
  return found;
}

}  // namespace

void compare_contents(const Side& a, const Side& b, TraceDiff& diff) {
  if (a.trace().contents().empty() || b.trace().contents().empty()) return;
  const std::vector<std::uint32_t> pairs = pairs_of(a, b);
  const Results results_a(a.trace()), results_b(b.trace());
  for (const auto& [key, index] : results_a.by_key()) {
    const auto [writer, place, offset, size] = key;
    if (pairs[writer] == no_index) continue;
    const auto same = results_b.by_key().find({pairs[writer], place, offset, size});
    if (same == results_b.by_key().end()) continue;
    const TraceContents& mine = a.trace().contents()[index];
    const TraceContents& other = b.trace().contents()[same->second];
    ++diff.compared_contents;
    if (std::ranges::equal(a.trace().pages(mine), b.trace().pages(other))) {
      ++diff.equal_contents;
    } else if (!diff.contents) {  // keys come by writer: the first is the earliest
      diff.contents = difference(a.trace(), b.trace(), mine, other);
      diff.contents->command_a = writer;
      diff.contents->command_b = pairs[writer];
    }
  }
}

}  // namespace reel::analysis
