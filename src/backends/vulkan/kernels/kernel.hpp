// kernel.hpp - a compute pipeline and where its arguments go.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/kernels/layout.hpp"
#include "backends/vulkan/kernels/shader.hpp"
#include "graph/commands/resource.hpp"

namespace reel::vulkan {

// Fixed, so that arguments are gathered on the stack. 256 bytes of push constants is what the
// largest drivers offer.
inline constexpr std::uint32_t max_buffers = 64;
inline constexpr std::uint32_t max_value_block_bytes = 256;

struct VulkanKernel : KernelResource {
  // Throws build_failed.
  VulkanKernel(std::shared_ptr<Context> context, const KernelSource& from);
  ~VulkanKernel() override;
  std::vector<std::byte> binary() const override;

  std::shared_ptr<Context> context;
  const Layout* layout = nullptr;
  VkPipeline pipeline = VK_NULL_HANDLE;
  // The batch that last took hold of it, so that a batch does so once.
  std::atomic<std::uint64_t> holder = 0;
  std::vector<std::uint32_t> words;  // the SPIR-V that the driver was given
  std::vector<ShaderValue> values;   // where the i-th value goes in the push constants

 private:
  void set_constants(const KernelSource& from, const ShaderInterface& interface);
  void check_limits(const ShaderInterface& interface, const std::string& name) const;
  void create_pipeline(const Shader& shader, const std::string& name);

  struct Specialisation {
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<std::uint32_t> data;
  } specialisation_;
};

}  // namespace reel::vulkan
