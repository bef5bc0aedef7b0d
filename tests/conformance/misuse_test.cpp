// Handles that were moved from, made by default or come from elsewhere answer with an Error.
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"
#include "reel/executor.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"

namespace reel::test {

TEST_P(AnyDevice, AHandleThatWasMovedFromStillWorksOrSaysSo) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(256, "x");
  Graph graph;
  graph.add_fill(x, std::uint8_t{3});

  GraphExec exec = graph.instantiate(device());
  GraphExec moved = std::move(exec);
  moved.launch(stream);
  expect_error(Code::invalid_argument, {"GraphExec"}, [&] { exec.launch(stream); });
  expect_error(Code::invalid_argument, {"GraphExec"}, [&] { exec.set_enabled(NodeId{0}, true); });
  expect_error(Code::invalid_argument, {"GraphExec"}, [&] { exec.clone(); });

  if (info().can_stamp_time) {
    TimedLaunch timed = moved.launch_timed(stream);
    const TimedLaunch other = std::move(timed);
    EXPECT_EQ(timed.wait().size(), 1u);  // moving copies
    EXPECT_EQ(other.wait().size(), 1u);
  }

  GraphExecutor executor(device());
  const GraphExecutor taken = std::move(executor);
  EXPECT_EQ(executor.device(), device());
  GraphSession session = executor.begin();
  GraphSession second = std::move(session);
  expect_error(Code::invalid_argument, {"GraphSession"}, [&] { session.fill(x, std::uint8_t{1}); });
  PendingPass pass = second.commit();
  const PendingPass copy = std::move(pass);
  pass.wait();
  copy.wait();
  EXPECT_TRUE(pass.done());
}

TEST_P(AnyDevice, EmptyHandlesAreRefusedByWhateverTakesThem) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(256, "x");
  Graph graph;
  graph.add_fill(x, std::uint8_t{3});
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { Device().buffer(4); }, [&] { Device().stream(); }, [&] { Device().info(); },
           [&] { Device().synchronize(); }, [&] { Stream().synchronize(); },
           [&] { Stream().fill(x, 1u); }, [&] { Event().synchronize(); },
           [&] { stream.record(Event()); }, [&] { stream.wait(Event()); },
           [&] { stream.fill(Buffer(), 1u); }, [&] { Buffer().read<std::uint32_t>(); },
           [&] { Buffer().free(); }, [&] { static_cast<void>(Kernel().name()); },
           [&] { stream.dispatch(Kernel(), over(64)); }, [&] { GraphExec().launch(stream); },
           [&] { graph.instantiate(Device()); }, [&] { GraphExecutor(Device()).begin(); },
           [&] { graph.instantiate(device()).launch(Stream()); }})
    expect_error(Code::invalid_argument, {}, call);
}

TEST_P(AnyDevice, SetDataFromNowhereIsRefused) {
  const Buffer x = device().buffer(64, "x");
  Graph graph;
  const NodeId write =
      graph.add_write(x, std::as_bytes(std::span<const std::uint32_t>(counting(16))));
  GraphExec exec = graph.instantiate(device());
  expect_error(Code::invalid_argument, {"64 bytes", "null"}, [&] {
    exec.set_data(write, std::span<const std::byte>(static_cast<const std::byte*>(nullptr), 64));
  });
}

TEST_P(AnyDevice, SharedMemoryOfNoBytesIsRefusedEverywhere) {
  const Kernel reverse = build(reverse_source());
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(256, "x"), y = device().buffer(256, "y");
  expect_error(Code::invalid_argument, {"0 bytes of shared memory", "the least is 1"},
               [&] { stream.dispatch(reverse, over(64), in(x), out(y), shared(0)); });
  Graph graph;
  expect_error(Code::invalid_argument, {"0 bytes of shared memory"},
               [&] { graph.add_dispatch(reverse, over(64), in(x), out(y), shared(0)); });
  const NodeId node = graph.add_dispatch(reverse, over(64), in(x), out(y), shared(256));
  GraphExec exec = graph.instantiate(device());
  expect_error(Code::invalid_argument, {"0 bytes of shared memory"},
               [&] { exec.set_argument(node, 2, shared(0)); });
}

TEST_P(AnyDevice, TwoDevicesOpenedAlikeAreToldApart) {
  const Device second = open_device(info().id);
  if (second == device()) GTEST_SKIP() << "opened twice, it is the same device";
  const Buffer theirs = second.buffer(64, "theirs");
  const Stream stream = device().stream("s");
  expect_error(Code::invalid_argument,
               {"'theirs'", "another device that was opened as " + info().id},
               [&] { stream.fill(theirs, 1u); });
  const Kernel kernel = second.kernel(increment_source());
  const Buffer mine = device().buffer(256, "mine");
  expect_error(Code::invalid_argument, {"another device that was opened as " + info().id},
               [&] { stream.dispatch(kernel, over(64), inout(mine), 64u); });
}

TEST(Misuse, GraphsWithinGraphsHaveALimit) {
  Graph graph;
  graph.add_barrier();
  std::uint32_t depth = 1;
  try {
    for (; depth < 100'000; ++depth) {
      Graph outer;
      outer.add_child(graph);
      graph = outer;
    }
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("256"), std::string::npos) << error.what();
  }
  EXPECT_EQ(depth, Graph::max_depth);
  const GraphExec exec = graph.instantiate(open_device("host"));
  EXPECT_FALSE(graph.to_json().empty());
  EXPECT_FALSE(graph.to_dot().empty());
  EXPECT_TRUE(Graph::diff(graph, Graph(graph)).empty());
  Graph other;
  const NodeId child = other.add_child(Graph());
  expect_error(Code::invalid_argument, {"256"}, [&] { other.replace(child, graph); });
}

}  // namespace reel::test
