#include "backends/vulkan/work/batch.hpp"

#include <algorithm>
#include <string>

#include "runtime/callback.hpp"

namespace reel::vulkan {

std::function<void()> named_call(const HostCall& call, std::string_view label,
                                 const DeviceInfo& device) {
  return [function = call.function, label = std::string(label), &device] {
    run_host_call(*function, label, device);
  };
}

void Batch::clear() {
  value = 0;
  commands.clear();
  waits.clear();
  read_backs.clear();
  held.clear();
  runs.clear();
  staging.reset();
  host = nullptr;
  waiter_may_run = false;
  stamped.clear();
  queries = 0;
  submitted_ns = host_begin_ns = host_end_ns = 0;
}

void Batch::append_stamps(StampList& into) const {
  for (const StampedCommand& command : stamped) {
    Stamps times{command.queued_ns, submitted_ns};
    if (is_host_step()) {
      times.started_ns = host_begin_ns;
      times.ended_ns = host_end_ns;
    } else if (stamps) {
      times.started_ns = stamps->time_ns(command.begin);
      times.ended_ns = stamps->time_ns(command.end);
      // The host's times are as exact as the distance of two clocks, so they give way.
      times.submitted_ns = std::min(times.submitted_ns, times.started_ns);
    }
    times.queued_ns = std::min(times.queued_ns, times.submitted_ns);
    into.push_back({command.ticket, times});
  }
}

}  // namespace reel::vulkan
