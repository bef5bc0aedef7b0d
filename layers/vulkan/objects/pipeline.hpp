// pipeline.hpp - shader modules and compute pipelines of the program.
//
// A pipeline keeps the SPIR-V that it was made of, since its module may be gone by the time that it
// is recorded. What it takes is found out when it is first used in a capture.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "document/columns/rows.hpp"
#include "layers/vulkan/device.hpp"
#include "layers/vulkan/objects/descriptors.hpp"
#include "recording/calls/tracked.hpp"
#include "spirv/interface.hpp"

namespace reel::layer::vk {

using Words = std::vector<std::uint32_t>;

struct ShaderModule final : Object {
  std::shared_ptr<const Words> code;
};

struct Pipeline final : Object, capture::TrackedKernel {
  std::shared_ptr<const Words> code;  // null: it was made of something that we can't see
  std::string entry;
  std::vector<SpecConstant> constants;
  bool has_wide_constant = false;   // one of more than 64 bits, which there is none of
  std::uint32_t subgroup_size = 0;  // required; 0: none is
  bool full_subgroups = false;
  std::shared_ptr<PipelineLayout> layout;

  // Of its code; under the mutex until `is_reflected`.
  std::mutex mutex;
  std::atomic<bool> is_reflected{false};
  std::string why_not;  // it can't be told what it takes
  spirv::Interface interface;
  std::vector<DescriptorCount> counts;  // of arrays without a size
  std::vector<Parameter> parameters;    // in the order of documents
};

void reflect(Pipeline& pipeline);
std::shared_ptr<capture::KernelIdentity> identity_of(const Pipeline& pipeline);
document::KernelRow kernel_row(Pipeline& pipeline, std::uint32_t device_number);

}  // namespace reel::layer::vk
