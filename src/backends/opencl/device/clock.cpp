#include "backends/opencl/device/clock.hpp"

#include <array>
#include <cstdint>

namespace reel::opencl {
namespace {

std::uint64_t read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Clock Clock::find(cl_command_queue queue, cl_device_id device) {
  Clock clock;
  cl_ulong device_ns = 0, host_ns = 0;
  if (api().get_device_and_host_timer &&
      api().get_device_and_host_timer(device, &device_ns, &host_ns) == CL_SUCCESS) {
    clock.ask_driver_ = true;
    return clock;
  }
  constexpr std::array candidates{CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC, CLOCK_REALTIME};
  std::array<std::uint64_t, candidates.size()> before{}, after{};
  for (std::size_t i = 0; i < candidates.size(); ++i) before[i] = read_clock(candidates[i]);
  EventHandle marker;
  cl_ulong stamp = 0;
  if (api().enqueue_marker(queue, 0, nullptr, marker.out()) != CL_SUCCESS ||
      api().finish(queue) != CL_SUCCESS ||
      api().get_event_profiling_info(marker.get(), CL_PROFILING_COMMAND_END, sizeof stamp, &stamp,
                                     nullptr) != CL_SUCCESS)
    return clock;  // a device that can't stamp: the steady clock is as good as any
  for (std::size_t i = 0; i < candidates.size(); ++i) after[i] = read_clock(candidates[i]);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (before[i] <= stamp && stamp <= after[i]) {
      clock.host_clock_ = candidates[i];
      return clock;
    }
  }
  clock.offset_ns_ = static_cast<std::int64_t>(stamp) - static_cast<std::int64_t>(after[1]);
  return clock;
}

std::uint64_t Clock::now_ns(cl_device_id device) const {
  cl_ulong device_ns = 0, host_ns = 0;
  if (ask_driver_ && api().get_device_and_host_timer(device, &device_ns, &host_ns) == CL_SUCCESS)
    return device_ns;
  return read_clock(host_clock_) + static_cast<std::uint64_t>(offset_ns_);
}

}  // namespace reel::opencl
