// Kernels that say themselves where their arguments go.
#include <cstring>

#include "backends/vulkan/kernels/shader.hpp"
#include "vulkan/vulkan_test.hpp"

namespace reel {
namespace {

class VulkanLayout : public Vulkan {
 protected:
  Kernel declared(const std::string& body, const std::function<void(KernelSource&)>& also = {}) {
    KernelSource source{.name = "declared", .glsl = "#version 460\n" + body};
    source.declared_layout = true;
    if (also) also(source);
    return device.kernel(source);
  }
  std::string refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
  }
  static ImageShape shape(ImageType type, ChannelOrder order, ChannelType channel,
                          std::uint64_t width, std::uint64_t height = 1, std::uint64_t depth = 1,
                          std::uint64_t layers = 1) {
    return {type, order, channel, pixel_bytes_of(order, channel), width, height, depth, layers};
  }
};

TEST_F(VulkanLayout, ArgumentsGoToTheirSetsAndBindings) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 16) in;
layout(set = 3, binding = 4) buffer A { uint a[]; };
layout(set = 1, binding = 2) buffer C { uint c[]; };
layout(set = 1, binding = 7) uniform U { uvec4 scale; uint offset; } u;
layout(set = 0, binding = 0) buffer Unused { uint unused[]; };
layout(push_constant) uniform P { uint factor; uvec2 terms; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i] = a[i] * factor * u.scale.z + terms.y + u.offset;
})");
  ASSERT_EQ(kernel.parameters().size(), 4u);
  EXPECT_EQ(kernel.parameters()[0].binding, 2u);
  EXPECT_EQ(kernel.parameters()[1].descriptor, DescriptorKind::uniform_buffer);
  EXPECT_EQ(kernel.parameters()[2].set, 3u);
  const Buffer a = device.buffer_of(counting(16), "a"), c = device.buffer(64, "c");
  const Buffer u = device.buffer_of(std::vector<std::uint32_t>{0, 0, 5, 0, 1000}, "u");
  const std::array<std::uint32_t, 4> block{3, 0, 1, 7};
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {1}}, out(c), in(u), in(a), block);
  const auto result = stream.read_now<std::uint32_t>(c);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(result[i], i * 15 + 1007) << i;
  // Among others that bind by position, and again.
  const Kernel scale = scale_kernel();
  for (int round = 0; round < 3; ++round) {
    stream.dispatch(scale, {.groups = {1}}, inout(a), 16u, 2u, 0u);
    stream.dispatch(kernel, {.groups = {1}}, out(c), in(u), in(a), block);
  }
  EXPECT_EQ(stream.read_now<std::uint32_t>(c)[3], 3 * 8 * 15 + 1007u);
}

TEST_F(VulkanLayout, ArraysTakeAnArgumentForEachElementAndNothingForSome) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 1) buffer A { uint x[]; } parts[4];
layout(set = 0, binding = 0) buffer B { uint x[]; } sums;
void main() { for (uint i = 0; i < 4; ++i) if (i != 2) sums.x[i] = parts[i].x[1] + 1; })");
  ASSERT_EQ(kernel.parameters().size(), 5u);
  EXPECT_EQ(kernel.parameters()[4].array_element, 3u);
  const Buffer numbers = device.buffer_of(counting(1024), "numbers");
  const Buffer sums = device.buffer(16, "sums");
  const Stream stream = device.stream();
  const auto part = [&](std::uint64_t first) { return in(numbers.range(4 * first, 64)); };
  stream.dispatch(kernel, {.groups = {1}}, out(sums), part(0), part(64), Argument::null_pointer(),
                  part(128));
  EXPECT_EQ(stream.read_now<std::uint32_t>(sums), (std::vector<std::uint32_t>{2, 66, 0, 130}));
}

TEST_F(VulkanLayout, ConstantsHaveUpToSixtyFourBits) {
  const Kernel kernel = declared(R"(
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 1) in;
layout(constant_id = 2) const uint64_t wide = 1ul;
layout(constant_id = 3) const double real = 1.0;
layout(set = 0, binding = 0) buffer A { uint64_t x[]; };
void main() { x[0] = wide; x[1] = uint64_t(real * 2); })",
                                 [](KernelSource& s) {
                                   std::uint64_t real = 0;
                                   const double two_and_a_half = 2.5;
                                   std::memcpy(&real, &two_and_a_half, 8);
                                   s.constants = {{2, 0x123456789ABCDEF0}, {3, real}};
                                 });
  const Buffer x = device.buffer(16, "x");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {1}}, out(x));
  EXPECT_EQ(stream.read_now<std::uint64_t>(x), (std::vector<std::uint64_t>{0x123456789ABCDEF0, 5}));
}

TEST_F(VulkanLayout, GroupsMayBeginElsewhere) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 4, local_size_y = 2) in;
layout(set = 0, binding = 0) buffer A { uint x[]; };
void main() {
  atomicAdd(x[gl_GlobalInvocationID.y * 32 + gl_GlobalInvocationID.x], 1 + gl_WorkGroupID.x);
})");
  const Buffer x = device.buffer(32 * 8 * 4, "x");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {2, 1}, .offset = {8, 4, 0}}, inout(x));
  const auto result = stream.read_now<std::uint32_t>(x);
  for (std::uint32_t row = 0; row < 8; ++row)
    for (std::uint32_t at = 0; at < 32; ++at)
      EXPECT_EQ(result[row * 32 + at],
                (row == 4 || row == 5) && at >= 8 && at < 16 ? 1 + at / 4 : 0u)
          << row << " " << at;
  EXPECT_NE(refusal([&] {
              stream.dispatch(kernel, {.groups = {1}, .offset = {3, 0, 0}}, inout(x));
            }).find("offset"),
            std::string::npos);
}

TEST_F(VulkanLayout, SubgroupsAreOfTheSizeRequired) {
  const Kernel kernel = declared(R"(
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { uint x[]; };
void main() { if (gl_LocalInvocationIndex == 0) { x[0] = gl_SubgroupSize; x[1] = gl_NumSubgroups; } })",
                                 [](KernelSource& s) {
                                   s.subgroup_size = 8;
                                   s.full_subgroups = true;
                                 });
  const Buffer x = device.buffer(8, "x");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {1}}, out(x));
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), (std::vector<std::uint32_t>{8, 8}));
  EXPECT_NE(refusal([&] {
              declared("layout(local_size_x = 64) in; void main() {}",
                       [](KernelSource& s) { s.subgroup_size = 4096; });
            }).find("4096"),
            std::string::npos);
}

constexpr const char* by_address = R"(
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 16) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { uint x[]; };
layout(push_constant) uniform P { Numbers from; Numbers to; uint factor; uint unused; };
void main() { to.x[gl_GlobalInvocationID.x] = from.x[gl_GlobalInvocationID.x] * factor + 1; })";

struct ByAddress {
  std::uint64_t from, to;
  std::uint32_t factor, unused = 0;
};

TEST_F(VulkanLayout, BuffersAreFoundByTheirAddresses) {
  const Kernel kernel = declared(by_address);
  ASSERT_EQ(kernel.parameters().size(), 1u);
  const Buffer a = device.addressed_buffer(256, "a"), b = device.addressed_buffer(256, "b");
  ASSERT_NE(a.device_address(), 0u);
  ASSERT_NE(a.device_address(), b.device_address());
  a.write(counting(64));
  const Stream stream = device.stream();
  // Only the arguments behind the block say that the second follows the first: into the middle of
  // b, and back.
  for (std::uint32_t round = 0; round < 50; ++round) {
    stream.dispatch(kernel, {.groups = {1}},
                    ByAddress{a.device_address(), b.device_address() + 68, 3}, in(a.range(0, 64)),
                    out(b.range(68, 64)));
    stream.dispatch(kernel, {.groups = {1}},
                    ByAddress{b.device_address() + 68, a.device_address(), 5}, in(b.range(68, 64)),
                    out(a.range(0, 64)));
  }
  std::uint32_t expected = 7;
  for (int round = 0; round < 50; ++round) expected = (expected * 3 + 1) * 5 + 1;
  EXPECT_EQ(stream.read_now<std::uint32_t>(a)[7], expected);
}

TEST_F(VulkanLayout, AddressesNeedADeclaredLayout) {
  const std::string why = refusal([&] {
    device.kernel({.name = "undeclared", .glsl = std::string("#version 460\n") + by_address});
  });
  EXPECT_NE(why.find("declared layout"), std::string::npos) << why;
  const Buffer plain = device.buffer(64, "plain");
  EXPECT_EQ(plain.device_address(), 0u);
  EXPECT_NE(refusal([&] { open_device("host").addressed_buffer(64, "far"); }).find("'far'"),
            std::string::npos);
}

// --- images ------------------------------------------------------------------------------------

struct Extent {
  ImageType type;
  const char* glsl;
  const char* place;
  std::uint64_t width, height, depth, layers;
};
void PrintTo(const Extent& extent, std::ostream* out) { *out << to_string(extent.type); }

class VulkanImages : public VulkanLayout, public testing::WithParamInterface<Extent> {};
INSTANTIATE_TEST_SUITE_P(
    OfEachType, VulkanImages,
    testing::Values(
        Extent{ImageType::d1, "uimage1D", "int(i)", 33, 1, 1, 1},
        Extent{ImageType::d1_array, "uimage1DArray", "ivec2(i % 9, i / 9)", 9, 1, 1, 5},
        Extent{ImageType::d1_buffer, "uimageBuffer", "int(i)", 40, 1, 1, 1},
        Extent{ImageType::d2, "uimage2D", "ivec2(i % 17, i / 17)", 17, 6, 1, 1},
        Extent{ImageType::d2_array, "uimage2DArray", "ivec3(i % 7, i / 7 % 5, i / 35)", 7, 5, 1, 3},
        Extent{ImageType::d3, "uimage3D", "ivec3(i % 6, i / 6 % 5, i / 30)", 6, 5, 4, 1}),
    [](const auto& test) { return std::string("d") + to_string(test.param.type); });

TEST_P(VulkanImages, ShadersAndBytesAgreeOnWhereAPixelIs) {
  const Extent& e = GetParam();
  const ImageShape whole =
      shape(e.type, ChannelOrder::r, ChannelType::uint32, e.width, e.height, e.depth, e.layers);
  const auto pixels = static_cast<std::uint32_t>(whole.size_bytes() / 4);
  const Kernel kernel = declared(std::string(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32ui) uniform )") +
                                 e.glsl + R"( image;
layout(set = 0, binding = 1) buffer B { uint seen[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  seen[i] = imageLoad(image, )" + e.place +
                                 R"().x;
  imageStore(image, )" + e.place +
                                 R"(, uvec4(1000 + i));
})");
  const Buffer image = device.image_buffer(whole, "image");
  const Buffer seen = device.buffer(4 * pixels, "seen");
  const Stream stream = device.stream();
  EXPECT_EQ(stream.read_now<std::uint32_t>(image), std::vector<std::uint32_t>(pixels, 0));
  const std::vector<std::uint32_t> numbers = counting(pixels);
  stream.write(image, std::as_bytes(std::span(numbers)));
  stream.dispatch(kernel, {.groups = {pixels}}, Argument::image(inout(image)), out(seen));
  EXPECT_EQ(stream.read_now<std::uint32_t>(seen), counting(pixels));
  EXPECT_EQ(stream.read_now<std::uint32_t>(image), counting(pixels, 1000));

  // Parts of it, not whole pixels either, by each kind of command.
  std::vector<std::byte> expected(4 * pixels);
  std::memcpy(expected.data(), counting(pixels, 1000).data(), expected.size());
  const std::vector<std::byte> some(37, std::byte{0xAB});
  stream.write(image.range(6, 37), some);
  std::copy(some.begin(), some.end(), expected.begin() + 6);
  stream.fill(image.range(50, 31), std::uint8_t{0x11});
  std::fill_n(expected.begin() + 50, 31, std::byte{0x11});
  const Buffer other = device.buffer_of(counting(pixels, 77), "other");
  stream.copy(image.range(90, 20), other.range(3, 20));
  std::memcpy(expected.data() + 90,
              reinterpret_cast<const std::byte*>(counting(pixels, 77).data()) + 3, 20);
  const Buffer second = device.image_buffer(whole, "second");
  stream.copy(second.range(0, 4 * pixels - 1), image.range(1, 4 * pixels - 1));
  std::vector<std::byte> back(4 * pixels), shifted(4 * pixels), part(29);
  stream.read(image, back);
  stream.read(second, shifted);
  stream.read(image.range(41, 29), part);
  stream.synchronize();
  EXPECT_EQ(back, expected);
  EXPECT_TRUE(std::equal(shifted.begin(), shifted.end() - 1, expected.begin() + 1));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + 41));
}

TEST_F(VulkanLayout, GraphsLaunchImagesAgainAndAgain) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0, rgba32f) uniform image2D image;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  imageStore(image, at, imageLoad(image, at) + 1);
})");
  const Buffer image = device.image_buffer(
      shape(ImageType::d2, ChannelOrder::rgba, ChannelType::float32, 8, 8), "image");
  const Buffer copy = device.buffer(8 * 8 * 16, "copy");
  const GraphExecutor executor(device);
  GraphSession pass = executor.begin_recorded();
  pass.dispatch(kernel, {.groups = {2, 2}}, Argument::image(inout(image)));
  pass.copy(copy, image);
  GraphExec exec = pass.graph().instantiate(device);
  const Stream stream = device.stream();
  for (int i = 0; i < 5; ++i) exec.launch(stream);
  EXPECT_EQ(stream.read_now<float>(copy), std::vector<float>(256, 5.0f));
}

TEST_F(VulkanLayout, SamplersAreSeparateOrCombined) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D both;
layout(set = 0, binding = 1) uniform texture2D image;
layout(set = 0, binding = 2) uniform sampler how[2];
layout(set = 0, binding = 3) buffer B { float seen[]; };
void main() {
  seen[0] = textureLod(both, vec2(0.5, 0.5), 0).x;
  seen[1] = textureLod(sampler2D(image, how[0]), vec2(0.5, 0.5), 0).x;
  seen[2] = textureLod(sampler2D(image, how[1]), vec2(1.25, 0.25), 0).x;
})");
  const Buffer image = device.image_buffer(
      shape(ImageType::d2, ChannelOrder::r, ChannelType::float32, 2, 2), "image");
  const std::vector<float> pixels{1, 2, 4, 8};
  const Buffer seen = device.buffer(12, "seen");
  const Stream stream = device.stream();
  stream.write(image, std::as_bytes(std::span(pixels)));
  const SamplerShape linear{1, Addressing::clamp_to_edge, Filter::linear};
  SamplerState nearest;
  SamplerState repeat;
  repeat.u = repeat.v = repeat.w = Addressing::repeat;
  stream.dispatch(kernel, {.groups = {1}}, Argument::image(in(image)), linear,
                  Argument::image(in(image)), nearest, repeat, out(seen));
  EXPECT_EQ(stream.read_now<float>(seen), (std::vector<float>{3.75f, 8.0f, 1.0f}));
}

TEST_F(VulkanLayout, TheBytesOfAUniformBufferMayComeWithTheCommand) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform U { uvec4 scale; } u;
layout(set = 0, binding = 1) buffer C { uint c[]; };
layout(push_constant) uniform P { uint add; };
void main() { c[gl_LocalInvocationIndex] = c[gl_LocalInvocationIndex] * 10 + u.scale[gl_LocalInvocationIndex] + add; })");
  const Buffer c = device.buffer(16, "c");
  const Stream stream = device.stream();
  const std::array<std::uint32_t, 4> one{1, 2, 3, 4}, other{5, 6, 7, 8};
  stream.dispatch(kernel, {.groups = {1}}, one, inout(c), 0u);
  stream.dispatch(kernel, {.groups = {1}}, other, inout(c), 0u);
  stream.dispatch(kernel, {.groups = {1}}, one, inout(c), 1u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(c), (std::vector<std::uint32_t>{152, 263, 374, 485}));
}

TEST_F(VulkanLayout, LevelsOfAnImageFollowEachOtherAndAreSeenByViews) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D small;
layout(set = 0, binding = 1) uniform usampler2DArray all;
layout(set = 0, binding = 2) buffer C { uint c[]; };
void main() {
  imageStore(small, ivec2(1, 0), uvec4(77));
  c[0] = texelFetch(all, ivec3(3, 2, 0), 0).x;
  c[1] = texelFetch(all, ivec3(0, 1, 1), 1).x;
  c[2] = texelFetch(all, ivec3(0, 1, 1), 1).y;
})");
  ImageShape whole = shape(ImageType::d2_array, ChannelOrder::r, ChannelType::uint32, 4, 4, 1, 2);
  whole.levels = 3;
  EXPECT_EQ(whole.size_bytes(), 4u * 2 * (16 + 4 + 1));
  EXPECT_EQ(pixel_text(whole, whole.level_offset(1) + 4 * 5), "pixel (1, 0) of layer 1 of level 1");
  const Buffer image = device.image_buffer(whole, "pyramid");
  const std::vector<std::uint32_t> pixels = counting(42);
  image.write(pixels);
  const Buffer c = device.buffer(12, "c");
  // Level 1 of layer 1: 4 pixels behind all of level 0 and those of layer 0.
  ImageShape part = shape(ImageType::d2, ChannelOrder::r, ChannelType::uint32, 2, 2);
  part.first_level = part.first_layer = 1;
  const Buffer small = device.image_view(image.range(4 * (32 + 4), 16), part, "small");
  ImageShape turned = whole;
  turned.swizzle = 0 | 3 << 4;  // green is red
  const Buffer shown = device.image_view(image, turned, "shown");
  const Stream stream = device.stream();
  const SamplerState nearest;
  stream.dispatch(kernel, {.groups = {1}}, Argument::image(inout(small)),
                  Argument::image(in(shown)), nearest, out(c));
  EXPECT_EQ(stream.read_now<std::uint32_t>(c), (std::vector<std::uint32_t>{11, 38, 38}));
  std::vector<std::uint32_t> expected = pixels;
  expected[32 + 4 + 1] = 77;
  EXPECT_EQ(stream.read_now<std::uint32_t>(image), expected);
}

TEST_F(VulkanLayout, RobustnessIsOnWhereItIsAskedFor) {
  EXPECT_TRUE(device.info().features.empty());
  DeviceInfo wanted = device.info();
  wanted.features = {"robustBufferAccess", "nothing of that name"};
  EXPECT_EQ(open_device(wanted).info().features, (std::vector<std::string>{"robustBufferAccess"}));
}

// README.md of the backend says so. A driver that does it right is told from it by its answer.
TEST_F(VulkanLayout, LlvmpipeKeepsTheBaseOfADispatchForIndirectOnes) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer C { uint c[]; };
void main() { c[gl_WorkGroupID.x] += 1; })");
  const Buffer groups = device.buffer_of(std::vector<std::uint32_t>{1, 1, 1}, "groups");
  const Buffer c = device.buffer(16, "c");
  const Stream stream = device.stream();
  stream.dispatch(kernel, {.groups = {1}, .offset = {3, 0, 0}}, inout(c));
  stream.dispatch_indirect(kernel, groups, {}, inout(c));
  stream.dispatch(kernel, {.groups = {1}}, inout(c));
  stream.dispatch_indirect(kernel, groups, {}, inout(c));
  const auto counts = stream.read_now<std::uint32_t>(c);
  const bool is_known = device.info().name.find("llvmpipe") != std::string::npos &&
                        device.info().driver_version.find("22.3") != std::string::npos;
  EXPECT_EQ(counts, is_known ? (std::vector<std::uint32_t>{2, 0, 0, 2})
                             : (std::vector<std::uint32_t>{3, 0, 0, 1}));
}

TEST_F(VulkanLayout, WhatCanNotBeBoundIsSaidBeforeTheDriverSeesIt) {
  const Kernel kernel = declared(R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32f) uniform image3D image;
void main() { imageStore(image, ivec3(0), vec4(1)); })");
  const Buffer flat = device.image_buffer(
      shape(ImageType::d2, ChannelOrder::r, ChannelType::float32, 2, 2), "flat");
  const Stream stream = device.stream();
  const std::string why =
      refusal([&] { stream.dispatch(kernel, {.groups = {1}}, Argument::image(out(flat))); });
  EXPECT_NE(why.find("'flat'"), std::string::npos) << why;
  EXPECT_NE(why.find("3d"), std::string::npos) << why;
  ImageShape part = shape(ImageType::d2, ChannelOrder::r, ChannelType::float32, 1, 1);
  part.first_level = 1;
  EXPECT_NE(refusal([&] { device.image_view(flat, part, "small"); }).find("from level 1"),
            std::string::npos);
  // By position there are storage buffers and values.
  const std::string other = refusal([&] {
    glsl("by_position",
         "layout(local_size_x = 1) in;\n"
         "layout(set = 0, binding = 0) uniform U { uint x; };\n"
         "layout(set = 0, binding = 1) buffer B { uint y; };\n"
         "void main() { y = x; }");
  });
  EXPECT_NE(other.find("declared layout"), std::string::npos) << other;
}

}  // namespace
}  // namespace reel
