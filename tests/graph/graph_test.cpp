#include "reel/graph.hpp"

#include <array>

#include "base/handles.hpp"
#include "graph/fixtures.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Graph, StartsEmpty) {
  const Graph graph;
  EXPECT_TRUE(graph.empty());
  EXPECT_THAT(graph.topological_order(), IsEmpty());
  EXPECT_THAT(graph.levels(), IsEmpty());
  EXPECT_THAT(graph.critical_path().nodes, IsEmpty());
  EXPECT_EQ(to_string(graph), "Graph(0 nodes, 0 dependencies)");
}

TEST(Graph, CopiesWhatANodeBorrows) {
  Graph graph;
  {
    const Buffer x = make_buffer("x", 4);
    std::string label = "a label too long for the small string optimisation";
    std::vector<std::byte> data(4, std::byte{7});
    const std::vector<Argument> arguments{in(x), 5};
    graph.add_write(x, data, {.label = label});
    graph.add_dispatch(make_kernel("k"), one_group, std::span<const Argument>(arguments),
                       {.label = label});
    label.assign(label.size(), '?');
    data.assign(4, std::byte{0});
  }  // the buffer, the kernel and all borrowed memory are gone here
  const Graph copy = graph;
  graph = Graph();
  const auto& write = std::get<Write>(copy.node(node(0)).command.work);
  EXPECT_THAT(write.data, testing::Each(std::byte{7}));
  EXPECT_EQ(write.target.buffer->label, "x");
  const auto& dispatch = std::get<Dispatch>(copy.node(node(1)).command.work);
  ASSERT_EQ(dispatch.arguments.size(), 2u);
  EXPECT_TRUE(dispatch.arguments[1] == Argument(5));
  EXPECT_EQ(dispatch.kernel->source.name, "k");
  EXPECT_EQ(copy.node(node(1)).command.label, "a label too long for the small string optimisation");
}

TEST(Graph, ReplacesACommandInPlace) {
  const Buffer x = make_buffer("x"), y = make_buffer("y");
  const Kernel kernel = make_kernel("k");
  resource_of(kernel)->group_size = {32};
  Graph graph;
  graph.add_dispatch(kernel, {.groups = {1}}, inout(x), 1);
  graph.add_fill(x, std::uint8_t{0}, {.after = {node(0)}});
  const Graph before = graph;

  // The new command borrows from the node it replaces.
  Command command = graph.node(node(0)).command;
  std::get<Dispatch>(command.work).groups = {7};
  std::get<Dispatch>(command.work).group_size = unset_dim;
  graph.replace(node(0), command);
  const auto& dispatch = std::get<Dispatch>(graph.node(node(0)).command.work);
  EXPECT_EQ(dispatch.groups, Dim3(7));
  EXPECT_EQ(dispatch.group_size, Dim3(32));
  EXPECT_EQ(dispatch.arguments.size(), 2u);
  EXPECT_EQ(graph.node(node(0)).command.label, "k");
  EXPECT_EQ(graph.dependencies().size(), 1u);
  EXPECT_EQ(Graph::diff(before, graph).size(), 1u) << "the copy keeps the old one";

  EXPECT_THAT(refusal([&] { graph.replace(node(1), {Fill{y, 0, 3}}); }), HasSubstr("pattern"));
  graph.add_child(before, {.label = "c"});
  EXPECT_EQ(refusal([&] { graph.replace(node(2), {Fill{y}}); }),
            "n2 'c' (graph of 2) is a child graph and can't be replaced by a command.");
}

TEST(Graph, DescribesNodesForPeople) {
  const Buffer x = make_buffer("x");
  Graph graph;
  graph.add_dispatch(make_kernel("matmul"), {.groups = {1}, .group_size = {1}, .label = "q_proj"});
  graph.add_dispatch(make_kernel("norm"), one_group);
  graph.add_fill(x, std::uint8_t{0});
  graph.add_child(graph, {.label = "layer"});
  EXPECT_EQ(graph.describe(node(0)), "n0 'q_proj' (dispatch matmul)");
  EXPECT_EQ(graph.describe(node(1)), "n1 'norm' (dispatch)");
  EXPECT_EQ(graph.describe(node(2)), "n2 (fill)");
  EXPECT_EQ(graph.describe(node(3)), "n3 'layer' (graph of 3)");
  EXPECT_EQ(refusal([&] { graph.describe(node(9)); }),
            "There is no node n9: the graph has 4 nodes.");
  graph.add_dependency(node(0), node(2));
  EXPECT_EQ(to_string(graph), "Graph(4 nodes, 1 dependency)");
}

TEST(Graph, RefusesRangesOutsideTheirBuffer) {
  const Buffer kv = make_buffer("kv", 80);
  EXPECT_EQ(refusal([&] { kv.range(64, 32); }),
            "Range (offset 64, 32 bytes) ends past buffer 'kv' (80 bytes).");
  // Their sum is 15 in 64 bits.
  EXPECT_THAT(refusal([&] { kv.range(16, ~std::uint64_t{0}); }), HasSubstr("ends past"));
  EXPECT_THAT(refusal([&] { kv.elements<float>(std::uint64_t{1} << 62, 4); }),
              HasSubstr("ends past"));
  EXPECT_THAT(refusal([&] { kv.elements<float>(0, std::uint64_t{1} << 62); }),
              HasSubstr("ends past"));
  EXPECT_EQ(kv.range(80, 0).size_bytes, 0u);
  EXPECT_THAT(refusal([] { in(Buffer()); }), HasSubstr("handle is empty"));

  // Made by hand, so that only the graph can see it.
  BufferRange range = kv;
  range.offset_bytes = 64;
  range.size_bytes = 32;
  Graph graph;
  EXPECT_EQ(refusal([&] { graph.add_fill(range, std::uint8_t{0}); }),
            "Fill target (offset 64, 32 bytes) ends past buffer 'kv' (80 bytes).");
  EXPECT_EQ(refusal([&] { graph.add_fill({}, std::uint8_t{0}, {.label = "zero"}); }),
            "Fill 'zero' target names no buffer.");
  EXPECT_TRUE(graph.empty());
}

TEST(Graph, RefusesFreedBuffers) {
  const Buffer x = make_buffer("x");
  const BufferRange range = x;
  resource_of(x)->freed = true;
  Graph graph;
  EXPECT_EQ(refusal([&] { in(x); }), "Buffer 'x' was freed; no range of it can be used.");
  EXPECT_EQ(refusal([&] { graph.add_fill(range, std::uint8_t{0}); }),
            "Fill target names buffer 'x', which was freed.");
}

TEST(Graph, RefusesCopiesThatDontFit) {
  const Buffer x = make_buffer("x", 64), y = make_buffer("y", 32);
  Graph graph;
  EXPECT_EQ(refusal([&] { graph.add_copy(y, x); }),
            "Copy from 'x' (offset 0, 64 bytes) to 'y' (offset 0, 32 bytes): the sizes must be "
            "equal.");
  EXPECT_EQ(refusal([&] { graph.add_copy(x.range(16, 32), x.range(0, 32), {.label = "up"}); }),
            "Copy 'up' source (offset 0, 32 bytes) and target (offset 16, 32 bytes) overlap in "
            "buffer 'x'.");
  graph.add_copy(x.range(32, 32), x.range(0, 32));  // neighbours don't overlap
  graph.add_copy(x.range(8, 0), x.range(8, 0));     // nor does nothing
  EXPECT_EQ(graph.node_count(), 2u);
}

TEST(Graph, RefusesPatternsAndHostMemoryThatDontFit) {
  const Buffer x = make_buffer("x", 6);
  Graph graph;
  EXPECT_EQ(refusal([&] {
              graph.add({Fill{x, 0, 3}});
            }),
            "Fill has a pattern of 3 bytes; allowed are 1, 2 and 4.");
  EXPECT_EQ(refusal([&] {
              graph.add({Fill{x, 0, 4}});
            }),
            "Fill of 'x' (offset 0, 6 bytes): the size must be a multiple of the pattern's 4 "
            "bytes.");
  graph.add({Fill{x, 0, 2}});
  std::array<std::byte, 4> memory{};
  EXPECT_EQ(refusal([&] { graph.add_write(x, memory); }),
            "Write takes 4 bytes of host memory and 'x' (offset 0, 6 bytes); the sizes must be "
            "equal.");
  EXPECT_EQ(refusal([&] { graph.add_read(x, memory); }),
            "Read fills 4 bytes of host memory and 'x' (offset 0, 6 bytes); the sizes must be "
            "equal.");
  EXPECT_THAT(refusal([&] {
                graph.add_read(x, {static_cast<std::byte*>(nullptr), 6});
              }),
              HasSubstr("null address"));
  EXPECT_EQ(refusal([&] { graph.add_host_call({}, {.label = "log"}); }),
            "Host call 'log' has no function to call.");
}

TEST(Graph, TakesTheGroupSizeFromTheKernel) {
  const Kernel free = make_kernel("free");
  Graph graph;
  EXPECT_EQ(refusal([&] { graph.add_dispatch(free, {.groups = {1}}); }),
            "Dispatch 'free' has no group size: neither the launch nor kernel 'free' gives one.");
  const Kernel fixed = make_kernel("fixed");
  resource_of(fixed)->group_size = {8, 8};
  resource_of(fixed)->group_size_fixed = true;
  resource_of(fixed)->max_group_items = 64;
  graph.add_dispatch(fixed, {.groups = {1}});
  EXPECT_EQ(std::get<Dispatch>(graph.node(node(0)).command.work).group_size, Dim3(8, 8));
  EXPECT_EQ(refusal([&] { graph.add_dispatch(fixed, {.groups = {1}, .group_size = {64}}); }),
            "Dispatch 'fixed' has group size (64, 1, 1), but kernel 'fixed' was built for "
            "(8, 8, 1).");
  EXPECT_EQ(refusal([&] {
              graph.add_dispatch(free, {.groups = {1}, .group_size = {4, 0}});
            }),
            "Dispatch 'free' has group size (4, 0, 1); each dimension must be at least 1.");
  resource_of(free)->max_group_items = 256;
  EXPECT_THAT(refusal([&] {
                graph.add_dispatch(free, {.groups = {1}, .group_size = {~0u, ~0u, ~0u}});
              }),
              HasSubstr("at most 256 items"));
  EXPECT_EQ(refusal([&] { graph.add_dispatch(Kernel(), one_group); }),
            "dispatch() is given an empty Kernel.");
}

TEST(Graph, ChecksArgumentsAgainstTheKernel) {
  const Buffer x = make_buffer("x");
  const Kernel scale = make_kernel(
      "scale", {buffer_parameter("data"), value_parameter(4, "by"), value_parameter(0)});
  Graph graph;
  graph.add_dispatch(scale, one_group, inout(x), 2.0f, 7ull);
  EXPECT_EQ(refusal([&] { graph.add_dispatch(scale, one_group, x, 1.0f); }),
            "Dispatch 'scale' has 2 arguments, but kernel 'scale' takes 3 (buffer data, value by, "
            "value).");
  EXPECT_THAT(refusal([&] { graph.add_dispatch(scale, one_group, x, 1.0f, 1, 1); }),
              HasSubstr("has 4 arguments"));
  EXPECT_EQ(refusal([&] { graph.add_dispatch(scale, one_group, 1, 1.0f, 1); }),
            "Dispatch 'scale' argument 0 (data) is a value, but the kernel takes a buffer there.");
  EXPECT_EQ(refusal([&] { graph.add_dispatch(scale, one_group, x, 1.0, 1); }),
            "Dispatch 'scale' argument 1 (by) has 8 bytes, but the kernel takes 4 there.");
  EXPECT_EQ(refusal([&] { graph.add_dispatch(scale, one_group, in(BufferRange()), 1.0f, 1); }),
            "Dispatch 'scale' argument 0 (data) names no buffer.");
}

TEST(Graph, SkipsSharedMemoryOnlyForKernelsThatNeverHaveIt) {
  const Buffer x = make_buffer("x");
  Graph graph;
  const Kernel shader = make_kernel("shader", {buffer_parameter(), value_parameter(4)});
  graph.add_dispatch(shader, one_group, x, shared(256), 1);
  EXPECT_EQ(refusal([&] { graph.add_dispatch(shader, one_group, x, shared(256)); }),
            "Dispatch 'shader' has 1 arguments beside shared memory, but kernel 'shader' takes 2 "
            "(buffer, value).");
  const Kernel opencl = make_kernel("opencl", {buffer_parameter(), shared_parameter()});
  graph.add_dispatch(opencl, one_group, x, shared(256));
  EXPECT_EQ(refusal([&] { graph.add_dispatch(opencl, one_group, shared(256), x); }),
            "Dispatch 'opencl' argument 0 is shared memory, but the kernel takes a buffer "
            "there.");
}

TEST(Graph, MatchesByKindWhereReflectionDoesntTellTheMix) {
  const Buffer x = make_buffer("x");
  const Kernel shader =
      make_kernel("shader", {buffer_parameter(), buffer_parameter(), value_parameter(4)});
  Graph graph;
  EXPECT_THAT(refusal([&] { graph.add_dispatch(shader, one_group, x, 1, x); }),
              HasSubstr("argument 1 is a value"));
  resource_of(shader)->parameters_by_kind = true;
  graph.add_dispatch(shader, one_group, x, 1, x);
  graph.add_dispatch(shader, one_group, 1, shared(16), x, x);
  EXPECT_THAT(refusal([&] { graph.add_dispatch(shader, one_group, x, 1, 1); }),
              HasSubstr("kernel 'shader' takes 3"));
  EXPECT_THAT(refusal([&] { graph.add_dispatch(shader, one_group, x, 1.0, x); }),
              HasSubstr("argument 1 has 8 bytes"));
}

TEST(Graph, ChecksIndirectGroupCounts) {
  const Buffer counts = make_buffer("counts", 16);
  const Kernel kernel = make_kernel("k");
  const auto indirect = [&](BufferRange range) {
    Graph().add({Dispatch{kernel, {}, {64}, {}, range}});
  };
  indirect(counts.range(4, 12));
  EXPECT_THAT(refusal([&] { indirect(counts.range(0, 8)); }), HasSubstr("they take 12 bytes"));
  EXPECT_THAT(refusal([&] { indirect(counts.range(2, 12)); }), HasSubstr("multiple of 4"));
}

// --- dependencies ------------------------------------------------------------------------------

Graph labelled_nodes(const std::vector<const char*>& labels) {
  Graph graph;
  for (const char* label : labels)
    graph.add_fill(make_buffer("b"), std::uint8_t{0}, {.label = label});
  return graph;
}

TEST(GraphDependencies, NameTheNodesOfACycle) {
  Graph graph = labelled_nodes({"norm", "q_proj", "add"});
  graph.add_dependency(node(0), node(1));
  graph.add_dependency(node(1), node(2));
  EXPECT_EQ(refusal([&] { graph.add_dependency(node(2), node(0)); }),
            "Dependency from n2 to n0 would close a cycle: n0 'norm' → n1 'q_proj' → n2 'add' → "
            "n0.");
  EXPECT_EQ(graph.dependencies().size(), 2u);
}

TEST(GraphDependencies, FindCyclesThroughEdgesThatGoBack) {
  Graph graph = labelled_nodes({"a", "b", "c"});
  graph.add_dependency(node(2), node(0));
  graph.add_dependency(node(0), node(1));
  EXPECT_THAT(refusal([&] { graph.add_dependency(node(1), node(2)); }),
              HasSubstr("n2 'c' → n0 'a' → n1 'b' → n2."));
  EXPECT_THAT(graph.topological_order(), ElementsAre(node(2), node(0), node(1)));
}

TEST(GraphDependencies, CutLongCyclesInTheMiddle) {
  Graph graph;
  const Buffer x = make_buffer("x");
  for (std::size_t i = 0; i < 100; ++i) {
    graph.add_fill(x, std::uint8_t{0});
    if (i) graph.add_dependency(node(i - 1), node(i));
  }
  EXPECT_EQ(refusal([&] { graph.add_dependency(node(99), node(0)); }),
            "Dependency from n99 to n0 would close a cycle: n0 → n1 → n2 → n3 → … 92 more … → n96 "
            "→ n97 → n98 → n99 → n0.");
}

TEST(GraphDependencies, RefuseUnknownSelfAndDuplicate) {
  Graph graph = labelled_nodes({"a", ""});
  EXPECT_EQ(refusal([&] { graph.add_dependency(node(0), node(2)); }),
            "Dependency from n0 to n2 names a node that doesn't exist: the graph has 2 nodes.");
  EXPECT_EQ(refusal([&] { graph.add_dependency(node(0), node(0)); }),
            "Dependency from n0 'a' to itself: a node can't wait for itself.");
  graph.add_dependency(node(0), node(1));
  EXPECT_EQ(refusal([&] { graph.add_dependency(node(0), node(1)); }),
            "Dependency from n0 'a' to n1 is there already (asked).");
}

TEST(GraphDependencies, TakeAfterOnceAndCheckIt) {
  Graph graph = labelled_nodes({"a", "b"});
  const Buffer x = make_buffer("x");
  graph.add_fill(x, std::uint8_t{0}, {.after = {node(1), node(0), node(1)}});
  EXPECT_THAT(graph.dependencies(), ElementsAre(Edge{node(0), node(2)}, Edge{node(1), node(2)}));
  EXPECT_EQ(refusal([&] { graph.add_fill(x, std::uint8_t{0}, {.after = {node(3)}}); }),
            "The new node n3 can't come after n3: the graph has 3 nodes so far.");
  EXPECT_EQ(graph.node_count(), 3u);
  graph.add({Barrier{}}, {node(2)}, EdgeKind::stream);
  EXPECT_EQ(graph.dependencies().back(), (Edge{node(2), node(3), EdgeKind::stream}));
}

}  // namespace
}  // namespace reel::test
