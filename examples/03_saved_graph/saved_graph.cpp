// 03_saved_graph - one process saves a graph, another launches it with buffers of its own.
//
//   03_saved_graph save twice.reel
//   03_saved_graph load twice.reel
#include <cstdio>
#include <string_view>
#include <vector>

#include "reel/reel.hpp"

void scale_host(const reel::HostGroup& group, float* x, float factor) {
  group.for_each([&](const reel::HostItem& item) { x[item.global.x] *= factor; });
}
constexpr const char* scale_cl = R"(
kernel void scale(global float* x, float factor) { x[get_global_id(0)] *= factor; })";
constexpr const char* scale_comp = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { float x[]; };
layout(push_constant) uniform Values { float factor; };
void main() { x[gl_GlobalInvocationID.x] *= factor; })";

// y = 4 x, through x itself.
void save(const reel::Device& device, const char* path) {
  reel::Kernel scale = device.kernel({.name = "scale",
                                      .opencl_c = scale_cl,
                                      .glsl = scale_comp,
                                      .host = reel::host_kernel<&scale_host>(),
                                      .group_size = {64}});
  reel::Buffer x = device.buffer(1024 * sizeof(float), "x"),
               y = device.buffer(1024 * sizeof(float), "y");
  reel::Graph graph;
  graph.add_dispatch(scale, {.groups = {1024 / 64}}, inout(x), 2.0f);
  graph.add_dispatch(scale, {.groups = {1024 / 64}}, inout(x), 2.0f);
  graph.add_copy(y, x);
  graph.save(path, {.overwrite = true});
}

int load(const reel::Device& device, const char* path) {
  reel::register_host_kernel("scale", reel::host_kernel<&scale_host>());  // a file can only name it
  reel::Graph graph = reel::Graph::load(path);
  for (const reel::GraphBuffer& buffer : graph.buffers())
    std::printf("%s: %llu bytes%s%s\n", buffer.name.c_str(),
                static_cast<unsigned long long>(buffer.size_bytes),
                buffer.is_input ? ", input" : "", buffer.is_output ? ", output" : "");

  reel::Buffer mine = device.buffer_of(std::vector<float>(1024, 1.5f), "mine");
  reel::Buffer result = device.buffer(1024 * sizeof(float), "result");
  reel::GraphExec exec = graph.instantiate(device, {.buffers = {{"x", mine}, {"y", result}}});
  reel::Stream stream = device.stream("main");
  exec.launch(stream);
  const float last = stream.read_now<float>(result).back();
  std::printf("%s: 4 * 1.5 = %.1f\n", device.info().name.c_str(), last);
  return last == 6.0f ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("Usage: 03_saved_graph save|load FILE\n", stderr), 2;
  const reel::Device device = reel::open_device();  // $REEL_DEVICE, else the best one
  if (std::string_view(argv[1]) == "load") return load(device, argv[2]);
  save(device, argv[2]);
  return 0;
}
