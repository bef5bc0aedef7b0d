#include "backends/opencl/work/executable.hpp"

#include <string_view>
#include <utility>

#include "backends/opencl/native/native_check.hpp"
#include "backends/opencl/native/native_executable.hpp"
#include "base/fail.hpp"
#include "base/process/environment_variable.hpp"

namespace reel::opencl {
namespace {

// Below this the choice can't matter: the first step's wake-up costs more than all the others.
constexpr std::size_t fewest_steps = 8;
// By less than this the command buffer must not win: a probe of 2 ms is not that exact.
constexpr double clearly_faster = 0.8;

std::string_view asked_for() { return environment_variable("REEL_OPENCL_COMMAND_BUFFER"); }

}  // namespace

ExecutableMaker::ExecutableMaker(std::shared_ptr<DeviceContext> context)
    : context_(std::move(context)), command_buffers_(command_buffer_api(*context_)) {}

std::unique_ptr<Executable> ExecutableMaker::make(std::shared_ptr<const Plan> plan) {
  if (asked_for() == "1" && command_buffers_ && can_be_command_buffer(*plan))
    return std::make_unique<CommandBufferExecutable>(context_, *command_buffers_,
                                                     std::make_unique<EnqueueExecutable>(plan, ""),
                                                     "REEL_OPENCL_COMMAND_BUFFER=1");
  NativeCheck check;
  {
    const std::lock_guard lock(checking_);
    check = check_native(context_, plan);
  }
  if (check.functions)
    return std::make_unique<NativeExecutable>(context_, std::move(plan),
                                              std::move(check.functions));
  return make_driven(std::move(plan), "no native replay: " + check.why_not);
}

std::unique_ptr<Executable> ExecutableMaker::make_driven(std::shared_ptr<const Plan> plan,
                                                         std::string why) {
  const auto plain = [&](const std::string& reason) {
    return std::make_unique<EnqueueExecutable>(plan, why + "; " + reason);
  };
  if (!command_buffers_) return plain("the driver has no usable cl_khr_command_buffer");
  if (!can_be_command_buffer(*plan)) return plain("not all steps can be in a command buffer");
  if (asked_for() == "0") return plain("REEL_OPENCL_COMMAND_BUFFER=0");
  if (plan->steps.size() < fewest_steps)
    return plain(fmt::format("fewer than {} steps", fewest_steps));
  const LaunchCost& cost = launch_cost();
  const std::string measured =
      fmt::format("{:.0f} ns a command, in the driver's command buffer {:.0f}", cost.enqueue_ns,
                  cost.command_buffer_ns);
  if (cost.command_buffer_ns < clearly_faster * cost.enqueue_ns)
    return std::make_unique<CommandBufferExecutable>(context_, *command_buffers_, plain(""),
                                                     why + "; plain enqueues " + measured);
  return plain(measured);
}

const LaunchCost& ExecutableMaker::launch_cost() {
  std::call_once(measured_, [this] { cost_ = measure_launches(*context_, *command_buffers_); });
  return cost_;
}

}  // namespace reel::opencl
