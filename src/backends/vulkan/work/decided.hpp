// decided.hpp - a decision that the device takes alone, by conditional rendering.
//
// A command buffer with all its branches, in which dispatches of branches that are not taken are
// skipped; of a loop, with some rounds of it. What a branch reads its predicate from is memory of
// the recording, so every queue has a recording of its own.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/vulkan/kernels/descriptor_cache.hpp"
#include "backends/vulkan/work/decision_kernels.hpp"
#include "backends/vulkan/work/recording.hpp"
#include "runtime/driver.hpp"

namespace reel::vulkan {

// Why the device can't; empty when it can.
std::string why_not_on_device(const Context& context, const DecidedOnDevice& decision);

class Decided final : public Launchable {
 public:
  // The executables it names are there as long as this is, and unchanged.
  Decided(std::shared_ptr<Context> context, std::shared_ptr<DecisionKernels> kernels,
          DecidedOnDevice decision);
  void launch(QueueDriver& queue) override;

 private:
  const std::shared_ptr<Context> context_;
  const std::shared_ptr<DecisionKernels> kernels_;
  const DecidedOnDevice decision_;
  DescriptorCache descriptors_;
  // The oldest first. A queue that is gone has waited for its launches, so another one that lies
  // where it lay may have its recording.
  std::vector<std::pair<const QueueDriver*, std::shared_ptr<Recording>>> recordings_;
};

}  // namespace reel::vulkan
