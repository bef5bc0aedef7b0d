#include "backends/vulkan/device/device.hpp"

#include "backends/backends.hpp"
#include "backends/vulkan/device/buffer.hpp"
#include "backends/vulkan/device/clock.hpp"
#include "backends/vulkan/device/loader.hpp"
#include "backends/vulkan/kernels/kernel.hpp"
#include "backends/vulkan/work/decided.hpp"
#include "backends/vulkan/work/executable.hpp"
#include "backends/vulkan/work/queue.hpp"
#include "base/fail.hpp"

namespace reel {
namespace vulkan {

VulkanDevice::VulkanDevice(const PhysicalDevice& physical)
    : context_(std::make_shared<Context>(physical)),
      decision_kernels_(std::make_shared<DecisionKernels>(context_)),
      decisions_skip_(skipped_by(*context_)) {}

std::unique_ptr<BufferResource> VulkanDevice::allocate(const MemoryRequest& request) {
  return std::make_unique<VulkanBuffer>(context_, request);
}

std::shared_ptr<KernelResource> VulkanDevice::build(const KernelSource& source,
                                                    std::shared_ptr<void>* /*shared*/) {
  return std::make_shared<VulkanKernel>(context_, source);
}

std::unique_ptr<QueueDriver> VulkanDevice::open_queue(std::string_view label,
                                                      StreamPriority /*priority*/) {
  return std::make_unique<VulkanQueue>(context_, label);
}

MadeForDevice VulkanDevice::decide_on_device(const DecidedOnDevice& decision) {
  SeenDecision seen = look_at(*context_, decisions_skip_, decision);
  if (!seen.why_not.empty()) return {nullptr, std::move(seen.why_not)};
  return {std::make_unique<Decided>(context_, decision_kernels_, decision, decisions_skip_,
                                    seen.commands),
          {},
          name_of(decisions_skip_)};
}

std::unique_ptr<Executable> VulkanDevice::instantiate(std::shared_ptr<const Plan> plan) {
  return std::make_unique<VulkanExecutable>(context_, std::move(plan));
}

std::uint64_t VulkanDevice::now_ns() { return context_->clock->now_ns(); }

namespace {

std::vector<DeviceInfo> list() {
  const auto nothing = [](std::string why) {
    DeviceInfo info;
    info.id = info.backend = "vulkan";
    info.name = "Vulkan";
    info.type = "other";
    info.unavailable = std::move(why);
    return std::vector<DeviceInfo>{std::move(info)};
  };
  try {
    if (!loader().failure.empty()) return nothing(loader().failure);
    if (is_inherited())
      return nothing(
          "The Vulkan library was loaded before fork(), in the parent process, and drivers don't "
          "survive that; look for Vulkan devices in the child alone.");
    std::vector<DeviceInfo> infos;
    for (PhysicalDevice& device : physical_devices()) infos.push_back(std::move(device.info));
    if (infos.empty())
      return nothing("The Vulkan library is there, but no driver offers a device.");
    return infos;
  } catch (const std::exception& error) {
    return nothing(fmt::format("Looking for Vulkan devices failed: {}", error.what()));
  }
}

std::shared_ptr<DeviceDriver> open(const DeviceInfo& info) {
  if (!loader().failure.empty()) throw Error(Code::no_device, loader().failure);
  for (const PhysicalDevice& device : physical_devices()) {
    if (device.info.id != info.id) continue;
    if (!device.info.available()) throw Error(Code::no_device, device.info.unavailable);
    PhysicalDevice wanted = device;
    wanted.info.features = info.features;
    return std::make_shared<VulkanDevice>(wanted);
  }
  fail(Code::no_device, "There is no Vulkan device '{}' any more.", info.id);
}

}  // namespace
}  // namespace vulkan

const Backend vulkan_backend{"vulkan", vulkan::list, vulkan::open};

}  // namespace reel
