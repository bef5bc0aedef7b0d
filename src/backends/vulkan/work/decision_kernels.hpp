// decision_kernels.hpp - shaders of ours for what a device decides alone.
//
// Conditional rendering skips dispatches and nothing else, so in a branch copies and fills are
// dispatches, too. Made when first needed. Any thread.
#pragma once

#include <memory>
#include <mutex>

#include "backends/vulkan/kernels/kernel.hpp"

namespace reel::vulkan {

class DecisionKernels {
 public:
  explicit DecisionKernels(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  // (in condition, out predicates, uint word of the condition, uint first of two predicates)
  const std::shared_ptr<VulkanKernel>& decide() { return get(decide_, Which::decide); }
  // (in source, out target, uint first word of the source, of the target, uint words)
  const std::shared_ptr<VulkanKernel>& copy() { return get(copy_, Which::copy); }
  // (out target, uint first word, uint words, uint value)
  const std::shared_ptr<VulkanKernel>& fill() { return get(fill_, Which::fill); }
  static constexpr std::uint32_t group_items = 64, most_groups = 1024;

 private:
  enum class Which { decide, copy, fill };
  const std::shared_ptr<VulkanKernel>& get(std::shared_ptr<VulkanKernel>& kernel, Which which);

  const std::shared_ptr<Context> context_;
  std::mutex mutex_;
  std::shared_ptr<VulkanKernel> decide_, copy_, fill_;
};

}  // namespace reel::vulkan
