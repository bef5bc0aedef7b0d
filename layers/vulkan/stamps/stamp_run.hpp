// stamp_run.hpp - timestamps around one batch of the program: when the device came to it, and when
// it was done.
//
// Two command buffers of ours, the first and the last of the batch, and two queries. What lies
// between is not stamped: a timestamp after each dispatch makes small ones several times as long.
// Under the queue's lock, but for read() and the destructor, which come when it is done.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

struct Queue;

class StampRun {
 public:
  // Null: the driver can't.
  static std::unique_ptr<StampRun> make(Queue& queue);
  ~StampRun();
  StampRun(const StampRun&) = delete;
  StampRun& operator=(const StampRun&) = delete;

  VkCommandBuffer first() const noexcept { return commands_[0]; }
  VkCommandBuffer last() const noexcept { return commands_[1]; }
  // Nanoseconds on the device's clock; false: it doesn't tell.
  bool read(std::uint64_t& started_ns, std::uint64_t& ended_ns) const noexcept;

 private:
  explicit StampRun(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  bool record(std::uint32_t family);

  const std::shared_ptr<Device> device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
};

}  // namespace reel::layer::vk
