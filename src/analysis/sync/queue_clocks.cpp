#include "analysis/sync/queue_clocks.hpp"

#include <algorithm>
#include <bit>

namespace reel::analysis {

namespace {
constexpr std::uint64_t most_clock_bytes = 200u << 20;
}

QueueClocks::QueueClocks(const Trace& trace)
    : trace_(trace), clocks_(trace.streams().size()), streams_(trace.streams().size()) {}

StreamClocks::Clock QueueClocks::up_to(const std::vector<Known>& list, std::uint32_t command) {
  const auto later = std::ranges::upper_bound(list, command, {}, &Known::at);
  return later == list.begin() ? StreamClocks::zero : std::prev(later)->clock;
}

void QueueClocks::add(std::vector<Known>& list, std::uint32_t command, StreamClocks::Clock clock) {
  const StreamClocks::Clock joined = clocks_.join(last(list), clock);
  if (joined != last(list)) list.push_back({command, joined});
}

void QueueClocks::next(std::uint32_t command, std::uint32_t stream) {
  const auto& orders = trace_.orders();
  while (at_ < orders.size() && orders[at_].command < command) ++at_;
  for (; at_ < orders.size() && orders[at_].command == command; ++at_) {
    const TraceOrder& order = orders[at_];
    const std::uint32_t other = trace_.commands()[order.after].stream;
    // What signals comes behind all that its queue was ever told to wait for, whatever stage waits.
    const StreamClocks::Clock done =
        clocks_.with(up_to(streams_[other].told, order.after), other, order.after + 1);
    Stream& own = streams_[stream];
    add(own.told, command, done);
    if (order.kind == OrderKind::host) add(own.told_by_host, command, done);
    const std::uint8_t waiting =
        order.stages ? target_scope(order.stages, 0).stages : everything.stages;
    for (std::size_t stage = 0; stage < own.now.size(); ++stage)
      if (waiting >> stage & 1) own.now[stage] = clocks_.join(own.now[stage], done);
  }
}

bool QueueClocks::hand_on(std::uint32_t stream, std::span<const Row> rows) {
  auto& now = streams_[stream].now;
  if (std::ranges::all_of(now, [&](StreamClocks::Clock one) { return one == now[0]; }))
    return false;
  const auto before = now;  // rows of one command don't chain
  bool has_changed = false;
  for (const Row& row : rows) {
    StreamClocks::Clock waited = StreamClocks::zero;
    for (std::size_t stage = 0; stage < now.size(); ++stage)
      if (row.source >> stage & 1) waited = clocks_.join(waited, before[stage]);
    for (std::size_t stage = 0; stage < now.size(); ++stage) {
      if (!(row.target >> stage & 1)) continue;
      const StreamClocks::Clock joined = clocks_.join(now[stage], waited);
      has_changed |= joined != now[stage];
      now[stage] = joined;
    }
  }
  return has_changed;
}

bool QueueClocks::is_done(std::uint32_t earlier, std::uint32_t of, std::uint32_t stream,
                          std::uint8_t stage) const noexcept {
  const auto place = static_cast<std::size_t>(std::countr_zero(stage));
  return clocks_.at(streams_[stream].now[place], of) > earlier;
}

bool QueueClocks::host_saw(std::uint32_t earlier, std::uint32_t later) const {
  const std::uint32_t of = trace_.commands()[earlier].stream,
                      stream = trace_.commands()[later].stream;
  return clocks_.at(up_to(streams_[stream].told_by_host, later), of) > earlier;
}

bool QueueClocks::is_too_much() const noexcept { return clocks_.bytes() > most_clock_bytes; }

}  // namespace reel::analysis
