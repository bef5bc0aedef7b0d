// hooks.hpp - the functions of Vulkan that the layer stands in for: one list for each file of this
// folder. What is in no list goes to the driver untouched.
#pragma once

#include <span>
#include <string_view>

#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

struct Hook {
  const char* name;
  PFN_vkVoidFunction function;
  bool is_debug_utils = false;  // of VK_EXT_debug_utils: there also where the driver lacks it

  template <class Function>
  Hook(const char* hook_name, Function* hook, bool of_debug_utils = false)
      : name(hook_name),
        function(reinterpret_cast<PFN_vkVoidFunction>(hook)),
        is_debug_utils(of_debug_utils) {}
};

std::span<const Hook> barrier_hooks();
std::span<const Hook> command_hooks();         // recording of dispatches, copies and fills
std::span<const Hook> command_buffer_hooks();  // command pools and buffers
std::span<const Hook> descriptor_hooks();
std::span<const Hook> image_hooks();
std::span<const Hook> label_hooks();
std::span<const Hook> memory_hooks();
std::span<const Hook> pipeline_hooks();
std::span<const Hook> present_hooks();  // swapchains
std::span<const Hook> queue_hooks();    // queues and submissions
std::span<const Hook> sync_hooks();     // fences, semaphores and waits of the host

// Null: there is none.
const Hook* find_hook(std::string_view name) noexcept;

}  // namespace reel::layer::vk
