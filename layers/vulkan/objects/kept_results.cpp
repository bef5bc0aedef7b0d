#include "layers/vulkan/objects/kept_results.hpp"

#include <cstring>

#include "layers/vulkan/objects/image.hpp"

namespace reel::layer::vk {

namespace {

// Of all command buffers that have some: beyond it results are not kept.
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

}  // namespace

KeptResults::~KeptResults() {
  for (Kept& one : kept_) {
    device_->kept_bytes.fetch_sub(one.size_bytes, std::memory_order_relaxed);
    if (!device_->is_gone) one.room.destroy(*device_);
  }
}

std::optional<std::uint32_t> KeptResults::keep(VkCommandBuffer commands, const Storage& image,
                                               const VkImageSubresourceLayers& layers,
                                               VkImageLayout layout) {
  const ImageShape level = image.image->level(layers.mipLevel);
  const std::uint64_t layer_bytes = level.size_bytes() / image.layers;
  Kept made{{},
            image.image->level_offset(layers.mipLevel) + layer_bytes * layers.baseArrayLayer,
            layer_bytes * layers.layerCount};
  const std::uint64_t before =
      device_->kept_bytes.fetch_add(made.size_bytes, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  kept_.reserve(kept_.size() + 1);
  if (before + made.size_bytes > most_bytes || !made.room.make(*device_, made.size_bytes)) {
    device_->kept_bytes.fetch_sub(made.size_bytes, std::memory_order_relaxed);
    made.room.destroy(*device_);
    return std::nullopt;
  }
  const DeviceFunctions& next = device_->next;
  VkMemoryBarrier order{};
  order.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  order.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  order.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  next.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                          VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &order, 0, nullptr, 0, nullptr);
  copy_layers(next, commands, image, layers, layout, made.room.buffer, 0);
  order.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  order.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  // Nothing that comes later may overwrite what is being read.
  next.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                          &order, 0, nullptr, 0, nullptr);
  kept_.push_back(made);
  return static_cast<std::uint32_t>(kept_.size() - 1);
}

std::pair<std::uint64_t, std::uint64_t> KeptResults::range(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const Kept& one = kept_[number];
  return {one.offset_bytes, one.offset_bytes + one.size_bytes};
}

bool KeptResults::ask(std::uint32_t number, std::uint64_t target_offset,
                      std::span<std::byte> target) {
  const std::lock_guard lock(mutex_);
  const Kept& one = kept_[number];
  if (one.offset_bytes < target_offset ||
      one.offset_bytes + one.size_bytes > target_offset + target.size())
    return false;
  asked_.push_back(
      {one.room.from, target.subspan(one.offset_bytes - target_offset, one.size_bytes)});
  return true;
}

void KeptResults::copy_out() noexcept {
  const std::lock_guard lock(mutex_);
  for (const Asked& one : asked_) std::memcpy(one.target.data(), one.from, one.target.size());
  asked_.clear();
}

void KeptResults::call_off() noexcept {
  const std::lock_guard lock(mutex_);
  asked_.clear();
}

}  // namespace reel::layer::vk
