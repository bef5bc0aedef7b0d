// clock.hpp - the clock on which the driver stamps events, readable now.
//
// OpenCL 2.1 has a call for it, which PoCL answers with CL_INVALID_OPERATION. So when a device is
// opened one stamped marker is compared with the host's clocks: the one that was just before it
// and just after it is the one. Where none fits, the steady clock with a constant offset.
#pragma once

#include <ctime>

#include "backends/opencl/device/api.hpp"
#include "base/os/clocks.hpp"

namespace reel::opencl {

class Clock {
 public:
  static Clock find(cl_command_queue queue, cl_device_id device);
  std::uint64_t now_ns(cl_device_id device) const;

 private:
  bool ask_driver_ = false;
  clockid_t host_clock_ = os::steady_clock;
  std::int64_t offset_ns_ = 0;  // the driver's clock minus the host's
};

}  // namespace reel::opencl
