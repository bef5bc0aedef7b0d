#include "kernels.hpp"

#include <atomic>
#include <span>
#include <string>

namespace reel::test {

namespace {

void add(const HostGroup& group, const float* x, const float* y, float* z, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) z[i] = x[i] + y[i];
  });
}

void scale(const HostGroup& group, float* x, float factor, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    if (item.global.x < n) x[item.global.x] *= factor;
  });
}

void increment(const HostGroup& group, std::uint32_t* x, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    if (item.global.x < n) x[item.global.x] += 1;
  });
}

void step(const HostGroup& group, const std::uint32_t* x, std::uint32_t* y, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) y[i] = 3 * x[i] + 1;
  });
}

void index(const HostGroup& group, std::uint32_t* target, std::uint32_t width,
           std::uint32_t height) {
  group.for_each([&](const HostItem& item) {
    const Dim3 at = item.global;
    target[(at.z * height + at.y) * width + at.x] = at.x + 1000 * at.y + 1000000 * at.z;
  });
}

void reverse(const HostGroup& group, const std::uint32_t* x, std::uint32_t* y,
             SharedSpan<std::uint32_t> tile) {
  group.for_each([&](const HostItem& item) { tile[item.local_index] = x[item.global.x]; });
  group.for_each(
      [&](const HostItem& item) { y[item.global.x] = tile[group.size.x - 1 - item.local_index]; });
}

void sum(const HostGroup& group, const std::uint32_t* x, std::uint32_t* sums,
         SharedSpan<std::uint32_t> tile) {
  group.for_each([&](const HostItem& item) { tile[item.local_index] = x[item.global.x]; });
  for (std::uint32_t half = group.size.x / 2; half > 0; half /= 2)
    group.for_each([&](const HostItem& item) {
      if (item.local_index < half) tile[item.local_index] += tile[item.local_index + half];
    });
  sums[group.id.x] = tile[0];
}

void slow(const HostGroup& group, std::uint32_t* x, std::uint32_t rounds) {
  group.for_each(
      [&](const HostItem& item) { x[item.global.x] = slow_result(x[item.global.x], rounds); });
}

void count(const HostGroup& group, std::uint32_t* counter, std::uint32_t amount) {
  group.for_each([&](const HostItem&) { std::atomic_ref(*counter).fetch_add(amount); });
}

void mixed(const HostGroup&, float* target, std::uint32_t first, Mixed m) {
  target += first;
  for (int i = 0; i < 4; ++i) target[i] = m.vector[i];
  target[4] = static_cast<float>(m.a);
  target[5] = static_cast<float>(m.b);
  target[6] = m.c;
  target[7] = static_cast<float>(m.d);
}

// The head of a shader: the language and the group size.
std::string glsl(const std::string& body) {
  return "#version 450\nlayout(local_size_x = 64) in;\n" + body;
}

}  // namespace

KernelSource add_source() {
  return {.name = "add",
          .opencl_c = R"(
__kernel void add(__global const float* x, __global const float* y, __global float* z, uint n) {
  const uint i = get_global_id(0);
  if (i < n) z[i] = x[i] + y[i];
})",
          .glsl = glsl(R"(
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(set = 0, binding = 2) writeonly buffer Z { float z[]; };
layout(push_constant) uniform Values { uint n; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) z[i] = x[i] + y[i];
})"),
          .host = host_kernel<&add>()};
}

KernelSource scale_source() {
  return {.name = "scale",
          .opencl_c = R"(
__kernel void scale(__global float* x, float factor, uint n) {
  const uint i = get_global_id(0);
  if (i < n) x[i] *= factor;
})",
          .glsl = glsl(R"(
layout(set = 0, binding = 0) buffer X { float x[]; };
layout(push_constant) uniform Values { float factor; uint n; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) x[i] *= factor;
})"),
          .host = host_kernel<&scale>()};
}

KernelSource increment_source() {
  return {.name = "increment",
          .opencl_c = R"(
__kernel void increment(__global uint* x, uint n) {
  const uint i = get_global_id(0);
  if (i < n) x[i] += 1;
})",
          .glsl = glsl(R"(
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Values { uint n; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) x[i] += 1;
})"),
          .host = host_kernel<&increment>()};
}

KernelSource step_source() {
  return {.name = "step_once",
          .opencl_c = R"(
__kernel void step_once(__global const uint* x, __global uint* y, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] = 3 * x[i] + 1;
})",
          .glsl = glsl(R"(
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Values { uint n; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) y[i] = 3 * x[i] + 1;
})"),
          .host = host_kernel<&step>()};
}

KernelSource index_source(Dim3 group_size) {
  return {.name = "index",
          .opencl_c = R"(
__kernel void index(__global uint* target, uint width, uint height) {
  const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  target[(z * height + y) * width + x] = x + 1000 * y + 1000000 * z;
})",
          .glsl = R"(#version 450
layout(local_size_x = SIZE_X, local_size_y = SIZE_Y, local_size_z = SIZE_Z) in;
layout(set = 0, binding = 0) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Values { uint width; uint height; };
void main() {
  const uvec3 at = gl_GlobalInvocationID;
  target[(at.z * height + at.y) * width + at.x] = at.x + 1000 * at.y + 1000000 * at.z;
})",
          .host = host_kernel<&index>(),
          .defines = {{"SIZE_X", std::to_string(group_size.x)},
                      {"SIZE_Y", std::to_string(group_size.y)},
                      {"SIZE_Z", std::to_string(group_size.z)}}};
}

KernelSource reverse_source() {
  return {.name = "reverse",
          .opencl_c = R"(
__kernel void reverse(__global const uint* x, __global uint* y, __local uint* tile) {
  const uint i = get_local_id(0);
  tile[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = tile[get_local_size(0) - 1 - i];
})",
          .glsl = glsl(R"(
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uint y[]; };
shared uint tile[64];
void main() {
  const uint i = gl_LocalInvocationID.x;
  tile[i] = x[gl_GlobalInvocationID.x];
  barrier();
  y[gl_GlobalInvocationID.x] = tile[63 - i];
})"),
          .host = host_kernel<&reverse>()};
}

KernelSource sum_source() {
  return {.name = "sum",
          .opencl_c = R"(
__kernel void sum(__global const uint* x, __global uint* sums, __local uint* tile) {
  const uint i = get_local_id(0);
  tile[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (i < half_size) tile[i] += tile[i + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) sums[get_group_id(0)] = tile[0];
})",
          .glsl = glsl(R"(
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) writeonly buffer Sums { uint sums[]; };
shared uint tile[64];
void main() {
  const uint i = gl_LocalInvocationID.x;
  tile[i] = x[gl_GlobalInvocationID.x];
  barrier();
  for (uint half_size = 32; half_size > 0; half_size /= 2) {
    if (i < half_size) tile[i] += tile[i + half_size];
    barrier();
  }
  if (i == 0) sums[gl_WorkGroupID.x] = tile[0];
})"),
          .host = host_kernel<&sum>()};
}

// A linear congruential step: one depends on the last, and no compiler folds a loop of them.
std::uint32_t slow_result(std::uint32_t x, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round) x = x * 1664525u + 1013904223u;
  return x;
}

KernelSource slow_source() {
  return {.name = "slow",
          .opencl_c = R"(
__kernel void slow(__global uint* x, uint rounds) {
  uint value = x[get_global_id(0)];
  for (uint round = 0; round < rounds; ++round) value = value * 1664525u + 1013904223u;
  x[get_global_id(0)] = value;
})",
          .glsl = glsl(R"(
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Values { uint rounds; };
// llvmpipe ends the loops of an invocation after 65 535 rounds in all, and says nothing.
#define STEP value = value * 1664525u + 1013904223u;
#define STEPS(S) S S S S S S S S S S
void main() {
  uint value = x[gl_GlobalInvocationID.x];
  for (uint round = 0; round < rounds / 100; ++round) { STEPS(STEPS(STEP)) }
  for (uint round = 0; round < rounds % 100; ++round) { STEP }
  x[gl_GlobalInvocationID.x] = value;
})"),
          .host = host_kernel<&slow>()};
}

KernelSource count_source() {
  return {.name = "count",
          .opencl_c = R"(
__kernel void count(__global uint* counter, uint amount) {
  atomic_add((volatile __global uint*)counter, amount);
})",
          .glsl = glsl(R"(
layout(set = 0, binding = 0) buffer Counter { uint counter; };
layout(push_constant) uniform Values { uint amount; };
void main() { atomicAdd(counter, amount); }
)"),
          .host = host_kernel<&count>()};
}

KernelSource mixed_source() {
  return {.name = "mixed",
          .opencl_c = R"(
typedef struct { float4 vector; int a; uint b; float c; int d; } Mixed;
__kernel void mixed(__global float* target, uint first, Mixed m) {
  target += first;
  target[0] = m.vector.x; target[1] = m.vector.y; target[2] = m.vector.z; target[3] = m.vector.w;
  target[4] = m.a; target[5] = m.b; target[6] = m.c; target[7] = m.d;
})",
          .glsl = R"(#version 450
layout(local_size_x = 1) in;
struct Mixed { vec4 vector; int a; uint b; float c; int d; };
layout(set = 0, binding = 0) buffer Target { float target[]; };
layout(push_constant) uniform Values { uint first; Mixed m; };
void main() {
  for (int i = 0; i < 4; ++i) target[first + i] = m.vector[i];
  target[first + 4] = m.a; target[first + 5] = m.b;
  target[first + 6] = m.c; target[first + 7] = m.d;
})",
          .host = host_kernel<&mixed>()};
}

KernelSource fixed_source() {
  KernelSource source = scale_source();
  source.name = "fixed";
  source.opencl_c = R"(
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fixed(__global float* x, float factor, uint n) {
  const uint i = get_global_id(0);
  if (i < n) x[i] *= factor;
})";
  return source;
}

KernelSource broken_source() {
  return {.name = "broken",
          .opencl_c = R"(
__kernel void broken(__global uint* x, uint n) {
  x[get_global_id(0)] = undeclared;
})",
          .glsl = glsl(R"(layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Values { uint n; };
void main() { x[gl_GlobalInvocationID.x] = undeclared; }
)"),
          .host = host_kernel<&increment>()};
}

}  // namespace reel::test
