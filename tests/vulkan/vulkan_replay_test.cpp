// Documents whose kernels say themselves where their arguments go, with images and samplers: run
// again, in other orders, with other kernels, in part, and as a program.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "backends/vulkan/kernels/shader.hpp"
#include "vulkan/vulkan_test.hpp"

namespace reel {
namespace {

using testing::HasSubstr;

const char* const blur_body = R"(
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 1, binding = 3) uniform sampler2D source;
layout(set = 0, binding = 2, rgba8) uniform writeonly image2D target;
layout(set = 2, binding = 0) uniform U { vec2 texel; } u;
layout(push_constant) uniform P { layout(offset = 16) float weight; };
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  vec2 place = (vec2(at) + 0.5) * u.texel;
  imageStore(target, at, textureLod(source, place + u.texel * 0.5, 0) * weight);
})";
const char* const sum_body = R"(
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, rgba8) uniform readonly image2D image;
layout(set = 0, binding = 1) buffer Sums { uint sums[4]; } parts[2];
void main() {
  uvec4 pixel = uvec4(imageLoad(image, ivec2(gl_GlobalInvocationID.xy)) * 255.0 + 0.5);
  for (uint i = 0; i < 4; ++i) atomicAdd(parts[gl_WorkGroupID.y & 1].sums[i], pixel[i]);
})";

class VulkanReplay : public Vulkan {
 protected:
  void SetUp() override {
    Vulkan::SetUp();
    if (IsSkipped()) return;
    folder_ = testing::TempDir() + "reel_vulkan_replay/" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/x.reel";
    record();
  }

  Kernel declared(const char* name, const std::string& body) {
    KernelSource source{.name = name};
    source.spirv = vulkan::make_shader({.name = name, .glsl = "#version 450\n" + body})
                       .words_to_reflect;  // as a captured program has it: SPIR-V alone
    source.declared_layout = true;
    return device.kernel(source);
  }

  void record() {
    const ImageShape shape{ImageType::d2, ChannelOrder::rgba, ChannelType::unorm8, 4, 16, 16};
    const Kernel blur = declared("blur", blur_body), sum = declared("sum", sum_body);
    const Buffer first = device.image_buffer(shape, "first");
    const Buffer second = device.image_buffer(shape, "second");
    const Buffer texel = device.buffer_of(std::vector<float>{1 / 16.f, 1 / 16.f}, "texel");
    const Buffer sums = device.buffer(1024, "sums");
    std::vector<std::uint8_t> pixels(16 * 16 * 4);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 7);
    const Stream stream = device.stream("main");
    stream.write(first, std::as_bytes(std::span(pixels)));
    stream.synchronize();
    SamplerState sampler;
    sampler.magnify = sampler.minify = Filter::linear;
    const std::array<float, 5> block{0, 0, 0, 0, 0.75f};
    start_capture(path_, {.contents = Contents::all});
    stream.dispatch(blur, {.groups = {4, 4}}, Argument::image(out(second)),
                    Argument::image(in(first)), sampler, in(texel), block);
    stream.dispatch(sum, {.groups = {1, 16}}, Argument::image(in(second)), inout(sums.range(0, 16)),
                    inout(sums.range(512, 16)));
    stream.copy(first, second);
    sums_ = stream.read_now<std::uint32_t>(sums.range(0, 16));
    stop_capture();
    ASSERT_GT(sums_[0], 0u);
  }

  std::string folder_, path_;
  std::vector<std::uint32_t> sums_;
};

TEST_F(VulkanReplay, IsEqualInEveryOrder) {
  const Trace trace = Trace::load(path_);
  ASSERT_EQ(trace.kernels().size(), 2u);
  const TraceKernel& blur = trace.kernels()[0];
  EXPECT_TRUE(blur.declared_layout);
  ASSERT_EQ(blur.parameters.size(), 5u);
  EXPECT_EQ(blur.parameters[1].set, 1u);
  EXPECT_EQ(blur.parameters[1].binding, 3u);
  EXPECT_EQ(blur.parameters[2].kind, ArgumentKind::sampler);
  EXPECT_EQ(blur.parameters[4].size_bytes, 20u);
  for (const ReplayOrder order :
       {ReplayOrder::recorded, ReplayOrder::sequential, ReplayOrder::relaxed}) {
    const ReplayReport report = replay(trace, device, {.order = order, .find_culprit = true});
    EXPECT_EQ(report.verdict(), Verdict::equal) << to_string(order);
    EXPECT_TRUE(report.left_out.empty());
    EXPECT_GT(report.equal_checks, 2u);
  }
  EXPECT_TRUE(find_races(trace).empty());
}

TEST_F(VulkanReplay, AnotherKernelTakesTheArgumentsOfItsPlaces) {
  const Trace trace = Trace::load(path_);
  // One binding less, and the block is shorter; then other results.
  const std::string less = std::string("#version 450\n") + R"(
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 1, binding = 3) uniform sampler2D source;
layout(set = 0, binding = 2, rgba8) uniform writeonly image2D target;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  imageStore(target, at, textureLod(source, (vec2(at) + 1) / 16, 0) * 0.75);
})";
  EXPECT_EQ(replay(trace, device, {.replacements = {{0, {KernelForm::glsl, less}}}}).verdict(),
            Verdict::equal);
  std::string darker = less;
  darker.replace(darker.find("0.75"), 4, "0.25");
  const auto words = vulkan::make_shader({.name = "darker", .glsl = darker}).words;
  const std::string bytes(reinterpret_cast<const char*>(words.data()), words.size() * 4);
  const ReplayReport other = replay(
      trace, device, {.find_culprit = true, .replacements = {{0, {KernelForm::spirv, bytes}}}});
  EXPECT_EQ(other.verdict(), Verdict::different);
  EXPECT_EQ(other.culprit, 0u);
  const std::string more = std::string("#version 450\n") + R"(
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 3, binding = 3) buffer B { float x; } b;
void main() { b.x = 1; })";
  try {
    const ReplayReport report =
        replay(trace, device, {.replacements = {{0, {KernelForm::glsl, more}}}});
    ASSERT_FALSE(report.left_out.empty());
    EXPECT_THAT(report.left_out[0].reason, HasSubstr("set 3, binding 3"));
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("set 3, binding 3"));
  }
}

TEST_F(VulkanReplay, APartStandsAlone) {
  const Trace trace = Trace::load(path_);
  extract(trace, device, {1}, folder_ + "/part.reel");
  const Trace part = Trace::load(folder_ + "/part.reel");
  EXPECT_TRUE(part.kernels().at(0).declared_layout);
  EXPECT_EQ(replay(part, device).verdict(), Verdict::equal);
}

TEST_F(VulkanReplay, AProgramSaysWhereItsKernelsTakeTheirArguments) {
  const Trace trace = Trace::load(path_);
  const ProgramReport report = write_program(trace, ProgramLanguage::cpp, folder_ + "/program");
  EXPECT_TRUE(report.left_out.empty()) << report.left_out[0];
  std::ifstream file(folder_ + "/program/main.cpp");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, HasSubstr(".declared_layout = true"));
  EXPECT_THAT(text, HasSubstr("device.image_buffer("));
  EXPECT_THAT(text, HasSubstr("reel::Argument::image(in(first))"));
  EXPECT_THAT(text, HasSubstr("reel::ArgumentKind::sampler"));
  try {
    write_program(trace, ProgramLanguage::python, folder_ + "/python");
    ADD_FAILURE() << "PyOpenCL runs no shaders";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported) << error.what();
  }
}

TEST_F(VulkanReplay, OtherDevicesSayThatTheyTakeNoShaders) {
  const Trace trace = Trace::load(path_);
  try {
    replay(trace, open_device("host"));
    ADD_FAILURE() << "the host ran a shader";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("spirv"));
  }
}

}  // namespace
}  // namespace reel
