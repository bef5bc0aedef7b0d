#include "page/lanes.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace reel::page {
namespace {

constexpr std::uint16_t last_lane = std::numeric_limits<std::uint16_t>::max();

// Gives each command that starts the lowest lane that is free.
class LaneKeeper {
 public:
  std::uint16_t take(std::uint64_t started_ns, std::uint64_t ended_ns) {
    while (!busy_.empty() && busy_.top().first <= started_ns) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    std::uint16_t lane = last_lane;
    if (!free_.empty()) {
      lane = free_.top();
      free_.pop();
    } else if (next_ == last_lane) {
      return last_lane;
    } else {
      lane = next_++;
    }
    busy_.emplace(ended_ns, lane);
    return lane;
  }

 private:
  template <class T>
  using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;
  LeastFirst<std::pair<std::uint64_t, std::uint16_t>> busy_;  // until when
  LeastFirst<std::uint16_t> free_;
  std::uint16_t next_ = 0;
};

// Most streams start their commands in order, and then nothing is sorted.
void sort_times(std::vector<std::uint64_t>& times) {
  if (!std::ranges::is_sorted(times)) std::ranges::sort(times);
}

std::vector<bool> launches_with_nodes(const Trace& trace) {
  std::vector<bool> found(trace.commands().size());
  for (const TraceCommand& command : trace.commands())
    if (command.launch != no_index && command.has_run_times()) found[command.launch] = true;
  return found;
}

}  // namespace

StreamCommands::StreamCommands(const Trace& trace)
    : begins_(trace.streams().size() + 1), commands_(trace.commands().size()) {
  for (const TraceCommand& command : trace.commands()) ++begins_[command.stream + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t i = 0; i < commands_.size(); ++i)
    commands_[next[trace.commands()[i].stream]++] = i;
}

std::vector<std::uint16_t> find_lanes(const Trace& trace) {
  struct Timed {
    std::uint64_t started_ns, ended_ns;
    std::uint32_t command;
  };
  // Unpacked once, whatever is asked of it then.
  std::vector<std::vector<Timed>> streams(trace.streams().size());
  std::uint32_t at = 0;
  for (const TraceCommand& command : trace.commands()) {
    if (command.has_run_times())
      streams[command.stream].push_back(
          {command.started_ns, std::max(command.started_ns, command.ended_ns), at});
    ++at;
  }
  std::vector<std::uint16_t> lanes(trace.commands().size());
  // A launch starts with its first node, and lies above it.
  const auto key = [](const Timed& timed) { return std::pair(timed.started_ns, timed.command); };
  for (auto& timed : streams) {
    if (!std::ranges::is_sorted(timed, {}, key)) std::ranges::sort(timed, {}, key);
    LaneKeeper keeper;
    for (const Timed& one : timed) lanes[one.command] = keeper.take(one.started_ns, one.ended_ns);
  }
  return lanes;
}

std::vector<DepthPoint> find_depth(const Trace& trace) {
  const auto& commands = trace.commands();
  const StreamCommands streams(trace);
  const std::vector<bool> has_nodes = launches_with_nodes(trace);
  std::vector<DepthPoint> points;
  std::vector<std::uint64_t> given, done;
  for (std::uint32_t s = 0; s < streams.size(); ++s) {
    given.clear();
    done.clear();
    for (const std::uint32_t i : streams.of(s)) {
      if (commands[i].ended_ns == 0 || has_nodes[i]) continue;
      given.push_back(commands[i].call_begin_ns);
      done.push_back(std::max(commands[i].call_begin_ns, commands[i].ended_ns));
    }
    sort_times(given);
    sort_times(done);
    std::uint32_t depth = 0;
    for (std::size_t g = 0, d = 0; d < done.size();) {
      const std::uint64_t now = g < given.size() ? std::min(given[g], done[d]) : done[d];
      const std::uint32_t before = depth;
      for (; g < given.size() && given[g] == now; ++g) ++depth;
      for (; d < done.size() && done[d] == now; ++d) --depth;
      if (depth != before) points.push_back({now, s, depth});
    }
  }
  return points;
}

}  // namespace reel::page
