#include "decisions/pick.hpp"

namespace reel::test {
namespace {

void pick(const HostGroup&, const std::uint32_t* x, std::uint32_t* flag, std::uint32_t m) {
  flag[0] = picked(x[0], flag[0], m);
}

}  // namespace

KernelSource pick_source() {
  return {.name = "pick",
          .opencl_c = R"(
__kernel void pick(__global const uint* x, __global uint* flag, uint m) {
  if (get_global_id(0) == 0) flag[0] = m != 0 ? x[0] % m : flag[0] - (flag[0] != 0 ? 1 : 0);
})",
          .glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Flag { uint flag[]; };
layout(push_constant) uniform Values { uint m; };
void main() {
  if (gl_GlobalInvocationID.x == 0)
    flag[0] = m != 0 ? x[0] % m : flag[0] - (flag[0] != 0 ? 1 : 0);
})",
          .host = host_kernel<&pick>()};
}

}  // namespace reel::test
