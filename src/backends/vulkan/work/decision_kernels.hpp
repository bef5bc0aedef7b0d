// decision_kernels.hpp - shaders of ours for what a device decides alone.
//
// Only dispatches are skipped, so in a branch copies and fills are dispatches, too. Made when first
// needed. Any thread.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "backends/vulkan/kernels/kernel.hpp"

namespace reel::vulkan {

class DecisionKernels {
 public:
  explicit DecisionKernels(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  // Both look at a condition. Without a limit it says 0: the first branch, or else the second; with
  // one, the number of a branch. From the limit on nothing that follows may run: the first word
  // becomes the place.
  // (in condition, inout words, uint word of the condition, first of the predicates, branches,
  // limit, place, is it the first of the launch): each branch has a predicate; those before are of
  // what it is in.
  const std::shared_ptr<VulkanKernel>& decide() { return get(Which::decide); }
  // (in condition, inout words, in table, uint word of the condition, branches, limit, place, words
  // of the slots, where grids, owners and the first branch begin in the table)
  const std::shared_ptr<VulkanKernel>& decide_grids() { return get(Which::decide_grids); }
  // (in source, out target, uint first word of the source, of the target, uint words)
  const std::shared_ptr<VulkanKernel>& copy() { return get(Which::copy); }
  // (out target, uint first word, uint words, uint value)
  const std::shared_ptr<VulkanKernel>& fill() { return get(Which::fill); }
  static constexpr std::uint32_t group_items = 64, most_groups = 1024;

 private:
  enum class Which { decide, decide_grids, copy, fill };
  const std::shared_ptr<VulkanKernel>& get(Which which);

  const std::shared_ptr<Context> context_;
  std::mutex mutex_;
  std::array<std::shared_ptr<VulkanKernel>, 4> kernels_;
};

}  // namespace reel::vulkan
