// executable.hpp - which way a plan is run on this device: natively where that is possible,
// otherwise by the driver's command buffer or by plain enqueues, whichever is faster.
//
// $REEL_OPENCL_NATIVE: 0 never replays natively.
// $REEL_OPENCL_COMMAND_BUFFER: 0 never takes the driver's command buffer, 1 always does where it
// can; otherwise the faster of the two, measured once per device.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "backends/opencl/work/command_buffer_executable.hpp"
#include "backends/opencl/work/launch_probe.hpp"

namespace reel::opencl {

// One per device. Any thread.
class ExecutableMaker {
 public:
  explicit ExecutableMaker(std::shared_ptr<DeviceContext> context);
  std::unique_ptr<Executable> make(std::shared_ptr<const Plan> plan);

 private:
  std::unique_ptr<Executable> make_driven(std::shared_ptr<const Plan> plan, std::string why);
  const LaunchCost& launch_cost();

  std::shared_ptr<DeviceContext> context_;
  std::optional<CommandBufferApi> command_buffers_;
  std::mutex checking_;
  std::once_flag measured_;
  LaunchCost cost_;
};

}  // namespace reel::opencl
