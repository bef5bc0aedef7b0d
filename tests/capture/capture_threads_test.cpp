// Captures and other threads: which calls of the device are refused (906), who may end (908).
#include "broken_capture_test.hpp"

namespace reel::test {
namespace {

class DeviceWideCalls : public BrokenCaptureTest {
 protected:
  struct Call {
    const char* name;
    std::function<void()> run;
  };
  std::vector<Call> calls() {
    return {{"synchronize", [] { device().synchronize(); }},
            {"read", [this] { contents(y); }},
            {"write", [this] { y.write(words(3)); }}};
  }
};
INSTANTIATE_TEST_SUITE_P(Each, DeviceWideCalls, every_device(), device_name);

TEST_P(DeviceWideCalls, AreRefusedFromAnyThreadInModeGlobal) {
  for (const Call& call : calls())
    for (const bool elsewhere : {false, true}) {
      SCOPED_TRACE(call.name);
      auto capture = StreamCapture::begin(decode, CaptureMode::global);
      mad(decode, x, 1, 1);
      const auto refused = [&] {
        expect_error(Code::capture_implicit, {call.name, "decode"}, call.run);
      };
      elsewhere ? on_another_thread(refused) : refused();
      expect_broken(capture, Code::capture_implicit, call.name);
    }
}

TEST_P(DeviceWideCalls, AreRefusedFromItsOwnThreadInModeThreadLocal) {
  for (const Call& call : calls()) {
    SCOPED_TRACE(call.name);
    auto capture = StreamCapture::begin(decode, CaptureMode::thread_local_);
    mad(decode, x, 1, 1);
    on_another_thread([&] { EXPECT_NO_THROW(call.run()); });
    EXPECT_TRUE(capture.is_active());
    expect_error(Code::capture_implicit, {call.name, "decode"}, call.run);
    expect_broken(capture, Code::capture_implicit, call.name);
  }
}

TEST_P(DeviceWideCalls, AreAllowedInModeRelaxed) {
  auto capture = StreamCapture::begin(decode, CaptureMode::relaxed);
  mad(decode, x, 1, 1);
  for (const Call& call : calls()) {
    SCOPED_TRACE(call.name);
    EXPECT_NO_THROW(call.run());
    on_another_thread([&] { EXPECT_NO_THROW(call.run()); });
  }
  EXPECT_EQ(contents(y), words(3));
  EXPECT_EQ(capture.end().node_count(), 1u);
  expect_usable();
}

TEST_P(DeviceWideCalls, AreRefusedForTheDeviceOfTheCaptureOnly) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "needs a second device";
  const Buffer elsewhere = other.buffer(64, "elsewhere");
  auto capture = StreamCapture::begin(decode, CaptureMode::global);
  EXPECT_NO_THROW(other.synchronize());
  EXPECT_NO_THROW(elsewhere.write(words(1, 16)));
  EXPECT_EQ(elsewhere.read<std::uint32_t>(), words(1, 16));
  EXPECT_TRUE(capture.is_active());
  capture.end();
  expect_usable();
}

TEST_P(DeviceWideCalls, AnotherStreamMayBeWaitedForInEveryMode) {
  for (const CaptureMode mode :
       {CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed}) {
    auto capture = StreamCapture::begin(decode, mode);
    mad(decode, x, 1, 1);
    mad(side, z, 1, 1);
    side.synchronize();
    EXPECT_TRUE(side.done());
    EXPECT_EQ(capture.end().node_count(), 1u);
  }
  EXPECT_EQ(contents(z), words(3));
}

class CaptureThreads : public BrokenCaptureTest {};
INSTANTIATE_TEST_SUITE_P(Each, CaptureThreads, every_device(), device_name);

TEST_P(CaptureThreads, EndFromAnotherThreadIsForRelaxedCapturesOnly) {
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread_local_}) {
    auto capture = StreamCapture::begin(decode, mode);
    mad(decode, x, 1, 1);
    on_another_thread([&] {
      expect_error(Code::capture_wrong_thread, {"decode", "thread"}, [&] { capture.end(); });
    });
    EXPECT_TRUE(capture.is_active()) << "its own thread can still end it";
    EXPECT_EQ(capture.end().node_count(), 1u);
  }
  expect_usable();
  auto capture = StreamCapture::begin(decode, CaptureMode::relaxed);
  mad(decode, x, 1, 1);
  on_another_thread([&] { EXPECT_EQ(capture.end().node_count(), 1u); });
  expect_usable();
}

TEST_P(CaptureThreads, ACaptureMayBeDestroyedByAnotherThread) {
  auto capture = std::make_unique<StreamCapture>(StreamCapture::begin(decode));
  mad(decode, x, 1, 1);
  on_another_thread([&] { capture.reset(); });
  expect_usable();
}

TEST_P(CaptureThreads, OfTwoThreadsThatBeginOneStreamOneWins) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> won = 0, refused = 0, ready = 0, tried = 0;
    const auto begin = [&] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
      try {
        const auto capture = StreamCapture::begin(decode);
        ++won;
        ++tried;
        while (tried < 2) std::this_thread::yield();  // keep it until the other has tried
      } catch (const Error& error) {
        refused += error.code() == Code::capture_unsupported;
        ++tried;
      }
    };
    std::thread other(begin);
    begin();
    other.join();
    ASSERT_EQ(won, 1);
    ASSERT_EQ(refused, 1);
  }
  expect_usable();
}

// A call beside end() is recorded, runs, or is told that the capture has ended: never lost.
TEST_P(CaptureThreads, CallsBesideTheEndAreNotLost) {
  constexpr std::uint32_t calls = 500;
  auto capture = StreamCapture::begin(decode);
  std::atomic<std::uint32_t> made = 0, refused = 0;
  std::thread caller([&] {
    for (std::uint32_t i = 0; i < calls; ++i, ++made) {
      try {
        mad(decode, z, 1, 1);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::capture_unmatched) << error.what();
        ++refused;
      }
    }
  });
  while (made < calls / 4) std::this_thread::yield();
  const Graph graph = capture.end();
  caller.join();
  decode.synchronize();
  EXPECT_EQ(graph.node_count() + refused + contents(z)[0], calls);
  EXPECT_GE(graph.node_count(), calls / 4);
  expect_usable();
}

}  // namespace
}  // namespace reel::test
