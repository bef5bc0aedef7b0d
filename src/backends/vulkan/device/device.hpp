// device.hpp - an open Vulkan device.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "backends/vulkan/device/context.hpp"
#include "runtime/driver.hpp"

namespace reel::vulkan {

class DecisionKernels;
enum class SkippedBy : std::uint8_t;

class VulkanDevice final : public DeviceDriver {
 public:
  explicit VulkanDevice(const PhysicalDevice& physical);

  const DeviceInfo& info() const override { return context_->physical.info; }
  std::unique_ptr<BufferResource> allocate(const MemoryRequest& request) override;
  std::shared_ptr<KernelResource> build(const KernelSource& source,
                                        std::shared_ptr<void>* shared) override;
  std::unique_ptr<QueueDriver> open_queue(std::string_view label, StreamPriority priority) override;
  std::unique_ptr<Executable> instantiate(std::shared_ptr<const Plan> plan) override;
  MadeForDevice decide_on_device(const DecidedOnDevice& decision) override;
  std::uint64_t now_ns() override;

 private:
  const std::shared_ptr<Context> context_;
  const std::shared_ptr<DecisionKernels> decision_kernels_;
  const SkippedBy decisions_skip_;
};

}  // namespace reel::vulkan
