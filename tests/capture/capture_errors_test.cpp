// Each way to break a capture: which error, said where, and that everything works afterwards.
#include "broken_capture_test.hpp"

namespace reel::test {
namespace {

class CaptureErrors : public BrokenCaptureTest {};
INSTANTIATE_TEST_SUITE_P(Each, CaptureErrors, every_device(), device_name);

// --- 900: waiting for a stream under capture -----------------------------------------------------

TEST_P(CaptureErrors, SynchronizeOfACapturedStreamBreaksIt) {
  auto capture = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  expect_error(Code::capture_unsupported, {"decode", "synchronize", "end"},
               [&] { decode.synchronize(); });
  expect_broken(capture, Code::capture_unsupported, "synchronize");
}

TEST_P(CaptureErrors, AskingWhetherACapturedStreamIsDoneBreaksIt) {
  auto capture = StreamCapture::begin(decode);
  expect_error(Code::capture_unsupported, {"decode", "done", "end"}, [&] { decode.done(); });
  expect_broken(capture, Code::capture_unsupported, "done");
}

TEST_P(CaptureErrors, ABlockingReadOfACapturedStreamBreaksIt) {
  auto capture = StreamCapture::begin(decode);
  expect_error(Code::capture_unsupported, {"decode", "read_now", "end"},
               [&] { decode.read_now<std::uint32_t>(x); });
  expect_broken(capture, Code::capture_unsupported, "read_now");
}

TEST_P(CaptureErrors, AForkedStreamIsRefusedTheSame) {
  const Event forked = device().event("forked");
  auto capture = StreamCapture::begin(decode);
  fork(forked);
  expect_error(Code::capture_unsupported, {"side", "synchronize"}, [&] { side.synchronize(); });
  expect_broken(capture, Code::capture_unsupported, "synchronize");
}

TEST_P(CaptureErrors, ATimedLaunchInsideACaptureIsRefused) {
  Graph inner;
  add_mad(inner, x, 2, 1);
  const GraphExec exec = inner.instantiate(device());
  auto capture = StreamCapture::begin(decode);
  expect_error(Code::capture_unsupported, {"decode", "launch_timed"},
               [&] { exec.launch_timed(decode); });
  expect_broken(capture, Code::capture_unsupported, "launch_timed");
}

// --- 901: after the first error ------------------------------------------------------------------

TEST_P(CaptureErrors, EveryStreamOfABrokenCaptureRepeatsTheFirstCause) {
  const Event forked = device().event("forked");
  auto capture = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  fork(forked);
  mad(side, y, 1, 1);
  expect_error(Code::capture_unsupported, {"read_now"}, [&] { decode.read_now<std::uint32_t>(x); });
  // Others that would each be an error of their own: the first cause counts.
  expect_error(Code::capture_invalidated, {"side", "read_now"}, [&] { mad(side, y, 1, 1); });
  expect_error(Code::capture_invalidated, {"side", "read_now"}, [&] { side.synchronize(); });
  expect_error(Code::capture_invalidated, {"decode", "read_now"}, [&] { decode.copy(y, x); });
  expect_error(Code::capture_invalidated, {"decode", "read_now"},
               [&] { decode.fill(x, std::uint8_t{1}); });
  expect_error(Code::capture_invalidated, {"decode", "read_now"},
               [&] { decode.write(x, words(1)); });
  expect_error(Code::capture_invalidated, {"decode", "read_now"}, [&] { decode.host_call([] {}); });
  expect_error(Code::capture_invalidated, {"decode", "read_now"}, [&] { decode.barrier(); });
  expect_error(Code::capture_invalidated, {"decode", "read_now"}, [&] { decode.record(forked); });
  expect_error(Code::capture_invalidated, {"decode", "read_now"}, [&] { decode.wait(forked); });
  expect_broken(capture, Code::capture_unsupported, "read_now");
}

TEST_P(CaptureErrors, ABrokenCaptureThatIsDestroyedLeavesItsStreamsUsable) {
  {
    const Event forked = device().event("forked");
    auto capture = StreamCapture::begin(decode);
    mad(decode, x, 1, 1);
    fork(forked);
    expect_error(Code::capture_unsupported, {}, [&] { side.done(); });
  }
  expect_usable();
}

// --- 902: two captures ---------------------------------------------------------------------------

TEST_P(CaptureErrors, AnEventCanNotMergeTwoCaptures) {
  const Event event = device().event("between");
  auto first = StreamCapture::begin(decode);
  auto second = StreamCapture::begin(side);
  mad(decode, x, 1, 1);
  mad(side, y, 1, 1);
  side.record(event);
  expect_error(Code::capture_merge, {"decode", "between"}, [&] { decode.wait(event); });
  expect_error(Code::capture_merge, {"between"}, [&] { first.end(); });
  expect_error(Code::capture_unmatched, {}, [&] { first.end(); });
  try {
    second.end();  // whether it fell with the first is not the question here
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::capture_merge) << error.what();
  }
  expect_usable();
}

// --- 903: end and begin that don't match ---------------------------------------------------------

TEST_P(CaptureErrors, ASecondEndIsUnmatched) {
  auto capture = StreamCapture::begin(decode);
  capture.end();
  expect_error(Code::capture_unmatched, {"decode"}, [&] { capture.end(); });
  expect_usable();
}

TEST_P(CaptureErrors, RecordingAfterTheEndIsUnmatched) {
  auto capture = StreamCapture::begin(decode);
  capture.end();
  Words data = words(1);
  expect_error(Code::capture_unmatched, {"decode"}, [&] { capture.record_memset(x, 1); });
  expect_error(Code::capture_unmatched, {"decode"}, [&] { capture.record_memcpy(y, x); });
  expect_error(Code::capture_unmatched, {"decode"},
               [&] { capture.record_memcpy(y, std::as_bytes(std::span(data))); });
  expect_error(Code::capture_unmatched, {"decode"},
               [&] { capture.record_memcpy(std::as_writable_bytes(std::span(data)), y); });
  expect_error(Code::capture_unmatched, {"decode"},
               [&] { capture.record_kernel(mad_kernel, grid(), inout(x), 1u, 1u, word_count); });
  expect_usable();
}

TEST_P(CaptureErrors, AnEndedCaptureDoesNotRecordIntoTheNextOne) {
  auto first = StreamCapture::begin(decode);
  first.end();
  auto second = StreamCapture::begin(decode);
  expect_error(Code::capture_unmatched, {"decode"}, [&] { first.record_memset(x, 1); });
  expect_error(Code::capture_unmatched, {"decode"}, [&] { first.end(); });
  EXPECT_TRUE(second.is_active());
  EXPECT_EQ(second.recorded_count(), 0u);
  EXPECT_TRUE(second.end().empty());
  expect_usable();
}

TEST_P(CaptureErrors, AStreamUnderCaptureCanNotBeCapturedTwice) {
  auto capture = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  expect_error(Code::capture_unsupported, {"decode", "begin", "end"},
               [&] { StreamCapture::begin(decode); });
  EXPECT_TRUE(capture.is_active()) << "refusing the second must not break the first";
  mad(decode, x, 1, 1);
  EXPECT_EQ(capture.end().node_count(), 2u);
}

// --- 904: forks that were not joined -------------------------------------------------------------

TEST_P(CaptureErrors, AnUnjoinedForkIsNamedWithItsLastNode) {
  const Event forked = device().event("forked");
  auto capture = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  fork(forked);
  mad(side, y, 1, 1, "first of side");
  mad(side, y, 1, 1, "last of side");
  expect_error(Code::capture_unjoined, {"decode", "side", "last of side", "event", "wait"},
               [&] { capture.end(); });
  EXPECT_FALSE(capture.is_active());
  expect_error(Code::capture_unmatched, {}, [&] { capture.end(); });
  expect_usable();
}

TEST_P(CaptureErrors, WorkAfterTheJoiningRecordIsUnjoined) {
  const Event forked = device().event("forked"), joined = device().event("joined");
  auto capture = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  fork(forked);
  mad(side, y, 1, 1);
  side.record(joined);
  decode.wait(joined);
  mad(side, y, 1, 1, "too late");
  expect_error(Code::capture_unjoined, {"side", "too late"}, [&] { capture.end(); });
  expect_usable();
}

// --- 905: work outside the capture ---------------------------------------------------------------

TEST_P(CaptureErrors, ACaptureCanNotWaitForWorkOutsideOfIt) {
  const Event outside = device().event("outside");
  mad(side, y, 1, 1);
  side.record(outside);
  auto capture = StreamCapture::begin(decode);
  expect_error(Code::capture_isolation, {"decode", "outside"}, [&] { decode.wait(outside); });
  expect_broken(capture, Code::capture_isolation, "outside");
}

TEST_P(CaptureErrors, AnEventNeverRecordedIsNoWorkOutside) {
  const Event never = device().event("never");
  auto capture = StreamCapture::begin(decode);
  decode.wait(never);
  mad(decode, x, 1, 1);
  EXPECT_EQ(capture.end().node_count(), 1u);
  expect_usable();
}

TEST_P(CaptureErrors, AnEventOfAnEndedCaptureCanNotBeWaitedFor) {
  const Event event = device().event("old");
  auto first = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  decode.record(event);
  first.end();
  auto second = StreamCapture::begin(decode);
  try {
    decode.wait(event);
    ADD_FAILURE() << "the node is in another graph";
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == Code::capture_isolation || error.code() == Code::captured_event)
        << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr("old"));
  }
}

TEST_P(CaptureErrors, AStreamOfAnotherDeviceCanNotJoin) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "needs a second device";
  const Stream abroad = other.stream("abroad");
  const Event event = device().event("border");
  auto capture = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  decode.record(event);
  try {
    abroad.wait(event);
    ADD_FAILURE() << "no graph runs on two devices";
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == Code::capture_unsupported || error.code() == Code::invalid_argument)
        << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr("abroad"));
  }
  EXPECT_FALSE(abroad.is_in_stream_capture());
}

// --- 907: events of a capture --------------------------------------------------------------------

TEST_P(CaptureErrors, ACapturedEventHasNoTimeAndIsNeverDone) {
  struct Call {
    const char* name;
    std::function<void(const Event&)> run;
  };
  const Call calls[] = {{"done", [](const Event& e) { e.done(); }},
                        {"synchronize", [](const Event& e) { e.synchronize(); }},
                        {"time_ns", [](const Event& e) { e.time_ns(); }}};
  for (const Call& call : calls) {
    SCOPED_TRACE(call.name);
    const Event event = device().event("mark");
    auto capture = StreamCapture::begin(decode);
    mad(decode, x, 1, 1);
    decode.record(event);
    expect_error(Code::captured_event, {"mark", call.name}, [&] { call.run(event); });
    expect_broken(capture, Code::captured_event, "mark");
  }
}

TEST_P(CaptureErrors, ACapturedEventStaysSoUntilItIsRecordedAgain) {
  const Event event = device().event("mark");
  auto capture = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  decode.record(event);
  capture.end();
  expect_error(Code::captured_event, {"mark"}, [&] { event.done(); });
  expect_error(Code::captured_event, {"mark"}, [&] { event.synchronize(); });
  expect_error(Code::captured_event, {"mark"}, [&] { side.wait(event); });
  mad(decode, y, 1, 1);
  decode.record(event);
  event.synchronize();
  EXPECT_TRUE(event.done());
  EXPECT_EQ(event.time_ns().has_value(), info().can_stamp_time);
  expect_usable();
}

// --- wrong calls inside a capture ----------------------------------------------------------------

TEST_P(CaptureErrors, AWrongCallIsAnErrorAtOnceAndNotANode) {
  auto capture = StreamCapture::begin(decode);
  mad(decode, x, 1, 1);
  expect_error(Code::invalid_argument, {"mul_add"},
               [&] { decode.dispatch(mad_kernel, grid(), inout(x), 1u); });
  EXPECT_EQ(capture.recorded_count(), 1u);
}

TEST_P(CaptureErrors, ANullStreamCanNotBeCaptured) {
  expect_error(Code::invalid_argument, {"stream"}, [] { StreamCapture::begin(Stream()); });
}

TEST_P(CaptureErrors, AnExecOfAnotherDeviceCanNotBeLaunchedIntoACapture) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "needs a second device";
  const Buffer theirs = other.buffer(64, "theirs");
  Graph graph;
  graph.add_fill(theirs, std::uint8_t{1});
  const GraphExec exec = graph.instantiate(other);
  auto capture = StreamCapture::begin(decode);
  expect_error(Code::invalid_argument, {"decode"}, [&] { exec.launch(decode); });
  EXPECT_EQ(capture.recorded_count(), 0u);
}

}  // namespace
}  // namespace reel::test
