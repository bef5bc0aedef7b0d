// Streams that join a capture through events: the shape of what comes out.
#include "recording_test.hpp"

namespace reel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CaptureFork : public RecordingTest {};
INSTANTIATE_TEST_SUITE_P(Each, CaptureFork, every_device(), device_name);

TEST_P(CaptureFork, AForkAndAJoinGiveADiamond) {
  const Stream main = device().stream("main"), side = device().stream("side");
  const Event forked = device().event("forked"), joined = device().event("joined");
  auto capture = StreamCapture::begin(main);
  mad(main, x, 2, 1);  // n0
  main.record(forked);
  side.wait(forked);
  EXPECT_TRUE(side.is_in_stream_capture());
  mad(side, y, 2, 2);  // n1, after n0
  mad(main, z, 2, 3);  // n2, after n0
  side.record(joined);
  main.wait(joined);
  mad(main, w, 2, 4);  // n3, after n1 and n2
  const Graph graph = capture.end();
  EXPECT_FALSE(side.is_in_stream_capture());

  EXPECT_THAT(shape(graph),
              ElementsAre(NodePair(0, 1), NodePair(0, 2), NodePair(1, 3), NodePair(2, 3)));
  EXPECT_THAT(graph.levels(), SizeIs(3));
}

TEST_P(CaptureFork, ThreeStreamsFanOutAndComeBack) {
  const Stream main = device().stream("main"), left = device().stream("left"),
               right = device().stream("right");
  const Event forked = device().event(), from_left = device().event(),
              from_right = device().event();
  auto capture = StreamCapture::begin(main);
  mad(main, x, 2, 1);  // n0
  main.record(forked);
  left.wait(forked);
  right.wait(forked);
  mad(left, y, 2, 2);   // n1
  mad(right, z, 2, 3);  // n2
  mad(left, y, 3, 4);   // n3
  left.record(from_left);
  right.record(from_right);
  main.wait(from_left);
  main.wait(from_right);
  mad(main, w, 2, 5);  // n4: after n0 (its own line), n3 and n2
  const Graph graph = capture.end();

  // That n4 also comes after n0 follows from the others; whether it is said is free.
  std::vector<NodePair> pairs = shape(graph.reduced_edges());
  EXPECT_THAT(pairs, ElementsAre(NodePair(0, 1), NodePair(0, 2), NodePair(1, 3), NodePair(2, 4),
                                 NodePair(3, 4)));
}

TEST_P(CaptureFork, ForksMayFork) {
  const Stream main = device().stream("main"), side = device().stream("side"),
               inner = device().stream("inner");
  const Event to_side = device().event(), to_inner = device().event(),
              inner_done = device().event(), side_done = device().event();
  auto capture = StreamCapture::begin(main);
  mad(main, x, 2, 1);  // n0
  main.record(to_side);
  side.wait(to_side);
  mad(side, y, 2, 2);  // n1
  side.record(to_inner);
  inner.wait(to_inner);
  mad(inner, z, 2, 3);  // n2
  mad(side, y, 5, 4);   // n3
  inner.record(inner_done);
  side.wait(inner_done);
  mad(side, y, 7, 5);  // n4: after n3 and n2
  side.record(side_done);
  mad(main, w, 2, 6);  // n5: after n0 only
  main.wait(side_done);
  mad(main, w, 3, 7);  // n6: after n5 and n4
  const Graph graph = capture.end();

  EXPECT_THAT(shape(graph.reduced_edges()),
              ElementsAre(NodePair(0, 1), NodePair(0, 5), NodePair(1, 2), NodePair(1, 3),
                          NodePair(2, 4), NodePair(3, 4), NodePair(4, 6), NodePair(5, 6)));
}

TEST_P(CaptureFork, AWaitMeansTheLatestRecordAtThatTime) {
  const Stream main = device().stream("main"), side = device().stream("side");
  const Event event = device().event("again"), joined = device().event();
  auto capture = StreamCapture::begin(main);
  mad(main, x, 2, 1);  // n0
  main.record(event);
  mad(main, x, 3, 1);  // n1
  main.record(event);
  side.wait(event);
  mad(main, x, 5, 1);  // n2
  main.record(event);  // moves the event, not the wait
  mad(side, y, 2, 1);  // n3: after n1
  side.record(joined);
  main.wait(joined);
  const Graph graph = capture.end();

  EXPECT_TRUE(has_edge(graph.reduced_edges(), node(1), node(3)));
  EXPECT_FALSE(has_edge(graph.edges(), node(2), node(3)));
}

TEST_P(CaptureFork, AForkIsJoinedThroughAnotherFork) {
  const Stream main = device().stream("main"), side = device().stream("side"),
               other = device().stream("other");
  const Event forked = device().event(), side_done = device().event(),
              other_done = device().event();
  auto capture = StreamCapture::begin(main);
  mad(main, x, 2, 1);  // n0
  main.record(forked);
  side.wait(forked);
  other.wait(forked);
  mad(side, y, 2, 1);  // n1
  side.record(side_done);
  other.wait(side_done);
  mad(other, z, 2, 1);  // n2
  other.record(other_done);
  main.wait(other_done);
  const Graph graph = capture.end();
  EXPECT_THAT(shape(graph.reduced_edges()), ElementsAre(NodePair(0, 1), NodePair(1, 2)));
}

TEST_P(CaptureFork, AJoinAtTheVeryEndNeedsNoFurtherNode) {
  const Stream main = device().stream("main"), side = device().stream("side");
  const Event forked = device().event(), joined = device().event();
  auto capture = StreamCapture::begin(main);
  main.record(forked);  // before anything: the fork starts from nothing
  side.wait(forked);
  mad(side, y, 2, 1);
  side.record(joined);
  main.wait(joined);
  const Graph graph = capture.end();
  EXPECT_EQ(graph.node_count(), 1u);
  EXPECT_THAT(graph.dependencies(), IsEmpty());
  y.write(words(4));
  graph.instantiate(device()).launch(main);
  EXPECT_EQ(main.read_now<std::uint32_t>(y), words(9));
}

}  // namespace
}  // namespace reel::test
