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
#include "reel/command.hpp"

namespace reel::vulkan {

// Fixed, so that arguments are gathered on the stack. 256 bytes of push constants is what the
// largest drivers offer.
inline constexpr std::uint32_t max_buffers = 64;
inline constexpr std::uint32_t max_value_block_bytes = 256;

// Where an argument of a kernel with a declared layout goes.
struct Place {
  std::uint32_t descriptor = 0;  // among those of all sets, one set after the other
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  VkImageViewType view = VK_IMAGE_VIEW_TYPE_2D;  // of an image
};

struct VulkanKernel : KernelResource {
  // Throws build_failed.
  VulkanKernel(std::shared_ptr<Context> context, const KernelSource& from);
  ~VulkanKernel() override;
  std::vector<std::byte> binary() const override;
  void check_arguments(const Dispatch& dispatch) const override;

  std::shared_ptr<Context> context;
  const Layout* layout = nullptr;
  VkPipeline pipeline = VK_NULL_HANDLE;
  // The batch that last took hold of it, so that a batch does so once.
  std::atomic<std::uint64_t> holder = 0;
  std::vector<std::uint32_t> words;  // the SPIR-V that the driver was given
  // Without a declared layout: where the i-th value goes in the push constants.
  std::vector<spirv::Value> values;
  // With one: where the i-th argument goes.
  bool is_declared = false;
  std::vector<Place> places;

 private:
  void take_by_position(spirv::Interface& interface);
  void take_as_declared(const spirv::Interface& interface, const KernelSource& from);
  void set_constants(const KernelSource& from, const spirv::Interface& interface);
  void check_limits(const spirv::Interface& interface, const std::string& name) const;
  void check_argument(const Argument& argument, const Parameter& parameter, const Place& place,
                      std::size_t index) const;
  void create_pipeline(const Shader& shader, const KernelSource& from);

  struct Specialisation {
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<std::byte> data;
  } specialisation_;
};

}  // namespace reel::vulkan
