// context.hpp - an open VkDevice and what all its parts share.
//
// Buffers, kernels, queues and executables hold it together; the VkDevice closes with the last.
// Everything may be used from any thread; `submit_mutex` guards the VkQueues and the state of
// every Line (what was given to the device and what is held back).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/vulkan/device/api.hpp"
#include "backends/vulkan/device/features.hpp"
#include "backends/vulkan/device/memory.hpp"
#include "backends/vulkan/device/physical_device.hpp"

namespace reel::vulkan {

class Clock;
class LayoutCache;
class SamplerCache;
class Line;
struct StagingBuffer;

class Context {
 public:
  explicit Context(PhysicalDevice physical_);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Records, submits and waits, beside all lines.
  void run_now(const std::function<void(VkCommandBuffer)>& record);
  // Streams take turns at the VkQueues of the family.
  VkQueue next_queue();

  // A buffer that stands where nothing is bound, on devices that can't bind
  // nothing.
  VkBuffer nothing();

  VkResult wait_semaphore(VkSemaphore semaphore, std::uint64_t value,
                          std::uint64_t most_ns = UINT64_MAX) const;
  VkResult counter(VkSemaphore semaphore, std::uint64_t& value) const;

  PhysicalDevice physical;  // never changes once the context is made
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable vk{};
  std::unique_ptr<MemoryPool> memory;
  Features features;  // that are on
  std::unique_ptr<LayoutCache> layouts;
  std::unique_ptr<SamplerCache> samplers;
  std::unique_ptr<Clock> clock;

  std::mutex submit_mutex;
  std::vector<Line*> held_lines;  // with entries that wait for something on the host

 private:
  void open();
  std::vector<VkQueue> queues_;
  std::unique_ptr<StagingBuffer> nothing_;
  std::size_t next_queue_ = 0;
};

}  // namespace reel::vulkan
