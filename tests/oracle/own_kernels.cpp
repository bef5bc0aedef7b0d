#include "own_kernels.hpp"

#include <string>

#include "reel/host_kernel.hpp"

namespace oracle {
namespace {

using reel::HostGroup;
using reel::HostItem;
using Word = std::uint32_t;

constexpr Word scale_by = 5, advance_by = 7, add_by = 3, slow_by = 1664525, rounds = 30000;

void scale(const HostGroup& group, const Word* a, Word* b, Word s, Word n) {
  group.for_each([&](const HostItem& item) {
    const Word i = item.global.x;
    if (i < n) b[i] = a[i] * scale_by + s;
  });
}

void advance(const HostGroup& group, Word* a, Word s, Word n) {
  group.for_each([&](const HostItem& item) {
    const Word i = item.global.x;
    if (i < n) a[i] = (a[i] * advance_by) ^ (i + s);
  });
}

void add(const HostGroup& group, const Word* a, const Word* b, Word* c, Word n) {
  group.for_each([&](const HostItem& item) {
    const Word i = item.global.x;
    if (i < n) c[i] = a[i] + b[i] * add_by;
  });
}

void slow(const HostGroup& group, Word* a, Word s, Word n) {
  group.for_each([&](const HostItem& item) {
    const Word i = item.global.x;
    if (i >= n) return;
    for (Word k = 0; k < rounds; ++k) a[i] = a[i] * slow_by + s;
  });
}

// A name of its own for each: a document ties host kernels to functions by it.
reel::KernelSource source(const char* name, const std::string& buffers, bool takes_number,
                          const std::string& body, reel::HostKernel host) {
  std::string opencl = std::string("kernel void ") + name + "(";
  std::string glsl = "#version 450\nlayout(local_size_x = 64) in;\n";
  int binding = 0;
  for (const char buffer : buffers) {  // a lower letter is only read
    const bool reads = buffer >= 'a';
    const std::string letter(1, static_cast<char>(buffer | 0x20));
    opencl += std::string("global ") + (reads ? "const " : "") + "uint* " + letter + ", ";
    glsl += "layout(set = 0, binding = " + std::to_string(binding++) + ")" +
            (reads ? " readonly" : "") + " buffer B" + letter + " { uint " + letter + "[]; };\n";
  }
  const std::string number = takes_number ? "uint s" : "";
  opencl +=
      (takes_number ? "uint s, " : "") + std::string("uint n) {\n  uint i = get_global_id(0);\n");
  glsl += "layout(push_constant) uniform Values { " + (takes_number ? number + "; " : "") +
          "uint n; };\nvoid main() {\n  uint i = gl_GlobalInvocationID.x;\n";
  return {.name = name,
          .opencl_c = opencl + "  if (i >= n) return;\n  " + body + "\n}\n",
          .glsl = glsl + "  if (i >= n) return;\n  " + body + "\n}\n",
          .host = std::move(host)};
}

}  // namespace

std::vector<reel::KernelSource> own_kernels() {
  return {
      source("oracle_scale", "aB", true, "b[i] = a[i] * 5u + s;", reel::host_kernel<&scale>()),
      source("oracle_advance", "A", true, "a[i] = a[i] * 7u ^ (i + s);",
             reel::host_kernel<&advance>()),
      source("oracle_add", "abC", false, "c[i] = a[i] + b[i] * 3u;", reel::host_kernel<&add>()),
      source("oracle_slow", "A", true,
             "uint x = a[i]; for (uint k = 0u; k < 30000u; ++k) x = x * 1664525u + s; a[i] = x;",
             reel::host_kernel<&slow>())};
}

}  // namespace oracle
