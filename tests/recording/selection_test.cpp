#include "any_device.hpp"
#include "kernels.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"

namespace reel::test {
namespace {

using CaptureSelection = AnyDevice;

TEST_P(CaptureSelection, OfOneStream) {
  const Stream wanted = device().stream("wanted"), other = device().stream("other");
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const Trace trace = captured(
      [&] {
        for (const Stream& stream : {wanted, other, wanted}) {
          stream.dispatch(increment, over(64), inout(x), 64u);
          stream.synchronize();
        }
      },
      {.stream = wanted});
  ASSERT_EQ(trace.commands().size(), 2u);
  // What the other stream did to x in between isn't recorded, so its result is an input.
  const auto inputs = contents_of(trace, ContentRole::input);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[1]->command, 1u);
  const auto bytes = trace.bytes(*inputs[1]);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(static_cast<int>((*bytes)[0]), 2);
}

TEST_P(CaptureSelection, OfAScopeAndAllBelowIt) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const Trace trace = captured(
      [&] {
        for (const char* name : {"prefill/layer0", "decode/layer0", "decode/layer1/mlp"}) {
          const auto scope = stream.scope(name);
          stream.dispatch(increment, over(64), inout(x), 64u);
        }
      },
      {.scope = "decode/layer?"});
  ASSERT_EQ(trace.commands().size(), 2u);
  EXPECT_EQ(trace.text(trace.work_of(trace.commands()[1]).scope), "decode/layer1/mlp");
}

TEST_P(CaptureSelection, OfOneDeviceAmongSeveral) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "one device only";
  const Buffer x = device().buffer(64, "here"), y = other.buffer(64, "there");
  const Stream here = device().stream(), there = other.stream();
  const Trace one = captured(
      [&] {
        here.fill(x, std::uint8_t{1});
        there.fill(y, std::uint8_t{1});
      },
      {.device = device()});
  EXPECT_EQ(one.commands().size(), 1u);
  const Trace both = captured([&] {
    here.fill(x, std::uint8_t{1});
    there.fill(y, std::uint8_t{1});
  });
  EXPECT_EQ(both.commands().size(), 2u);
  EXPECT_EQ(both.devices().size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Each, CaptureSelection, every_device(), device_name);

}  // namespace
}  // namespace reel::test
