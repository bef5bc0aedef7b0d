// Modules that nobody's compiler makes: cut, with words changed, and made by hand to be trouble.
#include <gtest/gtest.h>
#include <spirv/unified1/spirv.h>

#include <random>

#include "reel/error.hpp"
#include "spirv/glsl.hpp"
#include "spirv/interface.hpp"
#include "spirv/parameters.hpp"

namespace reel::spirv {
namespace {

const char* const source = R"(
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer A { mat4 m; float x[]; } a[4];
layout(set = 1, binding = 0) uniform sampler2D image;
layout(push_constant) uniform P { uint n[4]; vec3 v; } p;
float twice(float x) { float whole; return 2 * modf(x, whole) + whole; }
void main() { a[p.n[1]].x[0] = twice(textureLod(image, vec2(p.v), 0).x) + a[0].m[1][2]; })";

// Answers or throws what is promised; the sanitizers see the rest.
void try_words(std::span<const std::uint32_t> words) {
  try {
    declared_parameters(interface_of(words, "main"), {});
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == Code::build_failed || error.code() == Code::unsupported)
        << error.what();
  }
}

TEST(BrokenSpirv, CutAnywhereItAnswersOrSaysWhatIsBroken) {
  const auto words = compiled(source);
  for (std::size_t size = 0; size <= words.size(); ++size) try_words(std::span(words).first(size));
}

TEST(BrokenSpirv, WithWordsChangedItAnswersOrSaysWhatIsBroken) {
  const auto words = compiled(source);
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    auto changed = words;
    for (int i = 0; i < 1 + round % 3; ++i) {
      const std::uint32_t other = words[random() % words.size()];
      changed[random() % changed.size()] = round % 2 ? other : random() % 200;
    }
    try_words(changed);
  }
}

// With an entry "main", which is function 1; an instruction is its opcode and its operands.
std::vector<std::uint32_t> module_of(const std::vector<std::vector<std::uint32_t>>& instructions) {
  std::vector<std::uint32_t> words{SpvMagicNumber, 0x10000, 0, 20, 0};
  const auto add = [&](const std::vector<std::uint32_t>& one) {
    words.push_back(static_cast<std::uint32_t>(one.size()) << 16 | one[0]);
    words.insert(words.end(), one.begin() + 1, one.end());
  };
  add({SpvOpEntryPoint, SpvExecutionModelGLCompute, 1, 0x6e69616d, 0});  // "main"
  for (const auto& one : instructions) add(one);
  return words;
}

TEST(BrokenSpirv, ATypeThatHoldsItselfHasNoSize) {
  const auto words = module_of({{SpvOpTypeStruct, 2, 2, 2},
                                {SpvOpTypePointer, 3, SpvStorageClassPushConstant, 2},
                                {SpvOpVariable, 3, 4, SpvStorageClassPushConstant},
                                {SpvOpFunction, 5, 1, 0, 6},
                                {SpvOpFunctionEnd}});
  EXPECT_EQ(interface_of(words, "main").value_bytes, 0u);
}

TEST(BrokenSpirv, FunctionsThatCallEachOtherAreRefused) {
  const auto words = module_of({{SpvOpFunction, 5, 1, 0, 6},
                                {SpvOpFunctionCall, 5, 8, 2},
                                {SpvOpFunctionEnd},
                                {SpvOpFunction, 5, 2, 0, 6},
                                {SpvOpFunctionCall, 5, 9, 1},
                                {SpvOpFunctionEnd}});
  EXPECT_THROW(interface_of(words, "main"), Error);
}

TEST(BrokenSpirv, AnArrayOfMoreDescriptorsThanAnybodyHasIsRefused) {
  Interface interface;
  Descriptor descriptor;
  descriptor.is_used = descriptor.is_array = true;
  descriptor.count = 1u << 24;
  interface.descriptors = {descriptor};
  EXPECT_THROW(declared_parameters(interface, {}), Error);
}

}  // namespace
}  // namespace reel::spirv
