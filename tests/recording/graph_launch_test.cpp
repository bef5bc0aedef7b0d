#include <numeric>

#include "any_device.hpp"
#include "kernels.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"
#include "reel/executor.hpp"

namespace reel::test {
namespace {

using RecordedLaunch = AnyDevice;

TEST_P(RecordedLaunch, IsOneCommandAndItsNodesWithTheirTimes) {
  const Stream stream = device().stream();
  const Buffer a = device().buffer(256, "a"), b = device().buffer(256, "b"),
               c = device().buffer(256, "c");
  const Kernel step = build(step_source());
  Graph graph;
  graph.add_dispatch(step, over(64), in(a), out(b), 64u);
  graph.add_dispatch(step, over(64), in(b), out(c), 64u);
  GraphExec exec = graph.instantiate(device());
  const Trace trace = captured([&] {
    exec.launch(stream);
    exec.set_enabled(NodeId{0}, false);
    exec.launch(stream);
    stream.synchronize();
  });
  ASSERT_EQ(trace.commands().size(), 5u);
  const auto& all = trace.commands();
  EXPECT_EQ(trace.work_of(all[0]).kind, WorkKind::launch);
  EXPECT_EQ(all[1].launch, 0u);
  EXPECT_EQ(all[2].launch, 0u);
  EXPECT_EQ(trace.work_of(all[3]).kind, WorkKind::launch);
  EXPECT_EQ(trace.work_of(all[3]).graph, trace.work_of(all[0]).graph);
  EXPECT_EQ(all[4].launch, 3u);
  EXPECT_EQ(all[4].node, all[2].node);
  for (const TraceCommand& command : all) EXPECT_TRUE(command.has_run_times());
  EXPECT_LE(all[0].started_ns, all[1].started_ns);
  EXPECT_GE(all[0].ended_ns, all[2].ended_ns);
  ASSERT_EQ(trace.edges().size(), 1u);
  EXPECT_EQ(trace.edges()[0].from, all[1].node);
  EXPECT_EQ(trace.edges()[0].to, all[2].node);
}

TEST_P(RecordedLaunch, ShowsArgumentsAsTheyWereAtEachLaunch) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(256, "x");
  const Kernel scale = build(scale_source());
  Graph graph;
  const NodeId node = graph.add_dispatch(scale, over(64), inout(x), 1.0f, 64u);
  GraphExec exec = graph.instantiate(device());
  const Trace trace = captured([&] {
    for (const float factor : {2.0f, 3.0f}) {
      exec.set_argument(node, 1, factor);
      exec.launch(stream);
    }
    stream.synchronize();
  });
  const auto factor_of = [&](std::size_t command) {
    float value = 0;
    const auto arguments = trace.arguments(trace.work_of(trace.commands()[command]));
    std::memcpy(&value, trace.value_bytes(arguments[1]).data(), sizeof value);
    return value;
  };
  EXPECT_EQ(factor_of(1), 2.0f);
  EXPECT_EQ(factor_of(3), 3.0f);
}

TEST_P(RecordedLaunch, ARecordedSessionIsInTheDocumentWhole) {
  const GraphExecutor executor(device());
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    auto pass = executor.begin_recorded();
    const auto scope = pass.scope("layer0");
    for (int i = 0; i < 3; ++i) pass.dispatch(increment, over(64), inout(x), 64u);
    pass.finish();
  });
  ASSERT_EQ(trace.commands().size(), 4u);
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_EQ(trace.text(trace.work_of(trace.commands()[i]).scope), "layer0");
}

TEST_P(RecordedLaunch, TimedLaunchesGiveTheProgramItsTimesToo) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  Graph graph;
  graph.add_dispatch(increment, over(64), inout(x), 64u);
  GraphExec exec = graph.instantiate(device());
  std::vector<NodeTime> times;
  const Trace trace = captured([&] { times = exec.launch_timed(stream).wait(); });
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(trace.commands()[1].run_ns(), times[0].end_ns - times[0].begin_ns);
}

INSTANTIATE_TEST_SUITE_P(Each, RecordedLaunch, every_device(), device_name);

}  // namespace
}  // namespace reel::test
