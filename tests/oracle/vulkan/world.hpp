// world.hpp - what a program of steps on Vulkan has made so far, and what all its files use.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "steps.hpp"

namespace oracle {

constexpr std::size_t slots = 4096;

struct Memory {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::size_t bytes = 0;
  std::uint32_t* mapped = nullptr;  // for ever, or imported
  void* imported = nullptr;
};

struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize bytes = 0;
  std::vector<VkBufferView> texels = {};
};

// Of numbers: one layer of one level; from its first use on it is in the layout for everything.
struct Image {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;  // null: the image is another one's
  VkImageView view = VK_NULL_HANDLE;
  VkExtent3D extent = {};
  std::uint32_t level = 0, layer = 0;

  VkImageSubresourceLayers layers() const { return {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1}; }
  VkImageSubresourceRange range() const { return {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, layer, 1}; }
};

// A kernel with the way in which its descriptors reach it.
struct Kernel {
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorUpdateTemplate update = VK_NULL_HANDLE;
  std::string bindings;  // OracleShader
};

struct World {
  explicit World(std::size_t steps) : said(steps) {}

  Said said;
  Flags flags;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkDescriptorPool sets = VK_NULL_HANDLE, late_sets = VK_NULL_HANDLE;
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::uint32_t family = 0, type = 0;
  bool may_be_late = false;  // sets may be written once they are bound
  PFN_vkCmdPushDescriptorSetKHR push_set = nullptr;
  PFN_vkCmdPushDescriptorSetWithTemplateKHR push_template = nullptr;
  PFN_vkCmdBeginConditionalRenderingEXT begin_section = nullptr;
  PFN_vkCmdEndConditionalRenderingEXT end_section = nullptr;
  Memory memories[slots] = {};
  Buffer buffers[slots] = {};
  Image images[slots] = {};
  VkCommandBuffer commands[slots] = {};
  VkFence fences[slots] = {};
  std::map<std::string, Kernel> kernels;
  std::map<std::string, VkDescriptorSet> named_sets;
};

extern World* world;

inline void told(const Step& step, VkResult status) {
  if (status != VK_SUCCESS)
    world->said.say(step, step.operation + " gave " + std::to_string(status));
}

inline void must(VkResult status, const char* what) {
  if (status == VK_SUCCESS) return;
  std::fprintf(stderr, "%s gave %d.\n", what, status);
  std::_Exit(2);
}
#define MUST(call) must((call), #call)

inline std::size_t size_at(const Step& step, std::size_t word) {
  return static_cast<std::size_t>(step.number_at(word));
}
inline std::uint32_t seed_of(const Step& step) {
  return static_cast<std::uint32_t>(step.option("seed", 0));
}

inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream from(text);
  for (std::string one; std::getline(from, one, at);) parts.push_back(one);
  return parts;
}

// Of a number of a buffer: buffer:first.
VkDeviceAddress address_at(const std::string& place);

// What steps do: each is called as its operation, in the table of program.cpp.
void make_memory(const Step& step);
void make_buffer(const Step& step);
void make_image(const Step& step);
void make_part(const Step& step);
void poke(const Step& step);
void poke_size(const Step& step);
void poke_table(const Step& step);
void peek(const Step& step);
void record(const Step& step);

}  // namespace oracle
