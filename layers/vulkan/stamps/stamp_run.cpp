#include "layers/vulkan/stamp_run.hpp"

#include "layers/vulkan/objects/queue.hpp"

namespace reel::layer::vk {

std::unique_ptr<StampRun> StampRun::make(Queue& queue) {
  std::unique_ptr<StampRun> run(new StampRun(queue.owner));
  return run->record(queue.family) ? std::move(run) : nullptr;
}

StampRun::~StampRun() {
  if (device_->is_gone) return;
  if (pool_) device_->next.DestroyCommandPool(device_->handle, pool_, nullptr);
  if (queries_) device_->next.DestroyQueryPool(device_->handle, queries_, nullptr);
}

bool StampRun::record(std::uint32_t family) {
  const DeviceFunctions& next = device_->next;
  VkQueryPoolCreateInfo query_info{};
  query_info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  query_info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  query_info.queryCount = 2;
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool_info.queueFamilyIndex = family;
  if (next.CreateQueryPool(device_->handle, &query_info, nullptr, &queries_) != VK_SUCCESS ||
      next.CreateCommandPool(device_->handle, &pool_info, nullptr, &pool_) != VK_SUCCESS)
    return false;
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 2;
  if (next.AllocateCommandBuffers(device_->handle, &info, commands_) != VK_SUCCESS) return false;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (device_->set_loader_data &&
        device_->set_loader_data(device_->handle, commands_[i]) != VK_SUCCESS)
      return false;
    if (next.BeginCommandBuffer(commands_[i], &begin) != VK_SUCCESS) return false;
    if (i == 0) next.CmdResetQueryPool(commands_[i], queries_, 0, 2);
    next.CmdWriteTimestamp(
        commands_[i],
        i == 0 ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_,
        i);
    if (next.EndCommandBuffer(commands_[i]) != VK_SUCCESS) return false;
  }
  return true;
}

bool StampRun::read(std::uint64_t& started_ns, std::uint64_t& ended_ns) const noexcept {
  std::uint64_t ticks[2] = {0, 0};
  if (device_->is_gone ||
      device_->next.GetQueryPoolResults(device_->handle, queries_, 0, 2, sizeof ticks, ticks,
                                        sizeof ticks[0], VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
    return false;
  const auto period = static_cast<double>(device_->properties.limits.timestampPeriod);
  started_ns = static_cast<std::uint64_t>(static_cast<double>(ticks[0]) * period);
  ended_ns = static_cast<std::uint64_t>(static_cast<double>(ticks[1]) * period);
  return started_ns != 0 && ended_ns >= started_ns;
}

}  // namespace reel::layer::vk
