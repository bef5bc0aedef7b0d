// submission_opaque.cpp - the part of a SubmissionReader that has what nobody replays: drawing,
// blits that scale, copies of queries.
#include <algorithm>

#include "layers/vulkan/objects/kept_results.hpp"
#include "layers/vulkan/submission.hpp"

namespace reel::layer::vk {

using capture::CallWork;
using capture::Range;

CallWork& SubmissionReader::opaque(std::string_view function, const char* why) {
  CallWork& work = add(now_, WorkKind::opaque, function).work;
  last_opaque_ = list_.count - 1;
  give_up(work, why);
  return work;
}

void SubmissionReader::add_whole(CallWork& work, VkImage handle, Access access) {
  const Image* image = handle ? device_.images.find(handle) : nullptr;
  if (image && image->storage->size_bytes)
    work.add({image->storage.get(), 0, image->storage->size_bytes}, access);
}

void SubmissionReader::add_layers(CallWork& work, VkImage handle,
                                  const VkImageSubresourceLayers& layers, Access access) {
  const Image* image = device_.images.find(handle);
  if (!image || image->storage->size_bytes == 0) return;
  Storage& storage = *image->storage;
  const VkImageSubresourceRange part = in_numbers(
      storage, {layers.aspectMask, layers.mipLevel, 1, layers.baseArrayLayer, layers.layerCount});
  work.add(bytes_of(storage, part), access);
}

void SubmissionReader::keep(const CommandBuffer& commands, const KeptOp& op) {
  const Image* image = device_.images.find(op.image);
  if (!image || last_opaque_ == none) return;
  kept_.push_back(
      {static_cast<std::uint32_t>(last_opaque_), image->storage.get(), commands.kept, op.number});
}

// Of an image all that a command writes has to be kept, or none counts: memory may have been
// missing.
std::vector<Ticket::Kept> SubmissionReader::take_kept() {
  std::map<std::pair<std::uint32_t, const Storage*>, RangeSet> all;
  for (const Ticket::Kept& one : kept_) {
    const auto [begin, end] = one.results->range(one.number);
    all[{one.command, one.image}].add(begin, end);
  }
  for (const auto& entry : all) {
    capture::Submission::Given& one = list_.works[entry.first.first];
    const auto is_kept = [&](const capture::WorkArgument& argument) {
      const Range& range = argument.range;
      return !argument.is_written() || range.storage != entry.first.second ||
             entry.second.contains(range.offset_bytes, range.offset_bytes + range.size_bytes);
    };
    if (std::ranges::all_of(one.work.arguments, is_kept)) one.kept.push_back(entry.first.second);
  }
  return std::move(kept_);
}

void SubmissionReader::render(const RenderOp& op) {
  CallWork& work = opaque(op.function, "it draws, which is not compute work");
  if (now_->section && now_->section->word.storage) work.read(now_->section->word);
  for (const RenderTarget& target : list_behind<RenderTarget>(&op, op.count)) {
    const ImageView* view = target.view ? device_.image_views.find(target.view) : nullptr;
    const Image* image = view ? device_.images.find(view->image) : nullptr;
    if (!image) continue;
    Storage& storage = *image->storage;
    work.add(bytes_of(storage, view->range), Access::read_write);
    if (target.final_layout != VK_IMAGE_LAYOUT_MAX_ENUM)
      layouts_.push_back({&storage, view->range, target.final_layout, part_});
  }
}

void SubmissionReader::copy_queries(const QueryCopyOp& op) {
  CallWork& work = opaque("vkCmdCopyQueryPoolResults",
                          "times and counts of queries are others whenever it runs");
  if (const Buffer* buffer = device_.buffers.find(op.buffer))
    add_range(work, buffer->range(op.offset, op.size), Access::write);
}

namespace {

bool has_same_size(const VkImageBlit& region) {
  const auto same = [](std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    return b > a && b - a == d - c;
  };
  const VkOffset3D *from = region.srcOffsets, *to = region.dstOffsets;
  return same(from[0].x, from[1].x, to[0].x, to[1].x) &&
         same(from[0].y, from[1].y, to[0].y, to[1].y) &&
         same(from[0].z, from[1].z, to[0].z, to[1].z);
}

}  // namespace

// One that neither scales nor filters nor converts is a copy.
void SubmissionReader::blit(const ImageToImageOp& op) {
  const Image* from = device_.images.find(op.from);
  const Image* to = device_.images.find(op.to);
  const auto regions = list_behind<VkImageBlit>(&op, op.count);
  if (from && to && !op.is_resolve && from->format == to->format && !regions.empty() &&
      op.filter == VK_FILTER_NEAREST && std::ranges::all_of(regions, has_same_size)) {
    std::vector<VkImageCopy> copies;
    for (const VkImageBlit& region : regions) {
      const VkOffset3D &begin = region.srcOffsets[0], &end = region.srcOffsets[1];
      copies.push_back({region.srcSubresource,
                        begin,
                        region.dstSubresource,
                        region.dstOffsets[0],
                        {static_cast<std::uint32_t>(end.x - begin.x),
                         static_cast<std::uint32_t>(end.y - begin.y),
                         static_cast<std::uint32_t>(end.z - begin.z)}});
    }
    copy_image(op.function, op.from, op.to, copies);
    last_opaque_ = none;  // nobody needs what is kept of it
    return;
  }
  CallWork& work =
      opaque(op.function, op.is_resolve
                              ? "it resolves samples, which no command can copy"
                              : "it scales or converts images, which only a graphics queue does");
  for (const VkImageBlit& region : regions) {
    add_layers(work, op.from, region.srcSubresource, Access::read);
    add_layers(work, op.to, region.dstSubresource, Access::read_write);
  }
}

// Only what images go through, of a submission that nobody records.
void follow_layouts(Device& device, const CommandBuffer& commands) {
  if (commands.ops.is_broken()) forget_layouts(device);
  if (commands.kept) commands.kept->copy_out();  // of the time before, which is over
  commands.ops.for_each([&](const OpHeader& header, const void* op) {
    if (header.kind == OpKind::execute) {
      const auto& execute = *static_cast<const ExecuteOp*>(op);
      for (const VkCommandBuffer handle : list_behind<VkCommandBuffer>(&execute, execute.count))
        if (const CommandBuffer* secondary = command_buffers().find(handle))
          if (secondary->is_secondary) follow_layouts(device, *secondary);
    } else if (header.kind == OpKind::barrier) {
      const auto& barrier = *static_cast<const BarrierOp*>(op);
      for (const BarrierPart& part : list_behind<BarrierPart>(&barrier, barrier.count))
        if (const Image* image = part.image ? device.images.find(part.image) : nullptr)
          set_layout(*image->storage, in_numbers(*image->storage, part.part), part.new_layout);
    } else if (header.kind == OpKind::render) {
      const auto& render = *static_cast<const RenderOp*>(op);
      for (const RenderTarget& target : list_behind<RenderTarget>(&render, render.count)) {
        if (target.final_layout == VK_IMAGE_LAYOUT_MAX_ENUM || !target.view) continue;
        const ImageView* view = device.image_views.find(target.view);
        if (const Image* image = view ? device.images.find(view->image) : nullptr)
          set_layout(*image->storage, view->range, target.final_layout);
      }
    }
  });
}

void forget_layouts(Device& device) noexcept {
  device.images.for_each(
      [](Image& image) { std::ranges::fill(image.storage->layouts, unknown_layout); });
}

}  // namespace reel::layer::vk
