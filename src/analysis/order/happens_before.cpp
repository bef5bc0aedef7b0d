#include "analysis/order/happens_before.hpp"

#include <algorithm>
#include <utility>

namespace reel::analysis {

namespace {

// Some ten seconds: a program can be written whose streams have nothing in common.
constexpr std::uint64_t most_visits = 1u << 30;
// Waits followed, which only saves time: 64 MB.
constexpr std::size_t most_followed = 1u << 20;
// What is found out of sets is remembered of those with more commands.
constexpr std::uint32_t few = 8;

}  // namespace

HappensBefore::HappensBefore(const Trace& trace, std::uint64_t most_bytes)
    : trace_(trace),
      most_bytes_(most_bytes),
      clocks_(trace.streams().size()),
      known_(trace.streams().size()),
      needed_(trace.orders().size()) {
  streams_.reserve(trace.commands().size());
  launches_.reserve(trace.commands().size());
  for (const TraceCommand& command : trace.commands()) {
    streams_.push_back(command.stream);
    launches_.push_back(command.launch);
  }
  for (const TraceEdge& edge : trace.edges()) edges_to_[{edge.graph, edge.to}].push_back(edge.from);
}

void HappensBefore::next(std::uint32_t command) {
  const auto& orders = trace_.orders();
  const std::uint32_t stream = streams_[command];
  while (next_order_ < orders.size() && orders[next_order_].command < command) ++next_order_;
  const std::size_t first = next_order_;
  for (; next_order_ < orders.size() && orders[next_order_].command == command; ++next_order_) {
    const std::uint32_t after = orders[next_order_].after, other = streams_[after];
    if (gave_up_at_ != no_index || other == stream) continue;
    const StreamClocks::Clock before = clock_of(stream);
    StreamClocks::Clock clock = clocks_.with(before, other, after + 1);
    // What was done when `after` was given, is done now.
    const auto later = std::ranges::upper_bound(known_[other], after, {}, &Known::at);
    if (later != known_[other].begin()) clock = clocks_.join(clock, std::prev(later)->clock);
    if (clock != before)
      known_[stream].push_back({command, static_cast<std::uint32_t>(next_order_), clock});
    if (clocks_.bytes() > most_bytes_ || clocks_.visits() > most_visits) gave_up_at_ = command;
  }
  waits_ = std::span(orders).subspan(first, next_order_ - first);
}

bool HappensBefore::is_ordered(std::uint32_t earlier, std::uint32_t later) {
  if (gave_up_at_ != no_index) return true;
  const std::uint32_t of = streams_[earlier], stream = streams_[later];
  if (of == stream) {
    if (launches_[earlier] == no_index || launches_[earlier] != launches_[later]) return true;
    const TraceCommand a = trace_.commands()[earlier], b = trace_.commands()[later];
    return leads_to(trace_.work_of(trace_.commands()[a.launch]).graph, a.node, b.node);
  }
  if (clocks_.at(clock_of(stream), of) <= earlier) return false;
  need(stream, of, earlier);
  return true;
}

bool HappensBefore::is_ordered(const CommandSets& sets, CommandSets::Set earlier,
                               std::uint32_t later) {
  if (gave_up_at_ != no_index) return true;
  const std::uint32_t stream = streams_[later], launch = launches_[later];
  // Commands of one launch are in the order of its graph, not of their stream: one by one.
  const auto is_in_launch = [&](CommandSets::Set set) {
    return launch != no_index && sets.last(set) > launch;
  };
  std::vector<CommandSets::Set>&open = open_, &learned = learned_;
  open.assign(1, earlier);
  learned.clear();
  while (!open.empty()) {
    const CommandSets::Set set = open.back();
    open.pop_back();
    if (!CommandSets::is_pair(set)) {
      if (!is_ordered(set, later)) return false;
      continue;
    }
    const CommandSets::Pair& pair = sets.pair(set);
    if (!is_in_launch(set)) {
      if (pair.stream == stream) continue;
      if (pair.stream != no_index) {
        const Known* reason = first_known(stream, pair.stream, pair.last);
        if (!reason) return false;
        // One wait, and for their stream itself: another could have waited for it several times.
        if (streams_[trace_.orders()[reason->order].after] == pair.stream &&
            reason == first_known(stream, pair.stream, pair.least)) {
          needed_[reason->order] = true;
          continue;
        }
      }
      const std::size_t number = CommandSets::number(set);
      if (number < ordered_.size() &&
          std::ranges::find(ordered_[number], stream) != ordered_[number].end())
        continue;
      if (pair.count > few) learned.push_back(set);
    }
    open.push_back(pair.first);
    open.push_back(pair.second);
  }
  for (const CommandSets::Set set : learned) {
    const std::size_t number = CommandSets::number(set);
    if (number >= ordered_.size()) ordered_.resize(sets.pairs(), {no_index, no_index});
    auto& [newest, older] = ordered_[number];
    older = std::exchange(newest, stream);
  }
  return true;
}

bool HappensBefore::is_surely_unordered(const CommandSets& sets, CommandSets::Set earlier,
                                        std::uint32_t later) const {
  const std::uint32_t of = sets.stream(earlier), stream = streams_[later];
  return of != no_index && of != stream && gave_up_at_ == no_index &&
         clocks_.at(clock_of(stream), of) <= sets.least(earlier);
}

const HappensBefore::Known* HappensBefore::first_known(std::uint32_t stream, std::uint32_t of,
                                                       std::uint32_t command) const {
  const auto& list = known_[stream];
  const auto first = std::ranges::partition_point(
      list, [&](const Known& known) { return clocks_.at(known.clock, of) <= command; });
  return first == list.end() ? nullptr : &*first;
}

// The first wait that told it, and those that had told the one it waited for.
void HappensBefore::need(std::uint32_t stream, std::uint32_t of, std::uint32_t earlier) {
  while (stream != of) {
    const Known* first = first_known(stream, of, earlier);
    if (!first) return;
    needed_[first->order] = true;
    stream = streams_[trace_.orders()[first->order].after];
    if (stream == of) return;
    if (followed_.size() >= most_followed) followed_.clear();
    if (!followed_.emplace(first->order, of, earlier).second) return;
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
