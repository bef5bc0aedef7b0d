// descriptor_cache.hpp - descriptor sets, found again by what they bind.
//
// A set is written once and never changed, so that a hit may be used by any number of command
// buffers in flight. Sets live in generations: when one is full a new one begins, and the old
// one goes when the last batch that holds it is done. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/kernels/layout.hpp"

namespace reel::vulkan {

// What is bound at one place, in numbers that are never used again for anything
// else.
struct Binding {
  std::uint64_t serial = 0;  // of the VulkanBuffer; 0: nothing
  std::uint64_t offset = 0,
                size = 0;  // of an image: kind of its view, and number of the sampler
  friend bool operator==(const Binding&, const Binding&) = default;
};

class DescriptorGeneration {
 public:
  explicit DescriptorGeneration(std::shared_ptr<Context> context)
      : context_(std::move(context)), table_(256) {}
  ~DescriptorGeneration();
  DescriptorGeneration(const DescriptorGeneration&) = delete;
  DescriptorGeneration& operator=(const DescriptorGeneration&) = delete;

  // As many bindings and infos as the layout has descriptors.
  VkDescriptorSet find_or_write(const SetLayout& layout, std::span<const Binding> bindings,
                                const DescriptorInfo* infos);
  std::size_t size() const noexcept { return count_; }

 private:
  struct Slot {
    const SetLayout* layout = nullptr;  // null: empty
    std::uint64_t hash = 0;
    std::uint32_t first_key = 0;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  VkDescriptorSet allocate(const SetLayout& layout);
  void add_pool(const SetLayout& first);
  void grow();

  std::shared_ptr<Context> context_;
  std::vector<VkDescriptorPool> pools_;
  std::vector<Slot> table_;  // open addressing; a power of two, at most half full
  std::vector<Binding> keys_;
  std::size_t count_ = 0;
};

class DescriptorCache {
 public:
  DescriptorCache(std::shared_ptr<Context> context, std::size_t sets_per_generation)
      : context_(std::move(context)), limit_(sets_per_generation) {}

  // The generation for what is recorded next; whoever records holds it until that has run.
  const std::shared_ptr<DescriptorGeneration>& current();

 private:
  std::shared_ptr<Context> context_;
  std::size_t limit_;
  std::shared_ptr<DescriptorGeneration> current_;
};

}  // namespace reel::vulkan
