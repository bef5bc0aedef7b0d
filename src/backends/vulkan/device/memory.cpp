#include "backends/vulkan/device/memory.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "backends/vulkan/device/result.hpp"
#include "base/fail.hpp"

namespace reel::vulkan {
namespace {

constexpr std::uint64_t block_bytes = 16u << 20;
constexpr std::uint64_t largest_shared_bytes = 1u << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

struct MemoryBlock {
  VkDeviceMemory handle = VK_NULL_HANDLE;
  std::uint32_t type = 0;
  std::uint64_t size = 0;
  bool is_addressed = false;
  std::byte* mapped = nullptr;
  std::map<std::uint64_t, std::uint64_t> free;  // offset → size; neighbours are merged

  bool empty() const { return free.size() == 1 && free.begin()->second == size; }

  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment) {
    for (auto it = free.begin(); it != free.end(); ++it) {
      const auto [begin, length] = *it;
      const std::uint64_t at = round_up(begin, alignment);
      if (at + bytes > begin + length) continue;
      free.erase(it);
      if (at > begin) free[begin] = at - begin;
      if (at + bytes < begin + length) free[at + bytes] = begin + length - at - bytes;
      return at;
    }
    return std::nullopt;
  }

  void give_back(std::uint64_t offset, std::uint64_t bytes) {
    auto next = free.lower_bound(offset);
    if (next != free.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = free.erase(next);
    }
    if (next != free.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    free[offset] = bytes;
  }
};

MemoryPool::MemoryPool(VkPhysicalDevice physical, VkDevice device, const VolkDeviceTable& vk)
    : device_(device), vk_(vk) {
  vkGetPhysicalDeviceMemoryProperties(physical, &properties_);
  storage_type_ = choose_type(MemoryUse::storage);
  staging_type_ = choose_type(MemoryUse::staging);
  constexpr VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                         VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  storage_is_host_memory_ = (properties_.memoryTypes[storage_type_].propertyFlags & host) == host;
}

MemoryPool::~MemoryPool() {
  for (const auto& block : blocks_) release(*block);
}

// Every device has a type that is device-local and one that is visible and coherent. Memory that
// is both is taken for storage only where it lies in the largest local heap: beside a discrete
// GPU it is often a window of 256 MiB.
std::uint32_t MemoryPool::choose_type(MemoryUse use) const {
  std::uint64_t largest_local = 0;
  for (std::uint32_t i = 0; i < properties_.memoryHeapCount; ++i)
    if (properties_.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest_local = std::max(largest_local, properties_.memoryHeaps[i].size);

  std::uint32_t best = 0;
  int best_score = -1;
  for (std::uint32_t i = 0; i < properties_.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = properties_.memoryTypes[i].propertyFlags;
    if (flags & (VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                 VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD))
      continue;
    const bool local = flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const bool visible = flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    const bool coherent = flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const bool cached = flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const bool large =
        properties_.memoryHeaps[properties_.memoryTypes[i].heapIndex].size == largest_local;
    int score = 0;
    if (use == MemoryUse::storage) {
      if (visible && !coherent) continue;
      score = (local ? 8 : 0) + (large ? 4 : 0) + (visible ? 2 : 0) + (cached ? 1 : 0);
    } else {
      if (!visible || !coherent) continue;
      score = (cached ? 2 : 0) + (local ? 0 : 1);
    }
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

std::unique_ptr<MemoryBlock> MemoryPool::make_block(std::uint32_t type, std::uint64_t size_bytes,
                                                    bool is_addressed) {
  const std::uint32_t heap = properties_.memoryTypes[type].heapIndex;
  const std::uint64_t there = properties_.memoryHeaps[heap].size;
  // Checked here since some drivers (llvmpipe) promise more than the machine has.
  if (size_bytes > there || heap_used_[heap] > there - size_bytes)
    fail(Code::out_of_memory, "{} bytes of device memory were asked for; {} of {} are in use.",
         size_bytes, heap_used_[heap], there);
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = size_bytes;
  info.memoryTypeIndex = type;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  if (is_addressed) info.pNext = &flags;
  auto block = std::make_unique<MemoryBlock>();
  const VkResult result = vk_.vkAllocateMemory(device_, &info, nullptr, &block->handle);
  if (code_of(result) == Code::out_of_memory)
    fail(Code::out_of_memory, "The driver has no {} bytes of device memory; {} of {} are in use.",
         size_bytes, heap_used_[heap], there);
  check(result, "vkAllocateMemory");
  block->type = type;
  block->size = size_bytes;
  block->is_addressed = is_addressed;
  block->free[0] = size_bytes;
  if (properties_.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
    void* mapped = nullptr;
    const VkResult visible = vk_.vkMapMemory(device_, block->handle, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (visible < 0) {
      vk_.vkFreeMemory(device_, block->handle, nullptr);
      fail_result(visible, "vkMapMemory");
    }
    block->mapped = static_cast<std::byte*>(mapped);
  }
  heap_used_[heap] += size_bytes;
  return block;
}

void MemoryPool::release(MemoryBlock& block) noexcept {
  vk_.vkFreeMemory(device_, block.handle, nullptr);  // also unmaps
  heap_used_[properties_.memoryTypes[block.type].heapIndex] -= block.size;
}

Memory MemoryPool::allocate(const VkMemoryRequirements& wanted, MemoryUse use) {
  std::uint32_t type = use == MemoryUse::staging ? staging_type_ : storage_type_;
  if (use == MemoryUse::image && !(wanted.memoryTypeBits & (1u << type)) && wanted.memoryTypeBits)
    type = static_cast<std::uint32_t>(std::countr_zero(wanted.memoryTypeBits));
  if (!(wanted.memoryTypeBits & (1u << type)))
    fail(Code::unsupported,
         "The driver wants a buffer in memory types {:#x}, and none of them is type {}.",
         wanted.memoryTypeBits, type);
  const bool is_addressed = use == MemoryUse::addressed;
  const bool shared = wanted.size <= largest_shared_bytes && use != MemoryUse::image;
  const std::lock_guard lock(mutex_);
  MemoryBlock* block = nullptr;
  std::optional<std::uint64_t> offset;
  if (shared)
    for (auto it = blocks_.rbegin(); it != blocks_.rend() && !offset; ++it) {
      block = it->get();
      if (block->type == type && block->size == block_bytes && block->is_addressed == is_addressed)
        offset = block->take(wanted.size, wanted.alignment);
    }
  if (!offset) {
    blocks_.push_back(make_block(type, shared ? block_bytes : wanted.size, is_addressed));
    block = blocks_.back().get();
    offset = block->take(wanted.size, wanted.alignment);
  }
  return {block->handle, *offset, wanted.size, block->mapped ? block->mapped + *offset : nullptr,
          block};
}

void MemoryPool::free(const Memory& memory) noexcept {
  if (!memory.block) return;
  const std::lock_guard lock(mutex_);
  memory.block->give_back(memory.offset, memory.size);
  if (!memory.block->empty()) return;
  // One empty block stays, so that a buffer made and dropped in a loop doesn't cost a block each.
  const auto is_spare = [&](const std::unique_ptr<MemoryBlock>& block) {
    return block.get() != memory.block && block->size == block_bytes && block->empty() &&
           block->type == memory.block->type && block->is_addressed == memory.block->is_addressed;
  };
  if (memory.block->size == block_bytes && std::none_of(blocks_.begin(), blocks_.end(), is_spare))
    return;
  release(*memory.block);
  std::erase_if(blocks_, [&](const auto& block) { return block.get() == memory.block; });
}

}  // namespace reel::vulkan
