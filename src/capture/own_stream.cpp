#include "capture/own_stream.hpp"

#include <algorithm>

namespace reel::capture {

bool OwnStream::take_stamps() {
  stamps_.clear();
  stream.collect_stamps(stamps_);
  bool is_any_done = !stamps_.empty();
  std::erase_if(stamps_, [&](const TicketStamps& stamps) { return !is_mine(stamps); });
  if (!stamps_.empty()) {
    document::StampRow* row = reserve_stamps(*log, stamps_.size());
    for (const auto& [ticket, at] : stamps_)
      *row++ = {static_cast<std::uint32_t>(ticket), at.queued_ns, at.submitted_ns, at.started_ns,
                at.ended_ns};
    log->commit();
  }
  for (; !launches.empty() && launches.front().done->done(); is_any_done = true) {
    const PendingLaunch launch = std::move(launches.front());
    launches.pop_front();
    take_launch(launch);
  }
  return is_any_done;
}

void OwnStream::take_launch(const PendingLaunch& launch) {
  const std::vector<StepTime> times = launch.times->collect();
  if (times.empty()) return;
  document::StampRow* row = reserve_stamps(*log, times.size() + 1);
  document::StampRow whole{launch.command, 0, 0, times[0].begin_ns, times[0].end_ns};
  for (const StepTime& time : times) {
    *row++ = {launch.commands[time.step], 0, 0, time.begin_ns, time.end_ns};
    whole.started_ns = std::min(whole.started_ns, time.begin_ns);
    whole.ended_ns = std::max(whole.ended_ns, time.end_ns);
  }
  *row = whole;
  log->commit();
}

}  // namespace reel::capture
