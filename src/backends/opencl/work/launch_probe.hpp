// launch_probe.hpp - what one command costs on this driver, by plain enqueue and in a command
// buffer. The extension promises speed; PoCL's is 2 to 4 times slower than plain enqueues. So the
// driver is asked, once per device, with 128 copies of four bytes: no kernel has to be built, and
// the answer takes some 2 ms. CPU time is compared: wall time on a busy machine is meaningless.
#pragma once

#include "backends/opencl/work/command_buffer_executable.hpp"

namespace reel::opencl {

struct LaunchCost {
  double enqueue_ns = 0, command_buffer_ns = 0;  // CPU time of one command
};

LaunchCost measure_launches(DeviceContext& context, const CommandBufferApi& extension);

}  // namespace reel::opencl
