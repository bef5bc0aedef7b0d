// decided_recording.cpp - a decision as commands that the device skips or doesn't.
#include <algorithm>

#include "backends/vulkan/work/decision_kernels.hpp"
#include "backends/vulkan/work/executable.hpp"
#include "backends/vulkan/work/indirect_grids.hpp"
#include "backends/vulkan/work/recording.hpp"

namespace reel::vulkan {
namespace {

constexpr std::uint32_t word = sizeof(std::uint32_t);

// Predicates of it and of what is in it: depths share theirs.
std::uint32_t predicates_of(const DecidedOnDevice& decision) {
  std::uint32_t inner = 0;
  for (const auto& parts : decision.branches)
    for (const auto& part : parts)
      if (part.decision) inner = std::max(inner, predicates_of(*part.decision));
  const bool has_own = decision.kind != DecisionKind::repeat;
  return inner +
         (has_own ? std::max<std::uint32_t>(2, static_cast<std::uint32_t>(decision.branches.size()))
                  : 0);
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

void Recording::record(const DecidedOnDevice& decision, SkippedBy way, std::uint64_t commands,
                       DecisionKernels& kernels, DescriptorCache& descriptors) {
  restart(descriptors);
  segments_.emplace_back();
  begin_commands();
  kernels_ = &kernels;
  std::unique_ptr<IndirectGrids> grids;
  if (way == SkippedBy::indirect) {
    grids = std::make_unique<IndirectGrids>(context_, commands);
    grids->start(recorder_);
    hold(*grids->table());
  }
  grids_ = grids.get();
  if (!grids) {
    MemoryRequest request;
    request.size_bytes = std::uint64_t{word} * (1 + predicates_of(decision));
    request.label = "predicates";
    auto predicates = std::make_shared<VulkanBuffer>(context_, request);
    words_ = predicates.get();
    // The first look of the launch does that, but in a repeat.
    if (decision.may_stop && decision.kind == DecisionKind::repeat)
      recorder_.clear_words(words_->handle, 0, word);
    held_.push_back(std::move(predicates));
  } else {
    words_ = grids->words().get();
    hold(*words_);
  }
  stops_.word.buffer = words_;
  stops_.word.size_bytes = word;
  const Region whole{{0, true}, IndirectGrids::outermost};  // where nothing has stopped
  add_decision(decision, 0, decision.may_stop ? &whole : nullptr, 1);
  barrier_of_decisions();  // the next launch writes them anew
  end_commands();
  grids_ = nullptr;
}

void Recording::barrier_of_decisions() {
  if (grids_)
    recorder_.barrier();
  else
    recorder_.barrier_of_predicates();
}

void Recording::add_parts(const DecidedOnDevice::Parts& parts, const Region* region,
                          std::uint32_t words) {
  for (const auto& part : parts) {
    barrier_of_decisions();
    if (part.decision) {
      add_decision(*part.decision, part.number, region, words);
      continue;
    }
    const auto& executable = static_cast<const VulkanExecutable&>(*part.straight);
    bool barrier_due = false;
    if (region && !grids_) recorder_.begin_predicate(words_->handle, region->predicate);
    for (const StepState& step : executable.steps()) {
      barrier_due = barrier_due || step.barrier_before;
      if (!step.enabled) continue;
      if (barrier_due) recorder_.barrier();
      barrier_due = false;
      if (region)
        add_skippable(step, executable.arguments(), *region);
      else
        add(step, executable.arguments());
    }
    if (region && !grids_) recorder_.end_predicate();
  }
}

void Recording::add_branch(const DecidedOnDevice::Parts& parts, const Region* region,
                           std::uint32_t words, const StoppedAt& at) {
  around_.push_back(at);
  add_parts(parts, region, words);
  around_.pop_back();
}

void Recording::add_decision(const DecidedOnDevice& decision, std::uint32_t part,
                             const Region* outer, std::uint32_t words) {
  if (decision.kind == DecisionKind::repeat) {
    for (std::uint64_t i = 0; i < decision.rounds; ++i)
      add_branch(decision.branches.front(), outer, words, {part, 0, i + 1});
    return;
  }
  hold(buffer_of(decision.condition));
  barrier_of_decisions();
  if (decision.kind == DecisionKind::while_loop)
    add_while(decision, part, outer, words);
  else
    add_choice(decision, part, outer, words);
}

// Without anything around it, a condition is its own predicate.
void Recording::copy_condition(const DecidedOnDevice& decision, std::uint32_t to) {
  recorder_.copy_bytes(buffer_of(decision.condition).handle, decision.condition.offset_bytes,
                       words_->handle, std::uint64_t{to} * word, word);  // the branch may write it
}

void Recording::add_choice(const DecidedOnDevice& decision, std::uint32_t part, const Region* outer,
                           std::uint32_t words) {
  const bool is_switch = decision.kind == DecisionKind::switch_case;
  const auto branches = static_cast<std::uint32_t>(decision.branches.size());
  const bool is_copied = !outer && !grids_;
  std::uint32_t first = 0;
  if (is_copied) {
    copy_condition(decision, words);
  } else {
    const bool is_first = around_.empty();
    if (!grids_ && !is_first) {  // where the look is skipped they stay 0
      recorder_.clear_words(words_->handle, std::uint64_t{words} * word,
                            std::uint64_t{branches} * word);
      barrier_of_decisions();
    }
    first = look({decision, words, branches, is_switch ? branches : 0, 0, is_first}, part, outer);
  }
  barrier_of_decisions();
  for (std::uint32_t i = 0; i < branches; ++i) {
    Region region{{std::uint64_t{is_copied ? words : words + i} * word, is_copied && i == 1}};
    const std::uint32_t first_slot = grids_ ? grids_->slot_count() : 0;
    if (grids_) region.number = grids_->new_region();
    add_branch(decision.branches[i], &region, words + std::max(2u, branches), {part, i, 0});
    if (grids_) grids_->set_branch(first + i, region.number, first_slot);
  }
}

// Each round is in the one before: where that is skipped, so is the look that would begin this one.
void Recording::add_while(const DecidedOnDevice& decision, std::uint32_t part, const Region* outer,
                          std::uint32_t words) {
  const Region* around = outer;
  Region region{{std::uint64_t{words} * word, false}};
  const bool is_copied = !outer && !grids_;
  if (!is_copied && !grids_ && !around_.empty()) {
    recorder_.clear_words(words_->handle, region.predicate.offset_bytes, word);
    barrier_of_decisions();
  }
  std::uint32_t last_branch = 0, last_slot = 0;
  for (std::uint64_t i = 0; i < decision.rounds; ++i) {
    std::uint32_t branch = 0;
    if (is_copied)
      copy_condition(decision, words);
    else
      branch = look({decision, words, 1, 0, 0, i == 0 && around_.empty()}, part, around);
    barrier_of_decisions();
    if (grids_) {
      if (i != 0) grids_->set_branch(last_branch, region.number, last_slot);
      region.number = grids_->new_region();
      last_branch = branch;
      last_slot = grids_->slot_count();
    }
    around = &region;
    add_branch(decision.branches.front(), &region, words + 2, {part, 0, i + 1});
    barrier_of_decisions();
  }
  if (decision.may_stop) look({decision, words, 0, 1, decision.rounds}, part, around);
  if (grids_ && decision.rounds != 0) grids_->set_branch(last_branch, region.number, last_slot);
}

std::uint32_t Recording::look(const LookAt& at, std::uint32_t part, const Region* outer) {
  std::uint32_t place = 0;
  if (at.limit != 0) {
    stops_.places.push_back(around_);
    stops_.places.back().push_back({part, 0, at.round});
    place = static_cast<std::uint32_t>(stops_.places.size());
  }
  if (at.is_first) outer = nullptr;
  BufferRange all;
  all.buffer = words_;
  const Argument condition = whole(at.decision.condition, Access::read);
  const Argument from(words(at.decision.condition.offset_bytes));
  if (!grids_) {
    // A loop that isn't over ends its own region, too.
    const std::uint32_t to = at.branches == 0 ? at.words + 1 : at.words;
    if (outer) recorder_.begin_predicate(words_->handle, outer->predicate);
    const std::array arguments{condition,
                               whole(all, Access::read_write),
                               from,
                               Argument(to),
                               Argument(at.branches),
                               Argument(at.limit),
                               Argument(place),
                               Argument(std::uint32_t{at.is_first})};
    dispatch_ours(kernels_->decide(), {1, 1, 1}, arguments, nullptr);
    if (outer) recorder_.end_predicate();
    return 0;
  }
  const std::uint32_t branch = grids_->add_branches(at.branches);
  BufferRange table;
  table.buffer = grids_->table().get();
  const std::array arguments{condition,
                             whole(all, Access::read_write),
                             whole(table, Access::read),
                             from,
                             Argument(at.branches),
                             Argument(at.limit),
                             Argument(place),
                             Argument(grids_->slot_words()),
                             Argument(grids_->grids_at()),
                             Argument(grids_->owners_at()),
                             Argument(grids_->branch_at(branch))};
  dispatch_ours(kernels_->decide_grids(), {1, 1, 1}, arguments, outer);
  return branch;
}

void Recording::dispatch_ours(const std::shared_ptr<VulkanKernel>& kernel, Dim3 groups,
                              std::span<const Argument> arguments, const Region* region) {
  hold(*kernel);
  const Dispatch dispatch{kernel.get(), groups, {1, 1, 1}, arguments};
  if (region)
    dispatch_in(dispatch, *region);
  else
    recorder_.dispatch(dispatch, staging_);
}

void Recording::dispatch_in(Dispatch dispatch, const Region& region) {
  if (grids_ && !is_nothing(dispatch)) {
    const bool has_grid = dispatch.indirect.buffer == nullptr;
    const BufferRange slot = grids_->add(has_grid ? region.number : IndirectGrids::nobody,
                                         has_grid ? dispatch.groups : Dim3{0, 0, 0});
    if (!has_grid) {  // it is known when the device gets there
      const std::array given{whole(dispatch.indirect, Access::read),
                             whole(slot, Access::read_write),
                             Argument(words(dispatch.indirect.offset_bytes)),
                             Argument(words(slot.offset_bytes)), Argument(std::uint32_t{3})};
      dispatch_ours(kernels_->copy(), {1, 1, 1}, given, &region);
      recorder_.barrier();
    }
    dispatch.indirect = slot;
  }
  recorder_.dispatch(dispatch, staging_);
}

void Recording::add_skippable(const StepState& step, std::span<const Argument> arguments,
                              const Region& region) {
  if (const auto* copy = std::get_if<Copy>(&step.work)) {
    if (copy->source.size_bytes == 0) return;
    hold(buffer_of(copy->source));
    hold(buffer_of(copy->target));
    const std::uint32_t count = words(copy->source.size_bytes);
    const std::array given{whole(copy->source, Access::read),
                           whole(copy->target, Access::read_write),
                           Argument(words(copy->source.offset_bytes)),
                           Argument(words(copy->target.offset_bytes)), Argument(count)};
    dispatch_ours(kernels_->copy(), groups_for(count), given, &region);
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
    dispatch_ours(kernels_->fill(), groups_for(count), given, &region);
  } else if (const auto* planned = std::get_if<Dispatch>(&step.work)) {
    Dispatch dispatch = *planned;
    dispatch.arguments = arguments.subspan(step.first_argument, dispatch.arguments.size());
    hold_all_of(dispatch);
    dispatch_in(dispatch, region);
  }
}

}  // namespace reel::vulkan
