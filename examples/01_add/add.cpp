// 01_add - one kernel in three forms, on whichever device is there.
#include <cstdio>
#include <vector>

#include "reel/reel.hpp"

void add_host(const reel::HostGroup& group, const float* x, float* y) {
  group.for_each([&](const reel::HostItem& item) { y[item.global.x] += x[item.global.x]; });
}
constexpr const char* add_cl = R"(
kernel void add(global const float* x, global float* y) {
  y[get_global_id(0)] += x[get_global_id(0)];
})";
constexpr const char* add_comp = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x] += x[gl_GlobalInvocationID.x]; })";

int main() {
  reel::Device device = reel::open_device();  // $REEL_DEVICE, else the best one
  reel::Kernel add = device.kernel({.name = "add",
                                    .opencl_c = add_cl,
                                    .glsl = add_comp,
                                    .host = reel::host_kernel<&add_host>(),
                                    .group_size = {64}});

  reel::Buffer x = device.buffer_of(std::vector<float>(1024, 1.5f), "x");
  reel::Buffer y = device.buffer_of(std::vector<float>(1024, 2.0f), "y");

  reel::Stream stream = device.stream("main");
  stream.dispatch(add, {.groups = {1024 / 64}}, in(x), inout(y));
  const float sum = stream.read_now<float>(y).back();

  std::printf("%s: 1.5 + 2.0 = %.1f\n", device.info().name.c_str(), sum);
  return sum == 3.5f ? 0 : 1;
}
