// kernels.hpp - kernels of programs of steps, and sets of what they are given.
#pragma once

#include "vulkan/world.hpp"

namespace oracle {

// What is bound, as templates read it too: a range of a buffer, an image, or texels.
union Bound {
  VkDescriptorBufferInfo buffer;
  VkDescriptorImageInfo image;
  VkBufferView texels;
};

// A number, and then addresses.
constexpr std::uint32_t push_bytes = 32;

// Made for the first who asks. How descriptors reach it: docs of `run` in commands.cpp.
Kernel& kernel_of(const std::string& name, const std::string& how, std::uint32_t constant,
                  std::uint32_t group);
VkDescriptorSet make_set(const Kernel& kernel, bool is_late);
std::vector<VkWriteDescriptorSet> writes_of(const Kernel& kernel, VkDescriptorSet set,
                                            bool is_dynamic, const std::vector<Bound>& bound);

}  // namespace oracle
