#include "backends/vulkan/device/context.hpp"

#include <algorithm>

#include "backends/vulkan/device/buffer.hpp"
#include "backends/vulkan/device/clock.hpp"
#include "backends/vulkan/device/result.hpp"
#include "backends/vulkan/kernels/layout.hpp"
#include "backends/vulkan/kernels/sampler_cache.hpp"

namespace reel::vulkan {

Context::Context(PhysicalDevice physical_) : physical(std::move(physical_)) {
  open();
  try {
    memory = std::make_unique<MemoryPool>(physical.handle, device, vk);
    layouts = std::make_unique<LayoutCache>(*this);
    samplers = std::make_unique<SamplerCache>(*this);
    clock = std::make_unique<Clock>(*this);
  } catch (...) {
    memory.reset();
    samplers.reset();
    layouts.reset();
    vk.vkDestroyDevice(device, nullptr);
    throw;
  }
}

Context::~Context() {
  clock.reset();
  nothing_.reset();
  samplers.reset();
  layouts.reset();
  memory.reset();
  vk.vkDestroyDevice(device, nullptr);
}

void Context::open() {
  // More streams than this share; no device known has more that run side by side.
  const std::uint32_t queue_count = std::min(physical.queue_count, 4u);
  const std::vector<float> priorities(queue_count, 1.0f);
  VkDeviceQueueCreateInfo queue_info{};
  queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue_info.queueFamilyIndex = physical.queue_family;
  queue_info.queueCount = queue_count;
  queue_info.pQueuePriorities = priorities.data();

  features.query(physical.handle, physical.api_version, physical.extensions);
  physical.info.features = features.keep_compute_only(physical.info.features);
  std::vector<const char*> extensions = features.extensions();
  if (physical.calibrated_timestamps)
    extensions.push_back(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(vkCreateDevice(physical.handle, &info, nullptr, &device), "vkCreateDevice");
  volkLoadDeviceTable(&vk, device);
  for (std::uint32_t i = 0; i < queue_count; ++i) {
    VkQueue queue = VK_NULL_HANDLE;
    vk.vkGetDeviceQueue(device, physical.queue_family, i, &queue);
    queues_.push_back(queue);
  }
}

VkBuffer Context::nothing() {
  const std::lock_guard lock(submit_mutex);
  if (!nothing_) nothing_ = std::make_unique<StagingBuffer>(*this, 256);
  return nothing_->handle;
}

VkQueue Context::next_queue() {
  const std::lock_guard lock(submit_mutex);
  return queues_[next_queue_++ % queues_.size()];
}

void Context::run_now(const std::function<void(VkCommandBuffer)>& record) {
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool_info.queueFamilyIndex = physical.queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  check(vk.vkCreateCommandPool(device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
  VkFenceCreateInfo fence_info{};
  fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  VkResult result = vk.vkCreateFence(device, &fence_info, nullptr, &fence);
  if (result >= 0) {
    VkCommandBufferAllocateInfo buffer_info{};
    buffer_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    buffer_info.commandPool = pool;
    buffer_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffer_info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    result = vk.vkAllocateCommandBuffers(device, &buffer_info, &commands);
    if (result >= 0) {
      VkCommandBufferBeginInfo begin{};
      begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
      begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
      vk.vkBeginCommandBuffer(commands, &begin);
      record(commands);
      result = vk.vkEndCommandBuffer(commands);
    }
    if (result >= 0) {
      VkSubmitInfo submit{};
      submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
      submit.commandBufferCount = 1;
      submit.pCommandBuffers = &commands;
      const std::lock_guard lock(submit_mutex);
      result = vk.vkQueueSubmit(queues_[0], 1, &submit, fence);
    }
    if (result >= 0) result = vk.vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
    vk.vkDestroyFence(device, fence, nullptr);
  }
  vk.vkDestroyCommandPool(device, pool, nullptr);
  check(result, "vkQueueSubmit");
}

VkResult Context::wait_semaphore(VkSemaphore semaphore, std::uint64_t value,
                                 std::uint64_t most_ns) const {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  const auto wait =
      physical.api_version >= VK_API_VERSION_1_2 ? vk.vkWaitSemaphores : vk.vkWaitSemaphoresKHR;
  return wait(device, &info, most_ns);
}

VkResult Context::counter(VkSemaphore semaphore, std::uint64_t& value) const {
  const auto get = physical.api_version >= VK_API_VERSION_1_2 ? vk.vkGetSemaphoreCounterValue
                                                              : vk.vkGetSemaphoreCounterValueKHR;
  return get(device, semaphore, &value);
}

}  // namespace reel::vulkan
