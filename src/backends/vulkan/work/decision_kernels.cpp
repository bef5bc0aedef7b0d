#include "backends/vulkan/work/decision_kernels.hpp"

namespace reel::vulkan {
namespace {

constexpr const char* decide_glsl = R"(#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Condition { uint condition[]; };
layout(set = 0, binding = 1) buffer Words { uint words[]; };
layout(push_constant) uniform Values {
  uint from; uint to; uint branches; uint limit; uint place; uint is_first;
};
void main() {
  uint value = condition[from];
  if (is_first != 0) words[0] = 0;
  if (limit != 0 && value >= limit) {
    words[0] = place;
    for (uint i = 1; i < to + branches; ++i) words[i] = 0;
    return;
  }
  uint taken = limit != 0 ? value : value != 0 ? 0 : 1;
  for (uint i = 0; i < branches; ++i) words[to + i] = i == taken ? 1 : 0;
})";

constexpr const char* decide_grids_glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Condition { uint condition[]; };
layout(set = 0, binding = 1) buffer Words { uint words[]; };
layout(set = 0, binding = 2) readonly buffer Table { uint table[]; };
layout(push_constant) uniform Values {
  uint from; uint branches; uint limit; uint place;
  uint slot_words; uint grids; uint owners; uint first_branch;
};
void main() {
  uint item = gl_LocalInvocationID.x, value = condition[from];
  if (limit != 0 && value >= limit) {
    if (item == 0) words[0] = place;
    for (uint i = item; i < slot_words; i += 64) words[1 + i] = 0;
    return;
  }
  uint taken = limit != 0 ? value : value != 0 ? 0 : 1;
  if (taken >= branches) return;
  uint branch = first_branch + 3 * taken;
  uint region = table[branch], end = table[branch + 2];
  for (uint slot = table[branch + 1] + item; slot < end; slot += 64)
    if (table[owners + slot] == region)
      for (uint i = 0; i < 3; ++i) words[1 + 3 * slot + i] = table[grids + 3 * slot + i];
})";

constexpr const char* copy_glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) buffer Target { uint target[]; };
layout(push_constant) uniform Values { uint from; uint to; uint words; };
void main() {
  uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < words; i += step) target[to + i] = source[from + i];
})";

constexpr const char* fill_glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Target { uint target[]; };
layout(push_constant) uniform Values { uint to; uint words; uint value; };
void main() {
  uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < words; i += step) target[to + i] = value;
})";

}  // namespace

const std::shared_ptr<VulkanKernel>& DecisionKernels::get(Which which) {
  struct Known {
    const char *name, *glsl;
  };
  static constexpr std::array<Known, 4> known{{{"decide", decide_glsl},
                                               {"decide_grids", decide_grids_glsl},
                                               {"copy", copy_glsl},
                                               {"fill", fill_glsl}}};
  const auto index = static_cast<std::size_t>(which);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<VulkanKernel>& kernel = kernels_[index];
  if (!kernel) {
    KernelSource source;
    source.name = known[index].name;
    source.glsl = known[index].glsl;
    kernel = std::make_shared<VulkanKernel>(context_, source);
    kernel->source = std::move(source);
  }
  return kernel;
}

}  // namespace reel::vulkan
