// command_buffer_executable.hpp - a plan as one command buffer of cl_khr_command_buffer.
//
// For plans of dispatches, copies and fills, on drivers where it was measured to be faster than
// plain enqueues. The extension records arguments for good, so the first launch after a change
// records again. Timed launches are plain enqueues: a command buffer has one event.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/opencl/work/enqueue_executable.hpp"

namespace reel::opencl {

struct CommandBufferApi {
  clCreateCommandBufferKHR_fn create;
  clFinalizeCommandBufferKHR_fn finalize;
  clReleaseCommandBufferKHR_fn release;
  clEnqueueCommandBufferKHR_fn enqueue;
  clCommandNDRangeKernelKHR_fn nd_range_kernel;
  clCommandCopyBufferKHR_fn copy_buffer;
  clCommandFillBufferKHR_fn fill_buffer;
};
// None where the device lacks the extension, can't have one buffer in flight twice, or speaks a
// later draft of it (0.9.5 changed the signatures).
std::optional<CommandBufferApi> command_buffer_api(const DeviceContext& context);

bool can_be_command_buffer(const Plan& plan);

class CommandBufferExecutable final : public Executable {
 public:
  CommandBufferExecutable(std::shared_ptr<DeviceContext> context, const CommandBufferApi& extension,
                          std::unique_ptr<EnqueueExecutable> steps, std::string why);

  void launch(QueueDriver& driver) override;
  std::unique_ptr<StepTimes> launch_timed(QueueDriver& queue) override;
  void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) override;
  void set_groups(std::uint32_t step, Dim3 groups) override;
  void set_enabled(std::uint32_t step, bool enabled) override;
  void replace(std::uint32_t step, const Command& command) override;
  std::unique_ptr<Executable> clone() const override;
  Footprint footprint() const override { return steps_->footprint(); }
  std::string lowering() const override;
  bool is_timed_step_by_step() const override { return true; }

 private:
  void record(cl_command_queue queue);

  std::shared_ptr<DeviceContext> context_;
  CommandBufferApi extension_;
  std::unique_ptr<EnqueueExecutable> steps_;
  std::string why_;
  std::shared_ptr<_cl_command_buffer_khr> buffer_;
  bool changed_ = true;
};

}  // namespace reel::opencl
