// broken_capture_test.hpp - two streams to break captures of, and how a broken one behaves.
#pragma once

#include <string_view>
#include <thread>
#include <utility>

#include "recording_test.hpp"

namespace reel::test {

class BrokenCaptureTest : public RecordingTest {
 protected:
  Stream decode, side;

  void SetUp() override {
    RecordingTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    decode = device().stream("decode");
    side = device().stream("side");
  }

  // The capture is broken: its streams refuse with the first cause, and so does end().
  void expect_broken(StreamCapture& capture, Code code, std::string_view cause) {
    EXPECT_FALSE(capture.is_active());
    EXPECT_EQ(capture.status(), CaptureStatus::invalidated);
    expect_error(Code::capture_invalidated, {"decode", cause}, [&] { mad(decode, x, 1, 1); });
    expect_error(Code::capture_invalidated, {cause}, [&] { capture.record_memset(x, 1); });
    expect_error(code, {cause}, [&] { capture.end(); });
    EXPECT_EQ(capture.status(), CaptureStatus::none);
    expect_error(Code::capture_unmatched, {}, [&] { capture.end(); });
    expect_usable();
  }

  // Both streams run, can be captured again, and nothing of what was captured has run.
  void expect_usable() {
    for (const Stream& stream : {decode, side}) {
      EXPECT_FALSE(stream.is_in_stream_capture());
      const std::uint32_t before = contents(w)[0];
      mad(stream, w, 1, 1);
      stream.synchronize();
      EXPECT_TRUE(stream.done());
      EXPECT_EQ(stream.read_now<std::uint32_t>(w), words(before + 1));
      auto again = StreamCapture::begin(stream);
      mad(stream, w, 1, 1);
      EXPECT_EQ(again.end().node_count(), 1u);
    }
    device().synchronize();
    EXPECT_EQ(contents(x), words(0));
  }

  // decode is captured, side is forked from it.
  void fork(const Event& event) {
    decode.record(event);
    side.wait(event);
  }
};

template <class F>
void on_another_thread(F&& call) {
  std::thread(std::forward<F>(call)).join();
}

}  // namespace reel::test
