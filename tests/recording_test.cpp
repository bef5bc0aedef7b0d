#include "recording_test.hpp"

namespace reel::test {

namespace {

void mad(const HostGroup& group, std::uint32_t* x, std::uint32_t a, std::uint32_t b,
         std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) x[i] = a * x[i] + b;
  });
}

void mix(const HostGroup& group, const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* z,
         std::uint32_t k, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) z[i] = k * x[i] + y[i];
  });
}

}  // namespace

KernelSource mad_source() {
  return {.name = "mul_add",
          .opencl_c = R"(
__kernel void mul_add(__global uint* x, uint a, uint b, uint n) {
  const uint i = get_global_id(0);
  if (i < n) x[i] = a * x[i] + b;
})",
          .glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Values { uint a; uint b; uint n; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) x[i] = a * x[i] + b;
})",
          .host = host_kernel<&mad>()};
}

KernelSource mix_source() {
  return {.name = "mix_words",
          .opencl_c = R"(
__kernel void mix_words(__global const uint* x, __global const uint* y, __global uint* z, uint k,
                        uint n) {
  const uint i = get_global_id(0);
  if (i < n) z[i] = k * x[i] + y[i];
})",
          .glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) readonly buffer Y { uint y[]; };
layout(set = 0, binding = 2) writeonly buffer Z { uint z[]; };
layout(push_constant) uniform Values { uint k; uint n; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) z[i] = k * x[i] + y[i];
})",
          .host = host_kernel<&mix>()};
}

void RecordingTest::SetUp() {
  AnyDevice::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  mad_kernel = build(mad_source());
  mix_kernel = build(mix_source());
  x = make("x");
  y = make("y");
  z = make("z");
  w = make("w");
}

}  // namespace reel::test
