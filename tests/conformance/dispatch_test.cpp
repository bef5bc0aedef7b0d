// What a dispatch computes: arguments, grids, groups, shared memory, ranges as bindings.
#include <array>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"

namespace reel::test {

TEST_P(AnyDevice, ADispatchRunsTheKernelOverEveryItem) {
  const Stream stream = device().stream("s");
  const Kernel add = build(add_source());
  for (const std::uint32_t n : {1u, 3u, 63u, 64u, 65u, 4095u, 65537u}) {
    std::vector<float> x(n), y(n), sum(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(i);
      y[i] = 0.5f * static_cast<float>(i % 100);
      sum[i] = x[i] + y[i];
    }
    const Buffer bx = device().buffer_of(x, "x"), by = device().buffer_of(y, "y");
    const Buffer bz = device().buffer(n * 4 + 4, "z");  // one element more, which must stay
    stream.dispatch(add, over(n), in(bx), in(by), out(bz), n);
    sum.push_back(0);
    ASSERT_EQ(first_difference(stream.read_now<float>(bz), sum), "") << n << " items";
  }
}

TEST_P(AnyDevice, AValueArgumentIsTakenWhenTheDispatchIsGiven) {
  const Stream stream = device().stream("s");
  const Kernel scale = build(scale_source());
  const Buffer x = device().buffer_of(std::vector<float>(100, 1), "x");
  float factor = 3;
  std::uint32_t n = 50;
  stream.dispatch(scale, over(n), inout(x), factor, n);
  factor = 7;
  n = 100;
  stream.dispatch(scale, over(n), x, factor, n);
  std::vector<float> wanted(50, 21);
  wanted.resize(100, 7);
  EXPECT_EQ(stream.read_now<float>(x), wanted);
}

TEST_P(AnyDevice, ArgumentsMayComeAsAList) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer_of(std::vector<float>(8, 2), "x");
  std::vector<Argument> arguments{Argument(inout(x)), Argument(0.5f), Argument(8u)};
  stream.dispatch(build(scale_source()), over(8), std::span<const Argument>(arguments));
  arguments.clear();
  EXPECT_EQ(stream.read_now<float>(x), std::vector<float>(8, 1));
}

TEST_P(AnyDevice, AStructArgumentArrivesWhole) {
  const Stream stream = device().stream("s");
  const Buffer target = device().buffer(16 * 4, "target");
  const Mixed m{{1.5f, -2.5f, 3.25f, 4}, -7, 4000000, 0.125f, 1 << 20};
  stream.dispatch(build(mixed_source()), {.group_size = {1}}, out(target), std::uint32_t{4}, m);
  const std::vector<float> wanted{0,  0,       0,      0,       1.5f, -2.5f, 3.25f, 4,
                                  -7, 4000000, 0.125f, 1 << 20, 0,    0,     0,     0};
  EXPECT_EQ(stream.read_now<float>(target), wanted);
}

TEST_P(AnyDevice, GridsHaveThreeDimensionsAndGroupsOfAnySize) {
  const Stream stream = device().stream("s");
  struct Case {
    Dim3 groups, size;
  };
  for (const auto& [groups, size] :
       {Case{{4, 3, 2}, {3, 5, 2}}, Case{{1, 1, 7}, {1, 1, 3}}, Case{{5, 7, 1}, {7, 1, 1}},
        Case{{1, 9, 1}, {2, 3, 5}}, Case{{11, 13, 3}, {1, 1, 1}}}) {
    const std::uint32_t width = groups.x * size.x, height = groups.y * size.y,
                        depth = groups.z * size.z;
    const Buffer target = device().buffer(4ull * width * height * depth, "target");
    stream.dispatch(build(index_source(size)), {.groups = groups, .group_size = size}, out(target),
                    width, height);
    Words wanted;
    for (std::uint32_t z = 0; z < depth; ++z)
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) wanted.push_back(x + 1000 * y + 1000000 * z);
    ASSERT_EQ(first_difference(stream.read_now<std::uint32_t>(target), wanted), "")
        << groups.x << "," << groups.y << "," << groups.z << " groups of " << size.x << ","
        << size.y << "," << size.z;
  }
}

TEST_P(AnyDevice, ZeroGroupsRunNothing) {
  const Stream stream = device().stream("s");
  const Kernel count = build(count_source());
  const Buffer counter = device().buffer(4, "counter");
  for (const Dim3 groups : {Dim3{0}, Dim3{1, 0}, Dim3{1, 1, 0}, Dim3{0, 0, 0}})
    stream.dispatch(count, {.groups = groups, .group_size = {64}}, inout(counter), 1u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(counter), Words{0});
}

TEST_P(AnyDevice, EveryItemOfEveryGroupRunsOnce) {
  const Stream stream = device().stream("s");
  const Buffer counter = device().buffer(4, "counter");
  stream.dispatch(build(count_source()), {.groups = {7, 5, 3}, .group_size = {64}}, inout(counter),
                  2u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(counter), Words{7 * 5 * 3 * 64 * 2});
}

TEST_P(AnyDevice, ItemsOfAGroupMeetAtABarrierAndShareMemory) {
  const Stream stream = device().stream("s");
  const Words x = counting(64 * 33, 100);
  const Buffer bx = device().buffer_of(x, "x"), by = device().buffer(64 * 33 * 4, "y");
  stream.dispatch(build(reverse_source()), over(64 * 33), in(bx), out(by), shared(256));
  Words wanted(x.size());
  for (std::uint32_t i = 0; i < x.size(); ++i) wanted[i] = x[i / 64 * 64 + 63 - i % 64];
  EXPECT_EQ(stream.read_now<std::uint32_t>(by), wanted);
}

TEST_P(AnyDevice, AGroupReducesThroughManyBarriers) {
  const Stream stream = device().stream("s");
  const Words x = counting(64 * 100);
  const Buffer bx = device().buffer_of(x, "x"), sums = device().buffer(100 * 4, "sums");
  stream.dispatch(build(sum_source()), over(64 * 100), in(bx), out(sums), shared(256));
  Words wanted(100);
  for (std::uint32_t i = 0; i < x.size(); ++i) wanted[i / 64] += x[i];
  EXPECT_EQ(stream.read_now<std::uint32_t>(sums), wanted);
}

TEST_P(AnyDevice, ARangeOfABufferIsABinding) {
  const Stream stream = device().stream("s");
  const std::uint64_t alignment = info().binding_alignment_bytes;
  ASSERT_GE(alignment, 1u);
  const std::uint64_t first = (alignment * 4 + 3) / 4;  // in elements, a multiple of both
  const Buffer buffer = device().buffer(4 * (first + 100 + 10), "kv");
  stream.dispatch(build(increment_source()), over(128), buffer.elements<std::uint32_t>(first, 100),
                  100u);
  Words wanted(first + 110);
  std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(first), 100, 1);
  EXPECT_EQ(stream.read_now<std::uint32_t>(buffer), wanted);
}

TEST_P(AnyDevice, RangesOfOneBufferAreSeparateBindings) {
  const Stream stream = device().stream("s");
  const std::uint64_t step = std::max<std::uint64_t>(info().binding_alignment_bytes, 4) * 64;
  const Buffer buffer = device().buffer(3 * step, "kv");
  const auto n = static_cast<std::uint32_t>(step / 4);
  stream.fill(buffer.range(0, step), 1.5f);
  stream.fill(buffer.range(step, step), 2.0f);
  stream.dispatch(build(add_source()), over(n), in(buffer.range(0, step)),
                  in(buffer.range(step, step)), out(buffer.range(2 * step, step)), n);
  EXPECT_EQ(stream.read_now<float>(buffer.range(2 * step, step)), std::vector<float>(n, 3.5f));
  EXPECT_EQ(stream.read_now<float>(buffer.range(step, step)), std::vector<float>(n, 2.0f));
}

TEST_P(AnyDevice, AMisalignedBindingIsRefusedWithOffsetAndAlignment) {
  const std::uint64_t alignment = info().binding_alignment_bytes;
  if (alignment == 1) return;  // any offset will do there, and ARangeOfABufferIsABinding uses it
  const Stream stream = device().stream("s");
  const Buffer buffer = device().buffer(4 * alignment, "kv");
  expect_error(Code::invalid_argument,
               {"kv", std::to_string(alignment + 1), std::to_string(alignment)}, [&] {
                 stream.dispatch(build(increment_source()), over(1), buffer.range(alignment + 1, 4),
                                 1u);
               });
}

TEST_P(AnyDevice, AKernelsOwnGroupSizeIsUsedWhereTheLaunchGivesNone) {
  const Stream stream = device().stream("s");
  KernelSource source = count_source();
  source.group_size = {64};
  const Kernel count = device().kernel(source);
  EXPECT_EQ(count.group_size(), Dim3(64));
  const Buffer counter = device().buffer(4, "counter");
  stream.dispatch(count, {.groups = {3}}, inout(counter), 1u);
  EXPECT_EQ(stream.read_now<std::uint32_t>(counter), Words{3 * 64});
}

TEST_P(AnyDevice, AKernelTellsItsNameSourceAndParameters) {
  const Kernel add = build(add_source());
  EXPECT_EQ(add.name(), "add");
  EXPECT_EQ(add.source().opencl_c, add_source().opencl_c);
  EXPECT_NE(add.id(), build(scale_source()).id());
  const auto& parameters = add.parameters();
  ASSERT_EQ(parameters.size(), 4u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(parameters[i].kind, ArgumentKind::buffer) << i;
  EXPECT_EQ(parameters[0].access, Access::read);
  EXPECT_TRUE(writes(parameters[2].access));
  EXPECT_EQ(parameters[3].kind, ArgumentKind::value);
  EXPECT_EQ(parameters[3].size_bytes, 4u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(parameters[i].element, ElementType::f32) << i;
  EXPECT_EQ(parameters[3].element, ElementType::u32);
}

void takes_many(const HostGroup&, const std::int8_t*, std::span<std::uint64_t>, double, char,
                const Dim3*, SharedSpan<float>) {}

TEST(HostKernels, TellTheElementsOfTheirParameters) {
  const std::vector<Parameter> p = host_kernel<&takes_many>().parameters;
  ASSERT_EQ(p.size(), 6u);
  EXPECT_EQ(p[0].element, ElementType::i8);
  EXPECT_EQ(p[1].element, ElementType::u64);
  EXPECT_EQ(p[2].element, ElementType::f64);
  EXPECT_EQ(p[3].element, std::is_signed_v<char> ? ElementType::i8 : ElementType::u8);
  EXPECT_EQ(p[4].element, std::nullopt) << "a struct";
  EXPECT_EQ(p[5].element, std::nullopt) << "shared memory";
}

TEST_P(AnyDevice, TheSameBufferMayBeBoundTwice) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer_of(std::vector<float>(64, 2), "x");
  stream.dispatch(build(add_source()), over(64), in(x), in(x), out(x), 64u);
  EXPECT_EQ(stream.read_now<float>(x), std::vector<float>(64, 4));
}

TEST_P(AnyDevice, AnIndirectDispatchTakesItsGridFromTheDeviceOrSaysItCant) {
  const Stream stream = device().stream("s");
  const Kernel count = build(count_source());
  const Buffer counter = device().buffer(4, "counter");
  const Buffer grid = device().buffer_of(Words{9, 9, 9, 9, 3, 2, 5, 9}, "grid");
  const auto dispatch = [&] {
    stream.dispatch_indirect(count, grid.elements<std::uint32_t>(4, 3), {.group_size = {64}},
                             inout(counter), 1u);
  };
  if (!info().can_dispatch_indirect) {
    expect_error(Code::unsupported, {"indirect"}, dispatch);
    return;
  }
  dispatch();
  EXPECT_EQ(stream.read_now<std::uint32_t>(counter), Words{3 * 2 * 5 * 64});
  // The grid counts when the device gets there, not when the call is made.
  stream.write(grid.elements<std::uint32_t>(4, 3), Words{1, 1, 1});
  dispatch();
  stream.write(grid.elements<std::uint32_t>(4, 3), Words{0, 1, 1});
  dispatch();
  EXPECT_EQ(stream.read_now<std::uint32_t>(counter), Words{(3 * 2 * 5 + 1) * 64});
}

TEST_P(AnyDevice, AWordOfMemorySkipsADispatchOrTheDeviceSaysItCant) {
  const Stream stream = device().stream("s");
  const Kernel count = build(count_source());
  const Buffer counter = device().buffer(4, "counter");
  const Buffer flags = device().buffer_of(Words{0, 7, 0x80000000}, "flags");
  const std::vector<Argument> arguments{inout(counter), 1u};
  const auto dispatch = [&](std::uint64_t word, bool is_inverted) {
    return Command{Dispatch{.kernel = count,
                            .groups = {1},
                            .group_size = {64},
                            .arguments = arguments,
                            .predicate = {flags.range(4 * word, 4), is_inverted}}};
  };
  if (!info().can_dispatch_conditionally) {
    expect_error(Code::unsupported, {"conditionally"}, [&] { stream.enqueue(dispatch(0, false)); });
    return;
  }
  const auto counted = [&](const auto& give) {
    stream.fill(counter, 0u);
    give();
    return stream.read_now<std::uint32_t>(counter)[0] / 64;
  };
  for (const std::uint64_t word : {0u, 1u, 2u}) {
    EXPECT_EQ(counted([&] { stream.enqueue(dispatch(word, false)); }), word == 0 ? 0u : 1u);
    EXPECT_EQ(counted([&] { stream.enqueue(dispatch(word, true)); }), word == 0 ? 1u : 0u);
  }
  // The word counts when the device gets there, and a command that follows may write it.
  EXPECT_EQ(counted([&] {
              stream.write(flags.range(0, 4), Words{1});
              stream.enqueue(dispatch(0, false));
              stream.fill(flags.range(0, 4), 0u);
              stream.enqueue(dispatch(0, false));
              stream.enqueue(dispatch(0, true));
              stream.fill(flags.range(0, 4), 9u);
            }),
            2u);
  // In a graph it is asked in each launch.
  Graph graph;
  graph.add(dispatch(0, false));
  graph.add(dispatch(1, true));
  GraphExec exec = graph.instantiate(device());
  for (const std::uint32_t value : {0u, 3u})
    EXPECT_EQ(counted([&] {
                stream.write(flags.range(0, 8), Words{value, value});
                exec.launch(stream);
              }),
              1u);
  stream.write(flags.range(0, 8), Words{5, 0});
  EXPECT_EQ(counted([&] { exec.launch(stream); }), 2u);
  stream.write(flags.range(0, 8), Words{0, 5});
  EXPECT_EQ(counted([&] { exec.launch(stream); }), 0u);
}

TEST_P(AnyDevice, APredicateIsOneWordOfABuffer) {
  const Stream stream = device().stream("s");
  const Kernel count = build(count_source());
  const Buffer counter = device().buffer(4, "counter"), flags = device().buffer(16, "flags");
  const std::vector<Argument> arguments{inout(counter), 1u};
  const auto dispatch = [&](const BufferRange& word) {
    stream.enqueue({Dispatch{.kernel = count,
                             .groups = {1},
                             .group_size = {64},
                             .arguments = arguments,
                             .predicate = {word, false}}});
  };
  expect_error(Code::invalid_argument, {"flags", "4 bytes"}, [&] { dispatch(flags.range(0, 8)); });
  expect_error(Code::invalid_argument, {"flags", "multiple of 4"},
               [&] { dispatch(flags.range(2, 4)); });
  expect_error(Code::invalid_argument, {"flags", "ends past"},
               [&] { dispatch(flags.range(16, 4)); });
}

TEST_P(AnyDevice, AnIndirectGridOutsideItsBufferIsRefused) {
  if (!info().can_dispatch_indirect) return;  // refused for another reason, tested above
  const Stream stream = device().stream("s");
  const Kernel count = build(count_source());
  const Buffer counter = device().buffer(4, "counter"), grid = device().buffer(16, "grid");
  expect_error(Code::invalid_argument, {"grid", "12"}, [&] {
    stream.dispatch_indirect(count, grid.range(0, 8), {.group_size = {64}}, inout(counter), 1u);
  });
  expect_error(Code::invalid_argument, {}, [&] {
    stream.dispatch_indirect(count, BufferRange{}, {.group_size = {64}}, inout(counter), 1u);
  });
}

TEST_P(CompilingDevice, DefinesAndConstantsReachTheCompiler) {
  const Stream stream = device().stream("s");
  const Kernel kernel = device().kernel(
      {.name = "constants",
       .opencl_c = "__kernel void constants(__global uint* x) { x[0] = FIRST; x[1] = 5; }",
       .glsl = "#version 450\n"
               "layout(local_size_x = 1) in;\n"
               "layout(constant_id = 3) const uint second = 1;\n"
               "layout(set = 0, binding = 0) buffer X { uint x[]; };\n"
               "void main() { x[0] = FIRST; x[1] = second; }\n",
       .defines = {{"FIRST", "41"}},
       .constants = {{.id = 3, .value = 5}}});
  const Buffer x = device().buffer(8, "x");
  stream.dispatch(kernel, {.group_size = {1}}, inout(x));
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), (Words{41, 5}));
}

}  // namespace reel::test
