#include "analysis/diff/contents.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/buffer_elements.hpp"

namespace reel::analysis {

namespace {

std::span<const TraceContents> contents_of(const Trace& trace, std::uint32_t command) {
  const auto key = [](const TraceContents& c) { return c.command + 1; };  // of none: 0
  const auto [first, end] = std::ranges::equal_range(trace.contents(), command + 1, {}, key);
  return {first, end};
}

// Which of the command's buffers it is: ids differ from process to process.
std::size_t place_of(const Trace& trace, const TraceContents& contents) {
  std::size_t place = 0;
  for (const TraceArgument& argument :
       trace.arguments(trace.work_of(trace.commands()[contents.command]))) {
    if (argument.buffer == contents.buffer && argument.buffer != no_index) return place;
    place += argument.buffer != no_index;
  }
  return place;
}

class ContentSearch {
 public:
  ContentSearch(const Side& a, const Side& b, TraceDiff& diff)
      : a_(a.trace()), b_(b.trace()), diff_(diff) {}

  void look_at(std::uint32_t command_a, std::uint32_t command_b) {
    for (const TraceContents& mine : contents_of(a_, command_a)) {
      if (mine.role == ContentRole::input) continue;
      for (const TraceContents& other : contents_of(b_, command_b)) {
        if (other.role != mine.role || other.offset_bytes != mine.offset_bytes ||
            other.size_bytes != mine.size_bytes || place_of(a_, mine) != place_of(b_, other))
          continue;
        ++diff_.compared_contents;
        if (std::ranges::equal(a_.pages(mine), b_.pages(other)))
          ++diff_.equal_contents;
        else if (!diff_.contents || command_a < diff_.contents->command_a)
          describe(mine, other);
        break;
      }
    }
  }

 private:
  void describe(const TraceContents& mine, const TraceContents& other) {
    ContentDifference found;
    found.command_a = mine.command;
    found.command_b = other.command;
    found.buffer_a = mine.buffer;
    found.buffer_b = other.buffer;
    const auto pages_a = a_.pages(mine), pages_b = b_.pages(other);
    const auto page =
        static_cast<std::uint32_t>(std::ranges::mismatch(pages_a, pages_b).in1 - pages_a.begin());
    found.offset_bytes = mine.offset_bytes + page * page_bytes;
    const auto bytes_a = mine.stored ? a_.page(mine, page) : std::nullopt;
    const auto bytes_b = other.stored ? b_.page(other, page) : std::nullopt;
    if (bytes_a && bytes_b) values(*bytes_a, *bytes_b, found);
    diff_.contents = found;
  }

  void values(std::span<const std::byte> mine, std::span<const std::byte> other,
              ContentDifference& found) const {
    const ElementType type = buffer_elements(a_)[found.buffer_a].value_or(ElementType::hex);
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

  const Trace &a_, &b_;
  TraceDiff& diff_;
};

}  // namespace

void compare_contents(const Side& a, const Side& b, TraceDiff& diff) {
  ContentSearch search(a, b, diff);
  const std::size_t passes = std::min(a.passes().size(), b.passes().size());
  for (std::size_t back = passes; back > 0; --back) {
    const PassTime& mine = a.passes()[a.passes().size() - back];
    const PassTime& other = b.passes()[b.passes().size() - back];
    for (const auto& [key, row] : mine.rows) {
      const auto same = other.rows.find(key);
      if (same == other.rows.end()) continue;
      const std::size_t count = std::min(row.commands.size(), same->second.commands.size());
      for (std::size_t i = 0; i < count; ++i)
        search.look_at(row.commands[i], same->second.commands[i]);
    }
  }
}

}  // namespace reel::analysis
