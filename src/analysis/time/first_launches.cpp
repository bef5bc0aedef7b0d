#include "analysis/time/first_launches.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace reel::analysis {

namespace {

constexpr std::uint64_t shortest_build_ns = 100'000;  // no driver compiles in less
constexpr std::uint64_t far_longer = 10;

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

// What is compiled once: a kernel for a device and a group size.
struct Launches {
  std::uint32_t first = no_index;
  std::uint64_t later = 0;             // runs
  std::vector<std::uint64_t> gaps_ns;  // before those of them that had one
  // Of the later ones; most of them may have had no gap at all.
  std::uint64_t median_ns() {
    if (gaps_ns.size() * 2 <= later) return 0;
    const auto place = static_cast<std::size_t>(later / 2) - (later - gaps_ns.size());
    std::ranges::sort(gaps_ns);
    return gaps_ns[place];
  }
};

}  // namespace

void find_builds_at_launch(const Trace& trace, const HostCalls& calls, std::vector<Gap>& gaps) {
  const auto built = calls.first_build_ns();
  const auto may_be = [&](const Gap& gap) {
    return gap.cause == IdleCause::launch && gap.size_ns() >= shortest_build_ns;
  };
  if (!built || std::ranges::none_of(gaps, may_be)) return;
  const auto key_of = [&](std::uint32_t c) -> Key {
    const TraceCommand command = trace.commands()[c];
    const TraceWork& work = trace.works()[command.work];
    return {trace.streams()[command.stream].device, work.kernel, work.group_size.x,
            work.group_size.y, work.group_size.z};
  };
  const auto is_run = [&](std::uint32_t c) {
    const TraceWork& work = trace.work_of(trace.commands()[c]);
    return work.kind == WorkKind::dispatch && work.kernel != no_index;
  };
  std::map<Key, Launches> found;
  for (const Gap& gap : gaps)
    if (may_be(gap) && is_run(gap.after)) found[key_of(gap.after)];
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    if (!is_run(c)) continue;
    const auto one = found.find(key_of(c));
    if (one == found.end()) continue;
    if (one->second.first == no_index)
      one->second.first = c;
    else
      ++one->second.later;
  }
  for (const Gap& gap : gaps) {
    if (gap.cause != IdleCause::launch || !is_run(gap.after)) continue;
    const auto one = found.find(key_of(gap.after));
    if (one != found.end() && one->second.first != gap.after)
      one->second.gaps_ns.push_back(gap.size_ns());
  }
  for (Gap& gap : gaps) {
    if (!may_be(gap) || !is_run(gap.after) || gap.begin_ns < *built) continue;
    Launches& launches = found[key_of(gap.after)];
    if (launches.first == gap.after && launches.later > 0 &&
        gap.size_ns() >= far_longer * launches.median_ns())
      gap.cause = IdleCause::build;
  }
}

}  // namespace reel::analysis
