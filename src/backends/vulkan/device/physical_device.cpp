#include "backends/vulkan/device/physical_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "backends/vulkan/device/features.hpp"
#include "backends/vulkan/device/loader.hpp"

namespace reel::vulkan {
namespace {

std::set<std::string> extension_names(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, list.data());
  std::set<std::string> names;
  for (const VkExtensionProperties& extension : list) names.insert(extension.extensionName);
  return names;
}

const char* type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated gpu";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete gpu";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "cpu";
    default:
      return "other";
  }
}

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

std::uint64_t local_memory_bytes(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      total += memory.memoryHeaps[i].size;
  return total;
}

// A family that computes and does nothing else is the fastest to reach on a GPU.
void choose_queue_family(PhysicalDevice& device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families.data());
  bool found_dedicated = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount == 0) continue;
    const bool dedicated = !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT);
    if (device.queue_count && (found_dedicated || !dedicated)) continue;
    device.queue_family = i;
    device.queue_count = families[i].queueCount;
    device.timestamp_bits = families[i].timestampValidBits;
    found_dedicated = dedicated;
  }
}

void describe(PhysicalDevice& device, const std::set<std::string>& extensions) {
  VkPhysicalDeviceMaintenance3Properties maintenance{};
  maintenance.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &maintenance;
  if (device.api_version >= VK_API_VERSION_1_2 ||
      extensions.contains(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME))
    maintenance.pNext = &driver;
  VkPhysicalDeviceSubgroupProperties subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  subgroup.pNext = properties.pNext;
  properties.pNext = &subgroup;
  VkPhysicalDeviceSubgroupSizeControlProperties subgroup_size{};
  subgroup_size.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  if (device.api_version >= VK_API_VERSION_1_3 ||
      extensions.contains(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) {
    subgroup_size.pNext = properties.pNext;
    properties.pNext = &subgroup_size;
  }
  vkGetPhysicalDeviceProperties2(device.handle, &properties);
  const VkPhysicalDeviceProperties& core = properties.properties;
  const VkPhysicalDeviceLimits& limits = device.limits = core.limits;

  if (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
    device.subgroup_operations = subgroup.supportedOperations;
  if (subgroup_size.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) {
    device.least_subgroup = subgroup_size.minSubgroupSize;
    device.most_subgroup = subgroup_size.maxSubgroupSize;
  }

  DeviceInfo& info = device.info;
  info.name = core.deviceName;
  info.type = type_name(core.deviceType);
  info.driver = driver.driverName;
  info.driver_version = driver.driverInfo[0] ? driver.driverInfo : version_text(core.driverVersion);
  info.api_version = "Vulkan " + version_text(core.apiVersion);
  info.memory_bytes = local_memory_bytes(device.handle);
  info.max_buffer_bytes = maintenance.maxMemoryAllocationSize;
  info.max_binding_bytes = limits.maxStorageBufferRange;
  info.binding_alignment_bytes = static_cast<std::uint32_t>(limits.minStorageBufferOffsetAlignment);
  info.max_group_items = limits.maxComputeWorkGroupInvocations;
  const auto dim = [](const std::uint32_t(&d)[3]) { return Dim3(d[0], d[1], d[2]); };
  info.max_group_size = dim(limits.maxComputeWorkGroupSize);
  info.max_groups = dim(limits.maxComputeWorkGroupCount);
  info.max_shared_bytes = limits.maxComputeSharedMemorySize;
  info.can_stamp_time = device.timestamp_bits > 0;
  info.stamp_resolution_ns = info.can_stamp_time ? limits.timestampPeriod : 0;
  info.can_dispatch_indirect = true;
  info.wants_barriers = true;
  info.takes_images = true;
  info.maps_memory = true;  // every device has a kind of memory that is visible and coherent
  info.kernel_forms = {KernelForm::glsl, KernelForm::spirv};
}

std::string reason_to_reject(const PhysicalDevice& device, const std::set<std::string>& extensions,
                             const Features& features) {
  const std::string& name = device.info.name;
  if (device.api_version < VK_API_VERSION_1_1)
    return fmt::format("Vulkan device '{}' offers {}; 1.1 is needed.", name,
                       device.info.api_version);
  if (device.queue_count == 0)
    return fmt::format("Vulkan device '{}' has no queue that computes.", name);
  const bool timeline_core = device.api_version >= VK_API_VERSION_1_2;
  if (!timeline_core && !extensions.contains(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME))
    return fmt::format("Vulkan device '{}' has no timeline semaphores ({} without {}).", name,
                       device.info.api_version, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
  if (!features.timeline.timelineSemaphore)
    return fmt::format("Vulkan device '{}' has its timeline semaphores switched off.", name);
  return {};
}

}  // namespace

std::vector<PhysicalDevice> physical_devices() {
  const Loader& library = loader();
  if (!library.failure.empty()) return {};
  std::uint32_t count = 0;
  vkEnumeratePhysicalDevices(library.instance, &count, nullptr);
  std::vector<VkPhysicalDevice> handles(count);
  if (vkEnumeratePhysicalDevices(library.instance, &count, handles.data()) < 0) return {};
  handles.resize(count);

  std::vector<PhysicalDevice> devices;
  for (VkPhysicalDevice handle : handles) {
    PhysicalDevice device;
    device.handle = handle;
    device.info.id = fmt::format("vulkan:{}", devices.size());
    device.info.backend = "vulkan";
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(handle, &properties);
    device.api_version = std::min(properties.apiVersion, library.api_version);
    device.info.name = properties.deviceName;
    device.info.api_version = "Vulkan " + version_text(properties.apiVersion);
    device.extensions = extension_names(handle);
    const std::set<std::string>& extensions = device.extensions;
    choose_queue_family(device);
    device.calibrated_timestamps = extensions.contains(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
    Features features;
    if (device.api_version >= VK_API_VERSION_1_1) {
      describe(device, extensions);
      features.query(handle, device.api_version, extensions);
      device.info.can_dispatch_conditionally = features.conditional.conditionalRendering;
    }
    device.info.unavailable = reason_to_reject(device, extensions, features);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace reel::vulkan
