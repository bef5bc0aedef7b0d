// capture_region - ten additions of random numbers between start_capture and stop_capture.
//
//   capture_region [path]      then: reel info path, reel kernels path
#include <cstdio>
#include <random>
#include <vector>

#include "reel/reel.hpp"

void add_host(const reel::HostGroup& group, const float* a, const float* b, float* c) {
  group.for_each([&](const reel::HostItem& item) {
    const std::uint32_t i = item.global.x;
    c[i] = a[i] + b[i];
  });
}
constexpr const char* add_cl = R"(
kernel void add(global const float* a, global const float* b, global float* c) {
  const uint i = get_global_id(0);
  c[i] = a[i] + b[i];
})";
constexpr const char* add_comp = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  c[i] = a[i] + b[i];
})";

std::vector<float> uniform(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(0, 1);
  std::vector<float> values(count);
  for (float& value : values) value = between(random);
  return values;
}

int main(int argc, char** argv) try {
  constexpr std::uint64_t count = 512 * 512;
  const std::string path = argc > 1 ? argv[1] : "region_%p.reel";
  const reel::Device device = reel::open_device();
  const reel::Stream stream = device.stream("main");
  const reel::Kernel add = device.kernel({.name = "add",
                                          .opencl_c = add_cl,
                                          .glsl = add_comp,
                                          .host = reel::host_kernel<&add_host>(),
                                          .group_size = {64}});
  const reel::Buffer a = device.buffer_of(uniform(count, 1), "a"),
                     b = device.buffer_of(uniform(count, 2), "b"),
                     c = device.buffer(count * sizeof(float), "c");

  reel::start_capture(path);
  for (int i = 0; i < 10; ++i) {
    const auto scope = stream.scope("add" + std::to_string(i));
    stream.dispatch(add, {.groups = {count / 64}}, in(a), in(b), out(c));
  }
  const reel::CaptureReport report = reel::stop_capture();  // waits for the work

  std::printf("%s: %llu commands in %s (%llu bytes)\n", device.info().id.c_str(),
              static_cast<unsigned long long>(report.commands), report.path.c_str(),
              static_cast<unsigned long long>(report.document_bytes));
  return report.commands == 10 ? 0 : 1;
} catch (const reel::Error& error) {
  std::fprintf(stderr, "capture_region: %s\n", error.what());
  return 1;
}
