// decides.cpp - a graph of the library that decides, on Vulkan: the device skips what isn't taken.
//
// Captured by the layer as any program is, it is one that uses conditional rendering.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <reel/reel.hpp>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t items = 256;

// x becomes 3 x + add, and the first item counts `left` down.
constexpr const char* step_glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Left { uint left[]; };
layout(push_constant) uniform Values { uint add; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  x[i] = x[i] * 3 + add;
  if (i == 0 && left[0] > 0) left[0] -= 1;
})";

void print(const char* label, const std::vector<std::uint32_t>& numbers) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::uint32_t number : numbers) hash = (hash ^ number) * 1099511628211ULL;
  std::printf("%s %016llx\n", label, static_cast<unsigned long long>(hash));
}

void run() {
  using namespace reel;
  const Device device = open_device("vulkan");
  const Stream stream = device.stream("main");
  KernelSource source;
  source.name = "step";
  source.glsl = step_glsl;
  const Kernel step = device.kernel(source);
  std::vector<std::uint32_t> numbers(items);
  for (std::uint32_t i = 0; i < items; ++i) numbers[i] = i * 2654435761U;
  const Buffer x = device.buffer_of(numbers, "x"), spare = device.buffer(items * 4, "spare");
  const Buffer left = device.buffer_of(std::vector<std::uint32_t>{3}, "left");
  const Buffer flag = device.buffer_of(std::vector<std::uint32_t>{0}, "flag");
  const Buffer unused = device.buffer_of(std::vector<std::uint32_t>{0}, "unused");
  const auto add_step = [&](Graph& graph, std::uint32_t add, const Buffer& counter) {
    graph.add_dispatch(step, {.groups = {items / 64}}, inout(x), inout(counter), add);
  };
  Graph body, deeper, then, otherwise, graph;
  add_step(body, 1, left);
  add_step(deeper, 2, unused);
  add_step(then, 3, unused);
  then.add_copy(spare, x);
  then.add_if(flag, deeper, body);  // of body, one more step
  add_step(otherwise, 4, unused);
  otherwise.add_fill(spare, std::uint32_t{7});
  graph.add_while(left, body, {.label = "until none is left"});
  graph.add_if(flag, then, otherwise);
  GraphExec exec = graph.instantiate(device);
  std::printf("%s\n", exec.lowering().c_str());
  for (const std::uint32_t given : {0U, 1U, 0U}) {
    flag.write(std::vector<std::uint32_t>{given});
    left.write(std::vector<std::uint32_t>{3 + 5 * given});
    exec.launch(stream);
    stream.synchronize();
    print("x", x.read<std::uint32_t>(0, items));
    print("spare", spare.read<std::uint32_t>(0, items));
  }
}

}  // namespace

int main() {
  try {
    run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
