// layer.cpp - where the loader comes in: instances, devices, and which function is whose.
#include <array>
#include <cstring>
#include <mutex>
#include <string_view>

#include "base/process/exit_watch.hpp"
#include "layers/session/process.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/command_buffer.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "layers/vulkan/vulkan_api.hpp"

namespace reel::layer::vk {

Handles<Instance>& instances() noexcept { return forever<Handles<Instance>>(); }
Handles<Device>& devices() noexcept { return forever<Handles<Device>>(); }
Handles<Queue>& queues() noexcept { return forever<Handles<Queue>>(); }
Handles<CommandBuffer>& command_buffers() noexcept { return forever<Handles<CommandBuffer>>(); }

namespace {

constexpr char layer_name[] = "VK_LAYER_REEL_capture";
constexpr char debug_utils[] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;

// The loader's own link to the next layer, which the chain of structures has.
template <class Link, class Info>
Link* link_of(const Info* info, VkStructureType type, VkLayerFunction what) {
  for (auto* one = static_cast<const VkBaseInStructure*>(info->pNext); one; one = one->pNext)
    if (one->sType == type && reinterpret_cast<const Link*>(one)->function == what)
      return const_cast<Link*>(reinterpret_cast<const Link*>(one));
  return nullptr;
}

bool names(std::uint32_t count, const char* const* list, std::string_view wanted) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (wanted == list[i]) return true;
  return false;
}

// What could not be noted, since no memory was left, goes by us: its functions are those of the
// next layer. Kept without memory of its own, so for a few.
template <class Handle, class Get>
class PassedBy {
 public:
  struct Place {
    Handle handle = nullptr;
    Get get = nullptr;
    const void* key = nullptr;
    // Of an instance, taken when it is made: asked later, the loader gives its own, which lead
    // back.
    PFN_vkVoidFunction destroy = nullptr, extensions = nullptr;

    explicit operator bool() const noexcept { return get != nullptr; }
    PFN_vkVoidFunction operator()(const char* name) const { return get(handle, name); }
  };

  void add(Handle handle, Get get) noexcept {
    const std::lock_guard lock(mutex_);
    Place& place = places_[next_++ % places_.size()];
    place = {handle, get, key_of(handle)};
    if constexpr (std::is_same_v<Handle, VkInstance>) {
      place.destroy = get(handle, "vkDestroyInstance");
      place.extensions = get(handle, "vkEnumerateDeviceExtensionProperties");
    }
  }
  // By what has the same dispatch key.
  Place find(const void* dispatchable) noexcept {
    const std::lock_guard lock(mutex_);
    for (const Place& place : places_)
      if (place.key == key_of(dispatchable)) return place;
    return {};
  }

 private:
  std::mutex mutex_;
  std::array<Place, 16> places_;
  std::size_t next_ = 0;
};
constinit PassedBy<VkInstance, PFN_vkGetInstanceProcAddr> instances_passed_by;
constinit PassedBy<VkDevice, PFN_vkGetDeviceProcAddr> devices_passed_by;

// --- instances ----------------------------------------------------------------------------------

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                    const VkAllocationCallbacks* allocator, VkInstance* instance) {
  auto* link = link_of<VkLayerInstanceCreateInfo>(
      info, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VK_LAYER_LINK_INFO);
  if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
  if (!create) return VK_ERROR_INITIALIZATION_FAILED;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;  // the next layer finds its own
  const VkResult result = create(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  api_loaded(vulkan_api());
  quietly([&] {
    auto made = std::make_shared<Instance>();
    made->handle = *instance;
    made->next.load(*instance, get);
    made->has_debug_utils =
        names(info->enabledExtensionCount, info->ppEnabledExtensionNames, debug_utils);
    if (info->pApplicationInfo && info->pApplicationInfo->apiVersion)
      made->api_version = info->pApplicationInfo->apiVersion;
    instances().add(key_of(*instance), std::move(made));
  });
  if (!instance_of(*instance)) instances_passed_by.add(*instance, get);
  return result;
}

void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks* allocator) {
  if (!instance) return;
  const auto known = instances().remove(key_of(instance));
  if (known)
    known->next.DestroyInstance(instance, allocator);
  else if (const auto passed = instances_passed_by.find(instance))
    reinterpret_cast<PFN_vkDestroyInstance>(passed.destroy)(instance, allocator);
}

// --- devices ------------------------------------------------------------------------------------

void describe(Device& device, const VkDeviceCreateInfo& info) {
  const InstanceFunctions& next = device.instance->next;
  next.GetPhysicalDeviceProperties(device.physical, &device.properties);
  device.api_version = std::min(device.properties.apiVersion, device.instance->api_version);
  next.GetPhysicalDeviceMemoryProperties(device.physical, &device.memory);
  std::uint32_t count = 0;
  next.GetPhysicalDeviceQueueFamilyProperties(device.physical, &count, nullptr);
  device.families.resize(count);
  next.GetPhysicalDeviceQueueFamilyProperties(device.physical, &count, device.families.data());
  for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i)
    device.extensions.emplace_back(info.ppEnabledExtensionNames[i]);
}

// Of all features those that say what becomes of accesses out of bounds: others only allow more.
void find_features(Device& device, const VkDeviceCreateInfo& info) {
  const auto add = [&](VkBool32 is_on, const char* name) {
    if (is_on) device.features.emplace_back(name);
  };
  const VkPhysicalDeviceFeatures* core = info.pEnabledFeatures;
  if (const auto* all = find_in<VkPhysicalDeviceFeatures2>(
          info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2))
    core = &all->features;
  if (core) add(core->robustBufferAccess, "robustBufferAccess");
  if (const auto* robust = find_in<VkPhysicalDeviceRobustness2FeaturesEXT>(
          info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT)) {
    add(robust->robustBufferAccess2, "robustBufferAccess2");
    add(robust->robustImageAccess2, "robustImageAccess2");
  }
  if (const auto* images = find_in<VkPhysicalDeviceImageRobustnessFeatures>(
          info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES))
    add(images->robustImageAccess, "robustImageAccess");
  else if (const auto* core13 = find_in<VkPhysicalDeviceVulkan13Features>(
               info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES))
    add(core13->robustImageAccess, "robustImageAccess");
}

// Its clock can be looked at then; the program is not told.
constexpr char calibrated[] = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;

bool has_extension(const Instance& instance, VkPhysicalDevice physical, std::string_view name) {
  bool is_there = false;
  quietly([&] {
    std::uint32_t count = 0;
    const auto enumerate = instance.next.EnumerateDeviceExtensionProperties;
    if (enumerate(physical, nullptr, &count, nullptr) != VK_SUCCESS) return;
    std::vector<VkExtensionProperties> all(count);
    if (enumerate(physical, nullptr, &count, all.data()) < 0) return;
    for (const VkExtensionProperties& one : all) is_there = is_there || name == one.extensionName;
  });
  return is_there;
}

VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                  const VkAllocationCallbacks* allocator, VkDevice* device) {
  auto* link = link_of<VkLayerDeviceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                                VK_LAYER_LINK_INFO);
  if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
  const auto* loader_data = link_of<VkLayerDeviceCreateInfo>(
      info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LOADER_DATA_CALLBACK);
  const PFN_vkGetInstanceProcAddr get_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const PFN_vkGetDeviceProcAddr get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  Instance* instance = instance_of(physical);
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(get_instance(
      instance ? instance->handle : instances_passed_by.find(physical).handle, "vkCreateDevice"));
  if (!create) return VK_ERROR_INITIALIZATION_FAILED;
  auto* const rest = link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  VkResult result = VK_ERROR_EXTENSION_NOT_PRESENT;
  if (instance && has_extension(*instance, physical, calibrated) &&
      !names(info->enabledExtensionCount, info->ppEnabledExtensionNames, calibrated))
    quietly([&] {
      VkDeviceCreateInfo more = *info;
      std::vector<const char*> extensions(
          info->ppEnabledExtensionNames,
          info->ppEnabledExtensionNames + info->enabledExtensionCount);
      extensions.push_back(calibrated);
      more.ppEnabledExtensionNames = extensions.data();
      more.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
      result = create(physical, &more, allocator, device);
    });
  if (result == VK_ERROR_EXTENSION_NOT_PRESENT) {
    link->u.pLayerInfo = rest;  // the first try may have taken it further
    result = create(physical, info, allocator, device);
  }
  if (result != VK_SUCCESS) return result;
  if (!instance) {
    devices_passed_by.add(*device, get);
    return result;
  }
  on_exit_begin(ExitStep::wait_for_devices, wait_at_exit);
  quietly([&] {
    auto made = std::make_shared<Device>();
    made->handle = *device;
    made->physical = physical;
    made->instance = std::static_pointer_cast<Instance>(instance->shared_from_this());
    made->next.load(*device, get);
    if (loader_data) made->set_loader_data = loader_data->u.pfnSetDeviceLoaderData;
    describe(*made, *info);
    find_features(*made, *info);
    made->unnoted_commands = std::make_shared<CommandBuffer>();
    made->unnoted_commands->ops.close();
    made->unnoted_commands->device = made;
    made->unnoted_commands->next = &made->next;
    devices().add(key_of(*device), std::move(made));
  });
  if (!device_of(*device)) devices_passed_by.add(*device, get);
  return result;
}

void VKAPI_CALL destroy_device(VkDevice handle, const VkAllocationCallbacks* allocator) {
  if (!handle) return;
  Device* device = device_of(handle);
  if (!device) {
    if (const auto get = devices_passed_by.find(handle))
      reinterpret_cast<PFN_vkDestroyDevice>(get("vkDestroyDevice"))(handle, allocator);
    return;
  }
  quietly([&] { device_goes(*device); });
  const auto known = devices().remove(key_of(handle));
  known->next.DestroyDevice(handle, allocator);
  known->unnoted_commands.reset();  // which holds the device
}

// --- what the layer says of itself --------------------------------------------------------------

template <class T>
VkResult answer(const T* all, std::uint32_t available, std::uint32_t* count, T* properties) {
  if (!properties) {
    *count = available;
    return VK_SUCCESS;
  }
  const std::uint32_t given = std::min(*count, available);
  std::copy(all, all + given, properties);
  *count = given;
  return given < available ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult VKAPI_CALL layer_properties(std::uint32_t* count, VkLayerProperties* properties) {
  VkLayerProperties one{};
  std::memcpy(one.layerName, layer_name, sizeof layer_name);
  one.specVersion = VK_HEADER_VERSION_COMPLETE;
  one.implementationVersion = 1;
  constexpr char what[] = "Reel: records compute work into a document";
  std::memcpy(one.description, what, sizeof what);
  return answer(&one, 1, count, properties);
}

VkResult VKAPI_CALL device_layer_properties(VkPhysicalDevice, std::uint32_t* count,
                                            VkLayerProperties* properties) {
  return layer_properties(count, properties);
}

VkResult VKAPI_CALL instance_extensions(const char* of_layer, std::uint32_t* count,
                                        VkExtensionProperties* properties) {
  if (!of_layer || std::string_view(of_layer) != layer_name) return VK_ERROR_LAYER_NOT_PRESENT;
  VkExtensionProperties one{};
  std::memcpy(one.extensionName, debug_utils, sizeof debug_utils);
  one.specVersion = VK_EXT_DEBUG_UTILS_SPEC_VERSION;
  return answer(&one, 1, count, properties);
}

VkResult VKAPI_CALL device_extensions(VkPhysicalDevice physical, const char* of_layer,
                                      std::uint32_t* count, VkExtensionProperties* properties) {
  if (of_layer && std::string_view(of_layer) == layer_name) {
    *count = 0;
    return VK_SUCCESS;
  }
  const Instance* instance = instance_of(physical);
  if (!instance) {
    const auto passed = instances_passed_by.find(physical);
    if (!passed) return VK_ERROR_INITIALIZATION_FAILED;
    return reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(passed.extensions)(
        physical, of_layer, count, properties);
  }
  return instance->next.EnumerateDeviceExtensionProperties(physical, of_layer, count, properties);
}

// --- which function is whose --------------------------------------------------------------------

PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice device, const char* name);
PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance instance, const char* name);

PFN_vkVoidFunction own_instance_function(std::string_view name) noexcept {
  const Hook own[] = {
      {"vkGetInstanceProcAddr", get_instance_function},
      {"vkCreateInstance", create_instance},
      {"vkDestroyInstance", destroy_instance},
      {"vkCreateDevice", create_device},
      {"vkEnumerateInstanceLayerProperties", layer_properties},
      {"vkEnumerateDeviceLayerProperties", device_layer_properties},
      {"vkEnumerateInstanceExtensionProperties", instance_extensions},
      {"vkEnumerateDeviceExtensionProperties", device_extensions},
      {"vkGetDeviceProcAddr", get_device_function},
      {"vkDestroyDevice", destroy_device},
  };
  for (const Hook& hook : own)
    if (name == hook.name) return hook.function;
  return nullptr;
}

// A function of an extension that is off stays null, as the program expects it.
PFN_vkVoidFunction VKAPI_CALL get_device_function(VkDevice handle, const char* name) {
  if (!handle || !name) return nullptr;
  const std::string_view wanted(name);
  if (wanted == "vkGetDeviceProcAddr")
    return reinterpret_cast<PFN_vkVoidFunction>(get_device_function);
  if (wanted == "vkDestroyDevice") return reinterpret_cast<PFN_vkVoidFunction>(destroy_device);
  const Device* device = device_of(handle);
  if (!device) {
    const auto get = devices_passed_by.find(handle);
    return get ? get(name) : nullptr;
  }
  const PFN_vkVoidFunction below = device->next.GetDeviceProcAddr(handle, name);
  const Hook* hook = find_hook(wanted);
  if (!hook) return below;
  const bool is_there = below || (hook->is_debug_utils && device->instance->has_debug_utils);
  return is_there ? hook->function : nullptr;
}

PFN_vkVoidFunction VKAPI_CALL get_instance_function(VkInstance handle, const char* name) {
  if (!name) return nullptr;
  if (const PFN_vkVoidFunction own = own_instance_function(name)) return own;
  if (!handle) return nullptr;
  const Instance* instance = instance_of(handle);
  if (!instance) {
    const auto get = instances_passed_by.find(handle);
    return get ? get(name) : nullptr;
  }
  const PFN_vkVoidFunction below = instance->next.GetInstanceProcAddr(handle, name);
  const Hook* hook = find_hook(name);
  if (!hook) return below;
  return below || (hook->is_debug_utils && instance->has_debug_utils) ? hook->function : nullptr;
}

}  // namespace

// One after the other: a map would need memory, which may be missing, and names differ in length.
const Hook* find_hook(std::string_view name) noexcept {
  for (const auto list : {barrier_hooks(), command_hooks(), command_buffer_hooks(),
                          descriptor_hooks(), image_hooks(), label_hooks(), memory_hooks(),
                          pipeline_hooks(), present_hooks(), queue_hooks(), sync_hooks()})
    for (const Hook& hook : list)
      if (name == hook.name) return &hook;
  return nullptr;
}

}  // namespace reel::layer::vk

extern "C" {

#define REEL_EXPORT __attribute__((visibility("default")))

REEL_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface) {
  using namespace reel::layer::vk;
  if (!interface || interface->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT)
    return VK_ERROR_INITIALIZATION_FAILED;
  interface->loaderLayerInterfaceVersion =
      std::min<std::uint32_t>(interface->loaderLayerInterfaceVersion, 2);
  interface->pfnGetInstanceProcAddr = get_instance_function;
  interface->pfnGetDeviceProcAddr = get_device_function;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
}
