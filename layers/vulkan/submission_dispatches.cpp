// submission_dispatches.cpp - the part of a SubmissionReader that has dispatches: what is bound,
// and what of it the code uses.
#include <algorithm>

#include "layers/vulkan/submission.hpp"

namespace reel::layer::vk {

using capture::CallWork;
using capture::Range;

namespace {

constexpr const char* unknown_buffer = "an argument is something that the layer did not see made";

}  // namespace

void SubmissionReader::begin_condition(State& state, const BeginConditionOp& op) {
  const Buffer* buffer = device_.buffers.find(op.buffer);
  state.section = {buffer ? buffer->range(op.offset, sizeof(std::uint32_t)) : Range{},
                   op.is_inverted, list_.count};
}

// Drivers look at the word when a section begins, or before each command in it: where it may have
// changed in between, both are right.
void SubmissionReader::add_condition(Section& section, CallWork& work) {
  const Range& word = section.word;
  if (!word.storage || word.size_bytes != sizeof(std::uint32_t) || word.storage->is_strange)
    return give_up(work, "its condition is in a buffer that the layer did not see made");
  const auto may_change = [&](const capture::WorkArgument& argument) {
    const Range& range = argument.range;
    return argument.is_written() && range.storage == word.storage &&
           range.offset_bytes < word.offset_bytes + word.size_bytes &&
           word.offset_bytes < range.offset_bytes + range.size_bytes;
  };
  for (; section.looked_at + 1 < list_.count; ++section.looked_at)
    section.may_have_changed =
        section.may_have_changed ||
        std::ranges::any_of(list_.works[section.looked_at].work.arguments, may_change);
  if (section.may_have_changed)
    give_up(work,
            "its condition may have changed since its section began, and drivers differ in when "
            "they read it");
  work.arguments.push_back({section.is_inverted ? ArgumentKind::run_unless : ArgumentKind::run_if,
                            Access::read, word, 0, nullptr});
}

void SubmissionReader::dispatch(State& state, const DispatchOp* op,
                                const DispatchIndirectOp* indirect) {
  // Nothing runs, and drivers are not asked.
  if (op && (op->groups[0] == 0 || op->groups[1] == 0 || op->groups[2] == 0)) return;
  add_dispatch(state, op, indirect);
  if (state.section) add_condition(*state.section, list_.works[list_.count - 1].work);
}

void SubmissionReader::add_dispatch(State& state, const DispatchOp* op,
                                    const DispatchIndirectOp* indirect) {
  auto& one = add(&state, WorkKind::dispatch, op ? "vkCmdDispatch" : "vkCmdDispatchIndirect");
  CallWork& work = one.work;
  if (!state.pipeline) {
    work.row.kind = WorkKind::opaque;
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
    add_addressed(pipeline, work);
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
  work.arguments.reserve(state.pipeline->parameters.size());
  for (const Parameter& parameter : state.pipeline->parameters)
    add_parameter(state, work, parameter);
}

void SubmissionReader::add_parameter(State& state, CallWork& work, const Parameter& parameter) {
  const auto add_null = [&] {
    work.arguments.push_back({ArgumentKind::null, Access::read, {}, 0, nullptr});
  };
  if (parameter.descriptor == DescriptorKind::push_constants) {
    work.add_value(ArgumentKind::value, state.push, parameter.size_bytes);
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
  if (!view->row)
    return add_range(work, {image->storage.get(), 0, image->storage->size_bytes}, access);
  add_range(work, bytes_of(*image->storage, view->range), access, view->row.get());
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

}  // namespace reel::layer::vk
