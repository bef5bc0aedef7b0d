// Several sessions of an executor, several executors of a device.
#include "recording_test.hpp"

namespace reel::test {
namespace {

class ExecutorTest : public RecordingTest {};
INSTANTIATE_TEST_SUITE_P(Each, ExecutorTest, every_device(), device_name);

TEST_P(ExecutorTest, APassRecordedOnceIsLaunchedForEveryToken) {
  const GraphExecutor executor(device());
  GraphSession pass = executor.begin_recorded();
  mad(pass, x, 3, 1);
  pass.copy(y, x);
  const Graph graph = pass.graph();
  pass.finish();
  GraphExec exec = graph.instantiate(device());
  std::uint32_t expected = 1;
  for (std::uint32_t token = 0; token < 5; ++token) {
    exec.set_argument(node(0), 2, token);
    exec.launch(executor.stream());
    expected = 3 * expected + token;
  }
  EXPECT_EQ(executor.stream().read_now<std::uint32_t>(y), words(expected));
}

TEST_P(ExecutorTest, ExecutorsOfOneDeviceWorkSideBySide) {
  std::vector<Buffer> buffers;
  for (int t = 0; t < 4; ++t) buffers.push_back(make("of thread " + std::to_string(t)));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const GraphExecutor executor(device());
      for (int i = 0; i < 10; ++i) {
        GraphSession pass = (i + t) % 2 ? executor.begin() : executor.begin_recorded();
        for (int k = 0; k < 10; ++k) mad(pass, buffers[t], 1, 1);
        pass.finish();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const Buffer& buffer : buffers) EXPECT_EQ(contents(buffer), words(100));
}

TEST_P(ExecutorTest, TwoSessionsOpenAtOnceBothComeOutRight) {
  const GraphExecutor executor(device());
  GraphSession one = executor.begin(), two = executor.begin(), later = executor.begin_recorded();
  for (std::uint32_t i = 0; i < 10; ++i) {
    mad(one, x, 3, i);
    mad(two, y, 3, i);
    mad(later, z, 3, i);
    if (i == 5) one.copy(w, x);
  }
  two.finish();
  later.finish();
  mad(one, x, 3, 10);
  one.finish();
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < 10; ++i) expected = 3 * expected + i;
  EXPECT_EQ(contents(y), words(expected));
  EXPECT_EQ(contents(z), words(expected));
  EXPECT_EQ(contents(x), words(3 * expected + 10));
}

TEST_P(ExecutorTest, ASessionOutlivesItsExecutor) {
  for (const bool recorded : {false, true}) {
    auto executor = std::make_unique<GraphExecutor>(device());
    EXPECT_EQ(executor->device(), device());
    GraphSession pass = recorded ? executor->begin_recorded() : executor->begin();
    executor.reset();
    mad(pass, x, 1, 1);
    pass.finish();
  }
  EXPECT_EQ(contents(x), words(2));
}

}  // namespace
}  // namespace reel::test
