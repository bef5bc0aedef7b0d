#include "backends/vulkan/work/executable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/vulkan/work/queue.hpp"

namespace reel::vulkan {
namespace {

// So many launches with different arguments may be in flight before memory is allocated anew.
constexpr std::size_t recordings_kept = 4;

class VulkanStepTimes final : public StepTimes {
 public:
  explicit VulkanStepTimes(std::shared_ptr<const Recording> recording)
      : recording_(std::move(recording)) {}
  std::vector<StepTime> collect() override { return recording_->times(); }

 private:
  const std::shared_ptr<const Recording> recording_;
};

}  // namespace

VulkanExecutable::VulkanExecutable(std::shared_ptr<Context> context,
                                   std::shared_ptr<const Plan> plan)
    : context_(std::move(context)),
      plan_(std::move(plan)),
      descriptors_(context_, 2 * plan_->steps.size() + 256) {
  steps_.reserve(plan_->steps.size());
  for (const Step& step : plan_->steps) {
    StepState state;
    state.work = step.command.work;
    if (std::holds_alternative<HostCall>(state.work)) state.label = step.command.label;
    state.barrier_before = step.barrier_before;
    if (const auto* dispatch = std::get_if<Dispatch>(&state.work)) {
      state.first_argument = static_cast<std::uint32_t>(arguments_.size());
      arguments_.insert(arguments_.end(), dispatch->arguments.begin(), dispatch->arguments.end());
    }
    steps_.push_back(std::move(state));
  }
  ready();
}

VulkanExecutable::VulkanExecutable(const VulkanExecutable& other)
    : Executable(other),
      context_(other.context_),
      plan_(other.plan_),
      steps_(other.steps_),
      arguments_(other.arguments_),
      descriptors_(context_, 2 * plan_->steps.size() + 256) {
  ready();
}

void VulkanExecutable::record(Recording& recording, bool timed) {
  recording.version = 0;  // until it is whole
  recording.record(steps_, arguments_, descriptors_, timed);
  recording.version = version_;
}

const std::shared_ptr<Recording>& VulkanExecutable::ready() {
  const auto use = [&](auto it) -> const std::shared_ptr<Recording>& {
    std::rotate(recordings_.begin(), it, it + 1);
    return recordings_.front();
  };
  for (auto it = recordings_.begin(); it != recordings_.end(); ++it)
    if ((*it)->version == version_ && ((*it)->can_overlap() || (*it)->is_idle())) return use(it);
  const auto idle = std::find_if(recordings_.begin(), recordings_.end(),
                                 [](const auto& recording) { return recording->is_idle(); });
  if (idle != recordings_.end()) {
    record(**idle, false);
    return use(idle);
  }
  auto fresh = std::make_shared<Recording>(context_);
  record(*fresh, false);
  // What is dropped here lives on in the batches that run it.
  if (recordings_.size() == recordings_kept) recordings_.pop_back();
  recordings_.insert(recordings_.begin(), std::move(fresh));
  return recordings_.front();
}

void VulkanExecutable::launch(QueueDriver& queue) {
  static_cast<VulkanQueue&>(queue).launch(ready());
}

std::unique_ptr<StepTimes> VulkanExecutable::launch_timed(QueueDriver& queue) {
  // Never used again: its stamps belong to whoever asked for this launch.
  auto recording = std::make_shared<Recording>(context_);
  record(*recording, true);
  static_cast<VulkanQueue&>(queue).launch(recording);
  return std::make_unique<VulkanStepTimes>(std::move(recording));
}

void VulkanExecutable::set_argument(std::uint32_t step, std::uint32_t index,
                                    const Argument& value) {
  arguments_[steps_[step].first_argument + index] = value;
  ++version_;
}

void VulkanExecutable::set_groups(std::uint32_t step, Dim3 groups) {
  std::get<Dispatch>(steps_[step].work).groups = groups;
  ++version_;
}

void VulkanExecutable::set_enabled(std::uint32_t step, bool enabled) {
  steps_[step].enabled = enabled;
  ++version_;
}

void VulkanExecutable::replace(std::uint32_t step, const Command& command) {
  StepState& state = steps_[step];
  state.work = command.work;
  state.data = keep_data(state.work);
  ++version_;
}

std::unique_ptr<Executable> VulkanExecutable::clone() const {
  return std::unique_ptr<Executable>(new VulkanExecutable(*this));
}

Footprint VulkanExecutable::footprint() const {
  Footprint result;
  result.host_bytes = steps_.size() * sizeof(StepState) + arguments_.size() * sizeof(Argument);
  for (const auto& recording : recordings_) result.device_bytes += recording->staging_bytes();
  return result;
}

std::string VulkanExecutable::lowering() const {
  const auto& segments = recordings_.front()->segments();
  const auto buffers = std::count_if(segments.begin(), segments.end(),
                                     [](const auto& segment) { return segment.commands; });
  return buffers <= 1 ? "command buffer" : fmt::format("{} command buffers", buffers);
}

}  // namespace reel::vulkan
