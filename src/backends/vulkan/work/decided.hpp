// decided.hpp - a decision that the device takes alone.
//
// A command buffer with all its branches, in which dispatches of branches that are not taken are
// skipped; of a loop, with some rounds of it. What decides over that is memory of the recording, so
// every queue has a recording of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/vulkan/kernels/descriptor_cache.hpp"
#include "backends/vulkan/work/decision_kernels.hpp"
#include "backends/vulkan/work/recording.hpp"
#include "runtime/driver.hpp"

namespace reel::vulkan {

// As REEL_VULKAN_DECISIONS says, and else as the device can.
SkippedBy skipped_by(const Context& context);
std::string_view name_of(SkippedBy way) noexcept;

struct SeenDecision {
  std::string why_not;         // the device can't take it; empty when it can
  std::uint64_t commands = 0;  // that it is, at most
};
SeenDecision look_at(const Context& context, SkippedBy way, const DecidedOnDevice& decision);

class Decided final : public DecidedLaunchable {
 public:
  // The executables it names are there as long as this is, and unchanged. `commands`: as seen.
  Decided(std::shared_ptr<Context> context, std::shared_ptr<DecisionKernels> kernels,
          DecidedOnDevice decision, SkippedBy way, std::uint64_t commands);
  std::shared_ptr<const Stops> launch(QueueDriver& queue) override;

 private:
  const std::shared_ptr<Context> context_;
  const std::shared_ptr<DecisionKernels> kernels_;
  const DecidedOnDevice decision_;
  const SkippedBy way_;
  const std::uint64_t commands_;
  DescriptorCache descriptors_;
  // The oldest first. A queue that is gone has waited for its launches, so another one that lies
  // where it lay may have its recording.
  std::vector<std::pair<const QueueDriver*, std::shared_ptr<Recording>>> recordings_;
};

}  // namespace reel::vulkan
