#include "layers/vulkan/submission.hpp"

#include <algorithm>
#include <cstring>

#include "layers/vulkan/stamps/batch_stamps.hpp"
#include "recording/contents/byte_source.hpp"

namespace reel::layer::vk {

namespace {

using capture::Box;
using capture::CallWork;
using capture::Range;

constexpr const char* unknown_buffer = "an argument is something that the layer did not see made";

bool is_dynamic(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
         type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

void give_up(CallWork& work, const char* why) {
  if (!work.why_not_again) work.why_not_again = why;
}

}  // namespace

void SubmissionReader::read(const CommandBuffer& commands) {
  // A secondary buffer can't execute others.
  if (depth_ > 1) return;
  ++depth_;
  State state;
  if (now_) state.scopes = now_->scopes;
  State* const before = std::exchange(now_, &state);
  is_broken_ = is_broken_ || commands.ops.is_broken();
  const std::uint32_t first_stamp =
      stamps_ && commands.stamps ? stamps_->add_set(commands.stamps) : 0;
  commands.ops.for_each([&](const OpHeader& header, const void* op) {
    const auto first = static_cast<std::uint32_t>(list_.count);
    read_op(state, header, op);
    if (stamps_)
      stamps_->add_op(header, op, first_stamp, first, static_cast<std::uint32_t>(list_.count));
  });
  now_ = before;
  --depth_;
}

capture::Submission::Given& SubmissionReader::add(State* state, WorkKind kind,
                                                  std::string_view label) {
  capture::Submission::Given& one = list_.add();
  one.work.row.kind = kind;
  one.work.label = label;
  const Scope scope = state && !state->scopes.empty() ? state->scopes.back() : outer_;
  one.scope = scope.key();
  return one;
}

void SubmissionReader::read_op(State& state, const OpHeader& header, const void* op) {
  const auto as = [&]<class Op>(std::type_identity<Op>) -> const Op& {
    return *static_cast<const Op*>(op);
  };
  switch (header.kind) {
    case OpKind::bind_pipeline: {
      const auto& bind = as(std::type_identity<BindPipelineOp>());
      if (bind.point == VK_PIPELINE_BIND_POINT_COMPUTE)
        state.pipeline = device_.pipelines.find(bind.pipeline);
      return;
    }
    case OpKind::bind_sets:
      return bind_sets(state, as(std::type_identity<BindSetsOp>()));
    case OpKind::push_constants: {
      const auto& push = as(std::type_identity<PushConstantsOp>());
      if (state.push.size() < push.offset + push.size) state.push.resize(push.offset + push.size);
      const auto bytes = list_behind<std::byte>(&push, push.size);
      std::copy(bytes.begin(), bytes.end(), state.push.begin() + push.offset);
      return;
    }
    case OpKind::push_set:
      return push_set(state, as(std::type_identity<PushSetOp>()));
    case OpKind::dispatch:
      return dispatch(state, &as(std::type_identity<DispatchOp>()), nullptr);
    case OpKind::dispatch_indirect:
      return dispatch(state, nullptr, &as(std::type_identity<DispatchIndirectOp>()));
    case OpKind::copy_buffer:
      return copy_buffer(as(std::type_identity<CopyBufferOp>()));
    case OpKind::copy_image:
      return copy_image(as(std::type_identity<CopyImageOp>()));
    case OpKind::copy_buffer_to_image:
    case OpKind::copy_image_to_buffer:
      return copy_pixels(as(std::type_identity<CopyBufferImageOp>()),
                         header.kind == OpKind::copy_buffer_to_image);
    case OpKind::fill_buffer:
      return fill(as(std::type_identity<FillBufferOp>()));
    case OpKind::update_buffer:
      return update(as(std::type_identity<UpdateBufferOp>()));
    case OpKind::clear_image:
      return clear(as(std::type_identity<ClearImageOp>()));
    case OpKind::image_to_image: {
      const auto& images = as(std::type_identity<ImageToImageOp>());
      return opaque(images.function, {images.from}, {&images.to, 1},
                    "it scales or filters images, which only a graphics queue does");
    }
    case OpKind::barrier:
      return barrier(as(std::type_identity<BarrierOp>()));
    case OpKind::query_copy: {
      const auto& copy = as(std::type_identity<QueryCopyOp>());
      CallWork& work = add(&state, WorkKind::barrier, "vkCmdCopyQueryPoolResults").work;
      if (const Buffer* buffer = device_.buffers.find(copy.buffer))
        add_range(work, buffer->range(copy.offset, copy.size), Access::write);
      give_up(work, "times and counts of queries are others whenever it runs");
      return;
    }
    case OpKind::render: {
      const auto& render = as(std::type_identity<RenderOp>());
      std::vector<VkImage> written;
      for (const VkImageView handle : list_behind<VkImageView>(&render, render.count))
        if (const ImageView* view = handle ? device_.image_views.find(handle) : nullptr)
          written.push_back(view->image);
      return opaque(render.function, {}, written, "it draws, which is not compute work");
    }
    case OpKind::execute:
      for (const VkCommandBuffer handle : list_behind<VkCommandBuffer>(
               &as(std::type_identity<ExecuteOp>()), as(std::type_identity<ExecuteOp>()).count))
        read(command_buffer(handle));
      return;
    case OpKind::begin_label: {
      const auto& label = as(std::type_identity<LabelOp>());
      const auto text = list_behind<char>(&label, label.size);
      const Scope above = state.scopes.empty() ? outer_ : state.scopes.back();
      state.scopes.push_back(above.child({text.data(), text.size()}));
      return;
    }
    case OpKind::end_label:
      if (!state.scopes.empty()) state.scopes.pop_back();
      return;
    case OpKind::stamp:
      return;
  }
}

// --- what is bound ------------------------------------------------------------------------------

void SubmissionReader::bind_sets(State& state, const BindSetsOp& op) {
  if (op.point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
  const auto sets = list_behind<VkDescriptorSet>(&op, op.count);
  const auto offsets = list_behind<std::uint32_t>(&op, op.offsets, sets.size_bytes());
  std::size_t next_offset = 0;
  for (std::uint32_t i = 0; i < op.count && op.first + i < state.sets.size(); ++i) {
    BoundSet& bound = state.sets[op.first + i];
    bound = {};
    bound.set = sets[i] ? device_.descriptor_sets.find(sets[i]) : nullptr;
    if (!bound.set || !bound.set->layout) continue;
    for (const SetLayout::Binding& binding : bound.set->layout->bindings) {
      if (!is_dynamic(binding.type)) continue;
      for (std::uint32_t j = 0; j < binding.count && next_offset < offsets.size(); ++j)
        bound.offsets.push_back(offsets[next_offset++]);
    }
  }
}

void SubmissionReader::push_set(State& state, const PushSetOp& op) {
  if (op.point != VK_PIPELINE_BIND_POINT_COMPUTE || op.set >= state.sets.size()) return;
  const PipelineLayout* layout = device_.pipeline_layouts.find(op.layout);
  // The layout may be gone by now; the pipeline's own is compatible with it.
  if (!layout && state.pipeline) layout = state.pipeline->layout.get();
  if (!layout || op.set >= layout->sets.size() || !layout->sets[op.set]) return;
  BoundSet& bound = state.sets[op.set];
  if (bound.set || bound.pushed_layout != layout->sets[op.set]) {
    bound = {};
    bound.pushed_layout = layout->sets[op.set];
    bound.pushed.resize(bound.pushed_layout->elements);
  }
  for (const PushedDescriptor& one : list_behind<PushedDescriptor>(&op, op.count))
    if (const auto place = place_of(*bound.pushed_layout, one.binding, one.element,
                                    static_cast<std::uint32_t>(bound.pushed.size())))
      bound.pushed[*place] = one.value;
}

// --- dispatches ---------------------------------------------------------------------------------

void SubmissionReader::dispatch(State& state, const DispatchOp* op,
                                const DispatchIndirectOp* indirect) {
  // Nothing runs, and drivers are not asked.
  if (op && (op->groups[0] == 0 || op->groups[1] == 0 || op->groups[2] == 0)) return;
  auto& one = add(&state, WorkKind::dispatch, op ? "vkCmdDispatch" : "vkCmdDispatchIndirect");
  CallWork& work = one.work;
  if (!state.pipeline) {
    work.row.kind = WorkKind::barrier;
    give_up(work, "its pipeline is one that the layer did not see made");
    return add_everything(state, work);
  }
  Pipeline& pipeline = *state.pipeline;
  reflect(pipeline);
  work.kernel = &pipeline;
  const Dim3 size = pipeline.interface.group_size;
  work.row.group_size = size;
  if (op) {
    work.row.groups = {op->groups[0], op->groups[1], op->groups[2]};
    work.row.offset = {op->base[0] * size.x, op->base[1] * size.y, op->base[2] * size.z};
  } else {
    work.row.groups = {1, 1, 1};
  }
  if (!pipeline.why_not.empty()) {
    give_up(work, "its code can't be understood");
    add_everything(state, work);
  } else {
    add_arguments(state, work);
    if (pipeline.interface.uses_device_addresses)
      give_up(work, "it follows addresses of memory, which are others in another process");
    if (pipeline.has_wide_constant) give_up(work, "one of its constants has more than 64 bits");
  }
  if (!indirect) return;
  const Buffer* buffer = device_.buffers.find(indirect->buffer);
  const Range sizes = buffer ? buffer->range(indirect->offset, 3 * sizeof(std::uint32_t)) : Range{};
  if (!sizes.storage || sizes.storage->is_strange) {
    give_up(work, unknown_buffer);
    return;
  }
  work.arguments.push_back({ArgumentKind::indirect, Access::read, sizes, 0, nullptr});
}

void SubmissionReader::add_arguments(State& state, CallWork& work) {
  for (const Parameter& parameter : state.pipeline->parameters)
    add_parameter(state, work, parameter);
}

void SubmissionReader::add_parameter(State& state, CallWork& work, const Parameter& parameter) {
  const auto add_null = [&] {
    work.arguments.push_back({ArgumentKind::null, Access::read, {}, 0, nullptr});
  };
  if (parameter.descriptor == DescriptorKind::push_constants) {
    std::vector<std::byte> bytes = state.push;
    bytes.resize(parameter.size_bytes);
    work.add_value(ArgumentKind::value, bytes);
    return;
  }
  if (parameter.set >= state.sets.size()) return add_null();
  const BoundSet& bound = state.sets[parameter.set];
  const SetLayout::Binding* binding =
      bound.layout() ? bound.layout()->find(parameter.binding) : nullptr;
  if (!binding || binding->first + parameter.array_element >= bound.elements().size())
    return add_null();
  const Descriptor& value = bound.elements()[binding->first + parameter.array_element];
  switch (parameter.descriptor) {
    case DescriptorKind::storage_buffer:
    case DescriptorKind::uniform_buffer:
      if (binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        std::vector<std::byte> bytes;
        for (std::uint32_t i = 0;
             i < binding->count && binding->first + i < bound.elements().size(); ++i)
          bytes.push_back(static_cast<std::byte>(bound.elements()[binding->first + i].range));
        work.add_value(ArgumentKind::value, bytes);
        return;
      }
      return add_buffer(work, bound, *binding, parameter.array_element, value, parameter.access);
    case DescriptorKind::storage_image:
    case DescriptorKind::sampled_image:
      return add_image(work, value, parameter.access);
    case DescriptorKind::combined_image_sampler:
      if (parameter.kind == ArgumentKind::sampler)
        return add_sampler(work, *binding, parameter.array_element, value);
      return add_image(work, value, parameter.access);
    case DescriptorKind::sampler:
      return add_sampler(work, *binding, parameter.array_element, value);
    case DescriptorKind::storage_texel_buffer:
    case DescriptorKind::uniform_texel_buffer: {
      const BufferView* view = value.texels ? device_.buffer_views.find(value.texels) : nullptr;
      const Buffer* buffer = view ? device_.buffers.find(view->buffer) : nullptr;
      if (!buffer) return add_null();
      if (!view->row) give_up(work, "a buffer of texels has a format without a size");
      return add_range(work, buffer->range(view->offset_bytes, view->size_bytes), parameter.access,
                       view->row.get());
    }
    default:
      give_up(work, "an argument is something that can't be made again");
      return add_null();
  }
}

void SubmissionReader::add_range(CallWork& work, const Range& range, Access access, Storage* view) {
  if (!range.storage || range.size_bytes == 0) {
    work.arguments.push_back({ArgumentKind::null, Access::read, {}, 0, nullptr});
    return;
  }
  const auto& storage = static_cast<const Storage&>(*range.storage);
  if (storage.is_strange) give_up(work, storage.why_strange ? storage.why_strange : unknown_buffer);
  work.add(range, access, view);
}

void SubmissionReader::add_buffer(CallWork& work, const BoundSet& bound,
                                  const SetLayout::Binding& binding, std::uint32_t element,
                                  const Descriptor& value, Access access) {
  const Buffer* buffer = value.buffer ? device_.buffers.find(value.buffer) : nullptr;
  if (!buffer) {
    work.arguments.push_back({ArgumentKind::null, Access::read, {}, 0, nullptr});
    return;
  }
  std::uint64_t offset = value.offset;
  if (is_dynamic(binding.type)) {
    std::size_t place = element;
    for (const SetLayout::Binding& other : bound.layout()->bindings)
      if (other.number < binding.number && is_dynamic(other.type)) place += other.count;
    if (place < bound.offsets.size()) offset += bound.offsets[place];
  }
  add_range(work, buffer->range(offset, value.range), access);
}

void SubmissionReader::add_image(CallWork& work, const Descriptor& value, Access access) {
  const ImageView* view = value.view ? device_.image_views.find(value.view) : nullptr;
  const Image* image = view ? device_.images.find(view->image) : nullptr;
  if (!image || !image->storage) {
    work.arguments.push_back({ArgumentKind::null, Access::read, {}, 0, nullptr});
    return;
  }
  if (view->why_not) give_up(work, view->why_not);
  add_range(work, {image->storage.get(), 0, image->storage->size_bytes}, access);
}

void SubmissionReader::add_sampler(CallWork& work, const SetLayout::Binding& binding,
                                   std::uint32_t element, const Descriptor& value) {
  const VkSampler handle =
      element < binding.immutable.size() ? binding.immutable[element] : value.sampler;
  const Sampler* sampler = handle ? device_.samplers.find(handle) : nullptr;
  if (sampler && !sampler->value.empty()) {
    work.add_value(ArgumentKind::sampler, sampler->value);
    return;
  }
  if (sampler) give_up(work, "a sampler has a colour of its own, or converts planes");
  work.arguments.push_back({ArgumentKind::null, Access::read, {}, 0, nullptr});
}

// Whatever is bound, since nobody knows what of it is used.
void SubmissionReader::add_everything(State& state, CallWork& work) {
  for (const BoundSet& bound : state.sets) {
    if (!bound.layout()) continue;
    for (const SetLayout::Binding& binding : bound.layout()->bindings)
      for (std::uint32_t i = 0; i < binding.count && binding.first + i < bound.elements().size() &&
                                binding.type != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
           ++i) {
        const Descriptor& value = bound.elements()[binding.first + i];
        if (value.buffer) add_buffer(work, bound, binding, i, value, Access::read_write);
        if (value.view) add_image(work, value, Access::read_write);
      }
  }
}

// --- copies, fills and updates ------------------------------------------------------------------

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

Box to_box(const PixelBox& box) {
  return {box.offset_bytes, box.row_bytes, box.rows, box.slices, box.row_pitch, box.slice_pitch};
}

// More than this and a row of the document is larger than what it tells.
constexpr std::uint64_t most_rows = 1 << 16;

}  // namespace

void SubmissionReader::copy_image(const CopyImageOp& op) {
  const Image* from = device_.images.find(op.from);
  const Image* to = device_.images.find(op.to);
  if (!from || !to) return;
  Storage &source = *from->storage, &target = *to->storage;
  const auto regions = list_behind<VkImageCopy>(&op, op.count);
  const auto is_plain = [&](const VkImageCopy& region) {
    return region.srcSubresource.mipLevel == 0 && region.dstSubresource.mipLevel == 0 &&
           std::uint64_t{region.extent.height} * std::max(region.extent.depth, 1u) < most_rows;
  };
  if (source.is_strange || target.is_strange || !std::ranges::all_of(regions, is_plain) ||
      source.image->pixel_bytes != target.image->pixel_bytes)
    return opaque("vkCmdCopyImage", {op.from}, {&op.to, 1},
                  "it copies an image that is more than rows of pixels");
  CallWork& work = add(now_, WorkKind::copy, "vkCmdCopyImage").work;
  for (const VkImageCopy& region : regions)
    add_pairs(work, source,
              to_box(box_of(source, region.srcSubresource, region.srcOffset, region.extent)),
              target,
              to_box(box_of(target, region.dstSubresource, region.dstOffset, region.extent)));
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
    return region.imageSubresource.mipLevel == 0 &&
           std::uint64_t{region.imageExtent.height} * std::max(region.imageExtent.depth, 1u) <
               most_rows;
  };
  if (pixels.is_strange || linear.is_strange || !std::ranges::all_of(regions, is_plain)) {
    CallWork& work = add(now_, WorkKind::barrier, label).work;
    add_range(work, {&pixels, 0, pixels.size_bytes}, to_image ? Access::read_write : Access::read);
    add_range(work, bytes, to_image ? Access::read : Access::read_write);
    give_up(work, "it copies an image that is more than rows of pixels");
    return;
  }
  CallWork& work = add(now_, WorkKind::copy, label).work;
  for (const VkBufferImageCopy& region : regions) {
    const Box in_image =
        to_box(box_of(pixels, region.imageSubresource, region.imageOffset, region.imageExtent));
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

namespace {

// A whole number of so many bits.
void append(std::vector<std::byte>& pixel, std::uint32_t value, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; ++i)
    pixel.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

// The pixel that a clear writes; empty: nobody here can tell what the device makes of the colour.
std::vector<std::byte> pixel_of(const ImageShape& shape, const VkClearColorValue& color) {
  std::vector<std::uint32_t> channels;  // of the colour
  switch (shape.channel_order) {
    case ChannelOrder::r:
      channels = {0};
      break;
    case ChannelOrder::rg:
      channels = {0, 1};
      break;
    case ChannelOrder::rgba:
      channels = {0, 1, 2, 3};
      break;
    case ChannelOrder::bgra:
      channels = {2, 1, 0, 3};
      break;
    default:
      return {};
  }
  std::vector<std::byte> pixel;
  for (const std::uint32_t i : channels) switch (shape.channel_type) {
      case ChannelType::float32:
      case ChannelType::int32:
      case ChannelType::uint32:
        append(pixel, color.uint32[i], 4);
        break;
      case ChannelType::uint16:
      case ChannelType::int16:
        append(pixel, color.uint32[i], 2);
        break;
      case ChannelType::uint8:
      case ChannelType::int8:
        append(pixel, color.uint32[i], 1);
        break;
      case ChannelType::unorm8:
        // Only what no rounding can change.
        if (color.float32[i] != 0 && color.float32[i] != 1) return {};
        append(pixel, color.float32[i] != 0 ? 0xff : 0, 1);
        break;
      default:
        return {};
    }
  return pixel;
}

}  // namespace

void SubmissionReader::clear(const ClearImageOp& op) {
  const Image* image = device_.images.find(op.image);
  if (!image || !image->storage) return;
  Storage& storage = *image->storage;
  const auto ranges = list_behind<VkImageSubresourceRange>(&op, op.count);
  const std::vector<std::byte> pixel = op.is_depth || storage.is_strange
                                           ? std::vector<std::byte>()
                                           : pixel_of(*storage.image, op.color);
  if (pixel.size() != storage.image->pixel_bytes)
    return opaque("vkCmdClearColorImage", {}, {&op.image, 1},
                  "it clears an image whose pixels are not known from the colour");
  auto& one = add(now_, WorkKind::write, "vkCmdClearColorImage");
  const bool is_fill = pixel.size() <= sizeof one.work.row.pattern;
  if (is_fill) {
    one.work.row.kind = WorkKind::fill;
    one.work.row.pattern_bytes = static_cast<std::uint32_t>(pixel.size());
    std::memcpy(&one.work.row.pattern, pixel.data(), pixel.size());
  }
  const std::uint64_t layer_bytes = storage.size_bytes / storage.layers;
  for (const VkImageSubresourceRange& range : ranges) {
    const std::uint32_t count = range.layerCount == VK_REMAINING_ARRAY_LAYERS
                                    ? storage.layers - range.baseArrayLayer
                                    : range.layerCount;
    add_range(one.work, {&storage, range.baseArrayLayer * layer_bytes, count * layer_bytes},
              Access::write);
    if (is_fill) continue;
    for (std::uint64_t at = 0; at < count * layer_bytes; at += pixel.size())
      one.data.insert(one.data.end(), pixel.begin(), pixel.end());
  }
}

// --- what nobody replays ------------------------------------------------------------------------

void SubmissionReader::opaque(std::string_view function, std::initializer_list<VkImage> read,
                              std::span<const VkImage> written, const char* why) {
  CallWork& work = add(now_, WorkKind::barrier, function).work;
  const auto add_whole = [&](VkImage handle, Access access) {
    const Image* image = handle ? device_.images.find(handle) : nullptr;
    if (image && image->storage && image->storage->size_bytes)
      work.add({image->storage.get(), 0, image->storage->size_bytes}, access);
  };
  for (const VkImage image : read) add_whole(image, Access::read);
  for (const VkImage image : written) add_whole(image, Access::read_write);
  give_up(work, why);
}

// --- barriers -----------------------------------------------------------------------------------

void SubmissionReader::barrier(const BarrierOp& op) {
  auto& one = add(now_, WorkKind::barrier, op.function);
  for (const BarrierPart& part : list_behind<BarrierPart>(&op, op.count)) {
    document::BarrierRow row;
    row.source_stages = part.source_stages;
    row.target_stages = part.target_stages;
    row.source_accesses = part.source_accesses;
    row.target_accesses = part.target_accesses;
    if (part.source_family != part.target_family) {
      row.source_family = part.source_family;
      row.target_family = part.target_family;
    }
    Storage* storage = nullptr;
    if (const Buffer* buffer = part.buffer ? device_.buffers.find(part.buffer) : nullptr) {
      const Range range = buffer->range(part.offset, part.size);
      storage = static_cast<Storage*>(range.storage);
      row.offset_bytes = range.offset_bytes;
      row.size_bytes = range.size_bytes;
    }
    if (const Image* image = part.image ? device_.images.find(part.image) : nullptr) {
      storage = image->storage.get();
      row.size_bytes = storage->size_bytes;
      row.old_layout = part.old_layout;
      row.new_layout = part.new_layout;
      if (part.old_layout != part.new_layout) layouts_.emplace_back(storage, part.new_layout);
    }
    if (storage) {
      row.buffer = static_cast<std::uint32_t>(storage->id);
      one.named.push_back(storage);
    }
    one.barriers.push_back(row);
  }
}

void follow_layouts(Device& device, const CommandBuffer& commands) {
  commands.ops.for_each([&](const OpHeader& header, const void* op) {
    if (header.kind == OpKind::execute) {
      const auto& execute = *static_cast<const ExecuteOp*>(op);
      for (const VkCommandBuffer handle : list_behind<VkCommandBuffer>(&execute, execute.count))
        if (const CommandBuffer* secondary = command_buffers().find(handle))
          if (secondary->is_secondary) follow_layouts(device, *secondary);
    }
    if (header.kind != OpKind::barrier) return;
    const auto& barrier = *static_cast<const BarrierOp*>(op);
    for (const BarrierPart& part : list_behind<BarrierPart>(&barrier, barrier.count))
      if (const Image* image = part.image ? device.images.find(part.image) : nullptr)
        image->storage->layout = part.new_layout;
  });
}

}  // namespace reel::layer::vk
