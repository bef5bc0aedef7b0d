#include "analysis/contents/host_writes.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "analysis/contents/contents_hash.hpp"

namespace reel::analysis {

namespace {

constexpr std::uint64_t most_compared_bytes = std::uint64_t{64} << 20;

class HostWriteSearch {
 public:
  explicit HostWriteSearch(const Trace& trace) : trace_(trace) {}

  std::vector<HostWrite> run() {
    for (const TraceContents& row : trace_.contents())
      if (row.role == ContentRole::input && row.command != no_index && row.size_bytes > 0)
        look_at(row);
    return std::move(found_);
  }

 private:
  // The last look at a range, or at what is left of it.
  struct Look {
    std::uint64_t end;
    const TraceContents* row;
  };
  using Looks = std::map<std::uint64_t, Look>;  // by begin

  void look_at(const TraceContents& row) {
    const std::uint64_t begin = row.offset_bytes, end = begin + row.size_bytes;
    Looks& looks = looks_[row.buffer];
    cut(looks, begin);
    cut(looks, end);
    auto look = looks.lower_bound(begin);
    while (look != looks.end() && look->first < end) {
      const TraceContents& then = *look->second.row;
      if (then.command != row.command) compare(then, row, look->first, look->second.end);
      look = looks.erase(look);
    }
    looks.emplace_hint(look, begin, Look{end, &row});
  }

  static void cut(Looks& looks, std::uint64_t at) {
    auto later = looks.lower_bound(at);
    if (later == looks.begin()) return;
    const auto over = std::prev(later);
    if (over->second.end <= at) return;
    looks.emplace_hint(later, at, over->second);
    over->second.end = at;
  }

  // Memory is looked at in pages, of which the host may have written a few bytes.
  void compare(const TraceContents& then, const TraceContents& now, std::uint64_t begin,
               std::uint64_t end) {
    const bool is_same_range =
        then.offset_bytes == now.offset_bytes && then.size_bytes == now.size_bytes;
    if (is_same_range && hash_of(trace_, then) == hash_of(trace_, now)) return;
    compared_ += end - begin;
    std::vector<std::byte> first, second;
    if (then.stored && now.stored && compared_ <= most_compared_bytes) {
      first = bytes_of(then, begin, end);
      second = bytes_of(now, begin, end);
    }
    if (first.empty() || first.size() != second.size()) {
      if (is_same_range && begin == now.offset_bytes && end == begin + now.size_bytes)
        found_.push_back({then.command, now.command, now.buffer, begin, end, false});
      return;
    }
    constexpr std::uint64_t word = 4;  // a byte of a number that changed may be as it was
    for (std::uint64_t at = 0; at < first.size(); at += word) {
      const std::uint64_t size = std::min(word, first.size() - at);
      if (std::memcmp(first.data() + at, second.data() + at, size) == 0) continue;
      HostWrite* last = found_.empty() ? nullptr : &found_.back();
      if (last && last->command == now.command && last->buffer == now.buffer &&
          last->end == begin + at && last->before == then.command && last->is_exact)
        last->end += size;
      else
        found_.push_back(
            {then.command, now.command, now.buffer, begin + at, begin + at + size, true});
    }
  }

  // Empty: they are not all there.
  std::vector<std::byte> bytes_of(const TraceContents& row, std::uint64_t begin,
                                  std::uint64_t end) const {
    std::vector<std::byte> bytes;
    const auto pages = trace_.pages(row);
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t in_row = at - row.offset_bytes, page = in_row / page_bytes;
      const auto blob = page < pages.size() ? trace_.blob(pages[page]) : std::nullopt;
      const std::uint64_t in_page = in_row % page_bytes,
                          size = std::min(page_bytes - in_page, end - at);
      if (!blob || blob->size() < in_page + size) return {};
      const auto from = blob->begin() + static_cast<std::ptrdiff_t>(in_page);
      bytes.insert(bytes.end(), from, from + static_cast<std::ptrdiff_t>(size));
      at += size;
    }
    return bytes;
  }

  const Trace& trace_;
  std::map<std::uint32_t, Looks> looks_;  // by buffer
  std::uint64_t compared_ = 0;
  std::vector<HostWrite> found_;
};

}  // namespace

std::vector<HostWrite> find_host_writes(const Trace& trace) { return HostWriteSearch(trace).run(); }

}  // namespace reel::analysis
