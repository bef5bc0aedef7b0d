#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "any_device.hpp"
#include "kernels.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"
#include "reel/executor.hpp"

namespace reel::test {
namespace {

using WhatIsRecorded = AnyDevice;

std::vector<float> floats(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST_P(WhatIsRecorded, EveryKindOfCommandWithLabelScopeAndStream) {
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(256, "x"), y = device().buffer(256, "y");
  const Kernel scale = build(scale_source());
  std::vector<float> back(64);
  const Trace trace = captured([&] {
    const auto scope = stream.scope("layer0/attention");
    stream.write(x, floats(64), "upload");
    stream.dispatch(scale, over(64), inout(x), 2.0f, 64u);
    stream.copy(y, x, "keep");
    stream.fill(x, std::uint32_t{7}, "reset");
    stream.read(y, back, "download");
    stream.host_call([] {}, "think");
    stream.barrier();
    stream.synchronize();
  });
  ASSERT_EQ(trace.commands().size(), 7u);
  const auto work = [&](std::size_t i) { return trace.work_of(trace.commands()[i]); };
  const std::vector<WorkKind> kinds{WorkKind::write,  WorkKind::dispatch, WorkKind::copy,
                                    WorkKind::fill,   WorkKind::read,     WorkKind::host_call,
                                    WorkKind::barrier};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(work(i).kind, kinds[i]) << "c" << i;
    EXPECT_EQ(trace.text(work(i).scope), "layer0/attention") << "c" << i;
    EXPECT_EQ(trace.streams()[trace.commands()[i].stream].label, "decode");
    EXPECT_LE(trace.commands()[i].call_begin_ns, trace.commands()[i].call_end_ns);
    EXPECT_NE(trace.commands()[i].thread, 0u);
  }
  EXPECT_EQ(trace.text(work(0).label), "upload");
  EXPECT_EQ(trace.text(work(2).label), "keep");
  EXPECT_EQ(trace.text(work(5).label), "think");
  EXPECT_EQ(work(3).pattern, 7u);
  EXPECT_EQ(work(3).pattern_bytes, 4u);
  EXPECT_EQ(back, [&] {
    auto values = floats(64);
    for (float& v : values) v *= 2;
    return values;
  }());
}

TEST_P(WhatIsRecorded, ADispatchWithItsGridArgumentsAndKernel) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(4096, "activations");
  const Kernel scale = build(scale_source());
  const std::uint64_t offset = std::max<std::uint64_t>(256, info().binding_alignment_bytes);
  const Trace trace =
      captured([&] { stream.dispatch(scale, over(100), inout(x.range(offset, 400)), 0.5f, 100u); });
  ASSERT_EQ(trace.commands().size(), 1u);
  const TraceWork& work = trace.work_of(trace.commands()[0]);
  EXPECT_EQ(work.groups, (Dim3{2, 1, 1}));
  EXPECT_EQ(work.group_size, (Dim3{64, 1, 1}));
  const auto arguments = trace.arguments(work);
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[0].kind, ArgumentKind::buffer);
  EXPECT_EQ(arguments[0].access, Access::read_write);
  EXPECT_EQ(arguments[0].offset_bytes, offset);
  EXPECT_EQ(arguments[0].size_bytes, 400u);
  EXPECT_EQ(trace.buffers()[arguments[0].buffer].label, "activations");
  EXPECT_EQ(trace.buffers()[arguments[0].buffer].id, x.id());
  EXPECT_EQ(trace.buffers()[arguments[0].buffer].size_bytes, 4096u);
  float factor = 0;
  ASSERT_EQ(trace.value_bytes(arguments[1]).size(), sizeof factor);
  std::memcpy(&factor, trace.value_bytes(arguments[1]).data(), sizeof factor);
  EXPECT_EQ(factor, 0.5f);

  const TraceKernel& kernel = trace.kernels().at(work.kernel);
  EXPECT_EQ(kernel.name, "scale");
  EXPECT_EQ(kernel.variants.size(), 3u) << "opencl_c, glsl and host";
  const KernelSource source = scale_source();
  for (const TraceVariant& variant : kernel.variants) {
    if (variant.form == KernelForm::host) continue;
    ASSERT_TRUE(variant.blob);
    const auto bytes = trace.blob(*variant.blob);
    ASSERT_TRUE(bytes);
    const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    EXPECT_EQ(text, variant.form == KernelForm::glsl ? source.glsl : source.opencl_c);
  }
  EXPECT_EQ(trace.devices().at(kernel.device).selector, info().id);
  // The host has no binary; PoCL must not be asked for it while it works.
  const bool has_binary = !is("host") && info().driver != "Portable Computing Language";
  EXPECT_EQ(kernel.binary_hash.size(), has_binary ? 32u : 0u);
}

TEST_P(WhatIsRecorded, FourStampsInOrderOnTheClockOfTheCalls) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(64 * 4, "x");
  const Kernel slow = build(slow_source());
  const Trace trace = captured([&] {
    for (int i = 0; i < 5; ++i) stream.dispatch(slow, over(64), inout(x), 2000u);
    stream.synchronize();
  });
  std::uint64_t before = 0;
  const auto error =
      static_cast<std::int64_t>(trace.devices().at(0).clock_error_ns.value()) + 1'000'000;
  for (const TraceCommand& c : trace.commands()) {
    ASSERT_TRUE(c.queued_ns && c.submitted_ns && c.started_ns && c.ended_ns);
    EXPECT_LE(c.queued_ns, c.submitted_ns);
    EXPECT_LE(c.submitted_ns, c.started_ns);
    EXPECT_LT(c.started_ns, c.ended_ns);
    EXPECT_LE(before, c.ended_ns);
    EXPECT_GT(static_cast<std::int64_t>(c.queued_ns - c.call_begin_ns), -error);
    before = c.ended_ns;
  }
}

// Random dispatches out of few, so that most come again, in any order and between others; buffers
// go and others come in their place, labels lie in one string that changes.
TEST_P(WhatIsRecorded, WhatComesAgainInAnyOrderIsToldAsItWasGiven) {
  struct Given {
    std::string label, scope;
    BufferId buffer;
    std::uint64_t offset_bytes, size_bytes;
    std::uint32_t groups, count;
    bool by_session;
  };
  const std::uint64_t step = std::max<std::uint64_t>(256, info().binding_alignment_bytes);
  const Kernel add = build(add_source());
  const Buffer sums = device().buffer(step, "sums");
  for (const std::uint32_t kinds : {2u, 40u, 1000u}) {
    std::minstd_rand random(kinds);
    const auto below = [&](std::uint32_t end) {
      return static_cast<std::uint32_t>(random()) % end;
    };
    std::vector<Buffer> buffers;
    for (int i = 0; i < 4; ++i) buffers.push_back(device().buffer(4 * step, "x"));
    const Stream stream = device().stream();
    const GraphExecutor executor(device());
    std::vector<Given> given;
    const Trace trace = captured([&] {
      std::string label;
      for (int i = 0; i < 3000; ++i) {
        std::minstd_rand kind(1 + below(kinds));
        kind.discard(8);
        const auto of_kind = [&](std::uint32_t end) {
          return static_cast<std::uint32_t>(kind()) % end;
        };
        Buffer& buffer = buffers[of_kind(4)];
        if (below(200) == 0) {
          stream.synchronize();
          buffer = Buffer();
          buffer = device().buffer(4 * step, "x");
        }
        Given one{of_kind(3) ? "" : std::to_string(of_kind(5)),
                  of_kind(4) ? "" : "layer" + std::to_string(of_kind(3)),
                  buffer.id(),
                  of_kind(3) * step,
                  step,
                  1 + of_kind(2),
                  1 + of_kind(64),
                  below(50) == 0};
        label = one.label;
        Launch launch = over(64 * one.groups);
        launch.label = label;
        const auto dispatch = [&](auto& line) {
          const BufferRange range = buffer.range(one.offset_bytes, one.size_bytes);
          line.dispatch(add, launch, in(range), in(range), out(sums), one.count);
        };
        if (one.label.empty()) one.label = "add";
        const auto under_scope = [&](auto& line) {
          if (one.scope.empty()) return dispatch(line);
          const auto scope = line.scope(one.scope);
          dispatch(line);
        };
        if (one.by_session) {
          GraphSession session = executor.begin();
          under_scope(session);
          session.finish();
        } else {
          under_scope(stream);
        }
        given.push_back(std::move(one));
      }
      stream.synchronize();
    });
    ASSERT_EQ(trace.commands().size(), given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Given& one = given[i];
      const TraceWork& work = trace.work_of(trace.commands()[i]);
      const auto arguments = trace.arguments(work);
      ASSERT_EQ(work.kind, WorkKind::dispatch) << "c" << i;
      ASSERT_EQ(arguments.size(), 4u) << "c" << i;
      ASSERT_EQ(trace.text(work.label), one.label) << "c" << i;
      ASSERT_EQ(trace.text(work.scope), one.scope) << "c" << i;
      ASSERT_EQ(work.groups.x, one.groups) << "c" << i;
      ASSERT_EQ(trace.buffers()[arguments[0].buffer].id, one.buffer) << "c" << i;
      ASSERT_EQ(arguments[0].offset_bytes, one.offset_bytes) << "c" << i;
      ASSERT_EQ(arguments[0].size_bytes, one.size_bytes) << "c" << i;
      std::uint32_t count = 0;
      ASSERT_EQ(trace.value_bytes(arguments[3]).size(), sizeof count) << "c" << i;
      std::memcpy(&count, trace.value_bytes(arguments[3]).data(), sizeof count);
      ASSERT_EQ(count, one.count) << "c" << i;
    }
  }
}

TEST_P(WhatIsRecorded, EqualCommandsShareOneWork) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    for (int i = 0; i < 5000; ++i) stream.dispatch(increment, over(64), inout(x), 64u);
    stream.dispatch(increment, over(64), inout(x), 63u);
  });
  EXPECT_EQ(trace.commands().size(), 5001u);
  EXPECT_EQ(trace.works().size(), 2u);
  EXPECT_TRUE(std::all_of(trace.commands().begin(), trace.commands().end(),
                          [](const TraceCommand& c) { return c.has_run_times(); }));
}

TEST_P(WhatIsRecorded, WaitsBetweenStreams) {
  const Stream a = device().stream("a"), b = device().stream("b");
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const Event event = device().event("ready");
  const Trace trace = captured([&] {
    a.dispatch(increment, over(64), inout(x), 64u);  // c0
    a.record(event);
    b.wait(event);
    b.dispatch(increment, over(64), inout(x), 64u);  // c1
    b.synchronize();
  });
  ASSERT_EQ(trace.orders().size(), 1u);
  EXPECT_EQ(trace.orders()[0].command, 1u);
  EXPECT_EQ(trace.orders()[0].after, 0u);
}

TEST_P(WhatIsRecorded, AllocationsAndFreesWithinTheCapture) {
  const Stream stream = device().stream();
  const Buffer old = device().buffer(256, "old");
  const Trace trace = captured([&] {
    Buffer fresh = device().buffer(512, "fresh");
    stream.copy(fresh.range(0, 256), old);
    stream.synchronize();
    fresh = {};
  });
  const auto find = [&](std::string_view label) -> const TraceBuffer& {
    return *std::find_if(trace.buffers().begin(), trace.buffers().end(),
                         [&](const TraceBuffer& b) { return b.label == label; });
  };
  EXPECT_FALSE(find("old").allocated_ns);
  EXPECT_FALSE(find("old").freed_ns);
  ASSERT_TRUE(find("fresh").allocated_ns);
  ASSERT_TRUE(find("fresh").freed_ns);
  EXPECT_LT(*find("fresh").allocated_ns, *find("fresh").freed_ns);
}

TEST_P(WhatIsRecorded, CallsThatWaitBuildOrAllocate) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    const Buffer x = device().buffer(256, "x");
    device().kernel(scale_source());
    stream.fill(x, std::uint8_t{1});
    stream.synchronize();
  });
  std::vector<std::string> names;
  for (const TraceCall& call : trace.calls()) names.push_back(trace.text(call.name));
  for (const char* wanted : {"Device::buffer()", "Device::kernel()", "synchronize()", "fill"})
    EXPECT_EQ(std::count(names.begin(), names.end(), wanted), 1) << wanted;
}

TEST_P(WhatIsRecorded, BufferReadAndWriteAreCommandsOfTheTransferStream) {
  const Buffer x = device().buffer(1024, "x");
  const Trace trace = captured([&] {
    x.write(floats(256));
    EXPECT_EQ(x.read<float>(), floats(256));
  });
  ASSERT_EQ(trace.commands().size(), 2u);
  EXPECT_EQ(trace.streams()[trace.commands()[0].stream].label, "transfers");
  const auto written = contents_of(trace, ContentRole::written);
  ASSERT_EQ(written.size(), 1u);
  const auto bytes = trace.bytes(*written[0]);
  ASSERT_TRUE(bytes);
  const auto expected = floats(256);
  ASSERT_EQ(bytes->size(), 1024u);
  EXPECT_EQ(std::memcmp(bytes->data(), expected.data(), 1024), 0);
}

TEST_P(WhatIsRecorded, ManyThreadsAndStreamsWithoutGapsInTheNumbers) {
  constexpr int threads = 4, each = 800;
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&] {
        const Stream stream = device().stream();
        const Buffer x = device().buffer(256, "x");
        for (int i = 0; i < each; ++i) stream.dispatch(increment, over(64), inout(x), 64u);
        stream.synchronize();
        EXPECT_EQ(x.read<std::uint32_t>(), std::vector<std::uint32_t>(64, each));
      });
    for (auto& thread : all) thread.join();
  });
  EXPECT_EQ(trace.commands().size(), threads * (each + 1u));
  for (const TraceCommand& command : trace.commands()) EXPECT_NE(command.work, no_index);
}

TEST_P(WhatIsRecorded, StreamsThatEndWithinTheCaptureKeepTheirTimes) {
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    const Stream stream = device().stream("short");
    for (int i = 0; i < 10; ++i) stream.dispatch(increment, over(64), inout(x), 64u);
  });
  for (const TraceCommand& command : trace.commands()) EXPECT_TRUE(command.has_run_times());
}

TEST_P(WhatIsRecorded, APassIsARegion) {
  const GraphExecutor executor(device());
  const Buffer x = device().buffer(256, "x");
  const Kernel increment = build(increment_source());
  const Trace trace = captured([&] {
    for (int i = 0; i < 2; ++i) {
      auto pass = executor.begin();
      pass.dispatch(increment, over(64), inout(x), 64u);
      pass.finish();
    }
  });
  ASSERT_EQ(trace.regions().size(), 2u);
  EXPECT_EQ(trace.regions()[1].number, trace.regions()[0].number + 1);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LE(trace.regions()[i].begin_ns, trace.commands()[i].call_begin_ns);
    EXPECT_GE(trace.regions()[i].end_ns, trace.commands()[i].call_end_ns);
  }
}

// A capture must not be seen by who is captured: what a session reports stays the same.
TEST_P(WhatIsRecorded, APassReportsTheSameBarriersWithAndWithoutCapture) {
  const GraphExecutor executor(device());
  const Kernel step = build(step_source());
  const auto run = [&](const GraphExecutor& e) {
    const Buffer a = device().buffer(256, "a"), b = device().buffer(256, "b"),
                 c = device().buffer(256, "c");
    auto pass = e.begin();
    pass.dispatch(step, over(64), in(a), out(b), 64u);
    pass.dispatch(step, over(64), in(a), out(c), 64u);
    pass.dispatch(step, over(64), in(b), out(a), 64u);
    return pass.finish();
  };
  const PassReport without = run(executor);
  PassReport with;
  captured([&] { with = run(executor); });
  EXPECT_EQ(with.barriers, without.barriers);
  EXPECT_EQ(with.barriers_avoided, without.barriers_avoided);
  EXPECT_EQ(with.dispatches, without.dispatches);
}

INSTANTIATE_TEST_SUITE_P(Each, WhatIsRecorded, every_device(), device_name);

}  // namespace
}  // namespace reel::test
