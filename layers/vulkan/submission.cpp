#include "layers/vulkan/submission.hpp"

#include <algorithm>

#include "layers/vulkan/objects/kept_results.hpp"
#include "layers/vulkan/stamps/batch_stamps.hpp"

namespace reel::layer::vk {

using capture::CallWork;
using capture::Range;

void SubmissionReader::read(const CommandBuffer& commands, std::uint32_t part) {
  part_ = part;
  read(commands);
}

void SubmissionReader::read(const CommandBuffer& commands) {
  // A secondary buffer can't execute others.
  if (depth_ > 1) return;
  ++depth_;
  State state;
  if (now_) {
    state.scopes = now_->scopes;
    state.section = now_->section;
  }
  State* const before = std::exchange(now_, &state);
  is_broken_ = is_broken_ || commands.ops.is_broken();
  if (commands.kept) commands.kept->copy_out();  // of the time before, which is over
  const std::uint32_t first_stamp =
      stamps_ && commands.stamps ? stamps_->add_set(commands.stamps) : 0;
  commands.ops.for_each([&](const OpHeader& header, const void* op) {
    const auto first = static_cast<std::uint32_t>(list_.count);
    read_op(state, header, op);
    if (header.kind == OpKind::kept) keep(commands, *static_cast<const KeptOp*>(op));
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
  one.part = part_;
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
    case OpKind::copy_image: {
      const auto& copy = as(std::type_identity<CopyImageOp>());
      return copy_image("vkCmdCopyImage", copy.from, copy.to,
                        list_behind<VkImageCopy>(&copy, copy.count));
    }
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
    case OpKind::image_to_image:
      return blit(as(std::type_identity<ImageToImageOp>()));
    case OpKind::barrier:
      return barrier(as(std::type_identity<BarrierOp>()));
    case OpKind::query_copy:
      return copy_queries(as(std::type_identity<QueryCopyOp>()));
    case OpKind::render:
      return render(as(std::type_identity<RenderOp>()));
    case OpKind::execute:
      for (const VkCommandBuffer handle : list_behind<VkCommandBuffer>(
               &as(std::type_identity<ExecuteOp>()), as(std::type_identity<ExecuteOp>()).count))
        read(command_buffer(handle));
      return;
    case OpKind::begin_condition:
      return begin_condition(state, as(std::type_identity<BeginConditionOp>()));
    case OpKind::end_condition:
      return state.section.reset();
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
    case OpKind::kept:  // which needs its command buffer
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

void SubmissionReader::barrier(const BarrierOp& op) {
  const auto command = static_cast<std::uint32_t>(list_.count);
  add(now_, WorkKind::barrier, op.function);
  for (const BarrierPart& part : list_behind<BarrierPart>(&op, op.count)) {
    document::BarrierRow row;
    row.command = command;
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
      const VkImageSubresourceRange shown = in_numbers(*storage, part.part);
      const Range range = bytes_of(*storage, shown);
      row.offset_bytes = range.offset_bytes;
      row.size_bytes = range.size_bytes;
      row.old_layout = part.old_layout;
      row.new_layout = part.new_layout;
      if (part.old_layout != part.new_layout)
        layouts_.push_back({storage, shown, part.new_layout, part_});
    }
    if (storage) {
      row.buffer = static_cast<std::uint32_t>(storage->id);
      list_.named.push_back(storage);
    }
    list_.barriers.push_back(row);
  }
}

}  // namespace reel::layer::vk
