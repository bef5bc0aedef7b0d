#include "backends/opencl/work/command_buffer_executable.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "backends/opencl/device/buffer.hpp"
#include "backends/opencl/work/only_enqueued.hpp"
#include "backends/opencl/work/transfer.hpp"
#include "base/fail.hpp"

namespace reel::opencl {
namespace {

// 0 when the driver doesn't tell.
cl_version extension_version(cl_device_id device, std::string_view name) {
  std::size_t size = 0;
  if (api().get_device_info(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, nullptr, &size) !=
      CL_SUCCESS)
    return 0;
  std::vector<cl_name_version> known(size / sizeof(cl_name_version));
  if (api().get_device_info(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, size, known.data(),
                            nullptr) != CL_SUCCESS)
    return 0;
  for (const cl_name_version& extension : known)
    if (extension.name == name) return extension.version;
  return 0;
}

}  // namespace

std::optional<CommandBufferApi> command_buffer_api(const DeviceContext& context) {
  constexpr std::string_view name = "cl_khr_command_buffer";
  if (!context.has_extension(name)) return {};
  const cl_version version = extension_version(context.device(), name);
  if (version == 0 || version >= CL_MAKE_VERSION(0, 9, 5)) return {};
  const auto abilities = device_value<cl_device_command_buffer_capabilities_khr>(
      context.device(), CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
  if (!(abilities & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR)) return {};
  CommandBufferApi found{};
  bool all = true;
  const auto find = [&](auto& function, const char* function_name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        api().get_extension_function(context.platform(), function_name));
    all = all && function;
  };
  find(found.create, "clCreateCommandBufferKHR");
  find(found.finalize, "clFinalizeCommandBufferKHR");
  find(found.release, "clReleaseCommandBufferKHR");
  find(found.enqueue, "clEnqueueCommandBufferKHR");
  find(found.nd_range_kernel, "clCommandNDRangeKernelKHR");
  find(found.copy_buffer, "clCommandCopyBufferKHR");
  find(found.fill_buffer, "clCommandFillBufferKHR");
  if (!all) return {};
  return found;
}

bool can_be_command_buffer(const Plan& plan) {
  return std::all_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return !why_only_enqueued(step.command.work) &&
           (std::holds_alternative<Dispatch>(step.command.work) ||
            std::holds_alternative<Copy>(step.command.work) ||
            std::holds_alternative<Fill>(step.command.work));
  });
}

CommandBufferExecutable::CommandBufferExecutable(std::shared_ptr<DeviceContext> context,
                                                 const CommandBufferApi& extension,
                                                 std::unique_ptr<EnqueueExecutable> steps,
                                                 std::string why)
    : context_(std::move(context)),
      extension_(extension),
      steps_(std::move(steps)),
      why_(std::move(why)) {}

void CommandBufferExecutable::record(cl_command_queue queue) {
  const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                         CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
  cl_int status = CL_SUCCESS;
  const cl_command_buffer_khr raw = extension_.create(1, &queue, properties, &status);
  check(status, "clCreateCommandBufferKHR");
  buffer_ = std::shared_ptr<_cl_command_buffer_khr>(raw, extension_.release);
  for (std::size_t i = 0; i < steps_->steps().size(); ++i) {
    const EnqueueExecutable::Step& step = steps_->steps()[i];
    if (!step.runs()) continue;
    if (step.is_dispatch) {
      check(extension_.nd_range_kernel(raw, nullptr, nullptr, step.kernel, step.grid.dimensions,
                                       nullptr, step.grid.global.data(), step.grid.local.data(), 0,
                                       nullptr, nullptr, nullptr),
            "clCommandNDRangeKernelKHR");
    } else if (const auto* copy = std::get_if<Copy>(&steps_->work(i))) {
      if (copy->target.size_bytes == 0) continue;
      check(extension_.copy_buffer(raw, nullptr, device_buffer(copy->source).memory(),
                                   device_buffer(copy->target).memory(), copy->source.offset_bytes,
                                   copy->target.offset_bytes, copy->target.size_bytes, 0, nullptr,
                                   nullptr, nullptr),
            "clCommandCopyBufferKHR");
    } else if (const auto* fill = std::get_if<Fill>(&steps_->work(i))) {
      for_each_fill_part(*fill, [&](const FillPart& part) {
        check(extension_.fill_buffer(raw, nullptr, device_buffer(fill->target).memory(),
                                     &part.pattern, part.pattern_bytes, part.offset_bytes,
                                     part.size_bytes, 0, nullptr, nullptr, nullptr),
              "clCommandFillBufferKHR");
      });
    }
  }
  check(extension_.finalize(raw), "clFinalizeCommandBufferKHR");
  changed_ = false;
}

void CommandBufferExecutable::launch(QueueDriver& driver) {
  auto& queue = static_cast<CommandQueue&>(driver);
  const CommandQueue::Enqueueing enqueueing{queue};
  // A command buffer goes to queues that have the properties of the one it was recorded for.
  cl_command_queue raw = queue.get_stamping();
  if (changed_) record(raw);
  check(extension_.enqueue(1, &raw, buffer_.get(), 0, nullptr, nullptr),
        "clEnqueueCommandBufferKHR");
  queue.keep_until_done(buffer_);
  queue.flush();
}

std::unique_ptr<StepTimes> CommandBufferExecutable::launch_timed(QueueDriver& queue) {
  return steps_->launch_timed(queue);
}

void CommandBufferExecutable::set_argument(std::uint32_t step, std::uint32_t index,
                                           const Argument& value) {
  // PoCL 3.1 reads the kernel's arguments anew at each enqueue of the buffer, others when it was
  // recorded; recording again is right for both.
  steps_->set_argument(step, index, value);
  changed_ = true;
}

void CommandBufferExecutable::set_groups(std::uint32_t step, Dim3 groups) {
  steps_->set_groups(step, groups);
  changed_ = true;
}

void CommandBufferExecutable::set_enabled(std::uint32_t step, bool enabled) {
  steps_->set_enabled(step, enabled);
  changed_ = true;
}

void CommandBufferExecutable::replace(std::uint32_t step, const Command& command) {
  steps_->replace(step, command);
  changed_ = true;
}

std::unique_ptr<Executable> CommandBufferExecutable::clone() const {
  return std::make_unique<CommandBufferExecutable>(context_, extension_, steps_->copy(), why_);
}

std::string CommandBufferExecutable::lowering() const {
  return fmt::format("one command buffer of {} commands ({})", steps_->steps().size(), why_);
}

}  // namespace reel::opencl
