#include "backends/vulkan/kernels/descriptor_cache.hpp"

#include <algorithm>
#include <array>

#include "backends/vulkan/device/result.hpp"
#include "backends/vulkan/kernels/kernel.hpp"

namespace reel::vulkan {
namespace {

std::uint64_t hash_of(const SetLayout& layout, std::span<const Binding> bindings) {
  auto hash = reinterpret_cast<std::uintptr_t>(&layout);
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  for (const Binding& binding : bindings) {
    mix(binding.serial);
    mix(binding.offset);
    mix(binding.size);
  }
  return hash;
}

}  // namespace

DescriptorGeneration::~DescriptorGeneration() {
  for (VkDescriptorPool pool : pools_)
    context_->vk.vkDestroyDescriptorPool(context_->device, pool, nullptr);
}

VkDescriptorSet DescriptorGeneration::find_or_write(const SetLayout& layout,
                                                    std::span<const Binding> bindings,
                                                    const DescriptorInfo* infos) {
  const std::uint64_t hash = hash_of(layout, bindings);
  std::size_t at = hash & (table_.size() - 1);
  for (; table_[at].layout; at = (at + 1) & (table_.size() - 1)) {
    const Slot& slot = table_[at];
    if (slot.hash == hash && slot.layout == &layout &&
        std::equal(bindings.begin(), bindings.end(), keys_.begin() + slot.first_key))
      return slot.set;
  }
  const VkDescriptorSet set = allocate(layout);
  context_->vk.vkUpdateDescriptorSetWithTemplate(context_->device, set, layout.update, infos);
  table_[at] = {&layout, hash, static_cast<std::uint32_t>(keys_.size()), set};
  keys_.insert(keys_.end(), bindings.begin(), bindings.end());
  if (++count_ * 2 > table_.size()) grow();
  return set;
}

void DescriptorGeneration::grow() {
  std::vector<Slot> old(table_.size() * 2);
  old.swap(table_);
  for (const Slot& slot : old) {
    if (!slot.layout) continue;
    std::size_t at = slot.hash & (table_.size() - 1);
    while (table_[at].layout) at = (at + 1) & (table_.size() - 1);
    table_[at] = slot;
  }
}

VkDescriptorSet DescriptorGeneration::allocate(const SetLayout& layout) {
  if (pools_.empty()) add_pool(layout);
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pools_.back();
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout.handle;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkResult result = context_->vk.vkAllocateDescriptorSets(context_->device, &info, &set);
  if (result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL) {
    add_pool(layout);
    info.descriptorPool = pools_.back();
    result = context_->vk.vkAllocateDescriptorSets(context_->device, &info, &set);
  }
  check(result, "vkAllocateDescriptorSets");
  return set;
}

void DescriptorGeneration::add_pool(const SetLayout& first) {
  constexpr std::uint32_t sets = 128;
  // Kernels take 2 to 6 buffers; max_buffers fits too. Other kinds are few, and
  // what the first set needs always fits: a pool that has none left of a kind
  // is followed by one that has.
  static_assert(sets * 8 >= max_buffers);
  std::vector<VkDescriptorPoolSize> sizes{{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets * 8}};
  for (const BindingSlot& slot : first.slots) {
    const auto same = [&](const VkDescriptorPoolSize& size) { return size.type == slot.type; };
    auto size = std::find_if(sizes.begin(), sizes.end(), same);
    if (size == sizes.end()) size = sizes.insert(sizes.end(), {slot.type, sets});
    size->descriptorCount += slot.count;
  }
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = sets;
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  check(context_->vk.vkCreateDescriptorPool(context_->device, &info, nullptr, &pool),
        "vkCreateDescriptorPool");
  pools_.push_back(pool);
}

const std::shared_ptr<DescriptorGeneration>& DescriptorCache::current() {
  if (!current_ || current_->size() >= limit_)
    current_ = std::make_shared<DescriptorGeneration>(context_);
  return current_;
}

}  // namespace reel::vulkan
