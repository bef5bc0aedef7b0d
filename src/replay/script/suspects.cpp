#include "replay/script/suspects.hpp"

#include <algorithm>
#include <set>

#include "base/range_set.hpp"
#include "replay/script/script.hpp"

namespace reel::rerun {

namespace {

constexpr std::size_t most_suspects = 1000;

class SuspectSearch {
 public:
  SuspectSearch(const Trace& trace, const std::function<bool(std::uint32_t)>& is_good)
      : trace_(trace), events_(trace.buffers().size()) {
    for (std::uint32_t c = 0; c < trace.commands().size(); ++c)
      for_each_range(trace, trace.work_of(trace.commands()[c]),
                     [&](const TraceArgument& a, Access access) {
                       if (writes(access))
                         events_[a.buffer].push_back(
                             {c, a.offset_bytes, a.offset_bytes + a.size_bytes, false});
                     });
    for (std::uint32_t i = 0; i < trace.contents().size(); ++i) {
      const TraceContents& row = trace.contents()[i];
      if (row.role == ContentRole::check && row.command != no_index && is_good(i))
        events_[row.buffer].push_back(
            {row.command, row.offset_bytes, row.offset_bytes + row.size_bytes, true});
    }
    for (auto& list : events_)
      std::stable_sort(list.begin(), list.end(),
                       [](const Event& a, const Event& b) { return a.command < b.command; });
  }

  std::vector<std::uint32_t> run(std::uint32_t command) {
    std::vector<std::uint32_t> open{command};
    while (!open.empty() && found_.size() < most_suspects) {
      const std::uint32_t c = open.back();
      open.pop_back();
      // What it may leave as it is, it passes on: every range counts as read, but for transfers.
      const TraceWork& work = trace_.work_of(trace_.commands()[c]);
      for_each_range(trace_, work, [&](const TraceArgument& a, Access access) {
        if (work.kind == WorkKind::dispatch || reads(access)) look_back(a, c, open);
      });
    }
    return {found_.begin(), found_.end()};
  }

 private:
  struct Event {
    std::uint32_t command;
    std::uint64_t begin, end;
    bool is_check;
  };

  // From just before `c`: whose bytes are in the range, as far as no check vouches for them?
  void look_back(const TraceArgument& range, std::uint32_t c, std::vector<std::uint32_t>& open) {
    RangeSet unknown;
    unknown.add(range.offset_bytes, range.offset_bytes + range.size_bytes);
    const auto& list = events_[range.buffer];
    auto it =
        std::lower_bound(list.begin(), list.end(), c,
                         [](const Event& e, std::uint32_t limit) { return e.command < limit; });
    while (it != list.begin() && !unknown.empty()) {
      --it;
      if (!unknown.overlaps(it->begin, it->end)) continue;
      const bool by_host = trace_.work_of(trace_.commands()[it->command]).kind == WorkKind::write;
      if (!it->is_check && !by_host && found_.insert(it->command).second)
        open.push_back(it->command);
      unknown.remove(it->begin, it->end);
    }
  }

  const Trace& trace_;
  std::vector<std::vector<Event>> events_;  // by buffer
  std::set<std::uint32_t> found_;
};

}  // namespace

std::vector<std::uint32_t> unchecked_sources(const Trace& trace, std::uint32_t command,
                                             const std::function<bool(std::uint32_t)>& is_good) {
  return SuspectSearch(trace, is_good).run(command);
}

}  // namespace reel::rerun
