// Launches by items and with an offset, commands as values, and several kernels of one source.
#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"
#include "reel/executor.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"
#include "reel/version.hpp"

namespace reel::test {
namespace {

void mark_items(const HostGroup& group, std::uint32_t* x) {
  group.for_each([&](const HostItem& item) { x[item.global.x] += group.size.x; });
}

// inout x: every item adds the size of its group to its uint32, and asks for no limit.
KernelSource mark_source() {
  return {.name = "mark",
          .opencl_c =
              "__kernel void mark(__global uint* x) { x[get_global_id(0)] += "
              "get_local_size(0); }",
          .glsl =
              "#version 450\n"
              "layout(local_size_x = 64) in;\n"
              "layout(set = 0, binding = 0) buffer X { uint x[]; };\n"
              "void main() { x[gl_GlobalInvocationID.x] += 64; }\n",
          .host = host_kernel<&mark_items>()};
}

// 64 for items of whole groups, the rest for those of the last, nothing past them.
Words marked(std::size_t size, std::uint32_t items) {
  Words words(size);
  for (std::uint32_t i = 0; i < items; ++i) words[i] = i / 64 == items / 64 ? items % 64 : 64;
  return words;
}

}  // namespace

TEST_P(AnyDevice, ItemsThatFillTheirGroupsRunOnEveryDevice) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(1024, "x");
  stream.dispatch(build(mark_source()), {.items = {192}, .group_size = {64}}, inout(x));
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(x), marked(256, 192)), "");
}

TEST_P(AnyDevice, ItemsThatDontFillTheLastGroupRunExactlyOrAreRefused) {
  const Stream stream = device().stream("s");
  const Kernel mark = build(mark_source());
  const Buffer x = device().buffer(1024, "x");
  const auto launch = [&] {
    stream.dispatch(mark, {.items = {150}, .group_size = {64}}, inout(x));
  };
  if (!info().takes_partial_groups) {
    expect_error(Code::unsupported, {"mark", "150", "guarded"}, launch);
    return;
  }
  launch();
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(x), marked(256, 150)), "");
}

TEST_P(AnyDevice, AGuardedKernelTakesAnyNumberOfItems) {
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(1024, "x");
  const Kernel increment = build(increment_source());
  stream.dispatch(increment, {.items = {150}, .group_size = {64}, .guarded = true}, inout(x), 150u);
  Words expected(256);
  for (std::size_t i = 0; i < 150; ++i) expected[i] = 1;
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(x), expected), "");
}

TEST_P(AnyDevice, AnOffsetMovesTheGlobalIdsOrIsRefused) {
  const Stream stream = device().stream("s");
  const Kernel mark = build(mark_source());
  const Buffer x = device().buffer(1024, "x");
  const auto launch = [&] {
    stream.dispatch(mark, {.groups = {2}, .group_size = {64}, .offset = {100, 0, 0}}, inout(x));
  };
  if (!info().takes_free_grids) {
    expect_error(Code::unsupported, {"mark", "offset"}, launch);
    return;
  }
  launch();
  Words expected(256);
  for (std::size_t i = 100; i < 228; ++i) expected[i] = 64;
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(x), expected), "");
}

TEST_P(AnyDevice, ItemsWithoutAGroupSizeRunWhereTheDeviceChooses) {
  if (!info().takes_free_grids) return;  // there the shader has one
  const Stream stream = device().stream("s");
  const Buffer x = device().buffer(1024, "x");
  stream.dispatch(build(increment_source()), {.items = {150}}, inout(x), 256u);
  Words expected(256);
  for (std::size_t i = 0; i < 150; ++i) expected[i] = 1;
  EXPECT_EQ(first_difference(stream.read_now<std::uint32_t>(x), expected), "");
}

TEST_P(AnyDevice, NoItemsAreNoWorkAndGroupsBesideItemsAreRefused) {
  const Stream stream = device().stream("s");
  const Kernel mark = build(mark_source());
  const Buffer x = device().buffer(1024, "x");
  stream.dispatch(mark, {.items = {0}, .group_size = {64}}, inout(x));
  EXPECT_EQ(stream.read_now<std::uint32_t>(x), Words(256));
  expect_error(Code::invalid_argument, {"mark", "2", "64"}, [&] {
    stream.dispatch(mark, {.groups = {2}, .items = {64}, .group_size = {64}}, inout(x));
  });
}

TEST_P(AnyDevice, PassesAndGraphsTakeItemsAsStreamsDo) {
  const GraphExecutor executor(device());
  const Kernel increment = build(increment_source());
  const Launch launch{.items = {150}, .group_size = {64}, .guarded = true};
  const Buffer x = device().buffer(1024, "x");
  Words expected(256);
  for (std::size_t i = 0; i < 150; ++i) expected[i] = 3;
  for (const bool recorded : {false, true}) {
    auto pass = recorded ? executor.begin_recorded() : executor.begin();
    pass.fill(x, 1u);
    pass.fill(x.range(600, 424), 0u);
    for (int i = 0; i < 2; ++i) pass.dispatch(increment, launch, inout(x), 150u);
    pass.finish();
    EXPECT_EQ(first_difference(x.read<std::uint32_t>(), expected), "");
  }
  Graph graph;
  const NodeId fill = graph.add_fill(x, 0u);
  graph.add_dispatch(increment, launch, {.label = "again", .after = {fill}}, inout(x), 150u);
  EXPECT_EQ(graph.node(NodeId{1}).command.label, "again");
  const GraphExec exec = graph.instantiate(device());
  for (int i = 0; i < 2; ++i) exec.launch(executor.stream());
  executor.stream().synchronize();
  for (std::size_t i = 0; i < 150; ++i) expected[i] = 1;
  EXPECT_EQ(first_difference(x.read<std::uint32_t>(), expected), "");
}

TEST_P(AnyDevice, ACommandIsEnqueuedAsAValue) {
  const Stream stream = device().stream("s");
  KernelSource source = increment_source();
  source.name = "increment_64";
  source.entry = "increment";
  source.group_size = {64};
  const Kernel increment = device().kernel(source);
  const Buffer x = device().buffer(1024, "x"), y = device().buffer(1024, "y");
  const std::array<Argument, 2> arguments{Argument(inout(x)), Argument(256u)};
  stream.enqueue({Fill::of(x, 4u), "start"});
  stream.enqueue({Dispatch{increment, {4}, unset_dim, arguments}});
  stream.enqueue({Copy{.target = y, .source = x}});
  EXPECT_EQ(stream.read_now<std::uint32_t>(y), Words(256, 5));
  const GraphExecutor executor(device());
  auto pass = executor.begin_recorded();
  pass.enqueue({Fill::of(x, 7u)});
  pass.enqueue({Barrier{}});
  pass.enqueue({Copy{.target = y, .source = x}});
  pass.finish();
  EXPECT_EQ(y.read<std::uint32_t>(), Words(256, 7));
}

TEST_P(AnyDevice, AProgramHasSeveralKernelsOfOneSource) {
  const KernelSource add = add_source(), scale = scale_source();
  const Program program =
      device().program({.name = "both", .opencl_c = add.opencl_c + scale.opencl_c});
  const Kernel first = program.kernel("add", {.glsl = add.glsl, .host = add.host});
  const Kernel second = program.kernel(
      "scale", {.label = "double", .glsl = scale.glsl, .host = scale.host, .group_size = {64}});
  EXPECT_EQ(first.name(), "add");
  EXPECT_EQ(second.name(), "double");
  const Stream stream = device().stream("s");
  const std::vector<float> ones(64, 1.0f);
  const Buffer x = device().buffer_of(ones, "x"), y = device().buffer_of(ones, "y"),
               z = device().buffer(256, "z");
  stream.dispatch(first, over(64), in(x), in(y), out(z), 64u);
  stream.dispatch(second, {.groups = {1}}, inout(z), 2.0f, 64u);
  EXPECT_EQ(stream.read_now<float>(z), std::vector<float>(64, 4.0f));
  if (!is("opencl")) return;
  expect_error(Code::build_failed, {"multiply", "add", "scale"},
               [&] { program.kernel("multiply"); });
}

TEST(Version, IsThatOfTheLibrary) {
  EXPECT_EQ(version().find_first_not_of("0123456789."), std::string_view::npos);
  EXPECT_GE(version().size(), 5u);
}

}  // namespace reel::test
