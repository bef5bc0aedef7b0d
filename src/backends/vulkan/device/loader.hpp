// loader.hpp - libvulkan and the one instance of the process.
//
// Loaded at the first use and kept to the end of the process; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "backends/vulkan/device/api.hpp"

namespace reel::vulkan {

struct Loader {
  std::string failure;  // a sentence: why there is no instance; empty when there is one
  VkInstance instance = VK_NULL_HANDLE;
  std::uint32_t api_version = 0;  // what the instance was made for: 1.1, 1.2 or 1.3
  bool validating = false;
};

const Loader& loader();
// The library was loaded before a fork(), in the parent: nothing of it may be called any more.
bool is_inherited();

// Messages of the validation layer so far, each also printed on stderr.
// 0 unless REEL_VULKAN_VALIDATION=1.
std::uint64_t validation_message_count() noexcept;

}  // namespace reel::vulkan
