// Bad handles and bad ranges: each an Error at the call, with the label and the limit.
#include <string>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "gate.hpp"
#include "kernels.hpp"

namespace reel::test {

namespace {

// Every call of a stream that takes a buffer, with `bad` in each place one can stand. `good` is
// of the same size.
template <class F>
void for_every_use(const Stream& stream, const Kernel& add, const BufferRange& good,
                   const BufferRange& bad, F&& check) {
  Bytes data(bad.size_bytes);
  const auto bytes = std::as_writable_bytes(std::span(data));
  check("copy target", [&] { stream.copy(bad, good); });
  check("copy source", [&] { stream.copy(good, bad); });
  check("fill", [&] { stream.fill(bad, std::uint8_t{1}); });
  check("write", [&] { stream.write(bad, data); });
  check("read", [&] { stream.read(bad, data); });
  check("read_now", [&] { stream.read_now(bad, bytes); });
  check("in", [&] { stream.dispatch(add, over(1), in(bad), in(good), out(good), 1u); });
  check("out", [&] { stream.dispatch(add, over(1), in(good), in(good), out(bad), 1u); });
  check("bare", [&] { stream.dispatch(add, over(1), good, bad, good, 1u); });
}

}  // namespace

TEST_P(AnyDevice, ABufferOfZeroBytesIsRefused) {
  expect_error(Code::invalid_argument, {"nothing"}, [&] { device().buffer(0, "nothing"); });
}

TEST_P(AnyDevice, NullBuffersAreRefused) {
  const Stream stream = device().stream("decode");
  const Kernel add = build(add_source());
  const Buffer good = device().buffer(64, "good");
  for_every_use(stream, add, good.range(0, 0), BufferRange{},
                [](const char* use, const auto& call) {
                  SCOPED_TRACE(use);
                  expect_error(Code::invalid_argument, {}, call);
                });
  const Buffer null;
  EXPECT_FALSE(null);
  expect_error(Code::invalid_argument, {}, [&] { BufferRange whole(null); });
  expect_error(Code::invalid_argument, {}, [&] { null.range(0, 1); });
  expect_error(Code::invalid_argument, {}, [&] { null.label(); });
  expect_error(Code::invalid_argument, {}, [&] { null.id(); });
  expect_error(Code::invalid_argument, {}, [&] { null.size_bytes(); });
  expect_error(Code::invalid_argument, {}, [&] { null.write(Words{1}); });
  expect_error(Code::invalid_argument, {}, [&] { null.read<std::uint32_t>(); });
  expect_error(Code::invalid_argument, {}, [&] { null.read<std::uint32_t>(0, 1); });
  expect_error(Code::invalid_argument, {}, [&] { stream.fill(null, 1u); });
  expect_error(Code::invalid_argument, {},
               [&] { stream.dispatch(add, over(1), null, good, good, 1u); });
}

TEST_P(AnyDevice, NullKernelsAreRefused) {
  const Kernel null;
  EXPECT_FALSE(null);
  const Stream stream = device().stream("decode");
  expect_error(Code::invalid_argument, {"dispatch"}, [&] { stream.dispatch(null, over(1)); });
  expect_error(Code::invalid_argument, {}, [&] { null.name(); });
  expect_error(Code::invalid_argument, {}, [&] { null.id(); });
  expect_error(Code::invalid_argument, {}, [&] { null.source(); });
  expect_error(Code::invalid_argument, {}, [&] { null.parameters(); });
  expect_error(Code::invalid_argument, {}, [&] { null.group_size(); });
  expect_error(Code::invalid_argument, {}, [&] { null.build_log(); });
}

TEST_P(AnyDevice, NullStreamsAreRefused) {
  const Stream null;
  EXPECT_FALSE(null);
  const Buffer x = device().buffer(64, "x"), y = device().buffer(64, "y");
  const Event event = device().event("e");
  Bytes data(64);
  const auto refused = [](const auto& call) { expect_error(Code::invalid_argument, {}, call); };
  refused([&] { null.dispatch(build(increment_source()), over(1), x, 1u); });
  refused([&] { null.copy(x, y); });
  refused([&] { null.fill(x, 1u); });
  refused([&] { null.write(x, data); });
  refused([&] { null.read(x, data); });
  refused([&] { null.read_now<std::uint8_t>(x); });
  refused([&] { null.host_call([] {}); });
  refused([&] { null.barrier(); });
  refused([&] { null.record(event); });
  refused([&] { null.wait(event); });
  refused([&] { null.flush(); });
  refused([&] { null.synchronize(); });
  refused([&] { null.done(); });
  refused([&] { null.is_in_stream_capture(); });
  refused([&] { auto guard = null.scope("s"); });
  refused([&] { null.id(); });
  refused([&] { null.label(); });
  refused([&] { null.device(); });
}

TEST_P(AnyDevice, NullEventsAreRefused) {
  const Event null;
  EXPECT_FALSE(null);
  const Stream stream = device().stream("decode");
  expect_error(Code::invalid_argument, {"record"}, [&] { stream.record(null); });
  expect_error(Code::invalid_argument, {"wait"}, [&] { stream.wait(null); });
  expect_error(Code::invalid_argument, {}, [&] { null.done(); });
  expect_error(Code::invalid_argument, {}, [&] { null.synchronize(); });
  expect_error(Code::invalid_argument, {}, [&] { null.time_ns(); });
  expect_error(Code::invalid_argument, {}, [&] { null.label(); });
}

TEST_P(AnyDevice, NullDevicesAreRefused) {
  const Device null;
  EXPECT_FALSE(null);
  const auto refused = [](const auto& call) { expect_error(Code::invalid_argument, {}, call); };
  refused([&] { null.info(); });
  refused([&] { null.buffer(4); });
  refused([&] { null.buffer_of(Words{1}); });
  refused([&] { null.kernel(increment_source()); });
  refused([&] { null.stream(); });
  refused([&] { null.stream("s"); });
  refused([&] { null.event(); });
  refused([&] { null.synchronize(); });
  EXPECT_FALSE(null == device());
}

TEST_P(AnyDevice, BuffersOfAnotherDeviceAreRefused) {
  const Device other = another_device();
  if (!other) return;  // the only device here has nothing foreign to meet
  const Buffer foreign = other.buffer(64, "foreign"), good = device().buffer(64, "good");
  for_every_use(device().stream("decode"), build(add_source()), good, foreign,
                [](const char* use, const auto& call) {
                  SCOPED_TRACE(use);
                  expect_error(Code::invalid_argument, {"foreign", "device"}, call);
                });
  EXPECT_EQ(foreign.read<std::uint8_t>(), Bytes(64));
}

TEST_P(AnyDevice, KernelsOfAnotherDeviceAreRefused) {
  const Device other = another_device();
  if (!other) return;  // the only device here has nothing foreign to meet
  const Kernel foreign = other.kernel(increment_source());
  const Buffer x = device().buffer(64, "x");
  expect_error(Code::invalid_argument, {"increment", "device"},
               [&] { device().stream("decode").dispatch(foreign, over(1), inout(x), 1u); });
}

TEST_P(AnyDevice, FreedBuffersAreRefused) {
  const Buffer good = device().buffer(64, "good");
  Buffer freed = device().buffer(64, "gone");
  const Buffer copy = freed;
  const BufferRange range = freed;
  freed.free();
  for_every_use(device().stream("decode"), build(add_source()), good, range,
                [](const char* use, const auto& call) {
                  SCOPED_TRACE(use);
                  expect_error(Code::invalid_argument, {"gone", "freed"}, call);
                });
  expect_error(Code::invalid_argument, {"gone", "freed"}, [&] { copy.range(0, 1); });
  expect_error(Code::invalid_argument, {"gone", "freed"}, [&] { copy.read<std::uint8_t>(); });
  expect_error(Code::invalid_argument, {"gone", "freed"}, [&] { copy.write(Words{1}); });
  expect_error(Code::invalid_argument, {"gone", "freed"}, [&] { BufferRange whole(copy); });
}

TEST_P(AnyDevice, RangesPastTheEndAreRefused) {
  const Buffer x = device().buffer(80, "kv");
  const auto refused = [&](std::uint64_t offset, std::uint64_t size) {
    expect_error(Code::invalid_argument, {"kv", "80", std::to_string(offset), std::to_string(size)},
                 [&] { x.range(offset, size); });
  };
  refused(0, 81);
  refused(64, 17);
  refused(80, 1);
  refused(81, 0);
  refused(1ull << 32, 4);
  refused(~0ull, 1);
  refused(~0ull, 2);      // ends at 1 where sums wrap
  refused(16, ~0ull);     // ends at 15
  refused(~0ull - 3, 8);  // ends at 4
  EXPECT_EQ(x.range(80, 0).size_bytes, 0u);
  EXPECT_EQ(x.range(0, 80).size_bytes, 80u);
}

TEST_P(AnyDevice, ElementsPastTheEndAreRefusedHoweverManyTheyAre) {
  const Buffer x = device().buffer(80, "kv");
  EXPECT_EQ(x.elements<float>(19, 1).offset_bytes, 76u);
  const auto refused = [](const auto& call) { expect_error(Code::invalid_argument, {"kv"}, call); };
  refused([&] { x.elements<float>(20, 1); });
  refused([&] { x.elements<float>(0, 21); });
  refused([&] { x.elements<float>(1ull << 62, 1); });  // times four is zero in 64 bits
  refused([&] { x.elements<float>(0, (1ull << 62) + 1); });
  refused([&] { x.read<float>(20, 1); });
  refused([&] { x.read<float>(0, 21); });
  refused([&] { x.read<float>(1ull << 62, 1); });
  refused([&] { x.read<float>(0, 1ull << 62); });  // before room is made for it
  refused([&] { x.write(Words{1}, 20); });
  refused([&] { x.write(Words(21)); });
  refused([&] { x.write(Words{1}, 1ull << 62); });
  Bytes data(4);
  refused([&] { x.write_bytes(std::as_bytes(std::span(data)), 77); });
  refused([&] { x.read_bytes(std::as_writable_bytes(std::span(data)), 77); });
  refused([&] { x.read_bytes(std::as_writable_bytes(std::span(data)), ~0ull - 1); });
  EXPECT_EQ(x.read<std::uint8_t>(), Bytes(80));
}

TEST_P(AnyDevice, ARangePutTogetherByHandIsCheckedToo) {
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(80, "kv"), good = device().buffer(160, "good");
  for (const auto& [offset, size] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 84}, {80, 4}, {~0ull - 3, 8}, {1ull << 40, 4}}) {
    BufferRange range = x;
    range.offset_bytes = offset;
    range.size_bytes = size;
    for_every_use(stream, build(add_source()), good.range(0, size), range,
                  [](const char* use, const auto& call) {
                    SCOPED_TRACE(use);
                    expect_error(Code::invalid_argument, {"kv", "80"}, call);
                  });
  }
}

TEST_P(AnyDevice, ARefusedCommandLeavesTheStreamAsItWas) {
  const Stream stream = device().stream("decode");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(4, "x");
  for (int i = 0; i < 20; ++i) {
    stream.dispatch(increment, over(1), inout(x), 1u);
    expect_error(Code::invalid_argument, {}, [&] { stream.dispatch(increment, over(1), x); });
    expect_error(Code::invalid_argument, {}, [&] { stream.copy(x, x); });
  }
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words{20});
}

}  // namespace reel::test
