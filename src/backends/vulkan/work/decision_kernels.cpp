#include "backends/vulkan/work/decision_kernels.hpp"

namespace reel::vulkan {
namespace {

constexpr const char* decide_glsl = R"(#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Condition { uint condition[]; };
layout(set = 0, binding = 1) buffer Predicates { uint predicates[]; };
layout(push_constant) uniform Values { uint from; uint to; };
void main() {
  bool taken = condition[from] != 0;
  predicates[to] = taken ? 1 : 0;
  predicates[to + 1] = taken ? 0 : 1;
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

const std::shared_ptr<VulkanKernel>& DecisionKernels::get(std::shared_ptr<VulkanKernel>& kernel,
                                                          Which which) {
  const std::lock_guard lock(mutex_);
  if (!kernel) {
    KernelSource source;
    source.name = which == Which::decide ? "decide" : which == Which::copy ? "copy" : "fill";
    source.glsl = which == Which::decide ? decide_glsl
                  : which == Which::copy ? copy_glsl
                                         : fill_glsl;
    kernel = std::make_shared<VulkanKernel>(context_, source);
    kernel->source = std::move(source);
  }
  return kernel;
}

}  // namespace reel::vulkan
