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

struct Layout {
  std::vector<std::uint32_t> bindings;                 // slot of the i-th buffer, ascending
  std::uint32_t value_bytes = 0;                       // of the push constants
  VkDescriptorSetLayout set = VK_NULL_HANDLE;          // none without buffers
  VkDescriptorUpdateTemplate update = VK_NULL_HANDLE;  // from VkDescriptorBufferInfo[]
  VkPipelineLayout pipeline = VK_NULL_HANDLE;
};

class LayoutCache {
 public:
  explicit LayoutCache(const Context& context) : context_(context) {}
  ~LayoutCache();
  LayoutCache(const LayoutCache&) = delete;
  LayoutCache& operator=(const LayoutCache&) = delete;

  const Layout& get(const std::vector<std::uint32_t>& bindings, std::uint32_t value_bytes);

 private:
  void create(Layout& layout) const;
  void destroy(Layout& layout) const noexcept;

  const Context& context_;
  std::mutex mutex_;
  std::map<std::pair<std::vector<std::uint32_t>, std::uint32_t>, std::unique_ptr<Layout>> layouts_;
};

}  // namespace reel::vulkan
