// decided_recording.cpp - a decision as commands that the device skips or doesn't.
#include <algorithm>

#include "backends/vulkan/work/decision_kernels.hpp"
#include "backends/vulkan/work/executable.hpp"
#include "backends/vulkan/work/recording.hpp"

namespace reel::vulkan {
namespace {

constexpr std::uint32_t word = sizeof(std::uint32_t);

std::uint32_t depth_of(const DecidedOnDevice& decision) {
  std::uint32_t inner = 0;
  for (const auto& parts : decision.branches)
    for (const auto& part : parts)
      if (part.decision) inner = std::max(inner, depth_of(*part.decision));
  return inner + 1;
}

// Kernels of ours take a whole buffer and count its words: a range may begin anywhere.
Argument whole(const BufferRange& range, Access access) {
  BufferRange all = range;
  all.offset_bytes = 0;
  all.size_bytes = range.buffer->size_bytes;
  Argument argument(all);
  argument.access = access;
  return argument;
}

std::uint32_t words(std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / word); }

Dim3 groups_for(std::uint32_t items) {
  constexpr std::uint32_t each = DecisionKernels::group_items;
  return {std::min((items + each - 1) / each, DecisionKernels::most_groups), 1, 1};
}

}  // namespace

void Recording::record(const DecidedOnDevice& decision, DecisionKernels& kernels,
                       DescriptorCache& descriptors) {
  restart(descriptors);
  segments_.emplace_back();
  begin_commands();
  MemoryRequest request;
  request.size_bytes = std::uint64_t{2} * word * depth_of(decision);
  request.label = "predicates";
  auto predicates = std::make_shared<VulkanBuffer>(context_, request);
  predicates_ = predicates.get();
  held_.push_back(std::move(predicates));
  kernels_ = &kernels;
  add_decision(decision, nullptr, 0);
  recorder_.barrier_of_predicates();  // the next launch writes them anew
  end_commands();
}

void Recording::add_parts(const DecidedOnDevice::Parts& parts, const Predicate* predicate,
                          std::uint32_t depth) {
  for (const auto& part : parts) {
    recorder_.barrier_of_predicates();
    if (part.decision) {
      add_decision(*part.decision, predicate, depth);
      continue;
    }
    const auto& executable = static_cast<const VulkanExecutable&>(*part.straight);
    bool barrier_due = false;
    if (predicate) recorder_.begin_predicate(predicates_->handle, *predicate);
    for (const StepState& step : executable.steps()) {
      barrier_due = barrier_due || step.barrier_before;
      if (!step.enabled) continue;
      if (barrier_due) recorder_.barrier();
      barrier_due = false;
      if (predicate)
        add_skippable(step, executable.arguments());
      else
        add(step, executable.arguments());
    }
    if (predicate) recorder_.end_predicate();
  }
}

// Each depth has two words. Without a predicate around it, a condition is its own predicate, and is
// copied, since the branch may write it. Within one, only a dispatch is skipped with the rest.
void Recording::add_decision(const DecidedOnDevice& decision, const Predicate* outer,
                             std::uint32_t depth) {
  if (decision.kind == DecisionKind::repeat) {
    for (std::uint64_t i = 0; i < decision.rounds; ++i)
      add_parts(decision.branches.front(), outer, depth);
    return;
  }
  const std::uint64_t rounds = decision.kind == DecisionKind::while_loop ? decision.rounds : 1;
  const std::uint64_t at = std::uint64_t{2} * word * depth;
  hold(buffer_of(decision.condition));
  for (std::uint64_t i = 0; i < rounds; ++i) {
    Predicate then{at, false}, otherwise{at, true};
    recorder_.barrier_of_predicates();
    if (!outer) {
      recorder_.copy_bytes(buffer_of(decision.condition).handle, decision.condition.offset_bytes,
                           predicates_->handle, at, word);
    } else {
      otherwise = {at + word, false};
      recorder_.clear_words(predicates_->handle, at, std::uint64_t{2} * word);
      recorder_.barrier_of_predicates();
      recorder_.begin_predicate(predicates_->handle, *outer);
      BufferRange all;
      all.buffer = predicates_;
      all.size_bytes = predicates_->size_bytes;
      const std::array arguments{
          whole(decision.condition, Access::read), whole(all, Access::read_write),
          Argument(words(decision.condition.offset_bytes)), Argument(words(at))};
      dispatch_ours(kernels_->decide(), {1, 1, 1}, arguments);
      recorder_.end_predicate();
    }
    recorder_.barrier_of_predicates();
    add_parts(decision.branches.front(), &then, depth + 1);
    if (decision.branches.size() == 2) add_parts(decision.branches.back(), &otherwise, depth + 1);
  }
}

void Recording::dispatch_ours(const std::shared_ptr<VulkanKernel>& kernel, Dim3 groups,
                              std::span<const Argument> arguments) {
  hold(*kernel);
  recorder_.dispatch(Dispatch{kernel.get(), groups, {1, 1, 1}, arguments}, staging_);
}

void Recording::add_skippable(const StepState& step, std::span<const Argument> arguments) {
  if (const auto* copy = std::get_if<Copy>(&step.work)) {
    if (copy->source.size_bytes == 0) return;
    hold(buffer_of(copy->source));
    hold(buffer_of(copy->target));
    const std::uint32_t count = words(copy->source.size_bytes);
    const std::array given{whole(copy->source, Access::read),
                           whole(copy->target, Access::read_write),
                           Argument(words(copy->source.offset_bytes)),
                           Argument(words(copy->target.offset_bytes)), Argument(count)};
    dispatch_ours(kernels_->copy(), groups_for(count), given);
  } else if (const auto* fill = std::get_if<Fill>(&step.work)) {
    if (fill->target.size_bytes == 0) return;
    hold(buffer_of(fill->target));
    const std::uint32_t count = words(fill->target.size_bytes);
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < word; ++i)
      value |= (fill->pattern >> (8 * (i % fill->pattern_bytes)) & 0xffu) << (8 * i);
    const std::array given{whole(fill->target, Access::read_write),
                           Argument(words(fill->target.offset_bytes)), Argument(count),
                           Argument(value)};
    dispatch_ours(kernels_->fill(), groups_for(count), given);
  } else {
    add(step, arguments);
  }
}

}  // namespace reel::vulkan
