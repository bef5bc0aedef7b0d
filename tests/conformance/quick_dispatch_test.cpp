// A dispatch like one before goes a shorter way through the stream. Whatever is given, it must end
// as the long way does: with the same bytes, or refused in the same words; while captures of the
// stream begin and end; from any thread.
#include <atomic>
#include <optional>
#include <random>
#include <thread>

#include "any_device.hpp"
#include "bytes.hpp"
#include "kernels.hpp"
#include "reel/executor.hpp"
#include "reel/stream_capture.hpp"

namespace reel::test {
namespace {

// Draws dispatches, of which many are wrong in some way. Two lines given the same draws get the
// same dispatches on buffers of their own, which have the same names.
class Draws {
 public:
  Draws(const Device& device, const Kernel& step, const Kernel& increment, const Device& another)
      : step_(step), increment_(increment) {
    for (int i = 0; i < 3; ++i)
      buffers_.push_back(device.buffer(items * 4, "b" + std::to_string(i)));
    freed_ = device.buffer(items * 4, "freed");  // this handle keeps what the other frees
    freed_range_ = freed_.range(0, items * 4);
    Buffer(freed_).free();
    if (another) foreign_ = another.buffer(items * 4, "foreign");
  }

  // What came of it: empty, or what was thrown.
  template <class Line>
  std::string give(Line& line, std::uint32_t seed) const {
    std::mt19937 random(seed);
    const auto pick = [&](std::uint32_t below) { return random() % below; };
    const bool is_step = pick(2);
    Kernel kernel = is_step ? step_ : increment_;
    Launch launch = over(items);
    std::vector<Argument> arguments{inout(buffers_[pick(3)])};
    if (is_step) arguments.assign({in(buffers_[0]), out(buffers_[1 + pick(2)])});
    arguments.emplace_back(std::uint32_t{items});
    Argument& buffer = arguments[pick(is_step ? 2 : 1)];
    switch (pick(28)) {
      case 0:
        kernel = {};
        break;
      case 1:
        arguments.pop_back();
        break;
      case 2:
        arguments.emplace_back(std::uint32_t{1});
        break;
      case 3:
        buffer = std::uint32_t{7};
        break;
      case 4:
        arguments.back() = std::uint64_t{items};
        break;
      case 5:
        arguments.back() = inout(buffers_[0]);
        break;
      case 6:
        buffer.range.buffer = nullptr;
        break;
      case 7:
        buffer.range.offset_bytes = 4;
        break;  // ends past the buffer
      case 8:
        buffer.range.size_bytes = 0;
        break;
      case 9:
        buffer.range.size_bytes += 4;
        break;
      case 10:
        buffer.range.offset_bytes = ~std::uint64_t{0} - 3;
        break;
      case 11:
        buffer.range = freed_range_;
        break;
      case 12:
        if (foreign_) buffer = inout(foreign_);
        break;
      case 13:
        launch.groups = {0};
        break;
      case 14:
        launch.group_size = {1u << 20};
        break;
      case 15:
        launch.group_size = {0, 1, 1};
        break;
      case 16:
        launch.group_size = {64, 64, 64};
        break;
      case 17:
        launch.groups = {~0u, ~0u, ~0u};
        break;
      case 18:
        launch = {.items = {items}, .group_size = {64}};
        break;
      case 19:
        launch.items = {items};
        break;  // and groups
      case 20:
        arguments.back() = shared(64);
        break;
      case 21:
        launch.label = "named";
        break;
      case 22:
        arguments.back() = std::uint32_t{items / 2};
        break;
      default:
        break;
    }
    try {
      line.dispatch(kernel, launch, std::span<const Argument>(arguments));
      return {};
    } catch (const Error& error) {
      return std::string(to_string(error.code())) + ": " + error.what();
    }
  }

  std::vector<Words> contents() const {
    std::vector<Words> all;
    for (const Buffer& buffer : buffers_) all.push_back(buffer.read<std::uint32_t>());
    return all;
  }

 private:
  static constexpr std::uint32_t items = 64;
  Kernel step_, increment_;
  std::vector<Buffer> buffers_;
  Buffer freed_, foreign_;
  BufferRange freed_range_;
};

}  // namespace

// A recorded session always goes the long way; captures of the stream begin and end meanwhile, and
// what they took is run when they end.
TEST_P(AnyDevice, QuickDispatchesEndAsThoroughOnesDo) {
  const Kernel step = build(step_source()), increment = build(increment_source());
  const Device another = another_device();
  const Draws quick(device(), step, increment, another);
  const Draws thorough(device(), step, increment, another);
  const Stream stream = device().stream("quick");
  const GraphExecutor executor(device());
  std::mt19937 random(11);
  std::optional<StreamCapture> capture;
  GraphSession session = executor.begin_recorded();
  int fine = 0, refused = 0;
  for (std::uint32_t round = 0; round < 3000; ++round) {
    if (random() % 40 == 0) {
      if (capture) {
        const Graph graph = capture->end();
        capture.reset();
        graph.instantiate(device()).launch(stream);
      } else {
        capture = StreamCapture::begin(stream, CaptureMode::relaxed);
      }
    }
    const std::string one = quick.give(stream, round), two = thorough.give(session, round);
    ASSERT_EQ(one, two) << "dispatch " << round << (capture ? ", captured" : "");
    ++(one.empty() ? fine : refused);
  }
  if (capture) {
    const Graph graph = capture->end();
    graph.instantiate(device()).launch(stream);
  }
  stream.synchronize();
  session.finish();
  EXPECT_EQ(quick.contents(), thorough.contents());
  EXPECT_GT(fine, 500);
  EXPECT_GT(refused, 500);
}

TEST_P(AnyDevice, ADirectSessionsDispatchesEndAsARecordedOnesDo) {
  const Kernel step = build(step_source()), increment = build(increment_source());
  const Device another = another_device();
  const Draws quick(device(), step, increment, another);
  const Draws thorough(device(), step, increment, another);
  const GraphExecutor one(device()), two(device());
  for (std::uint32_t pass = 0; pass < 20; ++pass) {
    GraphSession direct = one.begin(), recorded = two.begin_recorded();
    for (std::uint32_t i = 0; i < 100; ++i)
      ASSERT_EQ(quick.give(direct, pass * 100 + i), thorough.give(recorded, pass * 100 + i));
    const PassReport a = direct.finish(), b = recorded.finish();
    EXPECT_EQ(a.commands, b.commands);
    EXPECT_EQ(a.barriers, b.barriers);
    EXPECT_EQ(a.group_sizes, b.group_sizes);
    ASSERT_EQ(quick.contents(), thorough.contents()) << "pass " << pass;
  }
}

// Another thread begins and ends captures at any moment: each dispatch runs, or is in one of them.
TEST_P(AnyDevice, EveryDispatchRunsOrIsCaptured) {
  const Stream stream = device().stream("shared");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(4 * 64, "x");
  const std::uint32_t dispatches = is("vulkan") ? 400 : 4000;
  std::atomic<bool> ends = false;
  std::vector<Graph> graphs;
  std::thread capturer([&] {
    while (!ends.load()) {
      auto capture = StreamCapture::begin(stream, CaptureMode::relaxed);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      graphs.push_back(capture.end());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (std::uint32_t i = 0; i < dispatches; ++i) {
    stream.dispatch(increment, over(64), inout(x), 64u);
    if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  ends = true;
  capturer.join();
  for (const Graph& graph : graphs)
    if (!graph.empty()) graph.instantiate(device()).launch(stream);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words(64, dispatches));
}

}  // namespace reel::test
