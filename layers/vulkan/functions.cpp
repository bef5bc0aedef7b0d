#include "layers/vulkan/functions.hpp"

namespace reel::layer::vk {

namespace {

template <class Function, class Get, class Handle>
void take(Function& function, Get get, Handle handle, const char* name,
          const char* early = nullptr) {
  PFN_vkVoidFunction found = get(handle, name);
  if (!found && early) found = get(handle, early);
  function = reinterpret_cast<Function>(found);
}

}  // namespace

#define REEL_VK_TAKE(name) take(name, get, handle, "vk" #name);
#define REEL_VK_TAKE_LATE(name, suffix) take(name, get, handle, "vk" #name, "vk" #name #suffix);

void InstanceFunctions::load(VkInstance handle, PFN_vkGetInstanceProcAddr get) {
  GetInstanceProcAddr = get;
  REEL_VK_INSTANCE_FUNCTIONS(REEL_VK_TAKE, REEL_VK_TAKE_LATE)
}

void DeviceFunctions::load(VkDevice handle, PFN_vkGetDeviceProcAddr get) {
  GetDeviceProcAddr = get;
  REEL_VK_DEVICE_FUNCTIONS(REEL_VK_TAKE, REEL_VK_TAKE_LATE)
}

}  // namespace reel::layer::vk
