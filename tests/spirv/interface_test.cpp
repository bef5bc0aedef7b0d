// What the parser tells of shaders that a compiler made.
#include "spirv/interface.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv/unified1/spirv.h>

#include "reel/error.hpp"
#include "spirv/glsl.hpp"
#include "spirv/parameters.hpp"

namespace reel::spirv {
namespace {

using testing::Contains;

Interface reflect(const std::string& body, std::span<const SpecConstant> constants = {},
                  bool optimised = false) {
  return interface_of(compiled(body, optimised), "main", constants);
}

// "set.binding kind access name", of those that are used.
std::vector<std::string> described(const Interface& interface,
                                   std::span<const DescriptorCount> counts = {}) {
  std::vector<std::string> list;
  for (const Parameter& p : declared_parameters(interface, counts))
    list.push_back(fmt::format("{}.{}.{} {} {} {}", p.set, p.binding, p.array_element,
                               to_string(p.descriptor), to_string(p.access), p.name));
  return list;
}

// Optimising takes the names away, and nothing else.
class Spirv : public testing::TestWithParam<bool> {
 public:
  static std::vector<std::string> named(std::vector<std::string> list) {
    if (GetParam())
      for (std::string& line : list) line.resize(line.rfind(' '));
    return list;
  }
};
INSTANTIATE_TEST_SUITE_P(AsCompiled, Spirv, testing::Bool(),
                         [](const auto& name) { return name.param ? "optimised" : "plain"; });

TEST_P(Spirv, AccessComesFromWhatInstructionsDo) {
  const Interface interface = reflect(R"(
layout(local_size_x = 8) in;
layout(set = 2, binding = 5) buffer In { float x[]; } source;
layout(set = 0, binding = 3) buffer Out { float x[]; } target;
layout(set = 0, binding = 1) buffer Both { uint x[]; } both;
layout(set = 0, binding = 2) buffer Count { uint x; } counter;
layout(set = 0, binding = 9) buffer Unused { uint x; } unused;
layout(set = 1, binding = 0) uniform Sizes { uint n; vec4 scale; } sizes;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= sizes.n) return;
  target.x[i] = source.x[i] * sizes.scale.y;
  both.x[i] += 1;
  atomicAdd(counter.x, 1);
})",
                                      {}, GetParam());
  EXPECT_EQ(named(described(interface)),
            named({"0.1.0 storage buffer inout both", "0.2.0 storage buffer inout counter",
                   "0.3.0 storage buffer out target", "1.0.0 uniform buffer in sizes",
                   "2.5.0 storage buffer in source"}));
  const auto parameters = declared_parameters(interface, {});
  EXPECT_EQ(parameters[0].element, ElementType::u32);
  EXPECT_EQ(parameters[2].element, ElementType::f32);
  EXPECT_EQ(parameters[3].element, std::nullopt);  // uint and float
  EXPECT_EQ(interface.group_size, Dim3(8, 1, 1));
  EXPECT_FALSE(interface.uses_device_addresses);
}

TEST_P(Spirv, AccessIsFollowedThroughFunctionsOfEachCall) {
  const Interface interface = reflect(R"(
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float x[]; } a;
layout(binding = 1) buffer B { float x[]; } b;
layout(binding = 2) uniform writeonly image2D c;
layout(binding = 3) uniform texture2D d;
float load_a(uint i) { return a.x[i]; }
void put(writeonly image2D target, float value) { imageStore(target, ivec2(0), vec4(value)); }
float get(texture2D source) { return texelFetch(source, ivec2(0), 0).x; }
void main() {
  b.x[0] = load_a(3);
  put(c, get(d));
})",
                                      {}, GetParam());
  EXPECT_EQ(named(described(interface)),
            named({"0.0.0 storage buffer in a", "0.1.0 storage buffer out b",
                   "0.2.0 storage image out c", "0.3.0 sampled image in d"}));
}

TEST_P(Spirv, ImagesSamplersAndTexelBuffersHaveTheirKinds) {
  const Interface interface = reflect(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D both;
layout(set = 0, binding = 1) uniform texture2D image;
layout(set = 0, binding = 2) uniform sampler how;
layout(set = 0, binding = 3, rgba8) uniform writeonly image2D target;
layout(set = 0, binding = 4) uniform samplerBuffer texels;
layout(set = 0, binding = 5, r32ui) uniform uimageBuffer counters;
layout(set = 0, binding = 6, r32ui) uniform uimage2D atomics;
void main() {
  vec4 sum = textureLod(both, vec2(0.5), 0) + textureLod(sampler2D(image, how), vec2(0), 0);
  imageStore(target, ivec2(0), sum + texelFetch(texels, 3));
  imageAtomicAdd(counters, 1, 1u);
  imageAtomicMax(atomics, ivec2(1), 1u);
})",
                                      {}, GetParam());
  EXPECT_EQ(
      named(described(interface)),
      named({"0.0.0 combined image sampler in both", "0.0.0 combined image sampler in both.sampler",
             "0.1.0 sampled image in image", "0.2.0 sampler in how",
             "0.3.0 storage image out target", "0.4.0 uniform texel buffer in texels",
             "0.5.0 storage texel buffer inout counters", "0.6.0 storage image inout atomics"}));
  const auto parameters = declared_parameters(interface, {});
  EXPECT_EQ(parameters[0].kind, ArgumentKind::image);
  EXPECT_EQ(parameters[1].kind, ArgumentKind::sampler);
  EXPECT_EQ(interface.descriptors[3].image.format, SpvImageFormatRgba8);
}

TEST_P(Spirv, ArraysAreExpandedByTheirSizeOrTheOneGiven) {
  const Interface interface = reflect(R"(
layout(local_size_x = 1) in;
layout(constant_id = 4) const uint n = 2;
layout(set = 0, binding = 0) buffer A { float x[]; } fixed_size[3];
layout(set = 0, binding = 1) buffer B { float x[]; } open_size[];
layout(set = 0, binding = 2) buffer C { float x[]; } constant_size[n];
void main() {
  uint i = gl_GlobalInvocationID.x;
  open_size[nonuniformEXT(i)].x[0] = fixed_size[i % 3].x[1] + constant_size[i % 2].x[0];
})",
                                      std::array{SpecConstant{4, 1}}, GetParam());
  const DescriptorCount counts[] = {{0, 1, 2}, {0, 0, 9}};
  EXPECT_EQ(
      named(described(interface, counts)),
      named({"0.0.0 storage buffer in fixed_size[0]", "0.0.1 storage buffer in fixed_size[1]",
             "0.0.2 storage buffer in fixed_size[2]", "0.1.0 storage buffer out open_size[0]",
             "0.1.1 storage buffer out open_size[1]", "0.2.0 storage buffer in constant_size[0]"}));
  EXPECT_EQ(described(interface).size(), 5u);  // one of those without a size
}

TEST_P(Spirv, ThePushBlockIsOneValueAtTheEnd) {
  const Interface interface = reflect(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer A { float x[]; } a;
layout(push_constant) uniform P { layout(offset = 8) uint first; mat3 m; double d; } p;
void main() { a.x[p.first] = p.m[1][2] + float(p.d); })",
                                      {}, GetParam());
  const auto parameters = declared_parameters(interface, {});
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[1].kind, ArgumentKind::value);
  EXPECT_EQ(parameters[1].descriptor, DescriptorKind::push_constants);
  EXPECT_EQ(parameters[1].size_bytes, 16u + 3 * 16 + 8);  // first, columns of 16, the double
  EXPECT_EQ(parameters[1].element, std::nullopt);         // of several types
  ASSERT_EQ(interface.values.size(), 3u);
  EXPECT_EQ(interface.values[1].offset_bytes, 16u);
  EXPECT_EQ(interface.values[1].size_bytes, 2 * 16 + 12u);
  EXPECT_THAT(interface.capabilities, Contains(SpvCapabilityFloat64));
}

TEST_P(Spirv, ConstantsSizeGroups) {
  const std::string body = R"(
layout(local_size_x_id = 0, local_size_y_id = 7, local_size_z = 2) in;
layout(constant_id = 3) const int64_t wide = 0x123456789l;
layout(constant_id = 5) const bool flag = true;
layout(set = 0, binding = 0) buffer A { int64_t x[]; } a;
void main() { if (flag) a.x[gl_LocalInvocationIndex] = wide; })";
  const std::string full = "#extension GL_ARB_gpu_shader_int64 : require\n" + body;
  const Interface plain = reflect(full, {}, GetParam());
  EXPECT_EQ(plain.group_size, Dim3(1, 1, 2));
  EXPECT_EQ(plain.group_size_constants[0], 0u);
  EXPECT_EQ(plain.group_size_constants[1], 7u);
  EXPECT_EQ(plain.group_size_constants[2], std::nullopt);
  const SpecConstant given[] = {{0, 32}, {7, 4}};
  EXPECT_EQ(reflect(full, given, GetParam()).group_size, Dim3(32, 4, 2));
  ASSERT_EQ(plain.constants.size(), 4u);
  EXPECT_EQ(plain.constants[1].id, 3u);
  EXPECT_EQ(plain.constants[1].size_bytes, 8u);
  EXPECT_EQ(plain.constants[1].value, 0x123456789u);
  EXPECT_EQ(plain.constants[2].size_bytes, 4u);
  EXPECT_EQ(plain.constants[2].value, 1u);
}

TEST_P(Spirv, TwoViewsOfABindingAreOneDescriptor) {
  const Interface interface = reflect(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer A { float x[]; } numbers;
layout(set = 0, binding = 0) buffer B { uint x[]; } bits;
layout(set = 0, binding = 1) buffer C { uint x[]; } c;
void main() { numbers.x[0] = 1.0; c.x[0] = bits.x[1]; })",
                                      {}, GetParam());
  EXPECT_EQ(named(described(interface)),
            named({"0.0.0 storage buffer inout numbers", "0.1.0 storage buffer out c"}));
  EXPECT_EQ(interface.descriptors[0].element, std::nullopt);
}

TEST_P(Spirv, DeviceAddressesAreNamed) {
  const Interface interface = reflect(R"(
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430) buffer Numbers { float x[]; };
layout(push_constant) uniform P { Numbers numbers; } p;
void main() { p.numbers.x[0] = 1; })",
                                      {}, GetParam());
  EXPECT_TRUE(interface.uses_device_addresses);
  EXPECT_EQ(interface.value_bytes, 8u);
}

TEST(SpirvInterface, AnEntryPointThatIsNotThereIsNamed) {
  const auto words = compiled("layout(local_size_x = 1) in; void main() {}");
  try {
    interface_of(words, "other");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::build_failed);
    EXPECT_THAT(error.what(), testing::HasSubstr("'other'; it has 'main'"));
  }
}

}  // namespace
}  // namespace reel::spirv
