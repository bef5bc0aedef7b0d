// Kernels that can't be built and launches that can't be made.
#include <limits>
#include <string>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"

namespace reel::test {

namespace {

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

}  // namespace

TEST_P(CompilingDevice, AKernelThatDoesntBuildSaysWhereAndWhy) {
  const char* line = is("opencl") ? ":3:" : ":5:";
  expect_error(Code::build_failed, {"broken", "undeclared", line},
               [&] { device().kernel(broken_source()); });
  EXPECT_TRUE(build(increment_source()));  // the device goes on
}

TEST_P(CompilingDevice, ASourceThatIsNoSourceDoesntBuild) {
  for (const std::string text : {"not a kernel at all", "#error because I say so\n", "\x01\xff{"})
    expect_error(Code::build_failed, {"gibberish"},
                 [&] { device().kernel({.name = "gibberish", .opencl_c = text, .glsl = text}); });
}

TEST_P(CompilingDevice, AnEntryPointThatIsNotThereIsNamed) {
  if (is("vulkan")) return;  // the entry point of GLSL is always main
  KernelSource source = increment_source();
  source.entry = "absent";
  expect_error(Code::build_failed, {"absent"}, [&] { device().kernel(source); });
}

TEST_P(AnyDevice, AMissingFormIsNamedWithWhatIsWantedAndWhatWasGiven) {
  // Only what this device can't take.
  KernelSource source = increment_source();
  const auto takes = [&](KernelForm form) {
    for (const auto& wanted : info().kernel_forms)
      if (wanted == form) return true;
    return false;
  };
  ASSERT_FALSE(info().kernel_forms.empty());
  std::string given;
  if (takes(KernelForm::opencl_c))
    source.opencl_c.clear();
  else
    given = "opencl_c";
  if (takes(KernelForm::glsl))
    source.glsl.clear();
  else
    given = "glsl";
  if (takes(KernelForm::host))
    source.host = {};
  else if (given.empty())
    given = "host";
  expect_error(Code::unsupported, {"increment", to_string(info().kernel_forms[0]), given},
               [&] { device().kernel(source); });
  expect_error(Code::unsupported, {"hollow", to_string(info().kernel_forms[0])},
               [&] { device().kernel({.name = "hollow"}); });
}

TEST_P(AnyDevice, TheWrongNumberOfArgumentsIsRefused) {
  const Stream stream = device().stream("decode");
  const Kernel scale = build(scale_source());
  const Buffer x = device().buffer(64, "x");
  expect_error(Code::invalid_argument, {"scale", "3", "0"},
               [&] { stream.dispatch(scale, over(1)); });
  expect_error(Code::invalid_argument, {"scale", "3", "2"},
               [&] { stream.dispatch(scale, over(1), inout(x), 1.0f); });
  expect_error(Code::invalid_argument, {"scale", "3", "4"},
               [&] { stream.dispatch(scale, over(1), inout(x), 1.0f, 1u, 1u); });
}

TEST_P(AnyDevice, AnArgumentOfTheWrongSizeIsRefused) {
  const Stream stream = device().stream("decode");
  const Kernel scale = build(scale_source());
  const Buffer x = device().buffer(64, "x");
  expect_error(Code::invalid_argument, {"scale", "1", "4", "8"},
               [&] { stream.dispatch(scale, over(1), inout(x), 1.0, 1u); });
  expect_error(Code::invalid_argument, {"scale", "2", "4", "8"},
               [&] { stream.dispatch(scale, over(1), inout(x), 1.0f, std::uint64_t{1}); });
  expect_error(Code::invalid_argument, {"scale", "2", "4"},
               [&] { stream.dispatch(scale, over(1), inout(x), 1.0f, std::uint16_t{1}); });
}

TEST_P(AnyDevice, AnArgumentOfTheWrongKindIsRefused) {
  const Stream stream = device().stream("decode");
  const Kernel scale = build(scale_source());
  const Buffer x = device().buffer(64, "x");
  expect_error(Code::invalid_argument, {"scale", "buffer", "value"},
               [&] { stream.dispatch(scale, over(1), 5u, 1.0f, 1u); });
  expect_error(Code::invalid_argument, {"scale", "buffer", "value"},
               [&] { stream.dispatch(scale, over(1), inout(x), inout(x), 1u); });
  expect_error(Code::invalid_argument, {"scale"},
               [&] { stream.dispatch(scale, over(1), shared(64), 1.0f, 1u); });
}

TEST_P(AnyDevice, AnEmptyRangeIsNoBinding) {
  const Buffer x = device().buffer(64, "kv");
  expect_error(Code::invalid_argument, {"increment", "kv"}, [&] {
    device().stream("decode").dispatch(build(increment_source()), over(1), x.range(0, 0), 0u);
  });
}

TEST_P(AnyDevice, AGroupOfNothingIsRefused) {
  const Stream stream = device().stream("decode");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(64, "x");
  for (const Dim3 size : {Dim3{0}, Dim3{64, 0}, Dim3{64, 1, 0}})
    expect_error(Code::invalid_argument, {"increment", "group size"}, [&] {
      stream.dispatch(increment, {.groups = {1}, .group_size = size}, inout(x), 1u);
    });
}

TEST_P(AnyDevice, AGroupSizeMustComeFromSomewhere) {
  const Stream stream = device().stream("decode");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(64, "x");
  if (increment.group_size() == unset_dim) {
    expect_error(Code::invalid_argument, {"increment", "group size"},
                 [&] { stream.dispatch(increment, {.groups = {1}}, inout(x), 1u); });
    return;
  }
  stream.dispatch(increment, {.groups = {1}}, inout(x), 1u);  // GLSL always says
  EXPECT_EQ(stream.read_now<std::uint32_t>(x)[0], 1u);
}

TEST_P(AnyDevice, AGroupLargerThanTheDeviceAllowsIsRefused) {
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(64, "x");
  // A shader says its group size itself and isn't built; elsewhere the launch is refused.
  const auto refused = [&](Dim3 size, std::uint64_t limit) {
    const bool fixed = is("vulkan");
    const Kernel kernel = fixed ? Kernel() : build(index_source({1}));
    if (fixed)  // by the GLSL compiler or by the device, whichever sees it first
      expect_error(Code::build_failed, {"index"}, [&] { device().kernel(index_source(size)); });
    else
      expect_error(Code::invalid_argument,
                   {"index", std::to_string(size.x), std::to_string(size.y), std::to_string(size.z),
                    std::to_string(limit)},
                   [&] { stream.dispatch(kernel, {.group_size = size}, out(x), 1u, 1u); });
  };
  const Dim3 limits = info().max_group_size;
  const std::uint64_t items = info().max_group_items;
  ASSERT_GE(items, 64u);
  ASSERT_LT(limits.x, most);
  refused({limits.x + 1}, limits.x);
  refused({1, limits.y + 1}, limits.y);
  refused({1, 1, limits.z + 1}, limits.z);
  // Each within its limit, all together not: doubling dimensions until they are too many.
  Dim3 size;
  while (size.count() <= items) {
    if (size.x * 2 <= limits.x)
      size.x *= 2;
    else if (size.y * 2 <= limits.y)
      size.y *= 2;
    else if (size.z * 2 <= limits.z)
      size.z *= 2;
    else
      break;
  }
  if (size.count() > items) refused(size, items);
}

TEST_P(AnyDevice, AGroupSizeOtherThanTheKernelsIsRefused) {
  const Stream stream = device().stream("decode");
  const Kernel fixed = build(fixed_source());
  const Buffer x = device().buffer_of(std::vector<float>(64, 1), "x");
  const auto dispatch = [&](Dim3 size) {
    stream.dispatch(fixed, {.groups = {64 / size.x}, .group_size = size}, inout(x), 2.0f, 64u);
  };
  if (is("host")) {
    EXPECT_EQ(fixed.group_size(), unset_dim);  // nothing in a C++ function fixes it
    dispatch({32});
  } else {
    EXPECT_EQ(fixed.group_size(), Dim3(64));
    expect_error(Code::invalid_argument, {"fixed", "32", "64"}, [&] { dispatch({32}); });
    dispatch({64});
  }
  EXPECT_EQ(stream.read_now<float>(x), std::vector<float>(64, 2));
}

TEST_P(AnyDevice, MoreSharedMemoryThanThereIsIsRefused) {
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(256, "x"), y = device().buffer(256, "y");
  const std::uint64_t limit = info().max_shared_bytes;
  ASSERT_GT(limit, 256u);
  for (const std::uint64_t bytes : {limit + 1, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    expect_error(
        Code::invalid_argument, {"reverse", std::to_string(bytes), std::to_string(limit)},
        [&] { stream.dispatch(build(reverse_source()), over(64), in(x), out(y), shared(bytes)); });
}

TEST_P(AnyDevice, SharedMemoryIsAddedUpWithoutWrapping) {
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(256, "x");
  const KernelSource source{
      .name = "two_tiles",
      .opencl_c = "__kernel void two_tiles(__global uint* x, __local uint* a, __local uint* b) {}",
      .glsl =
          "#version 450\nlayout(local_size_x = 64) in;\n"
          "layout(set = 0, binding = 0) buffer X { uint x[]; };\n"
          "void main() { x[0] = 0; }\n",
      .host = HostKernel([](const HostGroup&) {})};
  const std::uint64_t limit = info().max_shared_bytes;
  const Kernel kernel = build(source);
  stream.dispatch(kernel, over(64), inout(x), shared(64), shared(128));
  expect_error(Code::invalid_argument, {"two_tiles", std::to_string(limit)}, [&] {
    stream.dispatch(kernel, over(64), inout(x), shared(limit / 2 + 64), shared(limit / 2 + 64));
  });
  expect_error(Code::invalid_argument, {"two_tiles", std::to_string(limit)}, [&] {
    stream.dispatch(kernel, over(64), inout(x), shared(~std::uint64_t{7}), shared(16));
  });
  stream.synchronize();
}

TEST_P(AnyDevice, MoreGroupsThanTheDeviceAllowsAreRefused) {
  const Stream stream = device().stream("decode");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(64, "x");
  const auto refused = [&](Dim3 groups, std::uint32_t limit) {
    expect_error(
        Code::invalid_argument, {"increment", std::to_string(limit + 1), std::to_string(limit)},
        [&] { stream.dispatch(increment, {.groups = groups, .group_size = {64}}, inout(x), 1u); });
  };
  // 32 bits can't hold one more than the most they can hold.
  const Dim3 limits = info().max_groups;
  if (limits.x < most) refused({limits.x + 1}, limits.x);
  if (limits.y < most) refused({1, limits.y + 1}, limits.y);
  if (limits.z < most) refused({1, 1, limits.z + 1}, limits.z);
  EXPECT_GE(limits.x, 65535u);
}

TEST_P(AnyDevice, GroupCountsThatDontFitAreRefusedNotCutOff) {
  const Stream stream = device().stream("decode");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(64, "x");
  const std::uint64_t too_many = 1ull << 32;  // zero, where it is cut to 32 bits
  expect_error(Code::invalid_argument, {"4294967296"}, [&] {
    stream.dispatch(increment, {.groups = {too_many}, .group_size = {64}}, inout(x), 1u);
  });
  const int negative = -1;
  expect_error(Code::invalid_argument, {"-1"}, [&] {
    stream.dispatch(increment, {.groups = {negative}, .group_size = {64}}, inout(x), 1u);
  });
}

}  // namespace reel::test
