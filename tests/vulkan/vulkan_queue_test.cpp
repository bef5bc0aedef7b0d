#include <sys/wait.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "base/handles.hpp"
#include "graph/commands/resource.hpp"
#include "runtime/device_state.hpp"
#include "vulkan/vulkan_test.hpp"

namespace reel {
namespace {

TEST_F(Vulkan, FillsStartAndEndAnywhere) {
  const Stream stream = device.stream("fill");
  const Buffer data = device.buffer(64, "data");
  for (std::uint32_t pattern_bytes : {1u, 2u, 4u})
    for (std::uint64_t offset = 0; offset < 8; ++offset)
      for (std::uint64_t size = 0; size <= 24; size += pattern_bytes) {
        const std::uint32_t pattern = 0xD4C3B2A1;
        stream.fill(data, std::uint8_t{0xEE});
        stream.fill(Fill{data.range(offset, size), pattern, pattern_bytes});
        const std::vector<std::uint8_t> got = stream.read_now<std::uint8_t>(data);
        for (std::uint64_t i = 0; i < 64; ++i) {
          const bool inside = i >= offset && i < offset + size;
          const std::uint8_t expected =
              inside ? static_cast<std::uint8_t>(pattern >> (8 * ((i - offset) % pattern_bytes)))
                     : 0xEE;
          ASSERT_EQ(got[i], expected) << "byte " << i << ", offset " << offset << ", size " << size
                                      << ", pattern of " << pattern_bytes;
        }
      }
}

TEST_F(Vulkan, WritesAndReadsOfEverySizeKeepTheirOrder) {
  const Kernel scale = scale_kernel();
  const Stream stream = device.stream("order");
  // 4 (inline), odd (staged), 64 KiB and one byte more, several MiB (done by the host).
  for (std::uint64_t size : {4u, 5u, 4095u, 65536u, 65537u, 3u << 20}) {
    const Buffer data = device.buffer((size + 3) / 4 * 4, "data");
    std::vector<std::uint8_t> first(size, 1), second(size, 2), seen_first(size), seen_second(size);
    stream.dispatch(scale, {.groups = {1}}, inout(data), 0u, 1u, 0u);  // so that nothing is idle
    stream.write(data.range(0, size), first);
    stream.read(data.range(0, size), seen_first);
    stream.write(data.range(0, size), second);
    stream.read(data.range(0, size), seen_second);
    stream.synchronize();
    ASSERT_EQ(seen_first, first) << size;
    ASSERT_EQ(seen_second, second) << size;
  }
}

// Kernels that share a layout and put other things at its places, ranges and values that come back
// or don't: whatever is taken for bound already, each dispatch works on its own. Some 5000 in a
// line, so that batches are of many lengths; some are given through a graph, some are stamped.
TEST_F(Vulkan, DispatchesInAnyOrderBindTheirOwn) {
  const auto source = [](const std::string& name, const std::string& body) {
    return KernelSource{.name = name, .glsl = R"(#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) buffer A { uint a[]; };
layout(std430, set = 0, binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform Values { )" + body};
  };
  const std::array kernels{
      device.kernel(source("two", "uint x; uint y; };\nvoid main() { a[0] += b[0] * x + y; }\n")),
      device.kernel(source("long", "uvec2 xy; };\nvoid main() { a[0] ^= b[0] + xy.x - xy.y; }\n")),
      device.kernel(source("one", "uint x; };\nvoid main() { a[0] = a[0] * 3 + b[0] + x; }\n"))};
  const std::uint64_t step = device.info().binding_alignment_bytes;
  constexpr std::uint32_t places = 9, dispatches = 5000;
  const std::array buffers{device.buffer(places * step, "first"),
                           device.buffer(places * step, "second")};
  std::array<std::array<std::uint32_t, places>, 2> model{};
  std::mt19937 random(7);
  const Stream stream = device.stream("any order");
  for (std::uint32_t i = 0; i < dispatches; ++i) {
    const std::uint32_t target_of = random() % 2, source_of = random() % 2;
    const std::uint32_t target = random() % places, other = random() % places;
    if (target_of == source_of && target == other) continue;  // one buffer, bound twice: no matter
    const std::uint64_t length = step * (1 + random() % (places - target));
    const std::uint32_t x = random() % 3, y = random() % 3, kernel = random() % 3;
    const Bound a = inout(buffers[target_of].range(target * step, length));
    const Bound b = in(buffers[source_of].range(other * step, step));
    std::uint32_t& to = model[target_of][target];
    const std::uint32_t from = model[source_of][other];
    const auto give = [&](auto&... values) {
      if (random() % 50 == 0) {
        Graph graph;
        graph.add_dispatch(kernels[kernel], {.groups = {1}}, a, b, values...);
        graph.instantiate(device).launch(stream);
      } else {
        stream.dispatch(kernels[kernel], {.groups = {1}}, a, b, values...);
      }
    };
    if (kernel == 0) {
      give(x, y);
      to += from * x + y;
    } else if (kernel == 1) {
      const std::array<std::uint32_t, 2> both{x, y};
      give(both);
      to ^= from + x - y;
    } else {
      give(x);
      to = to * 3 + from + x;
    }
    if (random() % 400 == 0) stream.flush();
    if (random() % 1000 == 0) stream.record(device.event("stamped"));
  }
  stream.synchronize();
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const auto values = buffers[b].read<std::uint32_t>();
    for (std::uint32_t p = 0; p < places; ++p)
      ASSERT_EQ(values[p * step / 4], model[b][p]) << "place " << p << " of buffer " << b;
  }
}

TEST_F(Vulkan, LongLinesOfDispatchesKeepTheirOrder) {
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(64 * 4, "data");
  const Stream stream = device.stream("long");
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {  // several batches
    stream.dispatch(scale, {.groups = {1}}, inout(data), 64u, 3u, i);
    expected = expected * 3 + i;
  }
  EXPECT_EQ(stream.read_now<std::uint32_t>(data), std::vector<std::uint32_t>(64, expected));
}

TEST_F(Vulkan, ChangingBindingsKeepWhatTheyBind) {
  const Kernel scale = scale_kernel();
  const Stream stream = device.stream("bindings");
  std::vector<Buffer> buffers;
  for (std::uint32_t i = 0; i < 50; ++i)
    buffers.push_back(device.buffer_of(std::vector<std::uint32_t>(64, i), "b"));
  for (std::uint32_t round = 0; round < 20; ++round)
    for (std::uint32_t i = 0; i < buffers.size(); ++i)
      stream.dispatch(scale, {.groups = {1}}, inout(buffers[i]), 64u, 1u, i + round);
  stream.synchronize();
  for (std::uint32_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(buffers[i].read<std::uint32_t>(0, 1)[0], i + 20 * i + 190);
}

TEST_F(Vulkan, BuffersLiveUntilTheirCommandsAreDone) {
  const Kernel scale = scale_kernel();
  const Stream stream = device.stream("lifetimes");
  const Buffer result = device.buffer(256, "result");
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Buffer temporary = device.buffer(256, "temporary");
    stream.fill(temporary, i);
    stream.dispatch(scale, {.groups = {1}}, inout(temporary), 64u, 2u, 1u);
    stream.copy(result, temporary);
  }
  EXPECT_EQ(stream.read_now<std::uint32_t>(result), std::vector<std::uint32_t>(64, 299 * 2 + 1));
}

TEST_F(Vulkan, AHostCallHoldsBackItsOwnStreamOnly) {
  const Kernel scale = scale_kernel();
  const Buffer slow_data = device.buffer(256, "slow"), fast_data = device.buffer(256, "fast");
  const Stream slow = device.stream("slow"), fast = device.stream("fast");
  std::promise<void> gate;
  std::shared_future<void> opened = gate.get_future().share();
  std::vector<std::uint32_t> seen(64);
  slow.dispatch(scale, {.groups = {1}}, inout(slow_data), 64u, 1u, 1u);
  slow.read(slow_data, seen);
  std::uint32_t seen_in_call = 0;
  slow.host_call([&, opened] {
    seen_in_call = seen[0];
    opened.wait();
  });
  slow.dispatch(scale, {.groups = {1}}, inout(slow_data), 64u, 1u, 10u);
  slow.flush();
  // Waits for the host call of the other stream would hang here.
  fast.dispatch(scale, {.groups = {1}}, inout(fast_data), 64u, 1u, 5u);
  fast.synchronize();
  EXPECT_EQ(fast_data.elements<std::uint32_t>(0, 1).size_bytes, 4u);
  EXPECT_FALSE(slow.done());
  gate.set_value();
  slow.synchronize();
  EXPECT_EQ(seen_in_call, 1u);  // reads before the call are filled when it runs
  EXPECT_EQ(slow_data.read<std::uint32_t>()[0], 11u);
  EXPECT_EQ(fast_data.read<std::uint32_t>()[0], 5u);
}

TEST_F(Vulkan, AStreamThatWaitsForAHeldStreamIsHeldToo) {
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(256, "data");
  const Stream a = device.stream("a"), b = device.stream("b");
  std::promise<void> gate;
  std::shared_future<void> opened = gate.get_future().share();
  a.host_call([opened] { opened.wait(); });
  a.dispatch(scale, {.groups = {1}}, inout(data), 64u, 1u, 3u);
  const Event event = device.event("a is done");
  a.record(event);
  b.wait(event);
  b.dispatch(scale, {.groups = {1}}, inout(data), 64u, 2u, 0u);
  b.flush();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(b.done());
  EXPECT_FALSE(event.done());
  gate.set_value();
  b.synchronize();
  EXPECT_TRUE(event.done());
  EXPECT_EQ(data.read<std::uint32_t>()[0], 6u);
}

TEST_F(Vulkan, WaitingForALaterStreamFillsReadsOfTheOneBefore) {
  const Stream a = device.stream("a"), b = device.stream("b");
  const Buffer data = device.buffer_of(counting(64), "data");
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint32_t> seen(64, ~0u);
    a.fill(data, static_cast<std::uint32_t>(round));  // so that the read is not done at once
    a.read(data, seen);
    const Event event = device.event();
    a.record(event);
    b.wait(event);
    b.barrier();
    b.fill(data, 7u);
    b.synchronize();  // nobody waits for a
    ASSERT_EQ(seen, std::vector<std::uint32_t>(64, static_cast<std::uint32_t>(round)));
  }
}

TEST_F(Vulkan, AThrowingHostCallIsReportedOnce) {
  const Stream stream = device.stream("thrower");
  stream.host_call([] { throw std::runtime_error("seven"); });
  try {
    stream.synchronize();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::host_call_failed);
    EXPECT_NE(std::string(error.what()).find("seven"), std::string::npos);
  }
  stream.synchronize();
}

TEST_F(Vulkan, AStreamMayBeDroppedByItsOwnHostCall) {
  std::atomic<int> calls = 0;
  {
    Stream stream = device.stream("self");
    stream.host_call([stream, &calls] { ++calls; });
    stream.host_call([stream, &calls] { ++calls; });
  }
  for (int i = 0; i < 1000 && calls < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(calls, 2);
}

TEST_F(Vulkan, GridsMayComeFromTheDevice) {
  const Kernel scale = scale_kernel();
  const Kernel choose = glsl("choose", R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Groups { uint groups[3]; };
void main() { groups[0] = 2; groups[1] = 1; groups[2] = 1; }
)");
  const Buffer groups = device.buffer(12, "groups"), data = device.buffer(4 * 256, "data");
  const Stream stream = device.stream();
  stream.dispatch(choose, {.groups = {1}}, out(groups));
  stream.dispatch_indirect(scale, groups, {}, inout(data), 256u, 1u, 9u);
  const std::vector<std::uint32_t> got = stream.read_now<std::uint32_t>(data);
  for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(got[i], i < 128 ? 9u : 0u);
}

TEST_F(Vulkan, TimeGoesForward) {
  if (!device.info().can_stamp_time) GTEST_SKIP() << "the device has no timestamps";
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(256, "data");
  const Stream stream = device.stream();
  std::uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    const Event begin = device.event(), end = device.event();
    stream.record(begin);
    stream.dispatch(scale, {.groups = {1}}, inout(data), 64u, 3u, 1u);
    stream.record(end);
    stream.synchronize();
    ASSERT_TRUE(begin.time_ns() && end.time_ns());
    EXPECT_GE(*begin.time_ns(), before);
    EXPECT_GT(*end.time_ns(), *begin.time_ns());
    before = *end.time_ns();
  }
}

TEST_F(Vulkan, StampedCommandsMayOverlapAndMixWithAnythingElse) {
  if (!device.info().can_stamp_time) GTEST_SKIP() << "the device has no timestamps";
  const Kernel scale = scale_kernel();
  const Buffer a = device.buffer(256, "a"), b = device.buffer(256, "b");
  const std::array<Argument, 4> on_a{inout(a), 64u, 1u, 1u}, on_b{inout(b), 64u, 1u, 1u};
  const auto dispatch = [&](std::span<const Argument> arguments) {
    return Command{Dispatch{scale, {1}, {64}, arguments}};
  };
  const auto queue = state_of(device)->driver().open_queue("mixed");
  constexpr std::uint64_t rounds = 300;  // several batches, cut in different places
  for (std::uint64_t i = 0; i < rounds; ++i) {
    queue->submit_stamped(dispatch(on_a), 10 * i);
    queue->submit_stamped(dispatch(on_b), 10 * i + 1);  // beside the one before
    queue->submit({Barrier{}});
    queue->submit_stamped(dispatch(on_a), 10 * i + 2);
    if (i % 3 == 0) queue->submit(dispatch(on_b));
    if (i % 50 == 49) queue->mark(Stamped::no);
    queue->submit({Barrier{}});
    if (i % 40 == 39) queue->flush();
  }
  queue->wait();
  StampList got;
  queue->collect_stamps(got);
  std::map<std::uint64_t, Stamps> all;
  for (const TicketStamps& one : got) EXPECT_TRUE(all.emplace(one.ticket, one.stamps).second);
  ASSERT_EQ(all.size(), 3 * rounds);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const Stamps first = all[10 * i], beside = all[10 * i + 1], after = all[10 * i + 2];
    EXPECT_LE(first.started_ns, beside.started_ns);
    EXPECT_LE(first.ended_ns, after.started_ns);
    EXPECT_LE(beside.ended_ns, after.started_ns);
    EXPECT_LE(after.started_ns, after.ended_ns);
    if (i > 0) {
      EXPECT_LE(all[10 * i - 8].ended_ns, first.started_ns);
    }
  }
  EXPECT_EQ(a.read<std::uint32_t>()[0], 2 * rounds);
  EXPECT_EQ(b.read<std::uint32_t>()[0], rounds + rounds / 3);
}

TEST_F(Vulkan, ManyThreadsMayUseStreamsOfTheirOwn) {
  const Kernel scale = scale_kernel();
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const Stream stream = device.stream("thread");
      const Buffer data = device.buffer(256, "data");
      std::uint32_t expected = 0;
      for (std::uint32_t i = 0; i < 300; ++i) {
        stream.dispatch(scale, {.groups = {1}}, inout(data), 64u, 3u, i + t);
        expected = expected * 3 + i + t;
        if (i % 100 == 50) stream.host_call([] {});
        if (i % 70 == 0) stream.synchronize();
      }
      if (stream.read_now<std::uint32_t>(data)[63] == expected) ++good;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
}

TEST_F(Vulkan, DISABLED_LeavesWhileShadersCompile) {
  const Kernel scale = scale_kernel();
  const Buffer data = device.buffer(256, "data");
  const Stream stream = device.stream("leaves");
  stream.dispatch(scale, {.groups = {1}}, inout(data), 64u, 1u, 0u);
  stream.flush();
  std::this_thread::sleep_for(
      std::chrono::milliseconds(10));  // well inside of llvmpipe's compiling
  std::exit(7);
}

// Without a wait some half of these end by a signal.
TEST_F(Vulkan, ProgramsMayLeaveWhileShadersCompile) {
  for (int i = 0; i < 8; ++i) {
    const ChildResult child = run_in_child("Vulkan.DISABLED_LeavesWhileShadersCompile", "");
    ASSERT_TRUE(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 7)
        << "status " << child.status << ": " << child.output;
  }
}

}  // namespace
}  // namespace reel
