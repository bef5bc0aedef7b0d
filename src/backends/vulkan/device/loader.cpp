#include "backends/vulkan/device/loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "backends/vulkan/device/result.hpp"
#include "base/os/libraries.hpp"
#include "base/process/environment_variable.hpp"
#include "base/process/forks.hpp"

namespace reel::vulkan {
namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";
std::atomic<std::uint64_t> message_count = 0;

bool is_one(const char* variable) { return environment_variable(variable) == "1"; }

VKAPI_ATTR VkBool32 VKAPI_CALL print_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                             VkDebugUtilsMessageTypeFlagsEXT types,
                                             const VkDebugUtilsMessengerCallbackDataEXT* data,
                                             void*) {
  // Images are in GENERAL all their lives (image.hpp); that others would be faster is known.
  if ((types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT) &&
      std::strstr(data->pMessage, "instead of GENERAL"))
    return VK_FALSE;
  message_count.fetch_add(1, std::memory_order_relaxed);
  std::fprintf(stderr, "reel: vulkan validation: %s\n", data->pMessage);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info() {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = print_message;
  return info;
}

bool has_validation_layer() {
  std::uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
    return std::strcmp(layer.layerName, validation_layer) == 0;
  });
}

bool has_instance_extension(const char* name) {
  std::uint32_t count = 0;
  vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateInstanceExtensionProperties(nullptr, &count, list.data());
  return std::any_of(list.begin(), list.end(), [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

// The sentence of failure, or empty.
std::string load_library() {
  const std::string_view asked = environment_variable("REEL_VULKAN_LIBRARY");
  std::string path, problem;
  void* library = os::load_first(
      asked.empty() ? os::vulkan_libraries() : std::vector{std::string(asked)}, path, problem);
  if (!library) return fmt::format("The Vulkan library can't be loaded: {}.", problem);
  void* entry = dlsym(library, "vkGetInstanceProcAddr");
  if (!entry) return fmt::format("'{}' has no vkGetInstanceProcAddr: not a Vulkan library.", path);
  PFN_vkGetInstanceProcAddr get = nullptr;
  static_assert(sizeof(get) == sizeof(entry));
  std::memcpy(&get, &entry, sizeof(get));  // a cast from void* is not ISO C++
  volkInitializeCustom(get);
  if (!vkCreateInstance || !vkEnumerateInstanceLayerProperties)
    return fmt::format("'{}' lacks vkCreateInstance: not a working Vulkan library.", path);
  return {};
}

Loader load() {
  Loader result;
  // llvmpipe reads it once, when the first instance is made: 10 to 20 times less for tiny
  // kernels, no parallel groups for large ones.
  if (is_one("REEL_VULKAN_INLINE")) setenv("LP_NUM_THREADS", "0", 0);

  result.failure = load_library();
  if (!result.failure.empty()) return result;

  const std::uint32_t version = volkGetInstanceVersion();
  if (version < VK_API_VERSION_1_1) {
    result.failure = fmt::format("The Vulkan library offers version {}.{}; 1.1 is needed.",
                                 VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    return result;
  }
  result.api_version = std::min<std::uint32_t>(version, VK_API_VERSION_1_3);
  result.validating = is_one("REEL_VULKAN_VALIDATION");
  if (result.validating && !has_validation_layer()) {
    result.failure = fmt::format(
        "REEL_VULKAN_VALIDATION=1 asks for {}, which is not installed (Debian: "
        "vulkan-validationlayers).",
        validation_layer);
    return result;
  }

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "reel";
  application.pEngineName = "reel";
  application.apiVersion = result.api_version;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;

  const VkValidationFeatureEnableEXT synchronization =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info();
  VkValidationFeaturesEXT features{};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &synchronization;
  features.pNext = &messenger;
  std::vector<const char*> extensions;
  // Without it the loader hides drivers whose Vulkan is a subset: those of
  // Apple's GPUs, mostly.
  if (has_instance_extension(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }
  if (result.validating) {
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &validation_layer;
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
  }
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult created = vkCreateInstance(&info, nullptr, &instance);
  if (created != VK_SUCCESS) {
    result.failure = fmt::format("No Vulkan instance could be made: vkCreateInstance answered {}.",
                                 name_of(created));
    return result;
  }
  volkLoadInstanceOnly(instance);
  result.instance = instance;
  if (result.validating) {
    VkDebugUtilsMessengerEXT handle = VK_NULL_HANDLE;
    const VkResult heard = vkCreateDebugUtilsMessengerEXT(instance, &messenger, nullptr, &handle);
    if (heard != VK_SUCCESS)
      result.failure =
          fmt::format("The validation layer can't be listened to: {}.", name_of(heard));
  }
  return result;
}

}  // namespace

namespace {

const Birth& loaded_in() {
  static const Birth birth;
  return birth;
}

}  // namespace

bool is_inherited() { return loaded_in().is_inherited(); }

const Loader& loader() {
  loaded_in();
  // Never destroyed: devices may still be open while the process ends.
  static const Loader& the = *new Loader(load());
  return the;
}

std::uint64_t validation_message_count() noexcept {
  return message_count.load(std::memory_order_relaxed);
}

}  // namespace reel::vulkan
