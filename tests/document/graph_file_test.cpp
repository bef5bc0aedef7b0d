// Graphs through a file and back.
#include "document/graphs/graph_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/handles.hpp"
#include "expect_error.hpp"
#include "graph/fixtures.hpp"
#include "graph/node_payload.hpp"
#include "raw_document.hpp"
#include "reel/document.hpp"
#include "sample_document.hpp"

namespace reel::test {
namespace {

using namespace document;
using testing::ElementsAre;
using testing::HasSubstr;

// Every form, and all that a build depends on.
Kernel full_kernel(const std::string& name) {
  Kernel kernel = make_kernel(name, {{"x", ArgumentKind::buffer, 0, Access::read, ElementType::f32},
                                     {"y", ArgumentKind::buffer, 0, Access::read_write},
                                     {"n", ArgumentKind::value, 4, Access::read},
                                     {"tile", ArgumentKind::shared, 0, Access::read_write}});
  KernelSource& source = resource_of(kernel)->source;
  source.opencl_c = "kernel void main_cl() {}";
  source.glsl = "#version 450\nvoid main() {}";
  source.spirv = {0x07230203, 1, 2, 3};
  source.entry = "main_cl";
  source.defines = {{"N", "4"}, {"EMPTY", ""}};
  source.constants = {{3, 17}};
  source.options = "-cl-fast-relaxed-math";
  source.group_size = {64, 2, 1};
  return kernel;
}

Kernel text_kernel(const std::string& name) {
  Kernel kernel = make_kernel(name);
  resource_of(kernel)->source.opencl_c = "kernel void " + name + "() {}";
  return kernel;
}

bool same_source(const KernelSource& a, const KernelSource& b) {
  const auto defines = [](const KernelSource& s) {
    std::string all;
    for (const Define& d : s.defines) all += d.name + "=" + d.value + ";";
    for (const SpecConstant& c : s.constants)
      all += std::to_string(c.id) + ":" + std::to_string(c.value) + ";";
    return all;
  };
  return a.name == b.name && a.opencl_c == b.opencl_c && a.glsl == b.glsl && a.spirv == b.spirv &&
         a.host.function == b.host.function && a.entry == b.entry && defines(a) == defines(b) &&
         a.options == b.options && a.group_size == b.group_size;
}

// Equal but for the identity of buffers and kernels.
void expect_same(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.node_count(), b.node_count());
  EXPECT_EQ(a.to_json(), b.to_json());  // labels, scopes, ranges, arguments, edges, children
  for (std::size_t i = 0; i < a.node_count(); ++i) {
    const NodePayload &x = *a.node(node(i)).payload, &y = *b.node(node(i)).payload;
    EXPECT_EQ(x.data, y.data) << i;
    ASSERT_EQ(x.kernel == nullptr, y.kernel == nullptr) << i;
    if (x.kernel) {
      EXPECT_TRUE(same_source(x.kernel->source, y.kernel->source)) << i;
    }
    ASSERT_EQ(x.child == nullptr, y.child == nullptr) << i;
    if (x.child) expect_same(*x.child, *y.child);
  }
}

class GraphFile : public testing::Test {
 protected:
  Graph through_a_file(const Graph& graph) {
    std::filesystem::remove(path);
    graph.save(path);
    EXPECT_TRUE(verify_document(path).is_good())
        << testing::PrintToString(verify_document(path).problems);
    return Graph::load(path);
  }
  TemporaryFolder folder;
  const std::string path = folder / "graph.reel";
};

std::vector<std::byte> some_bytes(std::size_t count, unsigned seed = 1) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(seed + i * 7 + i / 251);
  return bytes;
}

// Buffers whose ids are as a file numbers them, so that to_json() is the same.
struct Buffers {
  Buffer a = make_buffer("a"), b = make_buffer("b"), c = make_buffer("c", 3u << 20),
         d = make_buffer("d");
  Buffers() {
    std::uint32_t id = 0;
    for (const Buffer& buffer : {a, b, c, d}) resource_of(buffer)->id = BufferId{id++};
  }
};

Graph every_kind(const Buffers& in_use) {
  const auto& [a, b, c, d] = in_use;
  Graph graph;
  const Scope scope = Scope().child("layer0/attention");
  const NodeId fill = graph.add({Fill{a, 0xbeef, 2}, "fill a", scope});
  const NodeId dispatch =
      graph.add_dispatch(full_kernel("work"), {.groups = {3, 2}, .group_size = {64, 2, 1}},
                         std::vector<Argument>{in(a.range(0, 32)), inout(b), 42u, shared(256)},
                         {.label = "the work", .scope = scope, .after = {fill}});
  graph.add_write(c.range(64, 2'500'000), some_bytes(2'500'000), {.label = "write c"});
  graph.add_copy(d, c.range(128, 64));
  graph.add_barrier({.label = "join", .after = {dispatch}});
  const Kernel plain = text_kernel("plain");
  graph.add({Dispatch{plain, {1}, {8}, {}, b.range(0, 12)}, "by the grid in b"});
  graph.add({Fill{d.range(0, 8), 7, 4}}, {fill, dispatch}, EdgeKind::stream);
  graph.add_write(d.range(5, 0), {});
  return graph;
}

TEST_F(GraphFile, APredicateComesBackAsItWas) {
  const Buffers in_use;
  const Kernel plain = text_kernel("plain");
  Graph graph;
  for (const bool is_inverted : {false, true})
    for (const bool has_grid : {false, true})
      graph.add({Dispatch{.kernel = plain,
                          .groups = {1},
                          .group_size = {8},
                          .arguments = {},
                          .indirect = has_grid ? in_use.b.range(0, 12) : BufferRange{},
                          .predicate = {in_use.a.range(4, 4), is_inverted}}});
  const Graph loaded = through_a_file(graph);
  expect_same(graph, loaded);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto& dispatch = std::get<Dispatch>(loaded.node(node(i)).command.work);
    ASSERT_TRUE(dispatch.predicate);
    EXPECT_EQ(dispatch.predicate.is_inverted, i >= 2);
    EXPECT_EQ(dispatch.predicate.word.buffer->label, "a");
    EXPECT_EQ(dispatch.predicate.word.offset_bytes, 4u);
    EXPECT_EQ(dispatch.indirect.buffer != nullptr, i % 2 == 1);
  }
}

TEST_F(GraphFile, EveryKindOfNodeComesBackAsItWas) {
  const Graph graph = every_kind({});
  const Graph loaded = through_a_file(graph);
  expect_same(graph, loaded);
  EXPECT_EQ(loaded.node(node(0)).command.scope, Scope().child("layer0/attention"));
  EXPECT_THAT(loaded.dependencies(), testing::UnorderedElementsAreArray(graph.dependencies()));
  EXPECT_EQ(loaded.describe(node(1)), "n1 'the work' (dispatch work)");
  const KernelResource& kernel = *resource_of(loaded.node(node(1)).kernel());
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[0].element, ElementType::f32);
  EXPECT_FALSE(kernel.device);
}

TEST_F(GraphFile, AGridWithOffsetAndItemsComesBackAsItWas) {
  const Kernel kernel = make_kernel("work");
  resource_of(kernel)->source.opencl_c = "kernel void work() {}";
  Dispatch dispatch;
  dispatch.kernel = kernel;
  dispatch.groups = {3, 2, 1};
  dispatch.group_size = {4, 4, 1};
  dispatch.offset = {5, 6, 7};
  dispatch.items = {11, 7, 1};
  dispatch.dimensions = 3;
  Graph graph;
  graph.add({dispatch, "partial"});
  dispatch.group_size = unset_dim;  // the driver's choice
  dispatch.groups = {1, 1, 1};
  graph.add({dispatch, "any"});
  const Graph loaded = through_a_file(graph);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& before = std::get<Dispatch>(graph.node(node(i)).command.work);
    const auto& after = std::get<Dispatch>(loaded.node(node(i)).command.work);
    EXPECT_EQ(after.groups, before.groups);
    EXPECT_EQ(after.group_size, before.group_size);
    EXPECT_EQ(after.offset, before.offset);
    EXPECT_EQ(after.items, before.items);
    EXPECT_EQ(after.dimensions, before.dimensions);
  }
}

TEST_F(GraphFile, ALoadedGraphCanBeSavedAgain) {
  const Graph once = through_a_file(every_kind({}));
  expect_same(once, through_a_file(once));
}

TEST_F(GraphFile, ABufferKeepsItsNameAndSize) {
  const Graph graph = every_kind({});
  const auto before = graph.buffers(), after = through_a_file(graph).buffers();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].name, after[i].name);
    EXPECT_EQ(before[i].size_bytes, after[i].size_bytes);
    EXPECT_EQ(before[i].is_input, after[i].is_input);
    EXPECT_EQ(before[i].is_output, after[i].is_output);
  }
}

TEST_F(GraphFile, BuffersWithoutANameOfTheirOwnGetOne) {
  Graph graph;
  for (const char* label : {"x", "", "x"}) graph.add_fill(make_buffer(label), std::uint8_t{0});
  std::vector<std::string> labels;
  const Graph loaded = through_a_file(graph);
  for (const Node& n : loaded.nodes())
    labels.push_back(std::get<Fill>(n.command.work).target.buffer->label);
  EXPECT_THAT(labels, ElementsAre("x#1", "buffer 1", "x#2"));
}

TEST_F(GraphFile, ChildrenOfChildrenComeBackAndAreWrittenOnce) {
  const Buffers buffers;
  Graph inner, middle, graph;
  inner.add_write(buffers.a, some_bytes(64), {.label = "deep"});
  middle.add_child(inner, {.label = "first"});
  middle.add_child(inner, {.label = "second"});
  middle.add_copy(buffers.b, buffers.a, {.after = {node(0)}});
  const NodeId first = graph.add_child(middle, {.scope = Scope().child("layer0")});
  graph.add_child(inner);
  graph.add_child(Graph());
  graph.add_child(middle, {.scope = Scope().child("layer1"), .after = {first}});
  const Graph loaded = through_a_file(graph);
  expect_same(graph, loaded);
  // 4 of the graph, 3 of the middle one, 1 of the inner one, none of the empty one.
  EXPECT_EQ(Trace::load(path).commands().size(), 8u);
  EXPECT_EQ(to_string(Graph::diff(loaded, loaded).empty() ? loaded : Graph()),
            "Graph(4 nodes, 1 dependency)");
}

TEST_F(GraphFile, DependenciesThatGoBackAreKept) {
  Graph graph;
  for (int i = 0; i < 3; ++i) graph.add_fill(make_buffer("b" + std::to_string(i)), std::uint8_t{0});
  graph.add_dependency(node(2), node(0));
  graph.add_dependency(node(0), node(1));
  const Graph loaded = through_a_file(graph);
  EXPECT_EQ(loaded.topological_order(), graph.topological_order());
  EXPECT_THAT(loaded.topological_order(), ElementsAre(node(2), node(0), node(1)));
}

TEST_F(GraphFile, AnEmptyGraphIsAGraph) { EXPECT_TRUE(through_a_file(Graph()).empty()); }

void no_work(const HostGroup&, float*) {}
void other_work(const HostGroup&, float*) {}

TEST_F(GraphFile, HostKernelsAreFoundByTheirNames) {
  const Buffer a = make_buffer("a");
  Kernel kernel = make_kernel("only_on_the_host");
  resource_of(kernel)->source.host = host_kernel<&no_work>();
  Graph graph;
  graph.add_fill(a, std::uint8_t{0});
  graph.add_dispatch(kernel, one_group, inout(a));
  expect_error(Code::unsupported, {"n1 'only_on_the_host' (dispatch) can't be saved", "C++"},
               [&] { graph.save(path); });
  register_host_kernel("only_on_the_host", host_kernel<&other_work>());
  expect_error(Code::unsupported, {"register_host_kernel()"}, [&] { graph.save(path); });
  EXPECT_FALSE(std::filesystem::exists(path));
  register_host_kernel("only_on_the_host", host_kernel<&no_work>());
  const Graph loaded = through_a_file(graph);
  EXPECT_EQ(loaded.node(node(1)).kernel().source().host.function,
            resource_of(kernel)->source.host.function);
}

TEST_F(GraphFile, AnExistingFileIsReplacedOnlyWhereThatIsAskedFor) {
  Graph first, second;
  first.add_fill(make_buffer("a"), 1.0f);
  second.add_fill(make_buffer("b"), 2.0f);
  first.save(path);
  expect_error(Code::io_failed, {path}, [&] { second.save(path); });
  EXPECT_EQ(Graph::load(path).buffers().front().name, "a");
  second.save(path, {.overwrite = true});
  EXPECT_EQ(Graph::load(path).buffers().front().name, "b");
  // What can't be saved leaves the file as it was.
  Graph with_call;
  with_call.add_host_call([] {});
  expect_error(Code::unsupported, {}, [&] { with_call.save(path, {.overwrite = true}); });
  EXPECT_EQ(Graph::load(path).buffers().front().name, "b");
}

TEST_F(GraphFile, IsLoadedFromMemoryAsFromAFile) {
  Graph graph;
  graph.add_fill(make_buffer("a"), 1.0f);
  graph.save(path);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(Graph::load(std::as_bytes(std::span(bytes))).to_json(), Graph::load(path).to_json());
  expect_error(Code::damaged_document, {"(memory)"},
               [&] { Graph::load(std::as_bytes(std::span(bytes)).first(100)); });
  expect_error(Code::damaged_document, {"(memory)"},
               [] { Graph::load(std::span<const std::byte>()); });
}

TEST_F(GraphFile, WhatBelongsToThisProcessIsRefusedAndNothingIsLeft) {
  std::vector<std::byte> memory(64);
  const Buffer a = make_buffer("a");
  const auto refused = [&](const Graph& graph, std::initializer_list<std::string_view> words) {
    expect_error(Code::unsupported, words, [&] { graph.save(path); });
    EXPECT_FALSE(std::filesystem::exists(path));
  };
  Graph with_call;
  with_call.add_fill(a, std::uint8_t{0});
  with_call.add_host_call([] {}, {.label = "print"});
  refused(with_call, {"n1 'print' (host_call) can't be saved", "function of this process"});
  Graph with_read;
  with_read.add_read(a, memory, {.label = "result"});
  refused(with_read, {"n0 'result' (read) can't be saved", "memory of this process"});
  Graph outer;
  outer.add_child(with_read, {.label = "inside"});
  refused(outer, {"in n0 'inside' (graph of 1), n0 'result' (read) can't be saved"});
  Graph without_source;
  without_source.add_dispatch(make_kernel("mystery"), one_group, inout(a));
  refused(without_source, {"n0 'mystery' (dispatch)", "kernel 'mystery' has no source"});
  Graph deep;
  for (int i = 0; i < 70; ++i) {
    Graph next;
    next.add_child(deep);
    deep = next;
  }
  refused(deep, {"nested 71 deep", "up to 64"});
  Graph many;
  many.add_barrier();
  for (int i = 0; i < 23; ++i) {  // once more, and it can't even be built
    Graph next;
    next.add_child(many);
    next.add_child(many);
    many = next;
  }
  refused(many, {"nodes", "up to 16777216"});
}

TEST_F(GraphFile, AFileThatExistsIsLeftAlone) {
  write_bytes(path, bytes_of("mine"));
  expect_error(Code::io_failed, {path, "exists"}, [&] { Graph().save(path); });
  EXPECT_EQ(read_bytes(path).size(), 4u);
  expect_error(Code::io_failed, {"/nowhere/g.reel"}, [&] { Graph().save("/nowhere/g.reel"); });
}

// --- files that are no graphs --------------------------------------------------------------------

TEST_F(GraphFile, ACaptureIsNotAGraph) {
  write_sample(path);
  expect_error(Code::invalid_argument, {path, "a capture", "reel replay"},
               [&] { Graph::load(path); });
  expect_error(Code::io_failed, {"nothing.reel"}, [&] { Graph::load(folder / "nothing.reel"); });
}

// Every way to cut it or to spoil a byte either loads the same graph or says so.
TEST_F(GraphFile, DamageIsNeverTakenForAGraph) {
  Buffers buffers;
  Graph graph;
  const NodeId fill = graph.add_fill(buffers.a, std::uint8_t{1}, {.label = "fill"});
  graph.add_dispatch(full_kernel("work"), {.groups = {3, 2}, .group_size = {64, 2, 1}},
                     std::vector<Argument>{in(buffers.a), inout(buffers.b), 42u, shared(256)},
                     {.after = {fill}});
  graph.add_write(buffers.d, some_bytes(64));
  graph.save(path);
  const std::vector<std::byte> whole = read_bytes(path);
  const std::string copy = folder / "copy.reel";
  const std::string wanted = Graph::load(path).to_json();
  int refused = 0;
  const auto attempt = [&](std::span<const std::byte> bytes) {
    write_bytes(copy, bytes);
    try {
      EXPECT_EQ(Graph::load(copy).to_json(), wanted);
    } catch (const Error& error) {
      ++refused;
      // invalid_argument: the word `graph` itself was hit.
      EXPECT_THAT(error.code(), testing::AnyOf(Code::damaged_document, Code::unsupported,
                                               Code::invalid_argument, Code::io_failed))
          << error.what();
    }
  };
  for (std::size_t size = 0; size < whole.size(); size += 97) attempt(std::span(whole).first(size));
  for (std::size_t at = 0; at < whole.size(); at += 53) {
    std::vector<std::byte> spoiled = whole;
    spoiled[at] ^= std::byte{0x41};
    attempt(spoiled);
  }
  EXPECT_GT(refused, 100);
}

TEST_F(GraphFile, ARecoveredPartIsNotTheGraph) {
  Graph graph;
  const Buffer a = make_buffer("a");
  for (int i = 0; i < 10; ++i) graph.add_fill(a, static_cast<std::uint8_t>(i));
  graph.save(path);
  const auto whole = read_bytes(path);
  const std::string cut = folder / "cut.reel", recovered = folder / "recovered.reel";
  for (std::size_t size = whole.size() - 1; size > 9000; size -= 400) {
    std::filesystem::remove(recovered);
    write_bytes(cut, std::span(whole).first(size));
    try {
      recover_document(cut, recovered);
    } catch (const Error&) {
      break;
    }
    try {
      EXPECT_EQ(Graph::load(recovered).node_count(), 10u) << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::damaged_document) << error.what();
    }
  }
}

TEST_F(GraphFile, WithoutItsBytesAWriteIsDamage) {
  Graph graph;
  graph.add_write(make_buffer("a"), some_bytes(64));
  graph.save(path);
  const std::string stripped = folder / "stripped.reel";
  strip_document(path, stripped);
  expect_error(Code::damaged_document, {"64 bytes that c0 writes"}, [&] { Graph::load(stripped); });
}

// Documents that are whole, and hold what no graph of ours would.
class HostileGraph : public GraphFile {
 protected:
  static constexpr TraceArgument whole_a{ArgumentKind::buffer, Access::write, 0, 0, 64};

  // A device, a stream, buffers a and b of 64 bytes, a kernel.
  static void add_basics(Batches& b) {
    b.add(DeviceRow{0, "", "none", "no device", "", "", "", "", 0, 0, false, 0});
    b.add(StreamRow{0, 0, "graph"});
    b.add(BufferRow{0, 0, 64, "a"});
    b.add(BufferRow{1, 0, 64, "b"});
    KernelRow kernel{};
    kernel.name = "k";
    kernel.variants = {{KernelForm::host, {}}};
    b.add(kernel, {""});
  }
  static void add(Batches& b, WorkRow work, std::uint32_t launch = no_index,
                  std::uint32_t node = no_index) {
    const auto id = static_cast<std::uint32_t>(b.rows(TableId::commands));
    b.add(work, id);
    b.add(CommandRow{id, id, 0, launch, node, 0, 0, 0});
  }
  static WorkRow of_kind(WorkKind kind, std::span<const TraceArgument> arguments = {}) {
    WorkRow row;
    row.kind = kind;
    row.arguments = arguments;
    return row;
  }
  static WorkRow launch_of(std::uint32_t graph) {
    WorkRow row = of_kind(WorkKind::launch);
    row.graph = graph;
    return row;
  }
  static WorkRow barrier() { return of_kind(WorkKind::barrier); }
  static WorkRow dispatch(std::span<const TraceArgument> arguments,
                          std::span<const std::byte> values = {}) {
    WorkRow row = of_kind(WorkKind::dispatch, arguments);
    row.kernel = 0;
    row.groups = row.group_size = {1};
    row.values = values;
    return row;
  }

  Graph with(const std::function<void(Batches&)>& fill) {
    std::filesystem::remove(path);
    RawDocument d(path, {{"format", "1"}, {kind_key, graph_kind}});
    std::size_t commands = 0, edges = 0;
    d.rows([&](Batches& b) {
      add_basics(b);
      fill(b);
      commands = b.rows(TableId::commands);
      edges = b.rows(TableId::edges);
    });
    d.writer().metadata(
        {"reel.end", {{"commands", std::to_string(commands)}, {edges_key, std::to_string(edges)}}});
    d.writer().close();
    return Graph::load(path);
  }
  void refused(std::initializer_list<std::string_view> words,
               const std::function<void(Batches&)>& fill) {
    expect_error(Code::damaged_document, words, [&] { with(fill); });
  }
};

TEST_F(HostileGraph, TheBasicsAreNothingToComplainOf) {
  const Graph graph = with([](Batches& b) {
    add(b, barrier());
    add(b, launch_of(7));
    add(b, barrier(), 1, 0);
    b.add(EdgeRow{0, 0, 1, 0});
  });
  EXPECT_EQ(graph.node_count(), 2u);
  EXPECT_EQ(graph.node(node(1)).child()->node_count(), 1u);
}

TEST_F(HostileGraph, EdgesMustMakeAnOrder) {
  const auto with_edges = [&](std::vector<EdgeRow> edges) {
    return [edges](Batches& b) {
      for (int i = 0; i < 3; ++i) add(b, barrier());
      for (const EdgeRow& edge : edges) b.add(edge);
    };
  };
  refused({"has 3 nodes"}, with_edges({{0, 0, 9, 0}}));
  refused({"graph 4"}, with_edges({{4, 0, 1, 0}}));
  refused({"cycle"}, with_edges({{0, 0, 1, 0}, {0, 1, 2, 1}, {0, 2, 0, 0}}));
  refused({"twice"}, with_edges({{0, 0, 1, 0}, {0, 0, 1, 1}}));
  refused({"hazard"}, with_edges({{0, 0, 1, 2}}));
  refused({}, with_edges({{0, 1, 1, 0}}));
}

TEST_F(HostileGraph, ChildrenMustBeATree) {
  refused({"is the graph that it is in"}, [](Batches& b) { add(b, launch_of(0)); });
  refused({"part of itself"}, [](Batches& b) {
    add(b, launch_of(1));
    add(b, launch_of(2), 0, 0);
    add(b, launch_of(1), 1, 0);
  });
  refused({"Node 1 of graph 1 stands where 0 belongs"}, [](Batches& b) {
    add(b, launch_of(1));
    add(b, barrier(), 0, 1);
  });
  refused({"Graph 1 has nodes by c0 and by c1"}, [](Batches& b) {
    add(b, launch_of(1));
    add(b, launch_of(1));
    add(b, barrier(), 0, 0);
    add(b, barrier(), 1, 1);
  });
  refused({"nested more than 64 deep"}, [](Batches& b) {
    add(b, launch_of(1));
    for (std::uint32_t i = 1; i < 1000; ++i) add(b, launch_of(i + 1), i - 1, 0);
  });
  refused({"nodes", "up to 16777216"}, [](Batches& b) {  // 2^40 of them
    add(b, launch_of(1));
    for (std::uint32_t i = 1; i <= 40; ++i) {
      const std::uint32_t by = i == 1 ? 0 : 2 * i - 3;
      add(b, launch_of(i + 1), by, 0);
      add(b, launch_of(i + 1), by, 1);
    }
  });
}

TEST_F(HostileGraph, NodesMustBeWhatAGraphMayHold) {
  refused({"host_call"}, [](Batches& b) { add(b, of_kind(WorkKind::host_call)); });
  refused({"read"}, [](Batches& b) {
    const std::vector<TraceArgument> range{{ArgumentKind::buffer, Access::read, 0, 0, 64}};
    add(b, of_kind(WorkKind::read, range));
  });
  refused({"unknown"}, [](Batches& b) { add(b, of_kind(static_cast<WorkKind>(77))); });
  refused({}, [](Batches& b) {  // past its buffer
    const std::vector<TraceArgument> range{{ArgumentKind::buffer, Access::write, 0, 32, 64}};
    WorkRow fill = of_kind(WorkKind::fill, range);
    fill.pattern_bytes = 1;
    add(b, fill);
  });
  refused({"overlap"}, [](Batches& b) {
    const std::vector<TraceArgument> ranges{{ArgumentKind::buffer, Access::read, 0, 0, 32},
                                            {ArgumentKind::buffer, Access::write, 0, 8, 32}};
    add(b, of_kind(WorkKind::copy, ranges));
  });
}

TEST_F(HostileGraph, ArgumentsMustBeWhatADispatchMayHave) {
  refused({"value of 4097 bytes", "4096"}, [](Batches& b) {
    const std::vector<TraceArgument> value{{ArgumentKind::value, Access::read, no_index, 0, 4097}};
    add(b, dispatch(value, some_bytes(4097)));
  });
  refused({"sampler"}, [](Batches& b) {
    const std::vector<TraceArgument> value{{ArgumentKind::sampler, Access::read, no_index, 0, 12}};
    add(b, dispatch(value, some_bytes(12)));
  });
  refused({"0 ranges"}, [](Batches& b) { add(b, of_kind(WorkKind::copy)); });
  refused({"0 ranges"}, [](Batches& b) { add(b, of_kind(WorkKind::write)); });
  refused({"value of 0 bytes"}, [](Batches& b) {
    const std::vector<TraceArgument> value{{ArgumentKind::value, Access::read, no_index, 0, 0}};
    add(b, dispatch(value));
  });
  refused({"0 bytes of buffer 'a'"}, [](Batches& b) {
    const std::vector<TraceArgument> empty{{ArgumentKind::buffer, Access::read, 0, 0, 0}};
    add(b, dispatch(empty));
  });
  refused({"12 bytes"}, [](Batches& b) {
    const std::vector<TraceArgument> grid{{ArgumentKind::indirect, Access::read, 0, 0, 8}};
    add(b, dispatch(grid));
  });
  refused({"after the range of its grid"}, [](Batches& b) {
    const std::vector<TraceArgument> two{{ArgumentKind::indirect, Access::read, 0, 0, 12},
                                         {ArgumentKind::indirect, Access::read, 1, 0, 12}};
    add(b, dispatch(two));
  });
  refused({"predicate", "takes 4 bytes"}, [](Batches& b) {
    const std::vector<TraceArgument> word{{ArgumentKind::run_if, Access::read, 0, 0, 8}};
    add(b, dispatch(word));
  });
  refused({"predicate", "multiple of 4"}, [](Batches& b) {
    const std::vector<TraceArgument> word{{ArgumentKind::run_unless, Access::read, 0, 2, 4}};
    add(b, dispatch(word));
  });
  refused({"after its predicate"}, [](Batches& b) {
    const std::vector<TraceArgument> two{{ArgumentKind::run_if, Access::read, 0, 0, 4},
                                         {ArgumentKind::run_unless, Access::read, 1, 0, 4}};
    add(b, dispatch(two));
  });
  refused({"after its predicate"}, [](Batches& b) {
    const std::vector<TraceArgument> turned{{ArgumentKind::run_if, Access::read, 0, 0, 4},
                                            {ArgumentKind::indirect, Access::read, 1, 0, 12}};
    add(b, dispatch(turned));
  });
  refused({"group size"}, [](Batches& b) {
    WorkRow work = dispatch({});
    work.group_size = {0, 1, 1};
    add(b, work);
  });
}

TEST_F(HostileGraph, WrittenBytesMustBeThereAndNotTooMany) {
  const std::vector<TraceArgument> range{whole_a};
  refused({"64 bytes that c0 writes"},
          [&](Batches& b) { add(b, of_kind(WorkKind::write, range)); });
  refused({"write", "bytes; a file holds up to"}, [&](Batches& b) {
    b.add(BufferRow{2, 0, 1ull << 40, "vast"});
    const std::vector<TraceArgument> vast{{ArgumentKind::buffer, Access::write, 2, 0, 1ull << 40}};
    add(b, of_kind(WorkKind::write, vast));
  });
}

TEST_F(HostileGraph, SourcesMustBeThere) {
  refused({"opencl_c of kernel 'lost'"}, [](Batches& b) {
    KernelRow kernel{};
    kernel.id = 1;
    kernel.name = "lost";
    kernel.variants = {{KernelForm::opencl_c, {}}};
    b.add(kernel, {"xxh3:00000000000000000000000000000000"});
  });
  refused({"Buffer 'none' has no bytes"}, [](Batches& b) { b.add(BufferRow{5, 0, 0, "none"}); });
}

}  // namespace
}  // namespace reel::test
