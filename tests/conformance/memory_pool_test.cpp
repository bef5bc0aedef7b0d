// Temporary memory out of a pool.
#include "reel/memory_pool.hpp"

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"

namespace reel::test {

TEST_P(AnyDevice, APoolGivesTheSameMemoryAgain) {
  const MemoryPool pool(device(), {.label = "scratch", .block_bytes = 4096});
  std::uint64_t offset = 0;
  {
    const Temporary first = pool.take(100), second = pool.take(1);
    EXPECT_NE(first.range().offset_bytes, second.range().offset_bytes);
    EXPECT_EQ(second.range().offset_bytes % info().binding_alignment_bytes, 0u);
    EXPECT_EQ(pool.used_bytes(), 101u);
    EXPECT_EQ(pool.held_bytes(), 4096u);
    offset = first.range().offset_bytes;
  }
  EXPECT_EQ(pool.used_bytes(), 0u);
  const Temporary whole = pool.take(4096);  // what was given back is one piece again
  EXPECT_EQ(whole.range().offset_bytes, offset);
  const Temporary more = pool.take<float>(2000);  // more than a block
  EXPECT_EQ(more.size_bytes(), 8000u);
  EXPECT_GE(pool.held_bytes(), 4096u + 8000u);
  pool.trim();
  EXPECT_GE(pool.held_bytes(), 4096u + 8000u);
}

TEST_P(AnyDevice, APoolGivesBackWhatNothingIsTakenOf) {
  const MemoryPool pool(device(), {.block_bytes = 4096});
  Temporary kept = pool.take(16);
  { const Temporary gone = pool.take(4096); }
  EXPECT_EQ(pool.held_bytes(), 8192u);
  pool.trim();
  EXPECT_EQ(pool.held_bytes(), 4096u);
  kept = Temporary();
  pool.trim();
  EXPECT_EQ(pool.held_bytes(), 0u);
  expect_error(Code::invalid_argument, {"pool", "0 bytes"}, [&] { pool.take(0); });
}

TEST_P(AnyDevice, TemporaryMemoryIsUsedInTheOrderOfItsStream) {
  const Stream stream = device().stream("s");
  const MemoryPool pool(device(), {.block_bytes = 4096});
  const Kernel step = build(step_source());
  const Buffer x = device().buffer_of(counting(64), "x"), y = device().buffer(256 * 8, "y");
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Temporary half_way = pool.take<std::uint32_t>(64);
    stream.dispatch(step, over(64), in(x), out(half_way), 64u);
    stream.dispatch(step, over(64), in(half_way), out(y.elements<std::uint32_t>(64 * i, 64)), 64u);
    stream.fill(half_way, 0u);
  }
  EXPECT_EQ(pool.held_bytes(), 4096u);
  Words expected;
  for (std::uint32_t i = 0; i < 8; ++i)
    for (std::uint32_t k = 0; k < 64; ++k) expected.push_back(9 * k + 4);
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(y), expected), "");
}

TEST_P(AnyDevice, TemporaryMemoryOutlivesItsPool) {
  Temporary kept;
  {
    const MemoryPool pool(device());
    kept = pool.take(16);
  }
  const Stream stream = device().stream("s");
  stream.fill(kept, 3u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(kept), Words(4, 3));
}

}  // namespace reel::test
