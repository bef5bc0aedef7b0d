#include "backends/vulkan/work/recording.hpp"

#include <algorithm>

#include "backends/vulkan/device/clock.hpp"
#include "backends/vulkan/device/result.hpp"
#include "backends/vulkan/work/stamp.hpp"

namespace reel::vulkan {

Recording::Recording(std::shared_ptr<Context> context)
    : context_(std::move(context)), recorder_(*context_), staging_(*context_) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.queueFamilyIndex = context_->physical.queue_family;
  check(context_->vk.vkCreateCommandPool(context_->device, &info, nullptr, &pool_),
        "vkCreateCommandPool");
}

Recording::~Recording() {
  context_->vk.vkDestroyQueryPool(context_->device, queries_, nullptr);
  context_->vk.vkDestroyCommandPool(context_->device, pool_, nullptr);
}

void Recording::restart(DescriptorCache& descriptors) {
  check(context_->vk.vkResetCommandPool(context_->device, pool_, 0), "vkResetCommandPool");
  used_ = 0;
  segments_.clear();
  held_.clear();
  staging_.reset();
  has_reads_ = recording_ = false;
  descriptors_ = descriptors.current();
  holder_ = new_holder();
}

void Recording::record(std::span<const StepState> steps, std::span<const Argument> arguments,
                       DescriptorCache& descriptors, bool timed) {
  restart(descriptors);
  timed_ = timed && context_->clock->can_stamp();
  if (timed_) {
    begins_.assign(steps.size(), no_query);
    host_times_.clear();
    if (!queries_ && !steps.empty())
      queries_ = make_stamp_queries(*context_, static_cast<std::uint32_t>(2 * steps.size()));
  }
  segments_.emplace_back();

  bool barrier_due = false;
  std::uint32_t last_end = no_query;  // of the step before, in the same command buffer
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const StepState& step = steps[i];
    barrier_due = barrier_due || step.barrier_before;  // stays due when its step is switched off
    if (!step.enabled) continue;
    if (std::holds_alternative<HostCall>(step.work)) {
      add_host_call(step, i);
      barrier_due = false;
      continue;
    }
    if (!recording_) {
      begin_commands();
      barrier_due = false;
      last_end = no_query;
    }
    const bool after_barrier = barrier_due;
    if (barrier_due) recorder_.barrier();
    barrier_due = false;
    if (timed_) begins_[i] = stamp_begin(i, after_barrier, last_end);
    add(step, arguments);
    if (timed_) {
      last_end = 2 * i + 1;
      recorder_.stamp(queries_, last_end, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    }
  }
  end_commands();
}

// Behind a barrier a step starts when all before it has ended, which is stamped already: as in a
// queue, so that the same commands take as long in a graph as one by one. Elsewhere steps overlap,
// and this one starts when the device gets to it.
std::uint32_t Recording::stamp_begin(std::uint32_t step, bool after_barrier,
                                     std::uint32_t last_end) {
  if (after_barrier && last_end != no_query) return last_end;
  recorder_.stamp(
      queries_, 2 * step,
      after_barrier ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
  return 2 * step;
}

void Recording::begin_commands() {
  if (used_ == buffers_.size()) {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool_;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    check(context_->vk.vkAllocateCommandBuffers(context_->device, &info, &commands),
          "vkAllocateCommandBuffers");
    buffers_.push_back(commands);
  }
  segments_.back().commands = buffers_[used_++];
  recorder_.begin(segments_.back().commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                  *descriptors_);
  if (timed_ && used_ == 1)
    recorder_.reset_stamps(queries_, 0, static_cast<std::uint32_t>(2 * begins_.size()));
  recording_ = true;
}

void Recording::end_commands() {
  if (recording_) recorder_.end();
  recording_ = false;
}

void Recording::add(const StepState& step, std::span<const Argument> arguments) {
  // Bytes of an image may pass through staging memory, which two launches would
  // share.
  const auto note_image = [&](const BufferRange& range) {
    if (buffer_of(range).picture) has_reads_ = true;
  };
  std::visit(overloaded{
                 [&](Dispatch dispatch) {
                   dispatch.arguments =
                       arguments.subspan(step.first_argument, dispatch.arguments.size());
                   hold_all_of(dispatch);
                   recorder_.dispatch(dispatch, staging_);
                 },
                 [&](const Copy& copy) {
                   hold(buffer_of(copy.source));
                   hold(buffer_of(copy.target));
                   note_image(copy.source);
                   note_image(copy.target);
                   recorder_.copy(copy, staging_);
                 },
                 [&](const Fill& fill) {
                   if (fill.target.size_bytes == 0) return;
                   hold(buffer_of(fill.target));
                   note_image(fill.target);
                   recorder_.fill(fill, staging_);
                 },
                 [&](const Write& write) {
                   hold(buffer_of(write.target));
                   note_image(write.target);
                   recorder_.write(write, staging_);
                 },
                 [&](const Read& read) {
                   hold(buffer_of(read.source));
                   recorder_.read(read, staging_, segments_.back().read_backs);
                   has_reads_ = true;
                 },
                 [](const HostCall&) {},  // ends the segment: add_host_call
                 [](const Barrier&) {},   // a plan has none
             },
             step.work);
}

void Recording::hold_all_of(const Dispatch& dispatch) {
  hold(static_cast<VulkanKernel&>(*dispatch.kernel));
  for (const Argument& argument : dispatch.arguments)
    if (argument.is_memory()) hold(buffer_of(argument.range));
  if (dispatch.indirect.buffer) hold(buffer_of(dispatch.indirect));
  if (dispatch.predicate) hold(buffer_of(dispatch.predicate.word));
}

void Recording::add_host_call(const StepState& step, std::uint32_t index) {
  end_commands();
  std::function<void()> call =
      named_call(std::get<HostCall>(step.work), step.label, context_->physical.info);
  if (timed_) {
    const std::size_t place = host_times_.size();
    host_times_.push_back({index, 0, 0});
    segments_.back().host = [this, place, call = std::move(call)] {
      host_times_[place].begin_ns = host_times_[place].end_ns = context_->clock->now_ns();
      call();
      host_times_[place].end_ns = context_->clock->now_ns();
    };
  } else {
    segments_.back().host = std::move(call);
  }
  segments_.emplace_back();
}

std::vector<StepTime> Recording::times() const {
  std::vector<StepTime> times = host_times_;
  if (!timed_ || used_ == 0) return times;
  // All in one call, since each waits for the whole device on llvmpipe: value and availability.
  struct Tick {
    std::uint64_t value, available;
  };
  std::vector<Tick> ticks(2 * begins_.size());
  check(context_->vk.vkGetQueryPoolResults(
            context_->device, queries_, 0, static_cast<std::uint32_t>(ticks.size()),
            ticks.size() * sizeof(Tick), ticks.data(), sizeof(Tick),
            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
        "vkGetQueryPoolResults");
  for (std::uint32_t i = 0; i < begins_.size(); ++i) {
    if (begins_[i] == no_query) continue;
    const Tick &begin = ticks[begins_[i]], &end = ticks[2 * i + 1];
    if (begin.available && end.available)
      times.push_back({i, context_->clock->to_ns(begin.value), context_->clock->to_ns(end.value)});
  }
  std::sort(times.begin(), times.end(),
            [](const StepTime& a, const StepTime& b) { return a.step < b.step; });
  return times;
}

}  // namespace reel::vulkan
