#include "layers/vulkan/stamps/stamp_run.hpp"

#include <algorithm>

#include "layers/vulkan/stamps/ticks.hpp"

namespace reel::layer::vk {

std::unique_ptr<StampRun> StampRun::make(Device& device, std::uint32_t family, std::size_t count) {
  std::unique_ptr<StampRun> run(new StampRun(device.share(), family));
  return run->record(count) ? std::move(run) : nullptr;
}

StampRun::~StampRun() {
  if (device_->is_gone) return;
  if (pool_) device_->next.DestroyCommandPool(device_->handle, pool_, nullptr);
  if (queries_) device_->next.DestroyQueryPool(device_->handle, queries_, nullptr);
}

bool StampRun::record(std::size_t count) {
  const DeviceFunctions& next = device_->next;
  VkQueryPoolCreateInfo query_info{};
  query_info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  query_info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  if (!device_->costs.knows_stamps()) probes_ = 4;
  query_info.queryCount = static_cast<std::uint32_t>(count) + probes_;
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = family_;
  if (next.CreateQueryPool(device_->handle, &query_info, nullptr, &queries_) != VK_SUCCESS ||
      next.CreateCommandPool(device_->handle, &pool_info, nullptr, &pool_) != VK_SUCCESS)
    return false;
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = static_cast<std::uint32_t>(count);
  commands_.resize(count);
  if (next.AllocateCommandBuffers(device_->handle, &info, commands_.data()) != VK_SUCCESS) {
    commands_.clear();
    return false;
  }
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (device_->set_loader_data &&
        device_->set_loader_data(device_->handle, commands_[i]) != VK_SUCCESS)
      return false;
    if (next.BeginCommandBuffer(commands_[i], &begin) != VK_SUCCESS) return false;
    if (i == 0) {
      next.CmdResetQueryPool(commands_[i], queries_, 0, query_info.queryCount);
      for (std::uint32_t j = 0; j < probes_; ++j) {
        // A barrier that orders nothing, as stamps stand at barriers: between two of those a driver
        // whose device is the processor hands what a stamp needs to other threads, and waits.
        next.CmdPipelineBarrier(commands_[i], VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 0, nullptr, 0,
                                nullptr);
        next.CmdWriteTimestamp(commands_[i], VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_,
                               static_cast<std::uint32_t>(count) + j);
      }
    }
    // What the batch waits for, it waits for at this stage as well, and so do copies of ours; work
    // of earlier batches that still runs is none of its business.
    next.CmdWriteTimestamp(
        commands_[i],
        i == 0 ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_,
        i);
    if (next.EndCommandBuffer(commands_[i]) != VK_SUCCESS) return false;
  }
  return true;
}

std::vector<std::optional<std::uint64_t>> StampRun::read(std::size_t count) const {
  std::vector<std::optional<std::uint64_t>> ticks;
  read_queries(*device_, queries_, static_cast<std::uint32_t>(count), ticks);
  if (probes_) learn_stamp();
  return ticks;
}

void StampRun::learn_stamp() const {
  std::vector<std::optional<std::uint64_t>> ticks;
  read_queries(*device_, queries_, static_cast<std::uint32_t>(size()) + probes_, ticks);
  std::optional<std::uint64_t> least;
  for (std::size_t i = size() + 1; i < ticks.size(); ++i)
    if (ticks[i - 1] && ticks[i] && *ticks[i] >= *ticks[i - 1])
      least = std::min(least.value_or(~std::uint64_t{0}), *ticks[i] - *ticks[i - 1]);
  if (least)
    device_->costs.learn_stamp(static_cast<float>(*least) *
                               device_->properties.limits.timestampPeriod);
}

}  // namespace reel::layer::vk
