// What a capture records, and what comes out of it.
#include "recording_test.hpp"

namespace reel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StreamCaptureTest : public RecordingTest {};
INSTANTIATE_TEST_SUITE_P(Each, StreamCaptureTest, every_device(), device_name);

TEST_P(StreamCaptureTest, ASingleStreamGivesALinearChainInOrder) {
  const Stream stream = device().stream("line");
  auto capture = StreamCapture::begin(stream);
  stream.fill(x, std::uint8_t{1});
  mad(stream, x, 2, 3);
  stream.copy(y, x);
  mad(stream, z, 5, 7);  // touches nothing of the others, and is still the next of its stream
  const Graph graph = capture.end();

  EXPECT_THAT(kinds(graph), ElementsAre("fill", "dispatch", "copy", "dispatch"));
  EXPECT_THAT(shape(graph), ElementsAre(NodePair(0, 1), NodePair(1, 2), NodePair(2, 3)));
  for (const Edge& edge : graph.dependencies()) EXPECT_EQ(edge.kind, EdgeKind::stream);
}

TEST_P(StreamCaptureTest, NothingRunsWhileCapturing) {
  const Stream stream = device().stream("line");
  x.write(words(7));
  std::atomic<bool> called = false;
  Words target = words(1);
  auto capture = StreamCapture::begin(stream);
  mad(stream, x, 2, 1);
  stream.write(y, words(9));
  stream.read(x, target);
  stream.host_call([&] { called = true; });
  stream.flush();
  const Graph graph = capture.end();
  device().synchronize();

  EXPECT_EQ(graph.node_count(), 4u);
  EXPECT_EQ(x.read<std::uint32_t>(), words(7));
  EXPECT_EQ(y.read<std::uint32_t>(), words(0));
  EXPECT_EQ(target, words(1));
  EXPECT_FALSE(called);
}

TEST_P(StreamCaptureTest, KnowsItsCountStatusAndMode) {
  for (const CaptureMode mode :
       {CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed}) {
    const Stream stream = device().stream("line");
    EXPECT_FALSE(stream.is_in_stream_capture());
    auto capture = StreamCapture::begin(stream, mode);
    EXPECT_EQ(capture.mode(), mode);
    EXPECT_EQ(capture.status(), CaptureStatus::active);
    EXPECT_TRUE(capture.is_active());
    EXPECT_TRUE(stream.is_in_stream_capture());
    EXPECT_EQ(capture.recorded_count(), 0u);
    mad(stream, x, 2, 1);
    EXPECT_EQ(capture.recorded_count(), 1u);
    stream.copy(y, x);
    EXPECT_EQ(capture.recorded_count(), 2u);
    const Graph graph = capture.end();
    EXPECT_EQ(graph.node_count(), 2u);
    EXPECT_FALSE(capture.is_active());
    EXPECT_EQ(capture.status(), CaptureStatus::none);
    EXPECT_FALSE(stream.is_in_stream_capture());
  }
}

TEST_P(StreamCaptureTest, TheModesAndStatesHaveNames) {
  EXPECT_STREQ(to_string(CaptureMode::global), "global");
  EXPECT_STREQ(to_string(CaptureMode::relaxed), "relaxed");
  EXPECT_STREQ(to_string(CaptureStatus::none), "none");
  EXPECT_STREQ(to_string(CaptureStatus::active), "active");
  EXPECT_STREQ(to_string(CaptureStatus::invalidated), "invalidated");
}

TEST_P(StreamCaptureTest, TheRecordCallsAreTheSameAsTheStreams) {
  const Stream stream = device().stream("line");
  const Words source = ramp(50);
  Words target = words(0);

  auto first = StreamCapture::begin(stream);
  EXPECT_EQ(first.record_memcpy(x, std::as_bytes(std::span(source))), node(0));
  EXPECT_EQ(first.record_kernel(mad_kernel, grid(), inout(x), 3u, 1u, word_count), node(1));
  EXPECT_EQ(first.record_memcpy(y, x), node(2));
  EXPECT_EQ(first.record_memset(x, 0xab), node(3));
  EXPECT_EQ(first.record_memcpy(std::as_writable_bytes(std::span(target)), y), node(4));
  EXPECT_EQ(first.recorded_count(), 5u);
  const Graph recorded = first.end();

  auto second = StreamCapture::begin(stream);
  stream.write(x, source);
  mad(stream, x, 3, 1);
  stream.copy(y, x);
  stream.fill(x, std::uint8_t{0xab});
  stream.read(y, target);
  const Graph called = second.end();

  EXPECT_THAT(Graph::diff(recorded, called), IsEmpty());
  EXPECT_EQ(recorded, called);

  recorded.instantiate(device()).launch(stream);
  stream.synchronize();
  Words expected = source;
  for (std::uint32_t& word : expected) word = word * 3 + 1;
  EXPECT_EQ(target, expected);
  EXPECT_EQ(x.read<std::uint32_t>(), words(0xabababab));
}

TEST_P(StreamCaptureTest, AWriteCopiesItsBytesAtTheCall) {
  const Stream stream = device().stream("line");
  Words data = ramp(1000);
  auto capture = StreamCapture::begin(stream);
  stream.write(x, data);
  std::fill(data.begin(), data.end(), 0u);
  const Graph graph = capture.end();
  data.clear();
  data.shrink_to_fit();
  graph.instantiate(device()).launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), ramp(1000));
}

TEST_P(StreamCaptureTest, AReadFillsItsTargetAtEachLaunch) {
  const Stream stream = device().stream("line");
  Words target = words(0);
  auto capture = StreamCapture::begin(stream);
  mad(stream, x, 1, 1);
  stream.read(x, target);
  GraphExec exec = capture.end().instantiate(device());
  for (std::uint32_t pass = 1; pass <= 3; ++pass) {
    exec.launch(stream);
    stream.synchronize();
    EXPECT_EQ(target, words(pass));
  }
}

TEST_P(StreamCaptureTest, AHostCallRunsInItsPlaceOnceALaunch) {
  const Stream stream = device().stream("line");
  Words first = words(0), second = words(0);
  std::vector<Words> seen;
  auto capture = StreamCapture::begin(stream);
  mad(stream, x, 1, 1);
  stream.read(x, first);
  stream.host_call([&] { seen.push_back(first); }, "look");
  mad(stream, x, 1, 1);
  stream.read(x, second);
  const Graph graph = capture.end();
  ASSERT_EQ(graph.node_count(), 5u);
  EXPECT_EQ(graph.node(node(2)).command.label, "look");
  GraphExec exec = graph.instantiate(device());
  EXPECT_THAT(seen, IsEmpty());
  exec.launch(stream);
  stream.synchronize();
  exec.launch(stream);
  stream.synchronize();
  EXPECT_THAT(seen, ElementsAre(words(1), words(3)));
  EXPECT_EQ(second, words(4));
}

TEST_P(StreamCaptureTest, ALaunchInsideACaptureIsAChild) {
  const Stream stream = device().stream("line");
  Graph inner;
  inner.add_dispatch(mad_kernel, grid(), inout(x), 2u, 1u, word_count);
  inner.add_dispatch(mad_kernel, grid(), inout(x), 3u, 1u, word_count);
  GraphExec exec = inner.instantiate(device());
  auto capture = StreamCapture::begin(stream);
  stream.write(x, words(1));
  exec.launch(stream);
  mad(stream, x, 1, 5);
  const Graph graph = capture.end();
  ASSERT_EQ(graph.node_count(), 3u);
  EXPECT_TRUE(graph.node(node(1)).is_child());
  EXPECT_EQ(graph.node(node(1)).child()->node_count(), 2u);
  EXPECT_THAT(shape(graph), ElementsAre(NodePair(0, 1), NodePair(1, 2)));
  for (const Edge& edge : graph.dependencies()) EXPECT_EQ(edge.kind, EdgeKind::stream);

  exec.set_argument(node(0), 1, 100u);  // the capture took the exec as it was
  graph.instantiate(device()).launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words((1 * 2 + 1) * 3 + 1 + 5));
}

TEST_P(StreamCaptureTest, ALaunchInsideACaptureLeavesOutWhatIsDisabled) {
  const Stream stream = device().stream("line");
  Graph inner;
  inner.add_dispatch(mad_kernel, grid(), inout(x), 2u, 1u, word_count);
  inner.add_dispatch(mad_kernel, grid(), inout(y), 2u, 1u, word_count);
  GraphExec exec = inner.instantiate(device());
  exec.set_enabled(node(0), false);
  auto capture = StreamCapture::begin(stream);
  exec.launch(stream);
  capture.end().instantiate(device()).launch(stream);
  stream.synchronize();
  EXPECT_EQ(contents(x), words(0)) << "as a launch outside a capture would leave it";
  EXPECT_EQ(contents(y), words(1));
}

TEST_P(StreamCaptureTest, ACaptureOfNothingIsAnEmptyGraphThatLaunches) {
  const Stream stream = device().stream("line");
  auto capture = StreamCapture::begin(stream);
  const Graph graph = capture.end();
  EXPECT_TRUE(graph.empty());
  GraphExec exec = graph.instantiate(device());
  EXPECT_EQ(exec.node_count(), 0u);
  exec.launch(stream);
  EXPECT_THAT(exec.launch_timed(stream).wait(), IsEmpty());
  stream.synchronize();
}

TEST_P(StreamCaptureTest, TheGraphGivesTheBytesOfTheDirectRun) {
  const Stream main = device().stream("main"), side = device().stream("side");
  const auto work = [&] {
    const Event forked = device().event(), joined = device().event();
    main.write(x, ramp(3));
    main.fill(y.range(0, 100), std::uint8_t{0x5a});
    main.record(forked);
    side.wait(forked);
    mad(side, y, 3, 9);
    mad(main, x, 7, 1);
    side.record(joined);
    main.wait(joined);
    mix(main, x, y, z, 11);
    main.copy(w.range(4, 333), z.range(64, 333));
  };
  const auto reset = [&] {
    for (const Buffer& buffer : {x, y, z, w}) buffer.write(words(0xdeadbeef));
  };
  const auto bytes = [&] {
    std::vector<Words> result;
    for (const Buffer& buffer : {x, y, z, w}) result.push_back(buffer.read<std::uint32_t>());
    return result;
  };
  reset();
  work();
  device().synchronize();
  const auto direct = bytes();

  auto capture = StreamCapture::begin(main);
  work();
  const GraphExec exec = capture.end().instantiate(device());
  for (int round = 0; round < 2; ++round) {
    reset();
    exec.launch(side);  // any stream will do
    side.synchronize();
    EXPECT_EQ(bytes(), direct);
  }
}

TEST_P(StreamCaptureTest, ScopesAndLabelsArriveInTheNodes) {
  const Stream stream = device().stream("line");
  auto capture = StreamCapture::begin(stream);
  {
    auto layer = stream.scope("layer0");
    mad(stream, x, 2, 1, "scale");
    {
      auto attention = stream.scope("attention/q");
      stream.copy(y, x, "keep");
      stream.fill(z, std::uint8_t{0}, "clear");
    }
    mad(stream, x, 2, 1);
  }
  Words target = words(0);
  stream.read(x, target, "fetch");
  stream.write(y, words(1), "feed");
  const Graph graph = capture.end();

  const auto at = [&](std::size_t index) { return graph.node(node(index)).command; };
  EXPECT_EQ(at(0).scope.path(), "layer0");
  EXPECT_EQ(at(0).label, "scale");
  EXPECT_EQ(at(1).scope.path(), "layer0/attention/q");
  EXPECT_EQ(at(1).label, "keep");
  EXPECT_EQ(at(2).scope.path(), "layer0/attention/q");
  EXPECT_EQ(at(2).label, "clear");
  EXPECT_EQ(at(3).scope.path(), "layer0");
  EXPECT_EQ(at(3).label, "mul_add") << "a dispatch without a label is called as its kernel";
  EXPECT_EQ(at(4).scope.path(), "");
  EXPECT_EQ(at(4).label, "fetch");
  EXPECT_EQ(at(5).label, "feed");
}

TEST_P(StreamCaptureTest, ABarrierOfTheStreamIsANode) {
  const Stream stream = device().stream("line");
  auto capture = StreamCapture::begin(stream);
  mad(stream, x, 2, 1);
  stream.barrier();
  mad(stream, y, 2, 1);
  const Graph graph = capture.end();
  ASSERT_EQ(graph.node_count(), 3u);
  EXPECT_THAT(shape(graph), ElementsAre(NodePair(0, 1), NodePair(1, 2)));
  graph.instantiate(device()).launch(stream);
  stream.synchronize();
}

TEST_P(StreamCaptureTest, AnIndirectDispatchIsCaptured) {
  const Stream stream = device().stream("line");
  const Buffer groups = device().buffer(12, "groups");
  auto capture = StreamCapture::begin(stream);
  stream.write(groups, Words{2, 1, 1});
  const auto dispatch = [&] {
    stream.dispatch_indirect(mad_kernel, groups, {.group_size = {group_items}}, inout(x), 1u, 5u,
                             word_count);
  };
  if (!info().can_dispatch_indirect) {
    expect_error(Code::unsupported, {"mul_add"}, dispatch);
    return;
  }
  dispatch();
  const GraphExec exec = capture.end().instantiate(device());
  exec.launch(stream);
  Words expected = words(0);
  std::fill_n(expected.begin(), 2 * group_items, 5u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), expected);
}

TEST_P(StreamCaptureTest, AfterEndTheStreamsRunNormallyAndMayBeCapturedAgain) {
  const Stream main = device().stream("main"), side = device().stream("side");
  const Event forked = device().event(), joined = device().event();
  std::vector<Graph> graphs;
  for (int round = 0; round < 3; ++round) {
    auto capture = StreamCapture::begin(main);
    mad(main, x, 1, 1);
    main.record(forked);
    side.wait(forked);
    mad(side, y, 1, 1);
    side.record(joined);
    main.wait(joined);
    graphs.push_back(capture.end());

    mad(main, z, 1, 1);
    main.record(forked);  // the same events, now for real
    side.wait(forked);
    side.copy(w, z);
    side.synchronize();
    EXPECT_TRUE(forked.done());
    EXPECT_EQ(w.read<std::uint32_t>(), words(static_cast<std::uint32_t>(round) + 1));
  }
  EXPECT_EQ(graphs[0], graphs[1]);
  EXPECT_EQ(graphs[1], graphs[2]);
  EXPECT_EQ(x.read<std::uint32_t>(), words(0)) << "nothing captured has run";
}

TEST_P(StreamCaptureTest, DestroyingAnActiveCaptureLeavesEveryStreamUsable) {
  const Stream main = device().stream("main"), side = device().stream("side");
  {
    const Event forked = device().event();
    auto capture = StreamCapture::begin(main);
    mad(main, x, 1, 1);
    main.record(forked);
    side.wait(forked);
    mad(side, y, 1, 1);
  }
  for (const Stream& stream : {main, side}) {
    EXPECT_FALSE(stream.is_in_stream_capture());
    mad(stream, x, 1, 10);
    stream.synchronize();
    EXPECT_TRUE(stream.done());
  }
  device().synchronize();
  EXPECT_EQ(x.read<std::uint32_t>(), words(20));
  EXPECT_EQ(y.read<std::uint32_t>(), words(0));
}

TEST_P(StreamCaptureTest, AMovedCaptureGoesOnInItsNewPlace) {
  const Stream stream = device().stream("line");
  auto first = StreamCapture::begin(stream);
  mad(stream, x, 1, 1);
  StreamCapture second = std::move(first);
  EXPECT_FALSE(first.is_active());  // NOLINT: moved-from on purpose
  EXPECT_EQ(first.status(), CaptureStatus::none);
  EXPECT_EQ(first.recorded_count(), 0u);
  expect_error(Code::capture_unmatched, {"capture"}, [&] { first.end(); });
  expect_error(Code::capture_unmatched, {"capture"}, [&] { first.record_memset(x, 1); });
  EXPECT_TRUE(second.is_active());
  EXPECT_EQ(second.record_memset(y, 1), node(1));
  EXPECT_EQ(second.end().node_count(), 2u);
}

TEST_P(StreamCaptureTest, AssigningOverAnActiveCaptureDiscardsIt) {
  const Stream one = device().stream("one"), two = device().stream("two");
  auto capture = StreamCapture::begin(one);
  mad(one, x, 1, 1);
  capture = StreamCapture::begin(two);
  EXPECT_FALSE(one.is_in_stream_capture());
  EXPECT_TRUE(two.is_in_stream_capture());
  EXPECT_EQ(capture.recorded_count(), 0u);
  mad(two, y, 1, 1);
  EXPECT_EQ(capture.end().node_count(), 1u);
}

TEST_P(StreamCaptureTest, AnExceptionThatUnwindsACaptureLeavesTheStreamUsable) {
  const Stream stream = device().stream("line");
  EXPECT_THROW(
      {
        auto capture = StreamCapture::begin(stream);
        mad(stream, x, 1, 1);
        throw std::runtime_error("model file is short");
      },
      std::runtime_error);
  mad(stream, x, 1, 3);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(3));
}

TEST_P(StreamCaptureTest, IndependentCapturesGoSideBySideOnTheirThreads) {
  constexpr int count = 4;
  std::vector<Graph> graphs(count);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      const Stream stream = device().stream("line " + std::to_string(t));
      auto capture = StreamCapture::begin(stream, CaptureMode::thread_local_);
      for (int i = 0; i <= 50 + t; ++i) mad(stream, x, 1, static_cast<std::uint32_t>(t));
      graphs[t] = capture.end();
    });
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < count; ++t) {
    EXPECT_EQ(graphs[t].node_count(), 51u + t);
    EXPECT_THAT(graphs[t].dependencies(), SizeIs(50 + t));
  }
}

TEST_P(StreamCaptureTest, SeveralThreadsMayCallTheCapturedStream) {
  const Stream stream = device().stream("shared line");
  auto capture = StreamCapture::begin(stream);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) mad(stream, x, 1, 1);
    });
  for (std::thread& thread : threads) thread.join();
  const Graph graph = capture.end();
  EXPECT_EQ(graph.node_count(), 400u);
  EXPECT_THAT(graph.dependencies(), SizeIs(399)) << "one line, whoever called";
  graph.instantiate(device()).launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), words(400));
}

TEST_P(StreamCaptureTest, AGraphKeepsWhatItNamesAlive) {
  const Stream stream = device().stream("line");
  Words target = words(0);
  std::optional<Graph> graph;
  {
    const Buffer gone = device().buffer(x.size_bytes(), "gone");
    auto capture = StreamCapture::begin(stream);
    stream.write(gone, ramp(5));
    mad(stream, gone, 2, 0);
    stream.read(gone, target);
    graph = capture.end();
  }
  graph->instantiate(device()).launch(stream);
  stream.synchronize();
  Words expected = ramp(5);
  for (std::uint32_t& word : expected) word *= 2;
  EXPECT_EQ(target, expected);
}

}  // namespace
}  // namespace reel::test
