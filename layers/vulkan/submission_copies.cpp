// submission_copies.cpp - the part of a SubmissionReader that has copies, fills and updates.
#include <algorithm>

#include "layers/vulkan/submission.hpp"

namespace reel::layer::vk {

using capture::Box;
using capture::CallWork;
using capture::Range;

void SubmissionReader::copy_buffer(const CopyBufferOp& op) {
  CallWork& work = add(now_, WorkKind::copy, "vkCmdCopyBuffer").work;
  const Buffer* from = device_.buffers.find(op.from);
  const Buffer* to = device_.buffers.find(op.to);
  for (const VkBufferCopy& region : list_behind<VkBufferCopy>(&op, op.count)) {
    if (!from || !to || region.size == 0) continue;
    const Range source = from->range(region.srcOffset, region.size);
    const Range target = to->range(region.dstOffset, region.size);
    if (!source.storage || !target.storage || source.size_bytes != target.size_bytes) continue;
    add_range(work, source, Access::read);
    add_range(work, target, Access::write);
  }
}

namespace {

// Pairs of ranges as long as both go on; of boxes with as many bytes.
void add_pairs(CallWork& work, Storage& source, const Box& from, Storage& target, const Box& to) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> reads, writes;
  from.for_each_run(
      [&](std::uint64_t offset, std::uint64_t size) { reads.emplace_back(offset, size); });
  to.for_each_run(
      [&](std::uint64_t offset, std::uint64_t size) { writes.emplace_back(offset, size); });
  std::size_t i = 0, j = 0;
  while (i < reads.size() && j < writes.size()) {
    const std::uint64_t size = std::min(reads[i].second, writes[j].second);
    work.read({&source, reads[i].first, size});
    work.write({&target, writes[j].first, size});
    reads[i].first += size, writes[j].first += size;
    if ((reads[i].second -= size) == 0) ++i;
    if ((writes[j].second -= size) == 0) ++j;
  }
}

// More than this and a row of the document is larger than what it tells.
constexpr std::uint64_t most_rows = 1 << 16;

}  // namespace

void SubmissionReader::copy_image(std::string_view function, VkImage source_handle,
                                  VkImage target_handle, std::span<const VkImageCopy> regions) {
  const Image* from = device_.images.find(source_handle);
  const Image* to = device_.images.find(target_handle);
  if (!from || !to) return;
  Storage &source = *from->storage, &target = *to->storage;
  const auto is_plain = [&](const VkImageCopy& region) {
    return std::uint64_t{region.extent.height} * std::max(region.extent.depth, 1u) < most_rows;
  };
  if (source.is_strange || target.is_strange || !std::ranges::all_of(regions, is_plain) ||
      source.image->pixel_bytes != target.image->pixel_bytes) {
    CallWork& work = opaque(function, "it copies an image that is more than rows of pixels");
    add_whole(work, source_handle, Access::read);
    add_whole(work, target_handle, Access::read_write);
    return;
  }
  CallWork& work = add(now_, WorkKind::copy, function).work;
  for (const VkImageCopy& region : regions)
    add_pairs(work, source, box_of(source, region.srcSubresource, region.srcOffset, region.extent),
              target, box_of(target, region.dstSubresource, region.dstOffset, region.extent));
}

void SubmissionReader::copy_pixels(const CopyBufferImageOp& op, bool to_image) {
  const char* label = to_image ? "vkCmdCopyBufferToImage" : "vkCmdCopyImageToBuffer";
  const Image* image = device_.images.find(op.image);
  const Buffer* buffer = device_.buffers.find(op.buffer);
  const Range bytes = buffer ? buffer->range(0, VK_WHOLE_SIZE) : Range{};
  if (!image || !bytes.storage) return;
  Storage &pixels = *image->storage, &linear = static_cast<Storage&>(*bytes.storage);
  const auto regions = list_behind<VkBufferImageCopy>(&op, op.count);
  const auto is_plain = [&](const VkBufferImageCopy& region) {
    return std::uint64_t{region.imageExtent.height} * std::max(region.imageExtent.depth, 1u) <
           most_rows;
  };
  if (pixels.is_strange || linear.is_strange || !std::ranges::all_of(regions, is_plain)) {
    CallWork& work = opaque(label, "it copies an image that is more than rows of pixels");
    add_range(work, {&pixels, 0, pixels.size_bytes}, to_image ? Access::read_write : Access::read);
    add_range(work, bytes, to_image ? Access::read : Access::read_write);
    return;
  }
  CallWork& work = add(now_, WorkKind::copy, label).work;
  for (const VkBufferImageCopy& region : regions) {
    const Box in_image =
        box_of(pixels, region.imageSubresource, region.imageOffset, region.imageExtent);
    const std::uint64_t row_pixels =
        region.bufferRowLength ? region.bufferRowLength : region.imageExtent.width;
    const std::uint64_t rows =
        region.bufferImageHeight ? region.bufferImageHeight : region.imageExtent.height;
    Box in_buffer = in_image;
    in_buffer.offset_bytes = bytes.offset_bytes + region.bufferOffset;
    in_buffer.row_pitch = row_pixels * pixels.image->pixel_bytes;
    in_buffer.slice_pitch = in_buffer.row_pitch * rows;
    if (!in_buffer.fits(bytes.offset_bytes + bytes.size_bytes) || !in_image.fits(pixels.size_bytes))
      continue;
    if (to_image)
      add_pairs(work, linear, in_buffer, pixels, in_image);
    else
      add_pairs(work, pixels, in_image, linear, in_buffer);
  }
}

void SubmissionReader::fill(const FillBufferOp& op) {
  CallWork& work = add(now_, WorkKind::fill, "vkCmdFillBuffer").work;
  work.row.pattern = op.data;
  work.row.pattern_bytes = sizeof op.data;
  const Buffer* buffer = device_.buffers.find(op.buffer);
  if (!buffer) return;
  Range range = buffer->range(op.offset, op.size);
  range.size_bytes -= range.size_bytes % sizeof op.data;  // of "the rest" only whole words
  if (range.storage && range.size_bytes) add_range(work, range, Access::write);
}

void SubmissionReader::update(const UpdateBufferOp& op) {
  auto& one = add(now_, WorkKind::write, "vkCmdUpdateBuffer");
  const Buffer* buffer = device_.buffers.find(op.buffer);
  if (!buffer) return;
  const Range range = buffer->range(op.offset, op.size);
  if (!range.storage || range.size_bytes != op.size) return;
  add_range(one.work, range, Access::write);
  const auto bytes = list_behind<std::byte>(&op, op.size);
  one.data.assign(bytes.begin(), bytes.end());
}

}  // namespace reel::layer::vk
