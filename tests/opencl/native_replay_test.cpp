// Native replay gives the bytes of plain enqueues, keeps arguments in flight, and says why it is
// not used where it can't be.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "kernels.hpp"
#include "opencl/opencl_device.hpp"

namespace reel::test {
namespace {

class NativeReplay : public OpenclTest {
 protected:
  void SetUp() override {
    OpenclTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!device.info().driver_version.starts_with("3.1") ||
        device.info().driver != "Portable Computing Language")
      GTEST_SKIP() << "not PoCL 3.1";
    const ScopedVariable off("REEL_OPENCL_NATIVE", "0");
    plain = open_device("opencl");
  }

  // Runs the graph that `build` makes on either device and compares `out_bytes` of its result.
  void expect_equal(const std::function<Graph(const Device&, const Buffer&)>& build,
                    std::uint64_t out_bytes, int launches = 2) {
    std::vector<std::uint8_t> results[2];
    for (int native = 0; native < 2; ++native) {
      const Device& on = native ? device : plain;
      const Buffer result = on.buffer(out_bytes, "result");
      const GraphExec exec = build(on, result).instantiate(on);
      EXPECT_EQ(exec.lowering().starts_with("native replay"), native == 1) << exec.lowering();
      const Stream stream = on.stream("s");
      for (int i = 0; i < launches; ++i) exec.launch(stream);
      stream.synchronize();
      results[native] = result.read<std::uint8_t>();
    }
    EXPECT_EQ(results[0], results[1]);
  }

  Device plain;  // the same device, with native replay off
};

TEST_F(NativeReplay, OfSharedMemoryAndBarriers) {
  expect_equal(
      [](const Device& on, const Buffer& result) {
        const Kernel reverse = on.kernel(reverse_source()), sum = on.kernel(sum_source());
        std::vector<std::uint32_t> values(640);
        for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * i + 7;
        const Buffer x = on.buffer_of(values, "x"), y = on.buffer(values.size() * 4, "y");
        Graph graph;
        graph.add_dispatch(reverse, over(640), in(x), out(y), shared(256));
        graph.add_dispatch(sum, over(640), in(y), out(result.range(0, 128)), shared(256));
        graph.add_dispatch(reverse, over(640), in(y), out(result.range(128, 2560)), shared(256));
        return graph;
      },
      128 + 2560);
}

TEST_F(NativeReplay, OfLocalArraysInTheBody) {
  expect_equal(
      [](const Device& on, const Buffer& result) {
        const Kernel kernel = on.kernel(
            {.name = "locals",
             .opencl_c =
                 "__kernel void locals(__global uint* out, uint seed, __local uint* given) {\n"
                 "  __local uint a[64]; __local ulong b[64]; __local uchar c[64];\n"
                 "  uint i = get_local_id(0);\n"
                 "  a[i] = i * seed; b[i] = i + 1000; c[i] = i; given[i] = i ^ seed;\n"
                 "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                 "  uint j = 63 - i;\n"
                 "  out[get_global_id(0)] = a[j] + (uint)b[j] * 3 + c[j] + given[j];\n"
                 "}\n"});
        Graph graph;
        graph.add_dispatch(kernel, over(640), out(result), 17u, shared(256));
        return graph;
      },
      2560);
}

TEST_F(NativeReplay, OfThreeDimensionsAndManyGroups) {
  expect_equal(
      [](const Device& on, const Buffer& result) {
        const Kernel index = on.kernel(index_source({4, 2, 2}));
        Graph graph;
        graph.add_dispatch(index, {.groups = {8, 8, 4}, .group_size = {4, 2, 2}}, out(result), 32u,
                           16u);
        return graph;
      },
      32 * 16 * 8 * 4);
  expect_equal(
      [](const Device& on, const Buffer& result) {
        const Kernel increment = on.kernel(increment_source());
        Graph graph;
        // Large enough for PoCL's threads, then small, then large again.
        graph.add_dispatch(increment, over(1 << 20), inout(result), 1u << 20);
        graph.add_dispatch(increment, over(64), inout(result.range(0, 256)), 64u);
        graph.add_dispatch(increment, over(1 << 20), inout(result), 1u << 20);
        return graph;
      },
      4 << 20);
}

TEST_F(NativeReplay, OfValuesOfEverySize) {
  expect_equal(
      [](const Device& on, const Buffer& result) {
        const Kernel kernel = on.kernel(
            {.name = "values",
             .opencl_c =
                 "typedef struct { int a; char b; double c; } Mixed;\n"
                 "__kernel void values(__global double* out, char a, ushort b, int c, long d,\n"
                 "    float e, double f, float4 g, int16 h, Mixed m) {\n"
                 "  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f;\n"
                 "  out[6] = g.x + 2 * g.w; out[7] = h.s0 + 2 * h.sf;\n"
                 "  out[8] = m.a; out[9] = m.b; out[10] = m.c;\n"
                 "}\n"});
        struct Float4 {
          float x[4];
        };
        struct Int16 {
          int x[16];
        };
        struct MixedValue {
          int a;
          char b;
          double c;
        };
        MixedValue mixed{};
        mixed.a = -9;
        mixed.b = 'x';
        mixed.c = 0.125;
        Int16 many{};
        many.x[0] = 3;
        many.x[15] = 5;
        Graph graph;
        graph.add_dispatch(kernel, {.groups = {1}, .group_size = {1}}, out(result), char{-3},
                           std::uint16_t{65000}, -7, std::int64_t{1} << 40, 0.5f, 0.25,
                           Float4{{1, 2, 3, 4}}, many, mixed);
        return graph;
      },
      88);
}

TEST_F(NativeReplay, OfCopiesFillsWritesAndReads) {
  std::vector<std::uint32_t> seen(16);
  expect_equal(
      [&](const Device&, const Buffer& result) {
        const std::vector<std::uint32_t> data{1, 2, 3, 4, 5};
        Graph graph;
        graph.add_fill(result, std::uint8_t{0xab});
        graph.add_write(result.range(8, 20), std::as_bytes(std::span(data)));
        graph.add_copy(result.range(32, 20), result.range(8, 20));
        graph.add_read(result, std::as_writable_bytes(std::span(seen)));
        return graph;
      },
      64);
  EXPECT_EQ(seen[2], 1u);
  EXPECT_EQ(seen[8], 1u);
  EXPECT_EQ(seen[0], 0xababababu);
}

TEST_F(NativeReplay, RunsHostCallsInTheirPlace) {
  const Kernel increment = device.kernel(increment_source());
  const Buffer x = device.buffer(256, "x");
  const Stream stream = device.stream("s");
  std::vector<std::uint32_t> before(64), after(64);
  std::atomic<std::uint32_t> seen = 0;
  Graph graph;
  const NodeId first = graph.add_dispatch(increment, over(64), inout(x), 64u);
  const NodeId read =
      graph.add_read(x, std::as_writable_bytes(std::span(before)), {.after = {first}});
  const NodeId call = graph.add_host_call([&] { seen = before[5]; }, {.after = {read}});
  graph.add_dispatch(increment, over(64), std::vector<Argument>{inout(x), 64u}, {.after = {call}});
  const GraphExec exec = graph.instantiate(device);
  for (std::uint32_t i = 0; i < 20; ++i) {
    exec.launch(stream);
    stream.synchronize();
    EXPECT_EQ(seen, 2 * i + 1);
  }
  EXPECT_EQ(x.read<std::uint32_t>(5, 1)[0], 40u);
}

TEST_F(NativeReplay, LaunchesInFlightKeepTheirArguments) {
  const Kernel kernel = device.kernel(
      {.name = "put_at",
       .opencl_c =
           "__kernel void put_at(__global uint* a, uint at, uint value) { a[at] = value; }"});
  constexpr std::uint32_t launches = 200;
  const Buffer a = device.buffer(launches * 4, "a"), b = device.buffer(launches * 4, "b");
  const Stream stream = device.stream("s");
  Graph graph;
  const NodeId node =
      graph.add_dispatch(kernel, {.groups = {1}, .group_size = {1}}, out(a), 0u, 0u);
  GraphExec exec = graph.instantiate(device);
  // Nothing can run until the gate is open, so all launches are in flight at once.
  std::atomic<bool> open = false;
  stream.host_call([&] {
    while (!open) std::this_thread::yield();
  });
  for (std::uint32_t i = 0; i < launches; ++i) {
    exec.set_argument(node, 0, i % 2 ? out(b) : out(a));
    exec.set_argument(node, 1, i);
    exec.set_argument(node, 2, i + 1000);
    exec.launch(stream);
  }
  exec.set_argument(node, 2, 7u);
  open = true;
  stream.synchronize();
  const auto in_a = a.read<std::uint32_t>(), in_b = b.read<std::uint32_t>();
  for (std::uint32_t i = 0; i < launches; ++i) {
    EXPECT_EQ((i % 2 ? in_b : in_a)[i], i + 1000) << i;
    EXPECT_EQ((i % 2 ? in_a : in_b)[i], 0u) << i;
  }
}

TEST_F(NativeReplay, ALaunchInFlightOutlivesItsExecAndBuffers) {
  const Kernel increment = device.kernel(increment_source());
  const Stream stream = device.stream("s");
  const Buffer result = device.buffer(256, "result");
  std::atomic<bool> open = false;
  stream.host_call([&] {
    while (!open) std::this_thread::yield();
  });
  {
    const Buffer temporary = device.buffer(256, "temporary"), other = device.buffer(256, "other");
    Graph graph;
    const NodeId first = graph.add_dispatch(increment, over(64), inout(temporary), 64u);
    graph.add_copy(result, temporary, {.after = {first}});
    GraphExec exec = graph.instantiate(device);
    exec.bind("temporary", other);
    exec.launch(stream);
  }
  open = true;
  stream.synchronize();
  EXPECT_EQ(result.read<std::uint32_t>(), std::vector<std::uint32_t>(64, 1));
}

TEST_F(NativeReplay, InstantiatingChangesNoBuffer) {
  const Kernel increment = device.kernel(increment_source());
  const Buffer x = device.buffer(256, "x");
  Graph graph;
  for (int i = 0; i < 10; ++i) graph.add_dispatch(increment, over(64), inout(x), 64u);
  const GraphExec exec = graph.instantiate(device);
  EXPECT_EQ(x.read<std::uint32_t>(), std::vector<std::uint32_t>(64, 0));
}

// As a thread does that is held up while it is measured.
TEST_F(NativeReplay, IsNotGivenUpForOneRunThatTookLong) {
  const Kernel kernel = device.kernel(
      {.name = "turns",
       .opencl_c = "__kernel void turns(__global uint* a, __global const uint* count) {\n"
                   "  uint i = get_global_id(0), x = a[i];\n"
                   "  for (uint k = 0; k < count[0]; ++k) x = x * 1664525 + 1013904223;\n"
                   "  a[i] = x;\n}"});
  const Buffer a = device.buffer(1024, "a"), count = device.buffer(4, "count");
  Graph graph;
  graph.add_dispatch(kernel, over(256), inout(a), in(count));
  const GraphExec exec = graph.instantiate(device);
  const Stream stream = device.stream("s");
  for (const std::uint32_t turns : {20'000u, 1u}) {
    count.write(std::vector<std::uint32_t>{turns});
    exec.launch(stream);  // the first one is measured
    stream.synchronize();
  }
  EXPECT_NE(exec.lowering().find("native replay of 1 steps, 0 left"), std::string::npos)
      << exec.lowering();
}

TEST_F(NativeReplay, TellsKernelsOfOneNameApart) {
  const auto kernel = [&](const char* operation) {
    return device.kernel({.name = "same_name",
                          .opencl_c = std::string("__kernel void same_name(__global uint* a) { ") +
                                      "a[get_global_id(0)] " + operation + " 3; }"});
  };
  const Buffer a = device.buffer(256, "a"), b = device.buffer(256, "b");
  const Stream stream = device.stream("s");
  std::vector<GraphExec> execs;
  for (const char* operation : {"+=", "-=", "^="}) {
    Graph graph;
    graph.add_dispatch(kernel(operation), over(64), inout(a));
    execs.push_back(graph.instantiate(device));
    EXPECT_TRUE(execs.back().lowering().starts_with("native replay")) << execs.back().lowering();
  }
  execs[0].launch(stream);
  execs[0].launch(stream);
  execs[1].launch(stream);
  execs[2].launch(stream);
  stream.synchronize();
  EXPECT_EQ(a.read<std::uint32_t>(), std::vector<std::uint32_t>(64, (3 + 3 - 3) ^ 3));
}

TEST_F(NativeReplay, GivesTheReasonWhereItIsNotUsed) {
  const Buffer a = device.buffer(256, "a");
  const auto lowering = [&](const KernelSource& source) {
    Graph graph;
    graph.add_dispatch(device.kernel(source), over(64), inout(a));
    return graph.instantiate(device).lowering();
  };
  EXPECT_NE(lowering({.name = "talks",
                      .opencl_c = "__kernel void talks(__global int* a) { if (a[0] == 77) "
                                  "printf(\"%d\", a[0]); }"})
                .find("'talks' may print"),
            std::string::npos);
  EXPECT_NE(lowering({.name = "rough",
                      .opencl_c = "__kernel void rough(__global float* a) { a[0] *= 0.5f; }",
                      .options = "-cl-denorms-are-zero"})
                .find("-cl-denorms-are-zero"),
            std::string::npos);
}

}  // namespace
}  // namespace reel::test
