#include "layers/vulkan/copy_run.hpp"

#include <algorithm>
#include <cstring>

#include "layers/vulkan/objects/image.hpp"
#include "layers/vulkan/objects/memory.hpp"
#include "layers/vulkan/objects/queue.hpp"

namespace reel::layer::vk {

namespace {

constexpr const char* no_memory = "the driver has no memory to copy them to";

// Seen by the host, and read at full speed where there is such memory.
std::uint32_t type_for_reading(const Device& device, std::uint32_t allowed) {
  constexpr VkMemoryPropertyFlags seen =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (const VkMemoryPropertyFlags wanted : {seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, seen})
    for (std::uint32_t i = 0; i < device.memory.memoryTypeCount; ++i)
      if ((allowed >> i & 1) && (device.memory.memoryTypes[i].propertyFlags & wanted) == wanted)
        return i;
  return VK_MAX_MEMORY_TYPES;
}

}  // namespace

std::unique_ptr<CopyRun> CopyRun::begin(Queue& queue) {
  Device& device = *queue.owner;
  const DeviceFunctions& next = device.next;
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool_info.queueFamilyIndex = queue.family;
  VkCommandPool pool = VK_NULL_HANDLE;
  if (next.CreateCommandPool(device.handle, &pool_info, nullptr, &pool) != VK_SUCCESS)
    return nullptr;
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  const bool is_made =
      next.AllocateCommandBuffers(device.handle, &info, &commands) == VK_SUCCESS &&
      // Layers below dispatch by its first word, which the loader did not get to set.
      (!device.set_loader_data || device.set_loader_data(device.handle, commands) == VK_SUCCESS) &&
      next.BeginCommandBuffer(commands, &begin) == VK_SUCCESS;
  if (!is_made) {
    next.DestroyCommandPool(device.handle, pool, nullptr);
    return nullptr;
  }
  std::unique_ptr<CopyRun> run(new CopyRun(device.share(), pool, commands));
  run->barrier(VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
               VK_ACCESS_TRANSFER_READ_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
  return run;
}

CopyRun::~CopyRun() {
  if (device_->is_gone) return;
  const DeviceFunctions& next = device_->next;
  next.DestroyCommandPool(device_->handle, pool_, nullptr);
  for (Piece& piece : pieces_) piece.destroy(*device_);
}

void CopyRun::barrier(VkAccessFlags from, VkPipelineStageFlags stages, VkAccessFlags to,
                      VkPipelineStageFlags later) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = from;
  memory.dstAccessMask = to;
  device_->next.CmdPipelineBarrier(commands_, stages, later, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

bool ReadRoom::make(const Device& device, std::uint64_t size_bytes) {
  const DeviceFunctions& next = device.next;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size_bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (next.CreateBuffer(device.handle, &info, nullptr, &buffer) != VK_SUCCESS) return false;
  VkMemoryRequirements needs{};
  next.GetBufferMemoryRequirements(device.handle, buffer, &needs);
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = type_for_reading(device, needs.memoryTypeBits);
  void* mapped = nullptr;
  if (allocation.memoryTypeIndex == VK_MAX_MEMORY_TYPES ||
      next.AllocateMemory(device.handle, &allocation, nullptr, &memory) != VK_SUCCESS ||
      next.BindBufferMemory(device.handle, buffer, memory, 0) != VK_SUCCESS ||
      next.MapMemory(device.handle, memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
    return false;
  from = static_cast<const std::byte*>(mapped);
  return true;
}

void ReadRoom::destroy(const Device& device) noexcept {
  if (buffer) device.next.DestroyBuffer(device.handle, buffer, nullptr);
  if (memory) device.next.FreeMemory(device.handle, memory, nullptr);
  *this = {};
}

std::string CopyRun::add(Storage& storage, std::uint64_t offset, std::span<std::byte> target) {
  if (!storage.can_be_copied || storage.is_gone) return "no command can copy them";
  // Its layout could not be given back.
  if (std::ranges::find(storage.layouts, VK_IMAGE_LAYOUT_PREINITIALIZED) != storage.layouts.end())
    return "the host has not handed the image to the device yet";
  if (std::ranges::find(storage.layouts, unknown_layout) != storage.layouts.end())
    return "no memory was left to follow the layout of the image";
  Piece& piece = pieces_.emplace_back();
  piece.target = target;
  if (!piece.make(*device_, target.size())) return no_memory;
  if (storage.image_handle) {
    copy_image(storage, piece);
    return {};
  }
  std::unique_lock<std::mutex> lock;
  if (storage.held) lock = std::unique_lock(storage.held->mutex);
  const bool is_all = storage.for_each_piece(
      offset, target.size(),
      [&](std::uint64_t at, std::uint64_t size, VkBuffer from, std::uint64_t offset_there) {
        const VkBufferCopy region{offset_there, at - offset, size};
        device_->next.CmdCopyBuffer(commands_, from, piece.buffer, 1, &region);
      });
  if (is_all) return {};
  piece.from = nullptr;  // who asked gives up its target
  return "the buffers that had them are gone";
}

// Layers with the same layout together.
void CopyRun::copy_image(const Storage& storage, const Piece& piece) {
  for (std::uint32_t level = 0; level < storage.image->levels; ++level) {
    const VkImageLayout* const layouts =
        storage.layouts.data() + std::size_t{level} * storage.layers;
    for (std::uint32_t first = 0, end = 0; first < storage.layers; first = end) {
      while (end < storage.layers && layouts[end] == layouts[first]) ++end;
      const ImageShape shape = storage.image->level(level);
      copy_layers(device_->next, commands_, storage, {storage.aspect, level, first, end - first},
                  layouts[first], piece.buffer,
                  storage.image->level_offset(level) + shape.size_bytes() / storage.layers * first);
    }
  }
}

void copy_layers(const DeviceFunctions& next, VkCommandBuffer commands, const Storage& storage,
                 const VkImageSubresourceLayers& layers, VkImageLayout found, VkBuffer target,
                 VkDeviceSize target_offset) {
  const bool is_readable =
      found == VK_IMAGE_LAYOUT_GENERAL || found == VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkImageLayout layout = is_readable ? found : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  VkImageMemoryBarrier change{};
  change.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  change.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  change.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  change.oldLayout = found;
  change.newLayout = layout;
  change.srcQueueFamilyIndex = change.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  change.image = storage.image_handle;
  change.subresourceRange = {layers.aspectMask, layers.mipLevel, 1, layers.baseArrayLayer,
                             layers.layerCount};
  if (!is_readable)
    next.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                            VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1, &change);
  const ImageShape level = storage.image->level(layers.mipLevel);
  VkBufferImageCopy region{};
  region.bufferOffset = target_offset;
  region.imageSubresource = layers;
  region.imageExtent = {static_cast<std::uint32_t>(level.width),
                        static_cast<std::uint32_t>(level.height),
                        static_cast<std::uint32_t>(level.depth)};
  next.CmdCopyImageToBuffer(commands, storage.image_handle, layout, target, 1, &region);
  if (is_readable || found == VK_IMAGE_LAYOUT_UNDEFINED) return;
  std::swap(change.oldLayout, change.newLayout);
  change.srcAccessMask = 0;
  change.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  next.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                          &change);
}

VkCommandBuffer CopyRun::close() noexcept {
  if (is_closed_) return commands_;
  is_closed_ = true;
  // Nothing that comes later may overwrite what is being read.
  barrier(VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT);
  if (device_->next.EndCommandBuffer(commands_) != VK_SUCCESS) commands_ = VK_NULL_HANDLE;
  return commands_;
}

void CopyRun::copy_out() noexcept {
  for (const Piece& piece : pieces_)
    if (piece.from) std::memcpy(piece.target.data(), piece.from, piece.target.size());
}

}  // namespace reel::layer::vk
