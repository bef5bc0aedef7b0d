// What depends on what, by the bytes that commands touch and by what they were told to wait for.
#include <algorithm>
#include <map>

#include "analysis/access_map.hpp"
#include "analysis/happens_before.hpp"
#include "analysis/host_calls.hpp"
#include "analysis/observed_access.hpp"
#include "document/trace/ranges.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

class DependencySearch {
 public:
  explicit DependencySearch(const Trace& trace)
      : trace_(trace),
        map_(trace.buffers().size()),
        before_(trace),
        calls_(trace),
        observed_(trace) {}

  std::vector<Dependency> run() {
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      before_.next(c);
      look_at(c);
    }
    add_waits();
    add_graph_edges();
    std::ranges::sort(found_, {}, [](const Dependency& d) { return std::pair(d.to, d.from); });
    return std::move(found_);
  }

 private:
  void look_at(std::uint32_t c) {
    const TraceWork& work = trace_.work_of(trace_.commands()[c]);
    if (work.argument_count == 0) return;
    const std::size_t first = found_.size();
    for_each_range(trace_, work, [&](const TraceArgument& range, Access recorded) {
      hazards_.clear();
      map_.find(range, observed_.of(work, range, recorded), hazards_);
      for (const auto& hazard : hazards_)
        found_.push_back({hazard.from, c, range.buffer,
                          hazard.is_data ? DependencyKind::data : DependencyKind::order,
                          hazard.bytes});
    });
    merge(first);
    // A command that reads what it writes is known as its writer.
    for (const bool write : {false, true})
      for_each_range(trace_, work, [&](const TraceArgument& range, Access recorded) {
        const Access access = observed_.of(work, range, recorded);
        if (writes(access) == write) map_.enter(c, range, access);
      });
    for (std::size_t i = first; i < found_.size(); ++i)
      if (!before_.is_ordered(found_[i].from, c)) found_[i].kind = DependencyKind::missing;
  }

  // One for each pair of commands, from `first` on: data counts more than order.
  void merge(std::size_t first) {
    const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, found_.end(), [](const Dependency& a, const Dependency& b) {
      return std::pair(a.from, a.kind) < std::pair(b.from, b.kind);
    });
    auto kept = begin;
    for (auto at = begin; at != found_.end(); ++at) {
      if (at == begin || at->from != kept->from) {
        if (at != begin) ++kept;
        *kept = *at;
      } else if (at->kind == kept->kind) {
        kept->bytes += at->bytes;
      }
    }
    if (begin != found_.end()) found_.erase(kept + 1, found_.end());
  }

  // Waits that no bytes ask for: told to, and perhaps for nothing.
  void add_waits() {
    const std::size_t by_bytes = found_.size();
    const auto is_known = [&](const TraceOrder& order) {
      const auto end = found_.begin() + static_cast<std::ptrdiff_t>(by_bytes);
      auto at = std::ranges::lower_bound(found_.begin(), end, order.command, {}, &Dependency::to);
      for (; at != end && at->to == order.command; ++at)
        if (at->from == order.after) return true;
      return false;
    };
    for (std::size_t i = 0; i < trace_.orders().size(); ++i) {
      const TraceOrder& order = trace_.orders()[i];
      if (is_known(order)) continue;
      const bool for_nothing = !before_.needed()[i] && !before_.gave_up() && !host_waited(order);
      found_.push_back({order.after, order.command, no_index,
                        for_nothing ? DependencyKind::redundant : DependencyKind::order, 0});
    }
  }

  // The host waits for its own reasons: to read a result, to stop a clock.
  bool host_waited(const TraceOrder& order) const {
    const TraceCommand& command = trace_.commands()[order.command];
    const TraceCommand& after = trace_.commands()[order.after];
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
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      const TraceCommand& command = trace_.commands()[c];
      if (command.launch != no_index) launches[command.launch][command.node] = c;
    }
    const auto known = found_.size();
    std::ranges::sort(found_, {}, [](const Dependency& d) { return std::pair(d.to, d.from); });
    for (const auto& [launch, nodes] : launches) {
      const std::uint32_t graph = trace_.work_of(trace_.commands()[launch]).graph;
      auto asked_edge = std::ranges::lower_bound(asked, graph, {}, &TraceEdge::graph);
      for (; asked_edge != asked.end() && asked_edge->graph == graph; ++asked_edge) {
        const TraceEdge& edge = *asked_edge;
        const auto from = nodes.find(edge.from), to = nodes.find(edge.to);
        if (from == nodes.end() || to == nodes.end() || from->second >= to->second) continue;
        const auto end = found_.begin() + static_cast<std::ptrdiff_t>(known);
        const auto key = [](const Dependency& d) { return std::pair(d.to, d.from); };
        const std::pair wanted(to->second, from->second);
        const auto at = std::ranges::lower_bound(found_.begin(), end, wanted, {}, key);
        if (at != end && key(*at) == wanted) continue;
        found_.push_back({from->second, to->second, no_index, DependencyKind::order, 0});
      }
    }
  }

  const Trace& trace_;
  AccessMap map_;
  HappensBefore before_;
  HostCalls calls_;
  ObservedAccess observed_;
  std::vector<AccessMap::Hazard> hazards_;
  std::vector<Dependency> found_;
};

}  // namespace

std::vector<Dependency> find_dependencies(const Trace& trace) {
  return DependencySearch(trace).run();
}

}  // namespace reel::analysis
