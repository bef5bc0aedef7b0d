// 02_graph - capture a stream, launch the graph again and again, change an argument.
//
// Two branches fork from one buffer and meet in another:   fill a -> scale b -> add to c
//                                                             \-> scale d ----/
// With --dot the graph is printed for Graphviz.
#include <cstdio>
#include <string_view>

#include "reel/reel.hpp"

// y = y * keep + x * factor
void mix_host(const reel::HostGroup& group, const float* x, float* y, float keep, float factor) {
  group.for_each([&](const reel::HostItem& item) {
    const std::uint32_t i = item.global.x;
    y[i] = y[i] * keep + x[i] * factor;
  });
}
constexpr const char* mix_cl = R"(
kernel void mix_in(global const float* x, global float* y, float keep, float factor) {
  const uint i = get_global_id(0);
  y[i] = y[i] * keep + x[i] * factor;
})";
constexpr const char* mix_comp = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Values { float keep, factor; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  y[i] = y[i] * keep + x[i] * factor;
})";

int main(int argc, char** argv) {
  constexpr std::uint64_t count = 4096;
  const reel::Device device = reel::open_device();
  const reel::Kernel mix = device.kernel({.name = "mix_in",
                                          .opencl_c = mix_cl,
                                          .glsl = mix_comp,
                                          .host = reel::host_kernel<&mix_host>(),
                                          .group_size = {64}});
  const reel::Buffer a = device.buffer(count * 4, "a"), b = device.buffer(count * 4, "b"),
                     c = device.buffer(count * 4, "c"), d = device.buffer(count * 4, "d");
  const reel::Stream stream = device.stream("main"), side = device.stream("side");
  const reel::Event forked = device.event("forked"), joined = device.event("joined");
  const reel::Launch grid{.groups = {count / 64}};

  auto capture = reel::StreamCapture::begin(stream);
  stream.fill(a, 1.0f);
  stream.record(forked);
  side.wait(forked);                                      // `side` is now part of the capture
  side.dispatch(mix, grid, in(a), inout(d), 0.0f, 2.0f);  // d = 2 a
  side.record(joined);
  const reel::NodeId scale =
      capture.record_kernel(mix, grid, in(a), inout(b), 0.0f, 3.0f);  // b = 3 a
  stream.wait(joined);
  stream.dispatch(mix, grid, in(b), inout(c), 0.0f, 1.0f);  // c = b
  stream.dispatch(mix, grid, in(d), inout(c), 1.0f, 1.0f);  // c += d
  const reel::Graph graph = capture.end();
  if (argc > 1 && std::string_view(argv[1]) == "--dot") {
    std::fputs(graph.to_dot().c_str(), stdout);
    return 0;
  }

  reel::GraphExec exec = graph.instantiate(device);
  exec.launch(stream);
  const float first = stream.read_now<float>(c).back();
  exec.set_argument(scale, 3, 10.0f);  // for later launches; nothing is built again
  exec.launch(stream);
  const float second = stream.read_now<float>(c).back();

  std::printf("%s: %zu nodes, %zu barriers, run as %s\n", device.info().name.c_str(),
              graph.node_count(), exec.barrier_count(), exec.lowering().c_str());
  std::printf("2 + 3 = %.0f; after set_argument, 2 + 10 = %.0f\n", first, second);
  return first == 5.0f && second == 12.0f ? 0 : 1;
}
