// Many of everything, the largest of everything, and one more than that.
#include <algorithm>
#include <cstring>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"

namespace reel::test {

TEST_P(AnyDevice, FiveThousandBuffersLiveAtOnce) {
  const Stream stream = device().stream("s");
  const Kernel increment = build(increment_source());
  std::vector<Buffer> buffers;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    buffers.push_back(device().buffer(4 + 4 * (i % 7), "small"));
    stream.fill(buffers.back(), i);
  }
  for (std::size_t i = 0; i < buffers.size(); i += 50)
    stream.dispatch(increment, over(1), inout(buffers[i]), 1u);
  Words found(5000), wanted = counting(5000);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    stream.read(buffers[i].range(0, 4), std::as_writable_bytes(std::span(found).subspan(i, 1)));
    if (i % 50 == 0) ++wanted[i];
  }
  stream.synchronize();
  EXPECT_EQ(first_difference(found, wanted), "");
}

TEST_P(AnyDevice, SixtyFourStreamsWorkSideBySide) {
  const Kernel increment = build(increment_source());
  std::vector<Stream> streams;
  std::vector<Buffer> buffers;
  for (std::uint32_t i = 0; i < 64; ++i) {
    streams.push_back(device().stream("one of many"));
    buffers.push_back(device().buffer_of(Words{i * 1000}, "x"));
  }
  for (int round = 0; round < 20; ++round)
    for (std::size_t i = 0; i < 64; ++i)
      streams[i].dispatch(increment, over(1), inout(buffers[i]), 1u);
  std::vector<Words> results(64, Words(1));
  for (std::size_t i = 0; i < 64; ++i) streams[i].read(buffers[i], results[i]);
  device().synchronize();
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(results[i][0], i * 1000 + 20);
}

TEST_P(AnyDevice, StreamsComeAndGoByTheHundred) {
  const Buffer x = device().buffer(4, "x");
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Stream stream = device().stream("brief");
    stream.fill(x, i);
    ASSERT_EQ(stream.read_now<std::uint32_t>(x), Words{i});
  }
}

TEST_P(AnyDevice, ManyCommandsMayBeUnderWay) {
  const Stream stream = device().stream("long");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(4, "x");
  for (int i = 0; i < 10000; ++i) stream.dispatch(increment, over(1), inout(x), 1u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{10000});
}

TEST_P(AnyDevice, ABufferBeyondFourGigabytesWorksOrIsRefusedWithTheLimit) {
  constexpr std::uint64_t size = (1ull << 32) + 4096;
  const std::uint64_t limit = info().max_buffer_bytes;
  if (limit < size) {
    expect_error(Code::out_of_memory, {"large", std::to_string(size), std::to_string(limit)},
                 [&] { device().buffer(size, "large"); });
    return;
  }
  const Stream stream = device().stream("s");
  const Buffer large = device().buffer(size, "large");
  EXPECT_EQ(large.size_bytes(), size);
  const Bytes bytes = noise(4099, 1);
  const std::uint64_t end = size - bytes.size(), across = (1ull << 32) - 2000;
  // A 32-bit offset would wrap to the start.
  large.write(bytes, end);
  EXPECT_EQ(large.read<std::uint8_t>(end, bytes.size()), bytes);
  EXPECT_EQ(large.read<std::uint8_t>(0, bytes.size()), Bytes(bytes.size()));
  stream.write(large.range(across, bytes.size()), bytes);
  stream.fill(large.range(size - 3, 3), std::uint8_t{9});
  stream.copy(large.range(100, 3), large.range(size - 3, 3));
  EXPECT_EQ(stream.read_now<std::uint8_t>(large.range(100, 4)), (Bytes{9, 9, 9, 0}));
  EXPECT_EQ(stream.read_now<std::uint8_t>(large.range(across, 2000)),
            Bytes(bytes.begin(), bytes.begin() + 2000));
  expect_error(Code::invalid_argument, {"large", std::to_string(size)},
               [&] { large.range(size - 3, 4); });
  // As a binding, at an offset that takes more than 32 bits.
  const std::uint64_t offset = (1ull << 32) + 1024;
  stream.fill(large.range(offset, 400), 5u);
  stream.dispatch(build(increment_source()), over(100), inout(large.range(offset, 400)), 100u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(large.range(offset, 400)), Words(100, 6));
}

TEST_P(AnyDevice, TooMuchMemoryIsRefusedWithLabelAndSizesAndTheDeviceGoesOn) {
  const std::uint64_t huge = 1ull << 50;
  expect_error(Code::out_of_memory, {"everything", std::to_string(huge)},
               [&] { device().buffer(huge, "everything"); });
  expect_error(Code::out_of_memory, {"everything"}, [&] { device().buffer(~0ull, "everything"); });
  const Buffer x = device().buffer(64, "x");
  const Stream stream = device().stream("s");
  stream.fill(x, std::uint8_t{1});
  EXPECT_EQ(stream.read_now<std::uint8_t>(x), Bytes(64, 1));
}

TEST_P(AnyDevice, ABindingLargerThanAllowedIsRefusedWithTheLimit) {
  const std::uint64_t limit = info().max_binding_bytes;
  if (limit >= info().max_buffer_bytes || limit > (1ull << 30)) {
    EXPECT_GE(limit, std::min<std::uint64_t>(info().max_buffer_bytes, 1ull << 27));
    return;  // no buffer that fits in memory here is larger than a binding may be
  }
  const Buffer large = device().buffer(limit + 4, "large");
  expect_error(
      Code::invalid_argument, {"large", std::to_string(limit), std::to_string(limit + 4)},
      [&] { device().stream("s").dispatch(build(increment_source()), over(1), inout(large), 1u); });
}

TEST_P(AnyDevice, TheLargestGroupRunsInEachDimension) {
  const Stream stream = device().stream("s");
  const auto largest = [](std::uint32_t limit) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>({info().max_group_items, limit, 4096}));
  };
  const Dim3 limits = info().max_group_size;
  for (const Dim3 size :
       {Dim3{largest(limits.x)}, Dim3{1, largest(limits.y)}, Dim3{1, 1, largest(limits.z)}}) {
    const Buffer target = device().buffer(4 * size.count(), "target");
    stream.dispatch(build(index_source(size)), {.group_size = size}, out(target), size.x, size.y);
    Words wanted;
    for (std::uint32_t z = 0; z < size.z; ++z)
      for (std::uint32_t y = 0; y < size.y; ++y)
        for (std::uint32_t x = 0; x < size.x; ++x) wanted.push_back(x + 1000 * y + 1000000 * z);
    EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(target), wanted), "")
        << size.x << ", " << size.y << ", " << size.z;
  }
}

TEST_P(AnyDevice, GroupsComeByTheTensOfThousands) {
  const Stream stream = device().stream("s");
  const Buffer counter = device().buffer(4, "counter");
  stream.dispatch(build(count_source()), {.groups = {30011}, .group_size = {64}}, inout(counter),
                  1u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(counter), Words{30011 * 64});
}

TEST_P(AnyDevice, ABufferOfSixtyFourMegabytesIsMovedWhole) {
  constexpr std::uint64_t size = (64u << 20) + 5;
  const Bytes bytes = noise(size, 3);
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(size, "x"), y = device().buffer(size, "y");
  Bytes result(size);
  stream.write(x, bytes);
  stream.copy(y, x);
  stream.read(y, result);
  stream.synchronize();
  EXPECT_EQ(std::memcmp(result.data(), bytes.data(), size), 0);
}

}  // namespace reel::test
