// What depends on what, by the bytes that commands touch and by what they were told to wait for.
//
// A command that reads what thousands wrote depends on a set of them. Sets are made of each other,
// so all dependencies together stay near linear in the number of commands.
#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analysis/contents/observed_access.hpp"
#include "analysis/order/access_map.hpp"
#include "analysis/order/happens_before.hpp"
#include "analysis/order/merge_dependencies.hpp"
#include "analysis/order/named_sets.hpp"
#include "analysis/reserve_by_part.hpp"
#include "analysis/time/host_calls.hpp"
#include "document/trace/ranges.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

class DependencySearch {
 public:
  explicit DependencySearch(const Trace& trace)
      : trace_(trace),
        before_(trace),
        sets_(before_.streams()),
        map_(trace, sets_),
        named_(sets_),
        calls_(trace),
        observed_(trace),
        commands_(trace.commands()),
        works_(trace.works()),
        is_known_(trace.orders().size()) {}

  Dependencies run() {
    for (std::uint32_t c = 0; c < commands_.size(); ++c) {
      reserve_by_part(found_, c, commands_.size());
      sets_.reserve_by_part(c, commands_.size());
      named_.reserve_by_part(c, commands_.size());
      before_.next(c);
      look_at(c);
    }
    by_bytes_ = found_.size();
    add_waits();
    add_graph_edges();
    const auto key = [](const Dependency& d) { return std::pair(d.to, d.from); };
    const auto told = found_.begin() + static_cast<std::ptrdiff_t>(by_bytes_);
    std::ranges::sort(told, found_.end(), {}, key);
    std::ranges::inplace_merge(found_, told, {}, key);
    return {std::move(found_), std::move(named_).take(), before_.gave_up_at()};
  }

 private:
  void look_at(std::uint32_t c) {
    const TraceWork& work = works_[commands_[c].work];
    if (work.argument_count == 0) return;
    const std::size_t first = found_.size();
    uses_.clear();
    for_each_range(trace_, work, [&](const TraceArgument& range, Access recorded) {
      const Access access = observed_.of(work, range, recorded);
      const AccessMap::Place place = map_.place_of(range);
      uses_.push_back({place, access});
      if (reads(access))
        map_.find_writers(place, [&](CommandSets::Set set, std::uint64_t bytes) {
          return add(set, {0, c, range.buffer, DependencyKind::data, bytes});
        });
      if (writes(access))
        map_.find_overtaken(place, reads(access), [&](CommandSets::Set set, std::uint64_t bytes) {
          add_parts(set, {0, c, range.buffer, DependencyKind::order, bytes});
        });
    });
    merge_dependencies(found_, first);
    for (std::size_t i = first; i < found_.size(); ++i)
      if (found_[i].set == no_index && !before_.is_ordered(found_[i].from, c))
        found_[i].kind = DependencyKind::missing;
    note_waits(work, first);
    // A command that reads what it writes is known as its writer.
    for (const bool write : {false, true})
      for (const Use& use : uses_)
        if (writes(use.access) == write) map_.enter(c, use.place, use.access);
  }

  // Of a command, or of all commands of a set that are ordered alike. False of a set that has to be
  // taken apart.
  bool add(CommandSets::Set set, Dependency dependency) {
    dependency.from = sets_.last(set);
    if (CommandSets::is_pair(set)) {
      if (sets_.count(set) <= NamedSets::few) return false;
      if (before_.is_surely_unordered(sets_, set, dependency.to))
        dependency.kind = DependencyKind::missing;
      else if (!before_.is_ordered(sets_, set, dependency.to))
        return false;
      dependency.set = named_.number_of(set);
    }
    found_.push_back(dependency);
    return true;
  }
  // Each of its commands touched all of the bytes.
  void add_parts(CommandSets::Set set, const Dependency& dependency) {
    while (!add(set, dependency)) {
      add_parts(sets_.pair(set).second, dependency);
      set = sets_.pair(set).first;
    }
  }

  // Which waits of this command are for something that it depends on, by what was found from
  // `first` on.
  void note_waits(const TraceWork& work, std::size_t first) {
    if (before_.waits().empty()) return;
    const auto found = std::span(found_).subspan(first);
    const bool has_sets =
        std::ranges::any_of(found, [](const Dependency& d) { return d.set != no_index; });
    auto at = static_cast<std::size_t>(before_.waits().data() - trace_.orders().data());
    for (const TraceOrder& wait : before_.waits()) {
      const auto same = std::ranges::lower_bound(found, wait.after, {}, &Dependency::from);
      is_known_[at++] = (same != found.end() && same->from == wait.after) ||
                        (has_sets && depends_on(work, wait.after));
    }
  }

  // By the bytes that `earlier` was the last to write, or has read since.
  bool depends_on(const TraceWork& work, std::uint32_t earlier) {
    bool is_found = false;
    const TraceWork& other = works_[commands_[earlier].work];
    for_each_range(trace_, other, [&](const TraceArgument& a, Access) {
      for_each_range(trace_, work, [&](const TraceArgument& b, Access recorded) {
        TraceArgument both = b;
        both.offset_bytes = std::max(a.offset_bytes, b.offset_bytes);
        const std::uint64_t end =
            std::min(a.offset_bytes + a.size_bytes, b.offset_bytes + b.size_bytes);
        if (is_found || a.buffer != b.buffer || end <= both.offset_bytes) return;
        both.size_bytes = end - both.offset_bytes;
        const Access access = observed_.of(work, b, recorded);
        if (reads(access))
          map_.find_writers(map_.place_of(both), [&](CommandSets::Set set, std::uint64_t) {
            is_found |= set == earlier;
            return !CommandSets::is_pair(set);
          });
        if (writes(access))
          map_.find_overtaken(
              map_.place_of(both), reads(access), [&](CommandSets::Set set, std::uint64_t) {
                is_found |=
                    !sets_.for_each(set, [&](std::uint32_t member) { return member != earlier; });
              });
      });
    });
    return is_found;
  }

  // Waits that no bytes ask for: told to, and perhaps for nothing.
  void add_waits() {
    for (std::size_t i = 0; i < trace_.orders().size(); ++i) {
      if (is_known_[i]) continue;
      const TraceOrder& order = trace_.orders()[i];
      // Of a queue with itself: analysis/sync has those, by what its barriers do.
      if (commands_[order.after].stream == commands_[order.command].stream) continue;
      const bool for_nothing =
          !before_.needed()[i] && before_.gave_up_at() == no_index && !host_waited(order);
      found_.push_back({order.after, order.command, no_index,
                        for_nothing ? DependencyKind::redundant : DependencyKind::order});
    }
  }

  // The host waits for its own reasons: to read a result, to stop a clock.
  bool host_waited(const TraceOrder& order) const {
    const TraceCommand& command = commands_[order.command];
    const TraceCommand& after = commands_[order.after];
    const auto wait = calls_.wait_before(command.thread, command.call_begin_ns);
    return wait && trace_.calls()[*wait].end_ns >= std::max(after.call_end_ns, after.ended_ns);
  }

  // Edges that somebody asked for, and that no bytes do.
  void add_graph_edges() {
    std::vector<TraceEdge> asked;
    for (const TraceEdge& edge : trace_.edges())
      if (edge.kind == 0) asked.push_back(edge);
    if (asked.empty()) return;
    std::ranges::stable_sort(asked, {}, &TraceEdge::graph);
    // Of each launch, the command of each of its nodes.
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> launches;
    for (std::uint32_t c = 0; c < commands_.size(); ++c) {
      const TraceCommand& command = commands_[c];
      if (command.launch != no_index) launches[command.launch][command.node] = c;
    }
    const auto key = [](const Dependency& d) { return std::pair(d.to, d.from); };
    const auto known = found_.size();
    std::ranges::sort(found_.begin() + static_cast<std::ptrdiff_t>(by_bytes_), found_.end(), {},
                      key);
    const auto is_known = [&](std::size_t first, std::size_t end, const auto& wanted) {
      const auto at = [&](std::size_t i) {
        return found_.begin() + static_cast<std::ptrdiff_t>(i);
      };
      const auto place = std::ranges::lower_bound(at(first), at(end), wanted, {}, key);
      return place != at(end) && key(*place) == wanted;
    };
    for (const auto& [launch, nodes] : launches) {
      const std::uint32_t graph = trace_.work_of(commands_[launch]).graph;
      auto asked_edge = std::ranges::lower_bound(asked, graph, {}, &TraceEdge::graph);
      for (; asked_edge != asked.end() && asked_edge->graph == graph; ++asked_edge) {
        const TraceEdge& edge = *asked_edge;
        const auto from = nodes.find(edge.from), to = nodes.find(edge.to);
        if (from == nodes.end() || to == nodes.end() || from->second >= to->second) continue;
        const std::pair wanted(to->second, from->second);
        if (is_known(0, by_bytes_, wanted) || is_known(by_bytes_, known, wanted)) continue;
        found_.push_back({from->second, to->second, no_index, DependencyKind::order});
      }
    }
  }

  const Trace& trace_;
  HappensBefore before_;
  CommandSets sets_;
  AccessMap map_;
  NamedSets named_;
  HostCalls calls_;
  ObservedAccess observed_;
  const TraceCommands& commands_;
  const std::vector<TraceWork>& works_;
  struct Use {
    AccessMap::Place place;
    Access access;
  };
  std::vector<Use> uses_;       // of one command
  std::vector<bool> is_known_;  // by index in trace.orders()
  std::vector<Dependency> found_;
  std::size_t by_bytes_ = 0;  // of these; the rest was told
};

}  // namespace

Dependencies find_dependencies(const Trace& trace) { return DependencySearch(trace).run(); }

}  // namespace reel::analysis
