// Fills of every type, copies of rows and between devices, host memory of every shape.
#include <array>
#include <span>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"
#include "reel/executor.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"
#include "reel/stream_capture.hpp"

namespace reel::test {
namespace {

template <class T>
concept Fillable = requires(const Stream& stream, GraphSession& pass, Graph& graph, BufferRange x,
                            T value) {
  stream.fill(x, value);
  pass.fill(x, value);
  graph.add_fill(x, value);
};
static_assert(Fillable<float> && Fillable<std::uint8_t> && Fillable<std::int16_t>);
static_assert(!Fillable<double> && !Fillable<const char*> && !Fillable<std::uint64_t>);

template <class T>
concept Settable = requires(StreamCapture& capture, BufferRange x, T value) {
  capture.record_memset(x, value);
};
static_assert(Settable<std::uint8_t> && !Settable<float>);

// The same fill three ways: on a stream, in both kinds of passes, by a graph.
template <class T>
std::vector<std::vector<T>> filled(const Device& device, T value) {
  const Buffer x = device.buffer(16, "x");
  const GraphExecutor executor(device);
  std::vector<std::vector<T>> results;
  executor.stream().fill(x, value);
  results.push_back(executor.stream().read_now<T>(x));
  for (const bool recorded : {false, true}) {
    x.write(std::array<std::uint32_t, 4>{});
    auto pass = recorded ? executor.begin_recorded() : executor.begin();
    pass.fill(x, value);
    pass.finish();
    results.push_back(x.read<T>());
  }
  x.write(std::array<std::uint32_t, 4>{});
  Graph graph;
  graph.add_fill(x, value);
  graph.instantiate(device).launch(executor.stream());
  results.push_back(executor.stream().read_now<T>(x));
  return results;
}

}  // namespace

TEST_P(AnyDevice, AFillRepeatsTheValueItIsGivenWhereverItIsGiven) {
  for (const auto& result : filled(device(), 1.0f)) EXPECT_EQ(result, std::vector<float>(4, 1.0f));
  for (const auto& result : filled(device(), std::uint8_t{7})) EXPECT_EQ(result, Bytes(16, 7));
  for (const auto& result : filled<std::int16_t>(device(), -2))
    EXPECT_EQ(result, std::vector<std::int16_t>(8, -2));
}

TEST_P(AnyDevice, HostMemoryMayBeAnyContiguousValues) {
  const Stream stream = device().stream("s");
  const std::array<float, 4> values{1, 2, 3, 4};
  const Buffer x = device().buffer_of(values, "x");
  std::array<float, 2> two{};
  x.read(two, 1);
  EXPECT_EQ(two, (std::array<float, 2>{2, 3}));
  std::vector<float> list{5, 6};
  x.write(std::span(list), 2);
  EXPECT_EQ(x.read<float>(), (std::vector<float>{1, 2, 5, 6}));

  const float more[] = {7, 8};
  stream.write(x.elements<float>(0, 2), more);
  std::array<float, 4> all{};
  stream.read(x, all);
  stream.synchronize();
  EXPECT_EQ(all, (std::array<float, 4>{7, 8, 5, 6}));
  stream.read_now(x.elements<float>(2, 2), std::span(list));
  EXPECT_EQ(list, (std::vector<float>{5, 6}));

  const GraphExecutor executor(device());
  auto pass = executor.begin_recorded();
  pass.write(x.elements<float>(3, 1), std::span(more).first(1));
  pass.read(x, std::span(all));
  pass.finish();
  EXPECT_EQ(all, (std::array<float, 4>{7, 8, 5, 7}));

  Graph graph;
  graph.add_write(x.elements<float>(0, 2), list);
  graph.add_read(x, all);
  graph.instantiate(device()).launch(stream);
  stream.synchronize();
  EXPECT_EQ(all, (std::array<float, 4>{5, 6, 5, 7}));
}

TEST_P(AnyDevice, ACopyOfRowsMovesThemAndNothingBetween) {
  const Stream stream = device().stream("s");
  const Bytes source = noise(64, 1);
  const Buffer x = device().buffer_of(source, "x");
  Bytes expected(100, 0);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t i = 0; i < 12; ++i) expected[row * 24 + 4 + i] = source[row * 16 + i];
  const auto copied = [&](const auto& copy) {
    const Buffer y = device().buffer(100, "y");
    copy(Pitched{y.range(4, 96), 24}, Pitched{x, 16});
    return y.read<std::uint8_t>();
  };
  EXPECT_EQ(
      copied([&](const Pitched& to, const Pitched& from) { stream.copy_2d(to, from, 12, 4); }),
      expected);
  const GraphExecutor executor(device());
  EXPECT_EQ(copied([&](const Pitched& to, const Pitched& from) {
              auto pass = executor.begin_recorded();
              pass.copy_2d(to, from, 12, 4);
              pass.finish();
            }),
            expected);
  EXPECT_EQ(copied([&](const Pitched& to, const Pitched& from) {
              Graph graph;
              graph.add_copy_2d(to, from, 12, 4, {.label = "rows"});
              EXPECT_EQ(graph.node_count(), 1u);
              graph.instantiate(device()).launch(stream);
              stream.synchronize();
            }),
            expected);
  // Without bytes between the rows it is one copy.
  Graph dense;
  const Buffer y = device().buffer(64, "y");
  dense.add_copy_2d({y, 16}, {x, 16}, 16, 4);
  EXPECT_FALSE(dense.node(NodeId{0}).is_child());
}

TEST_P(AnyDevice, ACopyOfRowsThatDontFitIsRefused) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(64, "x"), y = device().buffer(64, "y");
  expect_error(Code::invalid_argument, {"target", "5 rows"}, [&] {
    stream.copy_2d({y, 16}, {x, 8}, 8, 5);
  });
  expect_error(Code::invalid_argument, {"source", "4", "8"}, [&] {
    stream.copy_2d({y, 16}, {x, 4}, 8, 2);
  });
  expect_error(Code::invalid_argument, {"source"}, [&] {
    stream.copy_2d({y, 16}, {x, ~std::uint64_t{0}}, 8, 3);
  });
  stream.copy_2d({y, 16}, {x, 16}, 8, 0);
  stream.synchronize();
}

TEST_P(AnyDevice, BytesGoFromOneDeviceToAnother) {
  const Device other = another_device();
  if (!other) return;
  const Bytes bytes = noise(4096, 3);
  const Buffer x = device().buffer_of(bytes, "x"), y = other.buffer(4096, "y");
  const Stream from = device().stream("from"), to = other.stream("to");
  copy_between(to, y, from, x);
  EXPECT_EQ(first_difference(to.read_now<std::uint8_t>(y), bytes), "");
  expect_error(Code::invalid_argument, {"4096", "8"},
               [&] { copy_between(to, y, from, x.range(0, 8)); });
}

TEST_P(AnyDevice, TheHostSeesTheBytesOfAMappedBuffer) {
  if (!info().maps_memory) {
    expect_error(Code::unsupported, {"x", "map"}, [&] { device().host_visible_buffer(64, "x"); });
    return;
  }
  const Stream stream = device().stream("s");
  const Buffer x = device().host_visible_buffer(256, "x"), y = device().buffer(256, "y");
  ASSERT_EQ(x.mapped().size(), 256u);
  EXPECT_TRUE(y.mapped().empty());
  auto* words = reinterpret_cast<std::uint32_t*>(x.mapped().data());
  for (std::uint32_t i = 0; i < 64; ++i) words[i] = 3 * i;
  stream.host_wrote(x);
  stream.dispatch(build(increment_source()), over(64), inout(x), 64u);
  stream.copy(y, x);
  stream.synchronize();
  Words expected;
  for (std::uint32_t i = 0; i < 64; ++i) expected.push_back(3 * i + 1);
  EXPECT_EQ(first_difference(Words(words, words + 64), expected), "");
  EXPECT_EQ(first_difference(y.read<std::uint32_t>(), expected), "");
  expect_error(Code::invalid_argument, {"y", "not mapped"}, [&] { stream.host_wrote(y); });
}

TEST_P(AnyDevice, AGraphOfAStreamHasTheBytesThatTheHostWrote) {
  if (!info().maps_memory) return;
  const Stream stream = device().stream("s");
  const Buffer x = device().host_visible_buffer(16, "x"), y = device().buffer(16, "y");
  auto capture = StreamCapture::begin(stream);
  x.mapped()[0] = std::byte{7};
  stream.host_wrote(x);
  stream.copy(y, x);
  const Graph graph = capture.end();
  EXPECT_EQ(graph.node_count(), 2u);
  x.mapped()[0] = std::byte{9};
  graph.instantiate(device()).launch(stream);
  EXPECT_EQ(stream.read_now<std::uint8_t>(y)[0], 7);
}

TEST_P(AnyDevice, ElapsedTimeIsThatBetweenTwoEvents) {
  const Stream stream = device().stream("s");
  const Event begin = device().event("begin"), end = device().event("end");
  EXPECT_FALSE(elapsed_ns(begin, end).has_value());
  const Buffer x = device().buffer(1 << 20, "x");
  stream.record(begin);
  for (std::uint8_t i = 0; i < 16; ++i) stream.fill(x, i);
  stream.record(end);
  stream.synchronize();
  const auto elapsed = elapsed_ns(begin, end);
  ASSERT_EQ(elapsed.has_value(), info().can_stamp_time);
  if (!elapsed) return;
  EXPECT_GT(*elapsed, 0);
  EXPECT_EQ(*elapsed_ns(end, begin), -*elapsed);
  const Device other = another_device();
  if (!other) return;
  const Event abroad = other.event("abroad");
  expect_error(Code::invalid_argument, {"begin", "abroad"}, [&] { elapsed_ns(begin, abroad); });
}

TEST_P(AnyDevice, AStreamOfAnyPriorityWorks) {
  for (const auto priority : {StreamPriority::low, StreamPriority::normal, StreamPriority::high}) {
    const Stream stream = device().stream({.label = "s", .priority = priority});
    const Buffer x = device().buffer(4, "x");
    stream.fill(x, 5u);
    EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{5});
  }
}

}  // namespace reel::test
