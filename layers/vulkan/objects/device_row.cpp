#include "layers/vulkan/objects/device_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "layers/vulkan/stamps/ticks.hpp"

namespace reel::layer::vk {

namespace {

struct Identity {
  VkPhysicalDeviceProperties properties{};
  std::uint64_t memory_bytes = 0;
  bool can_stamp_time = false;
  std::string driver, driver_info;
  std::uint32_t place = 0;        // among the physical devices of its instance
  std::weak_ptr<Device> example;  // one that lives, as far as is known

  bool is_of(const Device& device) const {
    const VkPhysicalDeviceProperties& other = device.properties;
    return properties.vendorID == other.vendorID && properties.deviceID == other.deviceID &&
           properties.driverVersion == other.driverVersion &&
           std::strcmp(properties.deviceName, other.deviceName) == 0 &&
           std::memcmp(properties.pipelineCacheUUID, other.pipelineCacheUUID, VK_UUID_SIZE) == 0;
  }
};

struct Known {
  std::mutex mutex;
  std::vector<std::unique_ptr<Identity>> all;
};
Known& known() { return forever<Known>(); }

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

const char* type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated gpu";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete gpu";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual gpu";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "cpu";
    default:
      return "other";
  }
}

void describe(Identity& identity, const Device& device) {
  identity.properties = device.properties;
  for (std::uint32_t i = 0; i < device.memory.memoryHeapCount; ++i)
    if (device.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      identity.memory_bytes += device.memory.memoryHeaps[i].size;
  for (const VkQueueFamilyProperties& family : device.families)
    identity.can_stamp_time = identity.can_stamp_time || family.timestampValidBits > 0;
  const InstanceFunctions& next = device.instance->next;
  // Of an older device the program's instance may not ask for this.
  if (next.GetPhysicalDeviceProperties2 && device.api_version >= VK_API_VERSION_1_2) {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &driver;
    next.GetPhysicalDeviceProperties2(device.physical, &properties);
    identity.driver = driver.driverName;
    identity.driver_info = driver.driverInfo;
  }
  std::uint32_t count = 0;
  if (next.EnumeratePhysicalDevices(device.instance->handle, &count, nullptr) != VK_SUCCESS) return;
  std::vector<VkPhysicalDevice> all(count);
  next.EnumeratePhysicalDevices(device.instance->handle, &count, all.data());
  for (std::uint32_t i = 0; i < count; ++i)
    if (all[i] == device.physical) identity.place = i;
}

}  // namespace

const void* identity_of_device(Device& device) {
  if (const void* found = device.identity.load(std::memory_order_acquire)) return found;
  Known& list = known();
  const std::lock_guard lock(list.mutex);
  Identity* identity = nullptr;
  for (const auto& one : list.all)
    if (one->is_of(device)) identity = one.get();
  if (!identity) {
    auto made = std::make_unique<Identity>();
    describe(*made, device);
    identity = made.get();
    list.all.push_back(std::move(made));
  }
  identity->example = device.share();
  device.identity.store(identity, std::memory_order_release);
  return identity;
}

document::DeviceRow device_row(const void* device, std::uint32_t number) {
  const auto& identity = *static_cast<const Identity*>(device);
  const VkPhysicalDeviceProperties& properties = identity.properties;
  document::DeviceRow row{};
  row.id = number;
  row.selector = fmt::format("vulkan:{}", identity.place);
  row.backend = "vulkan";
  row.name = properties.deviceName;
  row.type = type_name(properties.deviceType);
  row.driver = identity.driver;
  row.driver_version =
      identity.driver_info.empty() ? version_text(properties.driverVersion) : identity.driver_info;
  row.api_version = "Vulkan " + version_text(properties.apiVersion);
  row.memory_bytes = identity.memory_bytes;
  row.can_stamp_time = identity.can_stamp_time;
  row.stamp_resolution_ns = identity.can_stamp_time ? properties.limits.timestampPeriod : 0;
  return row;
}

std::optional<std::uint64_t> device_now_ns(const void* device) noexcept {
  const auto& identity = *static_cast<const Identity*>(device);
  std::shared_ptr<Device> example;
  {
    const std::lock_guard lock(known().mutex);
    example = identity.example.lock();
  }
  if (!example || example->is_gone || !example->next.GetCalibratedTimestampsEXT)
    return std::nullopt;
  VkCalibratedTimestampInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  info.timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  std::uint64_t ticks = 0, deviation = 0;
  if (example->next.GetCalibratedTimestampsEXT(example->handle, 1, &info, &ticks, &deviation) !=
      VK_SUCCESS)
    return std::nullopt;
  std::uint32_t bits = 0;
  for (const VkQueueFamilyProperties& family : example->families)
    bits = std::max(bits, family.timestampValidBits);
  return nanoseconds_of(*example, bits, ticks);
}

}  // namespace reel::layer::vk
