#include "analysis/happens_before.hpp"

#include <algorithm>

namespace reel::analysis {

namespace {

// Knowledge grows with streams x streams in the worst case; this much is some 400 MB. A pair of
// streams that know nothing of each other yet costs ten times what one more wait does.
constexpr std::size_t most_known = 32u << 20, known_pair = 10;

}  // namespace

HappensBefore::HappensBefore(const Trace& trace)
    : trace_(trace), known_(trace.streams().size()), needed_(trace.orders().size()) {
  for (const TraceEdge& edge : trace.edges()) edges_to_[{edge.graph, edge.to}].push_back(edge.from);
}

void HappensBefore::learn(std::uint32_t stream, std::uint32_t of, Known known) {
  std::vector<Known>& list = known_[stream][of];
  if (!list.empty() && list.back().upto >= known.upto) return;
  learned_ += list.empty() ? known_pair : 1;
  list.push_back(known);
  gave_up_ = learned_ > most_known;
}

void HappensBefore::next(std::uint32_t command) {
  const auto& orders = trace_.orders();
  const std::uint32_t stream = trace_.commands()[command].stream;
  for (; next_order_ < orders.size() && orders[next_order_].command <= command; ++next_order_) {
    const TraceOrder& order = orders[next_order_];
    if (order.command != command || gave_up_) continue;
    const auto wait = static_cast<std::uint32_t>(next_order_);
    const std::uint32_t other = trace_.commands()[order.after].stream;
    learn(stream, other, {order.after + 1, command, wait});
    // What was done when `after` was given, is done now.
    for (const auto& [of, list] : known_[other]) {
      if (of == stream || gave_up_) continue;
      const auto later = std::ranges::upper_bound(list, order.after, {}, &Known::at);
      if (later != list.begin()) learn(stream, of, {std::prev(later)->upto, command, wait});
    }
  }
}

bool HappensBefore::is_ordered(std::uint32_t earlier, std::uint32_t later) {
  const TraceCommand &a = trace_.commands()[earlier], &b = trace_.commands()[later];
  if (gave_up_) return true;
  if (a.stream == b.stream) {
    if (a.launch == no_index || a.launch != b.launch) return true;
    return leads_to(trace_.work_of(trace_.commands()[a.launch]).graph, a.node, b.node);
  }
  const auto known = known_[b.stream].find(a.stream);
  if (known == known_[b.stream].end() || known->second.back().upto <= earlier) return false;
  need(b.stream, a.stream, earlier);
  return true;
}

// The first wait that told it, and those that had told the one it waited for.
void HappensBefore::need(std::uint32_t stream, std::uint32_t of, std::uint32_t earlier) {
  while (stream != of) {
    const auto found = known_[stream].find(of);
    if (found == known_[stream].end()) return;
    const auto first = std::ranges::upper_bound(found->second, earlier, {}, &Known::upto);
    if (first == found->second.end() || needed_[first->order]) return;
    needed_[first->order] = true;
    stream = trace_.commands()[trace_.orders()[first->order].after].stream;
  }
}

// Along the edges of a graph, backwards.
bool HappensBefore::leads_to(std::uint32_t graph, std::uint32_t from, std::uint32_t to) {
  const auto [known, is_new] = paths_.try_emplace({graph, from, to}, false);
  if (!is_new) return known->second;
  std::vector<std::uint32_t> open{to};
  std::set<std::uint32_t> seen;
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    const auto edges = edges_to_.find({graph, node});
    if (edges == edges_to_.end()) continue;
    for (const std::uint32_t before : edges->second) {
      if (before == from) return known->second = true;
      if (before > from && seen.insert(before).second) open.push_back(before);
    }
  }
  return false;
}

}  // namespace reel::analysis
