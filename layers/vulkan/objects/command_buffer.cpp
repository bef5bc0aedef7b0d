#include "layers/vulkan/objects/command_buffer.hpp"

#include "layers/control/control.hpp"
#include "layers/session/recording_use.hpp"
#include "layers/session/session.hpp"
#include "layers/vulkan/objects/image.hpp"
#include "layers/vulkan/objects/kept_results.hpp"
#include "layers/vulkan/stamps/stamp_set.hpp"

namespace reel::layer::vk {

void CommandBuffer::clear() noexcept {
  ops.clear();
  stamps.reset();
  kept.reset();
  targets.clear();
  keeps_results = false;
  stamps_barriers = stamps_commands = weighs = is_rendering = has_split_rendering = false;
  bound_cost = nullptr;
  since_stamp_ns = WorkCosts::unknown_ns;
}

void CommandBuffer::begin_stamps(VkCommandBufferUsageFlags usage) noexcept {
  if (!can_stamp || !(session::mode() & session::recording)) return;
  // Where it may be under way twice nobody knows which of the two a time is of.
  if (usage & (VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT |
               VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT))
    return;
  const StampDetail detail = control::stamps();
  stamps_commands = detail == StampDetail::dispatches;
  weighs = detail == StampDetail::enough;
  stamps_barriers = stamps_commands || weighs || detail == StampDetail::barriers;
  if (weighs) since_stamp_ns = 0;
}

void CommandBuffer::stamp(StampPlace place) noexcept {
  if (is_rendering) return;
  quietly([&] {
    if (!stamps) stamps = std::make_shared<StampSet>(device);
    // A command starts once the device comes to it: what still runs then is none of its business.
    const auto number =
        stamps->write(handle, place == StampPlace::before ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT
                                                          : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    if (!number)
      stamps_barriers = stamps_commands = weighs = false;
    else if (auto* op = ops.add<StampOp>(OpKind::stamp))
      *op = {*number, place};
  });
}

void CommandBuffer::begin_keeping(VkCommandBufferUsageFlags usage) noexcept {
  if (!may_keep || !(session::mode() & session::recording)) return;
  // Where it may be under way twice nobody knows whose they are.
  if (usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) return;
  const RecordingUse recording;
  keeps_results = recording && recording->contents != Contents::none;
}

void CommandBuffer::keep(VkImage handle_of, const VkImageSubresourceLayers& layers,
                         VkImageLayout layout) noexcept {
  // What no kernel and no copy may read is of no use to them.
  constexpr VkImageUsageFlags read = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                     VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  if (!keeps_results || is_rendering) return;
  const Image* image = device->images.find(handle_of);
  if (!image || image->storage->is_strange || !image->storage->can_be_copied ||
      !(image->storage->placed.usage & read))
    return;
  quietly([&] {
    const Storage& storage = *image->storage;
    const VkImageSubresourceRange all = in_numbers(
        storage, {layers.aspectMask, layers.mipLevel, 1, layers.baseArrayLayer, layers.layerCount});
    if (all.levelCount == 0 || all.layerCount == 0) return;
    if (!kept) kept = std::make_shared<KeptResults>(device);
    const auto number =
        kept->keep(handle, storage,
                   {all.aspectMask, all.baseMipLevel, all.baseArrayLayer, all.layerCount}, layout);
    if (!number) return;
    if (auto* op = ops.add<KeptOp>(OpKind::kept)) *op = {handle_of, *number};
  });
}

void CommandBuffer::keep_targets() noexcept {
  for (const Target& target : targets) {
    const ImageView* view = device->image_views.find(target.view);
    if (!view || target.layout == VK_IMAGE_LAYOUT_UNDEFINED) continue;
    for (std::uint32_t i = 0; i < view->range.levelCount; ++i)
      keep(view->image,
           {view->range.aspectMask, view->range.baseMipLevel + i, view->range.baseArrayLayer,
            view->range.layerCount},
           target.layout);
  }
  targets.clear();
}

}  // namespace reel::layer::vk
