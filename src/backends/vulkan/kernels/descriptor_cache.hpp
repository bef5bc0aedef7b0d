// descriptor_cache.hpp - descriptor sets, found again by what they bind.
//
// A set is written once and never changed, so that a hit may be used by any number of command
// buffers in flight. Sets live in generations: when one is full a new one begins, and the old
// one goes when the last batch that holds it is done. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
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

  // As many bindings and infos as the layout has descriptors. Null: there is none yet.
  VkDescriptorSet find(const SetLayout& layout, std::span<const Binding> bindings) noexcept {
    // Most programs bind in the order they did the last time: what comes next is in the cache.
    if (next_ < sets_.size() && binds(sets_[next_], layout, bindings)) [[likely]]
      return take(next_);
    return find_by_hash(layout, bindings);
  }
  // One that find() didn't.
  VkDescriptorSet write(const SetLayout& layout, std::span<const Binding> bindings,
                        const DescriptorInfo* infos);
  std::size_t size() const noexcept { return sets_.size(); }

 private:
  struct Written {
    const SetLayout* layout;
    std::uint64_t hash;
    std::size_t first_key;
    VkDescriptorSet set;
  };
  bool binds(const Written& written, const SetLayout& layout,
             std::span<const Binding> bindings) const noexcept {
    return written.layout == &layout &&
           std::equal(bindings.begin(), bindings.end(), keys_.data() + written.first_key);
  }
  VkDescriptorSet take(std::size_t index) noexcept {
    next_ = index + 1 < sets_.size() ? index + 1 : 0;
    return sets_[index].set;
  }
  VkDescriptorSet find_by_hash(const SetLayout& layout, std::span<const Binding> bindings) noexcept;
  VkDescriptorSet allocate(const SetLayout& layout);
  void add_pool(const SetLayout& first);
  void grow();
  void enter(std::size_t index) noexcept;  // into table_

  std::shared_ptr<Context> context_;
  std::vector<VkDescriptorPool> pools_;
  std::vector<Written> sets_;  // in the order they were written in
  std::vector<Binding> keys_;
  std::size_t next_ = 0;  // of sets_, that will be asked for next if all goes as it went
  // Place in sets_ + 1, by hash; 0: empty. Open addressing; a power of two, at most half full.
  std::vector<std::uint32_t> table_;
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
