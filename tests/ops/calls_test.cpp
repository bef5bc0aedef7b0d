// What the one face refuses, and that every kind of pass takes it.
#include <gmock/gmock.h>

#include "ops/on_device.hpp"

namespace reel::ops {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

using CallsOn = OnDevice;
INSTANTIATE_TEST_SUITE_P(Ops, CallsOn, testing::Values("host", "opencl", "vulkan"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(CallsOn, ARangeTooSmallIsRefusedByName) {
  const Buffer small = device.buffer(12), large = device.buffer(64);
  EXPECT_THAT(error_of([&] {
                ops->rms_norm(stream, {.x = large, .weight = small, .y = large, .size = 4});
              }),
              HasSubstr("rms_norm wants 16 bytes in 'weight', and the range given has 12"));
  EXPECT_THAT(error_of([&] { ops->swiglu(stream, {.gate = large, .up = large, .y = large}); }),
              HasSubstr("swiglu has a size of 0"));
}

TEST_P(CallsOn, ShapesThatDoNotFitAreRefused) {
  const Buffer buffer = device.buffer(4096);
  const KvCache cache = make_kv_cache(device, 4, 2, 8, "cache");
  EXPECT_THAT(error_of([&] {
                ops->attention(stream, {.query = buffer, .cache = cache, .y = buffer, .heads = 3});
              }),
              HasSubstr("3 heads for 2 key heads"));
  EXPECT_THAT(error_of([&] {
                ops->attention(
                    stream,
                    {.query = buffer, .cache = cache, .y = buffer, .heads = 4, .position = 4});
              }),
              HasSubstr("from position 4 for 1 rows; the cache has 4 slots"));
  EXPECT_THAT(
      error_of([&] { make_matrix(device, std::vector<float>(40), 1, 40, Format::q8, "w"); }),
      HasSubstr("Matrix 'w' is 1 x 40; q8 wants"));
}

// A few ops that hang on each other, given to any kind of pass.
struct Chain {
  Buffer x, weight, y, gate, tokens;
  Matrix matrix;
  KvCache cache;

  Chain(const Device& device, Numbers& numbers)
      : x(device.buffer_of(numbers.take(64), "x")),
        weight(device.buffer_of(numbers.take(64), "weight")),
        y(device.buffer(256, "y")),
        gate(device.buffer(256, "gate")),
        tokens(device.buffer(64, "tokens")),
        matrix(make_matrix(device, numbers.take(64 * 64), 64, 64, Format::q8, "matrix")),
        cache(make_kv_cache(device, 8, 4, 16, "cache")) {}

  void encode(const Ops& ops, auto& pass, std::uint32_t position, CacheBinding binding) const {
    ops.rms_norm(pass, {.x = x, .weight = weight, .y = y, .size = 64});
    ops.matmul(pass, {.matrix = matrix, .x = y, .y = gate});
    ops.kv_append(
        pass, {.key = y, .value = gate, .cache = cache, .position = position, .binding = binding});
    ops.attention(pass, {.query = gate,
                         .cache = cache,
                         .y = y,
                         .heads = 4,
                         .position = position,
                         .binding = binding});
    ops.residual_add(pass, {.x = x, .y = y, .size = 64});
    ops.argmax(pass, {.x = x, .tokens = tokens, .size = 64, .position = position + 1});
  }
  void clear(const Stream& stream, const std::vector<float>& start) const {
    stream.write(x, start);
    for (const Buffer& buffer : {y, gate, tokens, cache.keys, cache.values})
      stream.fill(buffer, std::uint8_t{0});
    stream.synchronize();
  }
};

TEST_P(CallsOn, StreamsSessionsAndGraphsGiveTheSameBytes) {
  const Chain chain(device, numbers);
  const auto start = chain.x.read<float>();
  const std::uint32_t steps = 4;
  const GraphExecutor executor(device);

  chain.clear(stream, start);
  for (std::uint32_t p = 0; p < steps; ++p) chain.encode(*ops, stream, p, CacheBinding::exact);
  stream.synchronize();
  const auto expected = chain.x.read<float>();
  const auto expected_tokens = chain.tokens.read<std::uint32_t>();
  EXPECT_NE(expected, start);

  for (const bool recorded : {false, true}) {
    chain.clear(stream, start);
    for (std::uint32_t p = 0; p < steps; ++p) {
      auto pass = recorded ? executor.begin_recorded() : executor.begin();
      chain.encode(*ops, pass, p, CacheBinding::exact);
      EXPECT_EQ(pass.finish().dispatches, 6u);
    }
    EXPECT_EQ(chain.x.read<float>(), expected) << (recorded ? "recorded" : "direct");
    EXPECT_EQ(chain.tokens.read<std::uint32_t>(), expected_tokens);
  }

  chain.clear(stream, start);
  auto pass = executor.begin_recorded();
  chain.encode(*ops, pass, 2, CacheBinding::whole);
  const auto positions = ops->position_arguments(pass.graph(), 2);
  EXPECT_EQ(positions.size(), 3u);
  GraphExec exec = pass.graph().instantiate(device);
  for (std::uint32_t p = 0; p < steps; ++p) {
    for (const PositionArgument& argument : positions)
      exec.set_argument(argument.node, argument.index, p + argument.ahead);
    exec.launch(stream);
  }
  stream.synchronize();
  EXPECT_EQ(chain.x.read<float>(), expected) << "graph";
  EXPECT_EQ(chain.tokens.read<std::uint32_t>(), expected_tokens);
}

TEST_P(CallsOn, AGraphBoundToOneSlotSaysThatItsPositionCannotMove) {
  const Chain chain(device, numbers);
  auto pass = GraphExecutor(device).begin_recorded();
  chain.encode(*ops, pass, 0, CacheBinding::exact);
  EXPECT_THAT(error_of([&] { ops->position_arguments(pass.graph(), 0); }),
              HasSubstr("CacheBinding::whole"));
}

// Whatever follows from the ranges: kv_append of another position touches other slots, so it
// needs no barrier after an attention over the slots before it.
TEST_P(CallsOn, SlotsOfOtherPositionsAreNoHazard) {
  const Chain chain(device, numbers);
  auto pass = GraphExecutor(device).begin_recorded();
  ops->attention(
      pass, {.query = chain.gate, .cache = chain.cache, .y = chain.y, .heads = 4, .position = 2});
  ops->kv_append(pass,
                 {.key = chain.x, .value = chain.weight, .cache = chain.cache, .position = 3});
  EXPECT_THAT(pass.graph().hazards(), IsEmpty());
  ops->attention(
      pass, {.query = chain.gate, .cache = chain.cache, .y = chain.x, .heads = 4, .position = 3});
  EXPECT_FALSE(pass.graph().hazards().empty());
}

}  // namespace
}  // namespace reel::ops
