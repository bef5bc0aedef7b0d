#include "backends/vulkan/work/decided.hpp"

#include <algorithm>

#include "backends/vulkan/work/executable.hpp"
#include "backends/vulkan/work/queue.hpp"
#include "base/fail.hpp"

namespace reel::vulkan {
namespace {

// Recording takes 0.3 to 0.9 µs a command, and every launch carries them all.
constexpr std::uint64_t most_commands = 2048;
constexpr std::size_t queues_kept = 4;

bool is_words(const BufferRange& range) {
  return range.offset_bytes % 4 == 0 && range.size_bytes % 4 == 0;
}

class Look {
 public:
  explicit Look(const Context& context) : most_bytes_(context.physical.info.max_binding_bytes) {}

  std::string why_not;
  std::uint64_t commands = 0;

  void at(const DecidedOnDevice& decision, bool is_predicated, std::uint64_t times) {
    const bool is_repeat = decision.kind == DecisionKind::repeat;
    if (decision.rounds > most_commands / std::max<std::uint64_t>(times, 1)) return too_many();
    times *= std::max<std::uint64_t>(1, decision.rounds);
    if (!is_repeat) {
      commands += 2 * times;
      if (is_predicated) binds(decision.condition);
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
    if (why_not.empty() && commands > most_commands) too_many();
  }

 private:
  void too_many() { why_not = fmt::format("it would be more than {} commands", most_commands); }
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
  void at(const VulkanExecutable& executable, bool is_predicated, std::uint64_t times) {
    for (const StepState& step : executable.steps()) {
      if (!step.enabled) continue;
      commands += times;
      std::visit(overloaded{
                     [&](const Dispatch& dispatch) {
                       if (is_predicated && dispatch.predicate)
                         why_not = "a dispatch in it has a predicate of its own";
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

  const std::uint64_t most_bytes_;
};

}  // namespace

std::string why_not_on_device(const Context& context, const DecidedOnDevice& decision) {
  if (!context.features.conditional.conditionalRendering)
    return "the device has no VK_EXT_conditional_rendering";
  Look look(context);
  look.at(decision, false, 1);
  return look.why_not;
}

Decided::Decided(std::shared_ptr<Context> context, std::shared_ptr<DecisionKernels> kernels,
                 DecidedOnDevice decision)
    : context_(std::move(context)),
      kernels_(std::move(kernels)),
      decision_(std::move(decision)),
      descriptors_(context_, 2 * most_commands) {}

void Decided::launch(QueueDriver& queue) {
  const auto known =
      std::ranges::find(recordings_, &queue, &decltype(recordings_)::value_type::first);
  if (known != recordings_.end()) return static_cast<VulkanQueue&>(queue).launch(known->second);
  auto recording = std::make_shared<Recording>(context_);
  recording->record(decision_, *kernels_, descriptors_);
  // What is dropped here lives on in the batches that run it.
  if (recordings_.size() == queues_kept) recordings_.erase(recordings_.begin());
  recordings_.emplace_back(&queue, recording);
  static_cast<VulkanQueue&>(queue).launch(recording);
}

}  // namespace reel::vulkan
