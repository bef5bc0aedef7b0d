#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "any_device.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"

namespace reel::test {
namespace {

using CaptureApi = AnyDevice;

TEST_P(CaptureApi, StartAndStopAsOftenAsYouLike) {
  const ScratchFolder folder;
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(std::vector<std::uint32_t>(64, 5), "x");
  const Kernel increment = build(increment_source());
  for (int i = 0; i < 3; ++i) {
    const std::string path = folder.path("step" + std::to_string(i) + ".reel");
    EXPECT_FALSE(is_capturing());
    start_capture(path);
    EXPECT_TRUE(is_capturing());
    stream.dispatch(increment, over(64), inout(x), 64u);
    const CaptureReport report = stop_capture();
    EXPECT_EQ(report.commands, 1u);
    EXPECT_EQ(report.path, path);
    const Trace trace = Trace::load(path);
    const auto inputs = contents_of(trace, ContentRole::input);
    ASSERT_EQ(inputs.size(), 1u);
    EXPECT_EQ(static_cast<int>(trace.bytes(*inputs[0])->at(0)), 5 + i) << "read anew each time";
  }
}

// What was lost has stamps that nobody came to collect; they aren't those of the next.
TEST_P(CaptureApi, OneThatWasLostLeavesTheNextOneAlone) {
  const ScratchFolder folder;
  const Stream stream = device().stream();
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const auto dispatch = [&](int times) {
    for (int i = 0; i < times; ++i) stream.dispatch(increment, over(64), inout(x), 64u);
  };
  for (int round = 0; round < 3; ++round) {
    // So many commands are above the limit, once the document's thread has come to write them.
    start_capture(folder.path("lost.reel"), {.limit_bytes = 20'000, .overwrite = true});
    for (int part = 0; part < 2; ++part) {
      dispatch(10'000);
      std::this_thread::sleep_for(std::chrono::milliseconds(120));
    }
    dispatch(1'000);
    if (round != 1) stream.synchronize();
    expect_error(Code::io_failed, {"over its limit"}, [] { stop_capture(); });

    start_capture(folder.path("next.reel"), {.overwrite = true});
    dispatch(5);
    stop_capture();
    const Trace trace = Trace::load(folder.path("next.reel"));
    EXPECT_TRUE(trace.is_complete());
    EXPECT_THAT(trace.problems(), testing::IsEmpty());
    ASSERT_EQ(trace.commands().size(), 5u);
    const std::uint64_t error_ns = 1'000'000;  // of a device's clock, and more
    for (const TraceCommand& command : trace.commands())
      if (command.has_run_times()) {
        EXPECT_GE(command.ended_ns + error_ns, command.call_begin_ns);
      }
  }
}

TEST_P(CaptureApi, StartedAndStoppedByAnotherThreadThanTheOneThatWorks) {
  const ScratchFolder folder;
  const Stream stream = device().stream();
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  std::atomic<bool> go_on{true};
  std::thread worker([&] {
    while (go_on) {
      stream.dispatch(increment, over(64), inout(x), 64u);
      stream.synchronize();
    }
  });
  start_capture(folder.path());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const CaptureReport report = stop_capture();
  go_on = false;
  worker.join();
  const Trace trace = Trace::load(folder.path());
  EXPECT_TRUE(trace.is_complete());
  EXPECT_GT(report.commands, 0u);
  EXPECT_EQ(trace.commands().size(), report.commands);
}

TEST_P(CaptureApi, RefusesWhatCannotWork) {
  const ScratchFolder folder;
  expect_error(Code::invalid_argument, {"no capture was started"}, [] { stop_capture(); });
  start_capture(folder.path());
  expect_error(Code::invalid_argument, {"is under way"},
               [&] { start_capture(folder.path("y.reel")); });
  stop_capture();
  expect_error(Code::io_failed, {"exists already"}, [&] { start_capture(folder.path()); });
  start_capture(folder.path(), {.overwrite = true});
  stop_capture();
  expect_error(Code::io_failed, {"nowhere"}, [&] { start_capture(folder.path("nowhere/x.reel")); });
  expect_error(Code::invalid_argument, {"needs a path"}, [] { start_capture(""); });
  expect_error(Code::invalid_argument, {"'%'"}, [&] { start_capture(folder.path("%q.reel")); });
  EXPECT_FALSE(is_capturing());
}

TEST_P(CaptureApi, AnObjectEndsItsCaptureWhenAnExceptionPasses) {
  const ScratchFolder folder;
  const Stream stream = device().stream();
  const Buffer x = device().buffer(256, "x");
  EXPECT_THROW(
      {
        Capture capture(folder.path());
        capture.begin();
        capture.begin();
        stream.fill(x, std::uint8_t{1});
        throw std::runtime_error("the pass failed");
      },
      std::runtime_error);
  EXPECT_FALSE(is_capturing());
  const Trace trace = Trace::load(folder.path());
  EXPECT_TRUE(trace.is_complete());
  EXPECT_EQ(trace.commands().size(), 1u);
}

TEST_P(CaptureApi, AnObjectThatNeverBeganLeavesNoDocument) {
  const ScratchFolder folder;
  {
    Capture capture(folder.path());
    EXPECT_TRUE(std::filesystem::exists(folder.path()));
    EXPECT_FALSE(capture.is_begun());
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path()));
}

TEST_P(CaptureApi, EndingTwiceGivesTheSameReport) {
  const ScratchFolder folder;
  Capture capture(folder.path("of_%p_%n.reel"));
  capture.begin();
  const Buffer x = device().buffer(64, "x");
  device().stream().fill(x, std::uint8_t{1});
  const CaptureReport first = capture.end();
  EXPECT_EQ(capture.end().commands, first.commands);
  EXPECT_NE(first.path.find(std::to_string(getpid())), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(first.path));
}

INSTANTIATE_TEST_SUITE_P(Each, CaptureApi, every_device(), device_name);

}  // namespace
}  // namespace reel::test
