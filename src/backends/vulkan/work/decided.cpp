#include "backends/vulkan/work/decided.hpp"

#include <algorithm>

#include "backends/vulkan/work/executable.hpp"
#include "backends/vulkan/work/queue.hpp"
#include "base/fail.hpp"
#include "base/process/environment_variable.hpp"

namespace reel::vulkan {
namespace {

// Recording takes 0.3 to 0.9 µs a command, and every launch carries them all. Of loops within
// others most are skipped mostly, which takes some 0.2 µs each, so that there had better be few.
constexpr std::uint64_t most_commands = 2048, most_with_loops_inside = 512;
constexpr std::size_t queues_kept = 4;

bool is_words(const BufferRange& range) {
  return range.offset_bytes % 4 == 0 && range.size_bytes % 4 == 0;
}

class Look {
 public:
  Look(const Context& context, SkippedBy way, std::uint64_t most)
      : most_(most), most_bytes_(context.physical.info.max_binding_bytes), way_(way) {}

  std::string why_not;
  std::uint64_t commands = 0;

  void at(const DecidedOnDevice& decision, bool is_predicated, std::uint64_t times) {
    const bool is_repeat = decision.kind == DecisionKind::repeat;
    if (decision.rounds > most_ / std::max<std::uint64_t>(times, 1)) return too_many();
    times *= std::max<std::uint64_t>(1, decision.rounds);
    if (!is_repeat) {
      commands += (2 + decision.branches.size()) * times;
      if (is_predicated || way_ == SkippedBy::indirect) binds(decision.condition);
    }
    for (const auto& parts : decision.branches)
      for (const auto& part : parts) {
        if (!why_not.empty()) return;
        if (part.decision)
          at(*part.decision, is_predicated || !is_repeat, times);
        else
          at(static_cast<const VulkanExecutable&>(*part.straight), is_predicated || !is_repeat,
             times);
      }
    if (why_not.empty() && commands > most_) too_many();
  }

 private:
  void too_many() { why_not = fmt::format("it would be more than {} commands", most_); }
  void binds(const BufferRange& range) {
    if (range.buffer->size_bytes > most_bytes_)
      why_not =
          fmt::format("buffer '{}' is larger than what a kernel is given", range.buffer->label);
  }
  void moves(const BufferRange& range, const char* what) {
    if (buffer_of(range).picture || buffer_of(range).texels)
      why_not = fmt::format("a {} in it is of an image", what);
    else if (!is_words(range))
      why_not = fmt::format("a {} in it is not of whole words", what);
    else
      binds(range);
  }
  // Its grid comes from memory of ours then.
  void is_indirect(const Dispatch& dispatch) {
    if (dispatch.offset != unset_dim)
      why_not = "a dispatch in it begins at an offset, which no indirect one can";
    else if (dispatch.indirect.buffer)
      binds(dispatch.indirect);
  }
  void at(const VulkanExecutable& executable, bool is_predicated, std::uint64_t times) {
    for (const StepState& step : executable.steps()) {
      if (!step.enabled) continue;
      commands += times;
      std::visit(overloaded{
                     [&](const Dispatch& dispatch) {
                       if (is_predicated && dispatch.predicate)
                         why_not = "a dispatch in it has a predicate of its own";
                       else if (is_predicated && way_ == SkippedBy::indirect)
                         is_indirect(dispatch);
                     },
                     [](const Barrier&) {},
                     [&](const Copy& copy) {
                       if (!is_predicated) return;
                       moves(copy.source, "copy");
                       if (why_not.empty()) moves(copy.target, "copy");
                     },
                     [&](const Fill& fill) {
                       if (is_predicated) moves(fill.target, "fill");
                     },
                     [&](const Write&) {
                       if (is_predicated) why_not = "a write in it is nothing that can be skipped";
                     },
                     [&](const Read&) { why_not = "a read in it is for the host"; },
                     [&](const HostCall&) { why_not = "a host call in it is for the host"; },
                 },
                 step.work);
      if (!why_not.empty()) return;
    }
  }

  const std::uint64_t most_, most_bytes_;
  const SkippedBy way_;
};

}  // namespace

SkippedBy skipped_by(const Context& context) {
  const std::string_view wish = environment_variable("REEL_VULKAN_DECISIONS");
  if (wish == "split") return SkippedBy::host;
  const bool is_there = context.features.conditional.conditionalRendering;
  return is_there && wish != "indirect" ? SkippedBy::conditional : SkippedBy::indirect;
}

std::string_view name_of(SkippedBy way) noexcept {
  return way == SkippedBy::conditional ? "conditional rendering" : "indirect dispatches";
}

SeenDecision look_at(const Context& context, SkippedBy way, const DecidedOnDevice& decision) {
  if (way == SkippedBy::host) return {"REEL_VULKAN_DECISIONS is 'split'"};
  Look look(context, way, decision.has_loops_inside ? most_with_loops_inside : most_commands);
  look.at(decision, decision.may_stop, 1);
  return {std::move(look.why_not), look.commands};
}

Decided::Decided(std::shared_ptr<Context> context, std::shared_ptr<DecisionKernels> kernels,
                 DecidedOnDevice decision, SkippedBy way, std::uint64_t commands)
    : context_(std::move(context)),
      kernels_(std::move(kernels)),
      decision_(std::move(decision)),
      way_(way),
      commands_(commands),
      descriptors_(context_, 2 * most_commands) {}

std::shared_ptr<const Stops> Decided::launch(QueueDriver& queue) {
  const auto known =
      std::ranges::find(recordings_, &queue, &decltype(recordings_)::value_type::first);
  if (known != recordings_.end()) {
    static_cast<VulkanQueue&>(queue).launch(known->second);
    return Recording::stops(known->second);
  }
  auto recording = std::make_shared<Recording>(context_);
  recording->record(decision_, way_, commands_, *kernels_, descriptors_);
  // What is dropped here lives on in the batches that run it.
  if (recordings_.size() == queues_kept) recordings_.erase(recordings_.begin());
  recordings_.emplace_back(&queue, recording);
  static_cast<VulkanQueue&>(queue).launch(recording);
  return Recording::stops(recording);
}

}  // namespace reel::vulkan
