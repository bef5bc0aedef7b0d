// stamp_run.hpp - timestamps around one batch of the program, and between its command buffers.
//
// Command buffers of ours with one timestamp each. The first says when the batch began, once what
// it waits for and what copies of ours read was there; each other one when all before it had ended.
// They are recorded once: a run that is done serves another batch of its queue family.
// Under the queue's lock, but for read() and the destructor, which come when it is done.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

class StampRun {
 public:
  // With at least so many timestamps, two or more; null: the driver can't.
  static std::unique_ptr<StampRun> make(Device& device, std::uint32_t family, std::size_t count);
  ~StampRun();
  StampRun(const StampRun&) = delete;
  StampRun& operator=(const StampRun&) = delete;

  std::uint32_t family() const noexcept { return family_; }
  std::size_t size() const noexcept { return commands_.size(); }
  VkCommandBuffer command(std::size_t i) const noexcept { return commands_[i]; }
  // It finds out what a timestamp takes, and has more of them for that: others are made then.
  bool is_probe() const noexcept { return probes_ > 0; }
  // The first `count`, of work that is done.
  std::vector<std::optional<std::uint64_t>> read(std::size_t count) const;

 private:
  StampRun(std::shared_ptr<Device> device, std::uint32_t family)
      : device_(std::move(device)), family_(family) {}
  bool record(std::size_t count);
  void learn_stamp() const;

  const std::shared_ptr<Device> device_;
  const std::uint32_t family_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> commands_;
  std::uint32_t probes_ = 0;  // timestamps with nothing between them, behind the other queries
};

}  // namespace reel::layer::vk
