// Which commands touch the same bytes with nothing to put them in order.
//
// Order comes from streams, from waits between them, and within the launch of a graph from its
// edges. A wait of the host counts as one between streams.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "graph/hazard_map.hpp"
#include "graph/resource.hpp"
#include "reel/replay.hpp"
#include "replay/script.hpp"

namespace reel {

namespace {

constexpr std::size_t most_races = 100;

class RaceSearch {
 public:
  explicit RaceSearch(const Trace& trace)
      : trace_(trace), done_(trace.streams().size()), buffers_(trace.buffers().size()) {
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      buffers_[b] = std::make_unique<BufferResource>();
      buffers_[b]->size_bytes = trace.buffers()[b].size_bytes;
    }
    for (const TraceOrder& order : trace.orders()) waited_for_.insert(order.after);
    for (const TraceEdge& edge : trace.edges()) waits_[{edge.graph, edge.to}].push_back(edge.from);
  }

  std::vector<Race> run() {
    const auto& orders = trace_.orders();
    std::size_t order = 0;
    for (std::uint32_t c = 0; c < trace_.commands().size() && races_.size() < most_races; ++c) {
      const std::uint32_t stream = trace_.commands()[c].stream;
      for (; order < orders.size() && orders[order].command <= c; ++order)
        if (orders[order].command == c) join(stream, orders[order].after);
      look_at(c);
      done_[stream][stream] = c + 1;
      if (waited_for_.contains(c)) snapshots_[c] = done_[stream];
    }
    return std::move(races_);
  }

 private:
  // What was known to be done when `after` was given, is done now.
  void join(std::uint32_t stream, std::uint32_t after) {
    const auto known = snapshots_.find(after);
    auto& mine = done_[stream];
    if (known != snapshots_.end())
      for (const auto& [stream_seen, below] : known->second) {
        std::uint32_t& seen = mine[stream_seen];
        seen = std::max(seen, below);
      }
    std::uint32_t& seen = mine[trace_.commands()[after].stream];
    seen = std::max(seen, after + 1);
  }

  void look_at(std::uint32_t c) {
    const TraceWork& work = trace_.work_of(trace_.commands()[c]);
    uses_.clear();
    rerun::for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      BufferRange touched;
      touched.buffer = buffers_[range.buffer].get();
      touched.offset_bytes = range.offset_bytes;
      touched.size_bytes = range.size_bytes;
      uses_.push_back({touched, access});
    });
    for (const std::uint32_t earlier : hazards_.next(uses_, false))
      if (!is_ordered(earlier, c)) report(earlier, c);
  }

  bool is_ordered(std::uint32_t earlier, std::uint32_t later) {
    const TraceCommand &a = trace_.commands()[earlier], &b = trace_.commands()[later];
    if (a.stream != b.stream) {
      const auto seen = done_[b.stream].find(a.stream);
      return seen != done_[b.stream].end() && seen->second > earlier;
    }
    if (a.launch == no_index || a.launch != b.launch) return true;
    const std::uint32_t graph = trace_.work_of(trace_.commands()[a.launch]).graph;
    return leads_to(graph, a.node, b.node);
  }

  // Along the edges of a graph, backwards.
  bool leads_to(std::uint32_t graph, std::uint32_t from, std::uint32_t to) {
    const auto [known, is_new] = paths_.try_emplace({graph, from, to}, false);
    if (!is_new) return known->second;
    std::vector<std::uint32_t> open{to};
    std::set<std::uint32_t> seen;
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      const auto waits = waits_.find({graph, node});
      if (waits == waits_.end()) continue;
      for (const std::uint32_t before : waits->second) {
        if (before == from) return known->second = true;
        if (before > from && seen.insert(before).second) open.push_back(before);
      }
    }
    return false;
  }

  void report(std::uint32_t earlier, std::uint32_t later) {
    Race race{.first = earlier, .second = later};
    const auto each = [&](std::uint32_t c, auto&& visit) {
      rerun::for_each_range(trace_, trace_.work_of(trace_.commands()[c]), visit);
    };
    each(earlier, [&](const TraceArgument& a, Access first) {
      each(later, [&](const TraceArgument& b, Access second) {
        if (a.buffer != b.buffer || !(writes(first) || writes(second))) return;
        const std::uint64_t begin = std::max(a.offset_bytes, b.offset_bytes);
        const std::uint64_t end =
            std::min(a.offset_bytes + a.size_bytes, b.offset_bytes + b.size_bytes);
        if (begin >= end || race.buffer != no_index) return;
        race.buffer = a.buffer;
        race.begin = begin;
        race.end = end;
      });
    });
    races_.push_back(race);
  }

  const Trace& trace_;
  // Of a stream: commands of it below this are done. Only those that somebody knows of.
  using Done = std::map<std::uint32_t, std::uint32_t>;
  std::vector<Done> done_;  // by stream: before its next command
  std::unordered_map<std::uint32_t, Done> snapshots_;
  std::set<std::uint32_t> waited_for_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> waits_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, bool> paths_;
  std::vector<std::unique_ptr<BufferResource>> buffers_;  // names for the map of hazards
  HazardMap hazards_;
  std::vector<Use> uses_;
  std::vector<Race> races_;
};

}  // namespace

std::vector<Race> find_races(const Trace& trace) { return RaceSearch(trace).run(); }

}  // namespace reel
