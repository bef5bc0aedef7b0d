// What each kind of memory command does, byte for byte, at sizes and offsets of every kind.
#include <algorithm>
#include <string>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"

namespace reel::test {

namespace {

// Room for the largest size at the largest offset, and bytes behind it that must stay.
constexpr std::uint64_t room = 65537 + 4093 + 259;

std::string at(std::uint64_t size, std::uint64_t offset) {
  return std::to_string(size) + " bytes at offset " + std::to_string(offset);
}

}  // namespace

TEST_P(AnyDevice, ANewBufferIsZero) {
  for (const std::uint64_t size : odd_sizes)
    EXPECT_EQ(device().buffer(size).read<std::uint8_t>(), Bytes(size)) << size << " bytes";
}

TEST_P(AnyDevice, MemoryThatIsUsedAgainIsZeroAgain) {
  for (int round = 0; round < 20; ++round) {
    std::vector<Buffer> buffers;
    for (const std::uint64_t size : {64, 4096, 65537, 1 << 20}) {
      buffers.push_back(device().buffer(size, "reused"));
      ASSERT_EQ(first_difference(buffers.back().read<std::uint8_t>(), Bytes(size)), "")
          << size << " bytes, round " << round;
      buffers.back().write(noise(size, 1));
    }
  }
}

TEST_P(AnyDevice, ABufferKnowsItsLabelAndSize) {
  const Buffer buffer = device().buffer(4095, "weights");
  EXPECT_EQ(buffer.label(), "weights");
  EXPECT_EQ(buffer.size_bytes(), 4095u);
  EXPECT_NE(buffer.id(), device().buffer(4095, "weights").id());
}

TEST_P(AnyDevice, ABufferOfContentsHoldsThem) {
  const Words words = counting(1001, 7);
  EXPECT_EQ(device().buffer_of(words, "w").read<std::uint32_t>(), words);
  EXPECT_EQ(device().buffer_of(words).read<std::uint32_t>(1000, 1), Words{1007});
}

TEST_P(AnyDevice, ABlockingWriteChangesExactlyItsBytes) {
  const Buffer buffer = device().buffer(room, "target");
  Bytes model(room);
  for (const std::uint64_t size : odd_sizes)
    for (const std::uint64_t offset : odd_offsets) {
      const Bytes data = noise(size, static_cast<std::uint32_t>(size + offset));
      buffer.write(data, offset);
      std::copy(data.begin(), data.end(), model.begin() + static_cast<std::ptrdiff_t>(offset));
      ASSERT_EQ(first_difference(buffer.read<std::uint8_t>(), model), "") << at(size, offset);
    }
}

TEST_P(AnyDevice, ABlockingReadTakesExactlyItsBytes) {
  const Bytes model = noise(room, 5);
  const Buffer buffer = device().buffer_of(model, "source");
  for (const std::uint64_t size : odd_sizes)
    for (const std::uint64_t offset : odd_offsets) {
      const auto begin = model.begin() + static_cast<std::ptrdiff_t>(offset);
      ASSERT_EQ(first_difference(buffer.read<std::uint8_t>(offset, size),
                                 Bytes(begin, begin + static_cast<std::ptrdiff_t>(size))),
                "")
          << at(size, offset);
    }
}

TEST_P(AnyDevice, AStreamWriteChangesExactlyItsBytes) {
  const Stream stream = device().stream("writer");
  const Buffer buffer = device().buffer(room, "target");
  Bytes model(room);
  for (const std::uint64_t size : odd_sizes)
    for (const std::uint64_t offset : odd_offsets) {
      const Bytes data = noise(size, static_cast<std::uint32_t>(size * 3 + offset));
      stream.write(buffer.range(offset, size), data);
      std::copy(data.begin(), data.end(), model.begin() + static_cast<std::ptrdiff_t>(offset));
      ASSERT_EQ(first_difference(stream.read_now<std::uint8_t>(buffer), model), "")
          << at(size, offset);
    }
}

TEST_P(AnyDevice, AStreamReadFillsExactlyItsTarget) {
  const Bytes model = noise(room, 6);
  const Buffer buffer = device().buffer_of(model, "source");
  const Stream stream = device().stream("reader");
  for (const std::uint64_t size : odd_sizes)
    for (const std::uint64_t offset : odd_offsets) {
      Bytes target(size + 16);  // eight bytes either side must stay
      Bytes wanted = target;
      std::copy_n(model.begin() + static_cast<std::ptrdiff_t>(offset), size, wanted.begin() + 8);
      stream.read(buffer.range(offset, size),
                  std::as_writable_bytes(std::span(target)).subspan(8, size));
      stream.synchronize();
      ASSERT_EQ(first_difference(target, wanted), "") << at(size, offset);
    }
}

TEST_P(AnyDevice, ACopyMovesExactlyTheBytesAskedFor) {
  const Bytes source_bytes = noise(room, 7);
  const Buffer source = device().buffer_of(source_bytes, "source");
  const Buffer target = device().buffer(room, "target");
  const Stream stream = device().stream("copier");
  Bytes model(room);
  for (const std::uint64_t size : odd_sizes)
    for (const std::uint64_t from : odd_offsets)
      for (const std::uint64_t to : {0, 1, 6, 4093}) {
        stream.copy(target.range(to, size), source.range(from, size));
        std::copy_n(source_bytes.begin() + static_cast<std::ptrdiff_t>(from), size,
                    model.begin() + static_cast<std::ptrdiff_t>(to));
        ASSERT_EQ(first_difference(stream.read_now<std::uint8_t>(target), model), "")
            << at(size, from) << " to " << to;
      }
  EXPECT_EQ(source.read<std::uint8_t>(), source_bytes);
}

TEST_P(AnyDevice, CopiesWithinABufferMayTouchButNotOverlap) {
  const Stream stream = device().stream("copier");
  const Buffer buffer = device().buffer_of(noise(256, 8), "kv");
  Bytes model = noise(256, 8);
  stream.copy(buffer.range(100, 100), buffer.range(0, 100));  // adjacent, behind
  std::copy_n(model.begin(), 100, model.begin() + 100);
  stream.copy(buffer.range(10, 7), buffer.range(17, 7));  // adjacent, before
  std::copy_n(model.begin() + 17, 7, model.begin() + 10);
  EXPECT_EQ(stream.read_now<std::uint8_t>(buffer), model);

  const auto refused = [&](std::uint64_t to, std::uint64_t from, std::uint64_t size) {
    expect_error(Code::invalid_argument, {"kv", "overlap"},
                 [&] { stream.copy(buffer.range(to, size), buffer.range(from, size)); });
  };
  refused(0, 0, 100);   // onto itself
  refused(99, 0, 100);  // by its last byte
  refused(0, 99, 100);
  refused(10, 20, 64);
  EXPECT_EQ(stream.read_now<std::uint8_t>(buffer), model);
}

TEST_P(AnyDevice, ACopyBetweenRangesOfDifferentSizesIsRefused) {
  const Stream stream = device().stream("copier");
  const Buffer a = device().buffer(128, "a"), b = device().buffer(128, "b");
  expect_error(Code::invalid_argument, {"64", "63"},
               [&] { stream.copy(b.range(0, 64), a.range(0, 63)); });
}

TEST_P(AnyDevice, AFillOfOneByteChangesExactlyItsBytes) {
  const Stream stream = device().stream("filler");
  const Buffer buffer = device().buffer(room, "target");
  Bytes model(room);
  std::uint8_t value = 1;
  for (const std::uint64_t size : odd_sizes)
    for (const std::uint64_t offset : odd_offsets) {
      stream.fill(buffer.range(offset, size), ++value);
      std::fill_n(model.begin() + static_cast<std::ptrdiff_t>(offset), size, value);
      ASSERT_EQ(first_difference(stream.read_now<std::uint8_t>(buffer), model), "")
          << at(size, offset);
    }
}

TEST_P(AnyDevice, AFillRepeatsPatternsOfTwoAndFourBytesAtAnyOffset) {
  const Stream stream = device().stream("filler");
  for (const std::uint32_t pattern_bytes : {2u, 4u})
    for (const std::uint64_t count : {1, 3, 1023, 16385})
      for (const std::uint64_t offset : odd_offsets) {
        const std::uint64_t size = count * pattern_bytes;
        const Buffer buffer = device().buffer(offset + size + 9, "target");
        stream.fill(Fill{buffer.range(offset, size), 0xd4c3b2a1, pattern_bytes});
        Bytes model(offset + size + 9);
        const std::uint8_t pattern[] = {0xa1, 0xb2, 0xc3, 0xd4};
        for (std::uint64_t i = 0; i < size; ++i) model[offset + i] = pattern[i % pattern_bytes];
        ASSERT_EQ(first_difference(stream.read_now<std::uint8_t>(buffer), model), "")
            << pattern_bytes << "-byte pattern, " << at(size, offset);
      }
}

TEST_P(AnyDevice, AFillTakesTypedValues) {
  const Stream stream = device().stream("filler");
  const Buffer buffer = device().buffer(4 * 100, "target");
  stream.fill(buffer, 2.5f);
  EXPECT_EQ(stream.read_now<float>(buffer), std::vector<float>(100, 2.5f));
  stream.fill(buffer, std::int16_t{-3});
  EXPECT_EQ(stream.read_now<std::int16_t>(buffer), std::vector<std::int16_t>(200, -3));
}

TEST_P(AnyDevice, AFillRefusesOtherPatternsAndPartialOnes) {
  const Stream stream = device().stream("filler");
  const Buffer buffer = device().buffer(64, "target");
  for (const std::uint32_t bytes : {0u, 3u, 5u, 8u})
    expect_error(Code::invalid_argument, {std::to_string(bytes), "1, 2 and 4"}, [&] {
      stream.fill(Fill{buffer, 1, bytes});
    });
  expect_error(Code::invalid_argument, {"target", "63"}, [&] {
    stream.fill(Fill{buffer.range(0, 63), 1, 4});
  });
  expect_error(Code::invalid_argument, {"target", "3"}, [&] {
    stream.fill(Fill{buffer.range(0, 3), 1, 2});
  });
}

TEST_P(AnyDevice, CommandsOfZeroBytesDoNothing) {
  const Stream stream = device().stream("idle");
  const Bytes bytes = noise(64, 9);
  const Buffer a = device().buffer_of(bytes, "a"), b = device().buffer_of(bytes, "b");
  for (const std::uint64_t offset : {0, 13, 64}) {  // 64: the end is a place too
    stream.copy(b.range(offset, 0), a.range(64 - offset, 0));
    stream.copy(a.range(offset, 0), a.range(offset, 0));
    stream.fill(a.range(offset, 0), std::uint32_t{1});
    stream.write(a.range(offset, 0), Bytes{});
    Bytes nothing;
    stream.read(a.range(offset, 0), nothing);
    stream.read_now(a.range(offset, 0), {});
    a.write_bytes({}, offset);
    a.read_bytes({}, offset);
    EXPECT_TRUE(a.read<std::uint8_t>(offset, 0).empty());
  }
  stream.synchronize();
  EXPECT_EQ(a.read<std::uint8_t>(), bytes);
  EXPECT_EQ(b.read<std::uint8_t>(), bytes);
}

TEST_P(AnyDevice, DataAndRangeOfOtherSizesAreRefused) {
  const Stream stream = device().stream("writer");
  const Buffer buffer = device().buffer(64, "target");
  Bytes data(63);
  expect_error(Code::invalid_argument, {"target", "64", "63"}, [&] { stream.write(buffer, data); });
  expect_error(Code::invalid_argument, {"target", "64", "63"}, [&] { stream.read(buffer, data); });
  expect_error(Code::invalid_argument, {"target", "64", "63"},
               [&] { stream.read_now(buffer, std::as_writable_bytes(std::span(data))); });
}

TEST_P(AnyDevice, ABarrierChangesNothingButOrder) {
  const Stream stream = device().stream("barriers");
  const Buffer a = device().buffer(64, "a"), b = device().buffer(64, "b");
  stream.barrier();
  stream.fill(a, std::uint8_t{5});
  stream.barrier();
  stream.barrier();
  stream.copy(b, a);
  stream.barrier();
  EXPECT_EQ(stream.read_now<std::uint8_t>(b), Bytes(64, 5));
}

TEST_P(AnyDevice, LabelsAndScopesDontDisturbTheWork) {
  const Stream stream = device().stream("worded");
  const Buffer a = device().buffer(64, "a"), b = device().buffer(64, "b");
  Bytes result(64);
  {
    const auto layer = stream.scope("layer0");
    const auto attention = stream.scope("attention/q_proj");
    stream.fill(a, std::uint8_t{9}, "a label");
    stream.copy(b, a, std::string(10000, 'x'));
    {
      const auto empty = stream.scope("");
      stream.read(b, result, "naïve ✓ \"quoted\" \n %s {}");
    }
  }
  stream.synchronize();
  EXPECT_EQ(result, Bytes(64, 9));
}

TEST_P(AnyDevice, ALabelMayBeGoneBeforeItsCommandRuns) {
  const Stream stream = device().stream("worded");
  const Buffer a = device().buffer(64, "a");
  for (int i = 0; i < 100; ++i) {
    const std::string label = "a label too long to be stored in place, number " + std::to_string(i);
    stream.fill(a, static_cast<std::uint8_t>(i), label);
  }
  EXPECT_EQ(stream.read_now<std::uint8_t>(a), Bytes(64, 99));
}

}  // namespace reel::test
