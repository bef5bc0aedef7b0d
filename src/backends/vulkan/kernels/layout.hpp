// layout.hpp - what kernels take, as the driver wants to know it.
//
// Kernels that bind the same slots and as many bytes of values share one Layout, so that what
// was bound for one stays bound for the next. Kept as long as the device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/vulkan/device/api.hpp"

namespace reel::vulkan {

class Context;

// A binding of a set.
struct BindingSlot {
  std::uint32_t set = 0, binding = 0;
  std::uint32_t count = 1;  // of an array
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  friend auto operator<=>(const BindingSlot&, const BindingSlot&) = default;
};

// What is bound there. Sets are written from an array of these.
union DescriptorInfo {
  VkDescriptorBufferInfo buffer;
  VkDescriptorImageInfo image;
  VkBufferView texels;
};

struct SetLayout {
  std::uint32_t number = 0;
  std::vector<BindingSlot> slots;  // ascending by binding
  std::uint32_t descriptors = 0;   // elements of all slots
  VkDescriptorSetLayout handle = VK_NULL_HANDLE;
  VkDescriptorUpdateTemplate update = VK_NULL_HANDLE;  // from DescriptorInfo[]; none when empty
};

struct Layout {
  std::vector<SetLayout> sets;    // by number, those between that are empty too
  std::uint32_t value_bytes = 0;  // of the push constants
  VkPipelineLayout pipeline = VK_NULL_HANDLE;
};

class LayoutCache {
 public:
  explicit LayoutCache(const Context& context) : context_(context) {}
  ~LayoutCache();
  LayoutCache(const LayoutCache&) = delete;
  LayoutCache& operator=(const LayoutCache&) = delete;

  // `slots`: ascending by set and binding.
  const Layout& get(const std::vector<BindingSlot>& slots, std::uint32_t value_bytes);

 private:
  void create(Layout& layout) const;
  void create(SetLayout& set) const;
  void destroy(Layout& layout) const noexcept;

  const Context& context_;
  std::mutex mutex_;
  std::map<std::pair<std::vector<BindingSlot>, std::uint32_t>, std::unique_ptr<Layout>> layouts_;
};

}  // namespace reel::vulkan
