// Where addresses of buffers lie, by the types of a shader.
#include "spirv/addresses.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "spirv/address_walk.hpp"
#include "spirv/glsl.hpp"
#include "spirv/interface.hpp"

namespace reel::spirv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* head = R"(
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Values { uint x[]; };
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { Node next; uint n; Values leaf[2]; };
)";

class AddressTypes : public testing::TestWithParam<bool> {
 protected:
  Addresses found(const std::string& body) {
    return interface_of(compiled(head + body, GetParam()), "main").addresses;
  }
};

std::vector<std::string> texts(const std::vector<AddressSlot>& slots) {
  std::vector<std::string> all;
  for (const AddressSlot& slot : slots) {
    std::string text = std::to_string(slot.offset_bytes);
    for (const AddressSlot::Repeat& repeat : slot.repeats)
      text += fmt::format(" {}x{}", repeat.count, repeat.stride_bytes);
    all.push_back(text);
  }
  return all;
}

TEST_P(AddressTypes, LieInPushConstantsAndLeadToMemoryOfAType) {
  const Addresses a = found(R"(
layout(push_constant) uniform P { uint n; Values from; Values to; };
void main() { to.x[0] = from.x[n]; })");
  EXPECT_TRUE(a.are_followed);
  EXPECT_EQ(a.why_not, nullptr);
  EXPECT_THAT(texts(a.values), ElementsAre("8", "16"));
  ASSERT_EQ(a.targets.size(), 1u);
  EXPECT_EQ(a.targets[0].size_bytes, 0u);  // no end
  // Each by itself, though they are of one type.
  EXPECT_EQ(a.values[0].use, (VariableUse{true, false}));
  EXPECT_EQ(a.values[1].use, (VariableUse{false, true}));
  EXPECT_EQ(a.targets[0].use, VariableUse{});
  EXPECT_FALSE(a.are_stored);
}

TEST_P(AddressTypes, LieInArraysOfStructsOfBlocks) {
  const Addresses a = found(R"(
struct Way { uint n; Values v[3]; };
layout(set = 1, binding = 2, std430) buffer B { Way ways[]; };
void main() { ways[0].v[1].x[0] = 1; })");
  ASSERT_EQ(a.blocks.size(), 1u);
  EXPECT_EQ(a.blocks[0].set, 1u);
  EXPECT_EQ(a.blocks[0].binding, 2u);
  EXPECT_THAT(texts(a.blocks[0].slots), ElementsAre("8 0x32 3x8"));
  EXPECT_EQ(a.blocks[0].slots[0].use, (VariableUse{false, true}));
}

TEST_P(AddressTypes, ListsLeadBackToThemselves) {
  const Addresses a = found(R"(
layout(push_constant) uniform P { Node first; };
void main() { for (Node at = first; uint64_t(at) != 0; at = at.next) at.n = at.leaf[0].x[1]; })");
  EXPECT_EQ(a.why_not, nullptr);
  ASSERT_EQ(a.targets.size(), 2u);
  EXPECT_EQ(a.targets[a.values[0].target].size_bytes, 32u);
  EXPECT_THAT(texts(a.targets[a.values[0].target].slots), ElementsAre("0", "16 2x8"));
  EXPECT_EQ(a.targets[a.values[0].target].slots[0].target, a.values[0].target);
  EXPECT_FALSE(a.are_stored);
}

TEST_P(AddressTypes, ThatAKernelLeavesInMemoryAreKnown) {
  EXPECT_TRUE(found(R"(
layout(push_constant) uniform P { Node first; };
void main() { first.next = first; })")
                  .are_stored);
}

TEST_P(AddressTypes, ArithmeticReachesTheNeighbours) {
  const Addresses a = found(R"(
layout(buffer_reference, std430, buffer_reference_align = 4) buffer One { uint x; };
layout(push_constant) uniform P { One one; };
void main() { one[5].x = 1; })");
  EXPECT_EQ(a.why_not, nullptr);
  EXPECT_TRUE(a.targets[0].is_stepped);
  EXPECT_EQ(a.targets[0].size_bytes, 0u);
}

TEST_P(AddressTypes, WhatTypesDoNotTellIsSaid) {
  EXPECT_THAT(found(R"(
layout(push_constant) uniform P { uint64_t at; };
void main() { Values(at).x[0] = 1; })")
                  .why_not,
              HasSubstr("addresses of numbers"));
  EXPECT_THAT(found(R"(
layout(push_constant) uniform P { uvec2 at; };
void main() { Values(at).x[0] = 1; })")
                  .why_not,
              HasSubstr("addresses of numbers"));
  EXPECT_THAT(found(R"(
layout(push_constant) uniform P { Values v; };
void main() { v.x[0] = uint(uint64_t(v)); })")
                  .why_not,
              HasSubstr("addresses as numbers"));
  EXPECT_THAT(found(R"(
layout(push_constant) uniform P { Values v; Node n; };
void main() { Node(v).n = n.n; })")
                  .why_not,
              HasSubstr("for one of another"));
  EXPECT_THAT(found(R"(
layout(push_constant) uniform P { Node n; };
void main() { n[3].leaf[0].x[0] = 1; })")
                  .why_not,
              HasSubstr("steps through memory"));
}

INSTANTIATE_TEST_SUITE_P(Optimised, AddressTypes, testing::Bool());

// Memory of numbered buffers, each at 0x1000 times its number.
struct Memory {
  using Owner = int;
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> words;
  std::vector<std::string> touched;
  int lost_count = 0;

  std::optional<Reached<int>> find(std::uint64_t address) const {
    const auto buffer = static_cast<int>(address / 0x1000);
    if (buffer < 1 || buffer > 3) return std::nullopt;
    return Reached<int>{buffer, address % 0x1000, 0, 0x100};
  }
  bool in_value(std::uint64_t, std::uint64_t) { return true; }
  bool in_memory(int buffer, std::uint64_t offset, bool, std::uint64_t& value) {
    value = words[{buffer, offset}];
    return true;
  }
  void touch(const Reached<int>& at, std::uint64_t begin, std::uint64_t end, VariableUse use) {
    touched.push_back(fmt::format("{}:{}-{}{}{}", at.owner, begin, end, use.is_read ? "r" : "",
                                  use.is_written ? "w" : ""));
  }
  void lost(std::uint64_t) { ++lost_count; }
  bool gave_up() const { return false; }
};

TEST_P(AddressTypes, AWalkReachesAllOfAListOnce) {
  const Addresses a = found(R"(
layout(push_constant) uniform P { Node first; };
void main() { for (Node at = first; uint64_t(at) != 0; at = at.next) at.n = at.leaf[0].x[1]; })");
  Memory memory;
  memory.words = {{{1, 16}, 0x2020}, {{1, 32}, 0x3008}, {{2, 32}, 0x1010}, {{2, 48}, 0x9000}};
  AddressWalk walk(a, memory);
  const std::uint64_t first = 0x1010;
  walk.value(a.values, std::as_bytes(std::span(&first, 1)));
  EXPECT_THAT(memory.touched, testing::UnorderedElementsAre("1:16-48rw", "2:32-64rw", "3:8-256r"));
  EXPECT_EQ(memory.lost_count, 1);
}

}  // namespace
}  // namespace reel::spirv
