// What order a stream keeps, what it lets run by itself, and what waiting means.
#include <map>
#include <random>

#include "any_device.hpp"
#include "bytes.hpp"
#include "gate.hpp"
#include "kernels.hpp"

namespace reel::test {

namespace {

std::uint32_t stepped(std::uint32_t x, int times) {
  while (times-- > 0) x = 3 * x + 1;
  return x;
}

Words stepped(Words words, int times) {
  for (auto& word : words) word = stepped(word, times);
  return words;
}

}  // namespace

TEST_P(AnyDevice, AThousandDependentDispatchesRunInOrder) {
  const Stream stream = device().stream("chain");
  const Kernel step = build(step_source());
  Buffer x = device().buffer_of(counting(100), "x"), y = device().buffer(400, "y");
  for (int i = 0; i < 1000; ++i) {
    stream.dispatch(step, over(100), in(x), out(y), 100u);
    std::swap(x, y);
  }
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(x), stepped(counting(100), 1000)), "");
}

TEST_P(AnyDevice, UnannotatedBindingsAreOrderedToo) {
  const Stream stream = device().stream("chain");
  const Kernel step = build(step_source());
  Buffer x = device().buffer_of(counting(100), "x"), y = device().buffer(400, "y");
  for (int i = 0; i < 200; ++i) {
    stream.dispatch(step, over(100), x, y, 100u);
    std::swap(x, y);
  }
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(x), stepped(counting(100), 200)), "");
}

TEST_P(AnyDevice, WriteDispatchCopyAndReadNeedNoWaitBetweenThem) {
  const Stream stream = device().stream("line");
  const Kernel step = build(step_source());
  const Buffer x = device().buffer(400, "x"), y = device().buffer(400, "y"),
               z = device().buffer(400, "z");
  std::vector<Words> results(50, Words(100));
  for (std::uint32_t round = 0; round < 50; ++round) {
    stream.write(x, counting(100, round));
    stream.dispatch(step, over(100), in(x), out(y), 100u);
    stream.copy(z, y);
    stream.fill(y, 0u);
    stream.dispatch(step, over(100), in(z), out(y), 100u);
    stream.read(y, results[round]);
  }
  stream.synchronize();
  for (std::uint32_t round = 0; round < 50; ++round)
    ASSERT_EQ(first_difference(results[round], stepped(counting(100, round), 2)), "") << round;
}

TEST_P(AnyDevice, AReadSeesWhatWasThereBeforeTheNextWrite) {
  const Stream stream = device().stream("line");
  const Buffer x = device().buffer(65537, "x");
  std::vector<Bytes> results(50, Bytes(65537));
  for (int round = 0; round < 50; ++round) {
    stream.fill(x, static_cast<std::uint8_t>(round + 1));
    stream.read(x, results[round]);
  }
  stream.synchronize();
  for (int round = 0; round < 50; ++round)
    ASSERT_EQ(results[round], Bytes(65537, static_cast<std::uint8_t>(round + 1))) << round;
}

TEST_P(AnyDevice, DataGivenToWriteMayBeReusedAtOnce) {
  const Stream stream = device().stream("writer");
  for (const std::uint64_t size : {1, 4095, 65537, 3 << 20}) {
    const Buffer x = device().buffer(size, "x");
    Gate gate(stream);
    Bytes data = noise(size, 1);
    stream.write(x, data);
    std::fill(data.begin(), data.end(), 0);
    data = {};
    gate.open();
    ASSERT_EQ(first_difference(stream.read_now<std::uint8_t>(x), noise(size, 1)), "") << size;
  }
}

TEST_P(AnyDevice, AnAsyncReadIsThereAfterTheStreamIsSynchronized) {
  const Stream stream = device().stream("reader");
  const Buffer x = device().buffer_of(noise(65537, 2), "x");
  Bytes target(65537);
  Gate gate(stream);
  stream.read(x, target);
  EXPECT_EQ(target, Bytes(65537));  // the gate is shut
  gate.open();
  stream.synchronize();
  EXPECT_EQ(target, noise(65537, 2));
}

TEST_P(AnyDevice, AnAsyncReadIsThereAfterAnEventIsSynchronized) {
  const Stream stream = device().stream("reader");
  const Buffer x = device().buffer_of(noise(65537, 3), "x");
  const Event event = device().event("read");
  Bytes target(65537);
  stream.read(x, target);
  stream.record(event);
  event.synchronize();
  EXPECT_EQ(target, noise(65537, 3));
}

TEST_P(AnyDevice, AnAsyncReadIsThereAfterTheDeviceIsSynchronized) {
  const Stream stream = device().stream("reader"), other = device().stream("other");
  const Buffer x = device().buffer_of(noise(65537, 4), "x");
  Bytes target(65537), target2(65537);
  stream.read(x, target);
  other.read(x, target2);
  device().synchronize();
  EXPECT_EQ(target, noise(65537, 4));
  EXPECT_EQ(target2, noise(65537, 4));
}

TEST_P(AnyDevice, AnAsyncReadIsThereOnceAnEventOrStreamSaysDone) {
  const Stream stream = device().stream("reader");
  const Buffer x = device().buffer_of(noise(65537, 5), "x");
  const Event event = device().event("read");
  Bytes target(65537), target2(65537);
  stream.read(x, target);
  stream.record(event);
  stream.flush();
  ASSERT_TRUE(eventually([&] { return event.done(); }));
  EXPECT_EQ(target, noise(65537, 5));
  stream.read(x, target2);
  stream.flush();
  ASSERT_TRUE(eventually([&] { return stream.done(); }));
  EXPECT_EQ(target2, noise(65537, 5));
}

TEST_P(AnyDevice, BlockingReadsAndWritesComeAfterTheWorkOfEveryStream) {
  const Kernel slow = build(slow_source());
  const Stream a = device().stream("a"), b = device().stream("b");
  const Buffer x = device().buffer_of(counting(64), "x"), y = device().buffer_of(counting(64), "y");
  a.dispatch(slow, over(64), inout(x), 60000u);
  b.dispatch(slow, over(64), inout(y), 60000u);
  Words wanted = counting(64);
  for (auto& word : wanted) word = slow_result(word, 60000);
  EXPECT_EQ(x.read<std::uint32_t>(), wanted);
  EXPECT_EQ(y.read<std::uint32_t>(), wanted);
  a.dispatch(slow, over(64), inout(x), 60000u);
  x.write(counting(64, 9));
  EXPECT_EQ(a.read_now<std::uint32_t>(x), counting(64, 9));
}

TEST_P(AnyDevice, StreamsDontWaitForEachOther) {
  const Stream held = device().stream("held"), free = device().stream("free");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(400, "x"), y = device().buffer(400, "y");
  Gate gate(held);
  held.dispatch(increment, over(100), inout(x), 100u);
  held.flush();
  free.dispatch(increment, over(100), inout(y), 100u);
  EXPECT_EQ(free.read_now<std::uint32_t>(y), Words(100, 1));
  EXPECT_TRUE(free.done());
  EXPECT_FALSE(held.done());
  gate.open();
  held.synchronize();
  EXPECT_TRUE(held.done());
  EXPECT_EQ(x.read<std::uint32_t>(), Words(100, 1));
}

TEST_P(AnyDevice, EnqueueingDoesntWaitForTheWork) {
  const Stream stream = device().stream("held");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(400, "x"), y = device().buffer(400, "y");
  Words target(100);
  Gate gate(stream);
  for (int i = 0; i < 100; ++i) {
    stream.dispatch(increment, over(100), inout(x), 100u);
    stream.copy(y, x);
    stream.write(x.range(0, 4), Words{1000});
    stream.read(y, target);
  }
  stream.flush();
  EXPECT_FALSE(stream.done());
  gate.open();  // reached at all: none of the calls above waited
  stream.synchronize();
  EXPECT_EQ(x.read<std::uint32_t>(1, 99), Words(99, 100));
  EXPECT_EQ(target[0], 1001u);
}

TEST_P(AnyDevice, AStreamWithoutWorkIsDone) {
  const Stream stream = device().stream("idle");
  EXPECT_TRUE(stream.done());
  stream.flush();
  stream.synchronize();
  stream.synchronize();
  EXPECT_TRUE(stream.done());
  device().synchronize();
}

// Every kind of command on overlapping ranges of a few buffers, against a model in plain memory:
// where a device overlaps commands, a barrier that was left out shows here.
TEST_P(AnyDevice, AnyMixOfCommandsGivesTheBytesOfRunningThemOneByOne) {
  constexpr std::uint64_t size = 16384;
  const std::uint64_t unit = std::max<std::uint64_t>(info().binding_alignment_bytes, 4);
  const Kernel increment = build(increment_source()), step = build(step_source());
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Stream stream = device().stream("mix");
    std::mt19937 random(seed);
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    std::vector<Buffer> buffers;
    std::vector<Bytes> models;
    for (std::uint32_t b = 0; b < 3; ++b) {
      models.push_back(noise(size, b));
      buffers.push_back(device().buffer_of(models.back(), "mix"));
    }
    std::vector<Bytes> found, wanted;
    found.reserve(300);  // reads are under way into them
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t a = below(3), b = (a + 1 + below(2)) % 3;
      const std::uint64_t from = below(size / unit) * unit, to = below(size / unit) * unit;
      const std::uint64_t bytes = 4 * (1 + below((size - std::max(from, to)) / 4));
      const auto n = static_cast<std::uint32_t>(bytes / 4);
      std::uint8_t *source = &models[a][from], *target = &models[b][to];
      switch (below(6)) {
        case 0:
          stream.copy(buffers[b].range(to, bytes), buffers[a].range(from, bytes));
          std::memcpy(target, source, bytes);
          break;
        case 1:
          stream.fill(buffers[b].range(to, bytes), static_cast<std::uint8_t>(i));
          std::memset(target, i & 255, bytes);
          break;
        case 2: {
          const Bytes data = noise(bytes, random());
          stream.write(buffers[b].range(to, bytes), data);
          std::memcpy(target, data.data(), bytes);
          break;
        }
        case 3:
          found.emplace_back(bytes);
          stream.read(buffers[a].range(from, bytes), found.back());
          wanted.emplace_back(source, source + bytes);
          break;
        case 4:
          stream.dispatch(increment, over(n), inout(buffers[b].range(to, bytes)), n);
          for (std::uint32_t k = 0; k < n; ++k) {
            std::uint32_t word;
            std::memcpy(&word, target + 4 * k, 4);
            ++word;
            std::memcpy(target + 4 * k, &word, 4);
          }
          break;
        case 5:
          stream.dispatch(step, over(n), in(buffers[a].range(from, bytes)),
                          out(buffers[b].range(to, bytes)), n);
          for (std::uint32_t k = 0; k < n; ++k) {
            std::uint32_t word;
            std::memcpy(&word, source + 4 * k, 4);
            word = 3 * word + 1;
            std::memcpy(target + 4 * k, &word, 4);
          }
          break;
      }
    }
    stream.synchronize();
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(first_difference(found[i], wanted[i]), "") << "read " << i << ", seed " << seed;
    for (std::size_t b = 0; b < 3; ++b)
      ASSERT_EQ(first_difference(buffers[b].read<std::uint8_t>(), models[b]), "")
          << "buffer " << b << ", seed " << seed;
  }
}

}  // namespace reel::test
