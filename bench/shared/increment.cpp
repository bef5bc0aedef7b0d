#include "increment.hpp"

#include "reel/host_kernel.hpp"

namespace bench {
namespace {

void increment_group(const reel::HostGroup& group, std::uint32_t* a) {
  for (std::uint32_t i = 0; i < group_items; ++i) a[group.id.x * group_items + i] += 1;
}

}  // namespace

reel::Kernel increment_kernel(const reel::Device& device) {
  reel::register_host_kernel("increment", reel::host_kernel<&increment_group>());
  return device.kernel({.name = "increment",
                        .opencl_c = R"(
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void increment(__global uint* a) {
  a[get_global_id(0)] += 1;
}
)",
                        .glsl = R"(#version 450
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) buffer A { uint a[]; };
void main() { a[gl_GlobalInvocationID.x] += 1; }
)",
                        .host = reel::host_kernel<&increment_group>()});
}

}  // namespace bench
