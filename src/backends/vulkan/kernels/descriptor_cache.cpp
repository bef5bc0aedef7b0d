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

VkDescriptorSet DescriptorGeneration::find_by_hash(const SetLayout& layout,
                                                   std::span<const Binding> bindings) noexcept {
  const std::uint64_t hash = hash_of(layout, bindings);
  for (std::size_t at = hash & (table_.size() - 1); table_[at];
       at = (at + 1) & (table_.size() - 1)) {
    const Written& written = sets_[table_[at] - 1];
    if (written.hash == hash && binds(written, layout, bindings)) return take(table_[at] - 1);
  }
  return VK_NULL_HANDLE;
}

VkDescriptorSet DescriptorGeneration::write(const SetLayout& layout,
                                            std::span<const Binding> bindings,
                                            const DescriptorInfo* infos) {
  const VkDescriptorSet set = allocate(layout);
  context_->vk.vkUpdateDescriptorSetWithTemplate(context_->device, set, layout.update, infos);
  const std::size_t first_key = keys_.size();
  keys_.insert(keys_.end(), bindings.begin(), bindings.end());
  sets_.push_back({&layout, hash_of(layout, bindings), first_key, set});
  if (sets_.size() * 2 > table_.size())
    grow();
  else
    enter(sets_.size() - 1);
  next_ = 0;
  return set;
}

void DescriptorGeneration::enter(std::size_t index) noexcept {
  std::size_t at = sets_[index].hash & (table_.size() - 1);
  while (table_[at]) at = (at + 1) & (table_.size() - 1);
  table_[at] = static_cast<std::uint32_t>(index + 1);
}

void DescriptorGeneration::grow() {
  table_.assign(table_.size() * 2, 0);
  for (std::size_t index = 0; index < sets_.size(); ++index) enter(index);
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
