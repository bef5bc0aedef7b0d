// SPIR-V as text.
#include "reel/shader_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv/unified1/spirv.h>

#include <cstring>

#include "reel/error.hpp"
#include "spirv/glsl.hpp"

namespace reel {
namespace {

using testing::HasSubstr;

const char* const body = R"(
layout(local_size_x = 8) in;
layout(set = 1, binding = 4) buffer Numbers { float x[]; } numbers;
void main() { numbers.x[gl_GlobalInvocationID.x] *= 3.0; })";

// An instruction with a text at its end.
std::vector<std::uint32_t> instruction(SpvOp opcode, std::vector<std::uint32_t> operands,
                                       const std::string& text) {
  std::vector<std::uint32_t> words(text.size() / 4 + 1);
  std::memcpy(words.data(), text.data(), text.size());
  operands.insert(operands.end(), words.begin(), words.end());
  operands.insert(operands.begin(), static_cast<std::uint32_t>(operands.size() + 1) << 16 | opcode);
  return operands;
}

TEST(ShaderText, GlslDoesWhatTheModuleDoes) {
  const auto words = compiled(body);
  const std::string glsl = glsl_of_spirv(words, "main");
  EXPECT_THAT(glsl, HasSubstr("set = 1, binding = 4"));
  EXPECT_THAT(glsl, HasSubstr("3.0"));
  // It is a source that can be built again.
  EXPECT_NO_THROW(vulkan::make_shader({.name = "again", .glsl = glsl}));
}

TEST(ShaderText, AssemblyHasNames) {
  const std::string text = spirv_assembly(compiled(body));
  EXPECT_THAT(text, HasSubstr("OpEntryPoint GLCompute"));
  EXPECT_THAT(text, HasSubstr("%numbers"));
}

TEST(ShaderText, SourcesThatACompilerLeftAreFound) {
  auto words = compiled(body);
  const std::uint32_t id = words[3]++;
  auto file = instruction(SpvOpString, {id}, "folder/scale.hlsl");
  const auto source = instruction(SpvOpSource, {5 /* HLSL */, 600, id}, "[numthreads(8,1,1)]\n");
  const auto rest = instruction(SpvOpSourceContinued, {}, "void main() {}\n");
  for (const auto& more : {source, rest}) file.insert(file.end(), more.begin(), more.end());
  words.insert(words.begin() + 5, file.begin(), file.end());
  const auto sources = sources_in_spirv(words);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].language, "HLSL");
  EXPECT_EQ(sources[0].path, "folder/scale.hlsl");
  EXPECT_EQ(sources[0].text, "[numthreads(8,1,1)]\nvoid main() {}\n");
  EXPECT_TRUE(sources_in_spirv(compiled(body)).empty());
}

TEST(ShaderText, WhatIsNoModuleHasNone) {
  const std::vector<std::uint32_t> nothing{1, 2, 3};
  EXPECT_THROW(glsl_of_spirv(nothing, "main"), Error);
  EXPECT_THROW(spirv_assembly(nothing), Error);
  EXPECT_TRUE(sources_in_spirv(nothing).empty());
  auto words = compiled(body);
  words.resize(words.size() - 3);
  EXPECT_THROW(glsl_of_spirv(words, "main"), Error);
  EXPECT_THROW(glsl_of_spirv(compiled(body), "other"), Error);
}

}  // namespace
}  // namespace reel
