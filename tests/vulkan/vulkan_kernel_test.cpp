#include <cstring>

#include "backends/vulkan/kernels/shader.hpp"
#include "vulkan/vulkan_test.hpp"

namespace reel {
namespace {

std::vector<std::uint32_t> spirv_of(const std::string& source) {
  return vulkan::make_shader({.name = "test", .glsl = source}).words;
}

template <class F>
std::string build_failure(F&& build) {
  try {
    build();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::build_failed) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "it was built";
  return {};
}

TEST_F(Vulkan, AGlslErrorHasItsLine) {
  const std::string log = build_failure(
      [&] { glsl("broken", "layout(local_size_x = 1) in;\nvoid main() {\n  nonsense = 1;\n}\n"); });
  EXPECT_NE(log.find("broken:4"), std::string::npos) << log;  // #version is the first line
  EXPECT_NE(log.find("nonsense"), std::string::npos) << log;
}

TEST_F(Vulkan, DefinesReachTheShader) {
  const Kernel kernel = device.kernel({.name = "defined",
                                       .glsl = R"(#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) writeonly buffer Out { uint result[]; };
void main() { result[gl_GlobalInvocationID.x] = VALUE + gl_GlobalInvocationID.x; }
)",
                                       .defines = {{"VALUE", "40u"}}});
  const Buffer result = device.buffer(16, "result");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {1}}, out(result));
  EXPECT_EQ(stream.read_now<std::uint32_t>(result), counting(4, 40));
}

TEST_F(Vulkan, ReflectsWhatAKernelTakes) {
  const Kernel kernel = glsl("reflected", R"(
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) buffer Unused { float unused[]; };
layout(push_constant) uniform Values { float factor; uint pad; vec4 bias; };
void main() { c[gl_LocalInvocationIndex] = a[gl_LocalInvocationIndex] * factor + bias.x; }
)");
  EXPECT_EQ(kernel.group_size(), Dim3(8, 4, 1));
  const std::vector<Parameter>& p = kernel.parameters();
  ASSERT_EQ(p.size(), 6u);  // the unused buffer counts: arguments go by position
  EXPECT_EQ(p[0].access, Access::read);
  EXPECT_EQ(p[1].access, Access::read_write);
  EXPECT_EQ(p[2].access, Access::write);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(p[i].kind, ArgumentKind::buffer);
  for (int i = 3; i < 6; ++i) EXPECT_EQ(p[i].kind, ArgumentKind::value);
  EXPECT_EQ(p[3].name, "factor");
  EXPECT_EQ(p[3].size_bytes, 4u);
  EXPECT_EQ(p[5].name, "bias");
  EXPECT_EQ(p[5].size_bytes, 16u);
  for (const int i : {0, 1, 2, 3, 5}) EXPECT_EQ(p[i].element, ElementType::f32) << i;
  EXPECT_EQ(p[4].element, ElementType::u32);
}

TEST_F(Vulkan, ReflectsTheElementsOfBuffersWhereTheyAreOfOneType) {
  const Kernel kernel = glsl("elements", R"(
layout(local_size_x = 1) in;
struct Pair { uint a; float b; };
layout(set = 0, binding = 0) buffer A { ivec4 a[]; };
layout(set = 0, binding = 1) buffer B { uint b_size; uint b[]; };
layout(set = 0, binding = 2) buffer C { uint c_size; float c[]; };
layout(set = 0, binding = 3) buffer D { Pair d[]; };
layout(set = 0, binding = 4) buffer E { float e[]; };
layout(set = 0, binding = 4) buffer F { uint f[]; };
layout(set = 0, binding = 5) buffer G { vec2 g[]; };
layout(set = 0, binding = 5) buffer H { float h[]; };
void main() { a[0].x = int(b[0]); c[0] = d[0].b; e[0] = float(f[1]); g[0].x = h[1]; }
)");
  const std::vector<Parameter>& p = kernel.parameters();
  ASSERT_EQ(p.size(), 6u);
  EXPECT_EQ(p[0].element, ElementType::i32);
  EXPECT_EQ(p[1].element, ElementType::u32);
  EXPECT_EQ(p[2].element, std::nullopt) << "a number and an array of others";
  EXPECT_EQ(p[3].element, std::nullopt) << "structs";
  EXPECT_EQ(p[4].element, std::nullopt) << "two views of different types";
  EXPECT_EQ(p[5].element, ElementType::f32);
}

TEST_F(Vulkan, ArgumentsMayBeInterleaved) {
  const Kernel kernel = glsl("interleaved", R"(
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer Unused { uint unused[]; };
layout(set = 0, binding = 2) writeonly buffer C { uint c[]; };
layout(push_constant) uniform Values { uint factor; uint term; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i] = a[i] * factor + term;
}
)");
  const Buffer a = device.buffer_of(counting(16), "a");
  const Buffer unused = device.buffer(4, "unused");
  const Buffer c = device.buffer(64, "c");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {1}}, in(a), 3u, in(unused), shared(64), out(c), 7u);
  const std::vector<std::uint32_t> result = stream.read_now<std::uint32_t>(c);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(result[i], i * 3 + 7);
  EXPECT_THROW(stream.dispatch(kernel, {.groups = {1}}, in(a), 3u, in(unused), out(c)), Error);
}

const std::string with_constants = R"(#version 450
layout(local_size_x_id = 5, local_size_y = 1) in;
layout(constant_id = 1) const uint base = 10;
layout(constant_id = 7) const bool negate = false;
layout(constant_id = 9) const float scale = 1.0;
layout(set = 0, binding = 0) writeonly buffer Out { float result[]; };
void main() {
  float value = float(base + gl_GlobalInvocationID.x) * scale;
  result[gl_GlobalInvocationID.x] = negate ? -value : value;
}
)";

TEST_F(Vulkan, SpecConstantsAreSet) {
  const float half = 0.5f;
  std::uint32_t half_bits = 0;
  std::memcpy(&half_bits, &half, 4);
  const Kernel kernel = device.kernel({.name = "constants",
                                       .glsl = with_constants,
                                       .constants = {{1, 100}, {7, 1}, {9, half_bits}, {5, 8}}});
  EXPECT_EQ(kernel.group_size(), Dim3(8));
  const Buffer result = device.buffer(64, "result");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {2}}, out(result));
  const std::vector<float> values = stream.read_now<float>(result);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(values[i], -0.5f * static_cast<float>(100 + i));
}

TEST_F(Vulkan, AGroupSizeLeftToConstantsIsTheOneAskedFor) {
  const Kernel kernel = device.kernel({.name = "sized", .glsl = with_constants, .group_size = {4}});
  EXPECT_EQ(kernel.group_size(), Dim3(4));
  const Buffer result = device.buffer(32, "result");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {2}}, out(result));
  EXPECT_EQ(stream.read_now<float>(result)[7], 17.0f);
  EXPECT_THROW(stream.dispatch(kernel, {.groups = {1}, .group_size = {8}}, out(result)), Error);
}

TEST_F(Vulkan, AnUnknownSpecConstantNamesTheKnownOnes) {
  const std::string words = build_failure([&] {
    device.kernel({.name = "constants", .glsl = with_constants, .constants = {{3, 1}}});
  });
  EXPECT_NE(words.find("constant_id 3; it has 1, 5, 7, 9"), std::string::npos) << words;
}

TEST_F(Vulkan, TooManyPushConstantsSayHowMany) {
  const std::string words = build_failure([&] {
    glsl("wide", R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { float result[]; };
layout(push_constant) uniform Values { vec4 many[20]; };
void main() { result[0] = many[19].w; }
)");
  });
  EXPECT_NE(words.find("320 bytes of push constants"), std::string::npos) << words;
}

TEST_F(Vulkan, OtherResourcesAreNamed) {
  const std::string words = build_failure([&] {
    glsl("uniform_user", R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { float result[]; };
layout(set = 0, binding = 1) uniform Settings { float value; };
void main() { result[0] = value; }
)");
  });
  EXPECT_NE(words.find("uniform buffer 'Settings'"), std::string::npos) << words;
}

TEST_F(Vulkan, SpirvMayBeGivenDirectly) {
  const std::string source = R"(#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] += 1; }
)";
  const Kernel kernel = device.kernel({.name = "increment", .spirv = spirv_of(source)});
  const Buffer data = device.buffer_of(counting(16), "data");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {1}}, inout(data));
  EXPECT_EQ(stream.read_now<std::uint32_t>(data), counting(16, 1));

  const std::string no_entry = build_failure(
      [&] { device.kernel({.name = "increment", .spirv = spirv_of(source), .entry = "other"}); });
  EXPECT_NE(no_entry.find("no compute entry point 'other'; it has 'main'"), std::string::npos)
      << no_entry;
}

TEST_F(Vulkan, DamagedSpirvNeverReachesTheDriver) {
  const std::vector<std::uint32_t> good = spirv_of(R"(#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] += 1; }
)");
  build_failure([&] { device.kernel({.name = "few words", .spirv = {0x07230203}}); });
  build_failure([&] { device.kernel({.name = "no magic", .spirv = {1, 2, 3, 4, 5, 6}}); });
  std::size_t refused = 0;
  for (std::size_t cut = 5; cut < good.size(); cut += 7) {
    std::vector<std::uint32_t> damaged(good.begin(),
                                       good.begin() + static_cast<std::ptrdiff_t>(cut));
    build_failure([&] { device.kernel({.name = "cut", .spirv = damaged}); });
    ++refused;
  }
  EXPECT_GT(refused, 5u);
}

}  // namespace
}  // namespace reel
