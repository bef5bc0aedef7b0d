// add_one.hpp - the kernel under test, a[off + i] += 1 for 64 items, in every form; and its cases.
//
// The hand-written programs and the library compile the same text (on the host: the same body),
// so that what differs is only the way there.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "reel/host_kernel.hpp"

namespace bench {

inline constexpr std::uint32_t items = 64;  // of the one group of a node
inline constexpr std::uint32_t slice_bytes = items * sizeof(std::uint32_t);

// Called through pointers only: a call that the compiler could see through would be no floor.
[[gnu::always_inline]] inline void add_one_items(std::uint32_t* slice) {
  for (std::uint32_t i = 0; i < items; ++i) slice[i] += 1;
}

inline void add_one_group(const reel::HostGroup& group, std::uint32_t* a, std::uint32_t off) {
  add_one_items(a + off + group.id.x * items);
}

inline constexpr const char* add_one_opencl_c = R"(
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void add_one(__global uint* a, uint off) {
  a[off + get_global_id(0)] += 1;
}
)";

inline constexpr const char* add_one_glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer A { uint a[]; };
layout(push_constant) uniform Values { uint off; };
void main() { a[off + gl_GlobalInvocationID.x] += 1; }
)";

// A chain's nodes all use the first slice, each after the one before. Independent nodes have a
// slice each.
enum class Shape : std::uint8_t { chain, independent };

struct Case {
  Shape shape = Shape::chain;
  std::uint32_t nodes = 0;

  std::uint32_t slices() const { return shape == Shape::chain ? 1 : nodes; }
  std::uint32_t counters() const { return slices() * items; }
  std::uint32_t first_item(std::uint32_t node) const {
    return shape == Shape::chain ? 0 : node * items;
  }
  std::string name() const {
    return (shape == Shape::chain ? "chain of " : "independent, ") + std::to_string(nodes);
  }
};

// Empty when each counter is the number of increments that so many passes make.
std::string check_counters(std::span<const std::uint32_t> counters, const Case& work,
                           std::uint64_t passes);

}  // namespace bench
