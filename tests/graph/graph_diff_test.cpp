#include "base/handles.hpp"
#include "graph/fixtures.hpp"

namespace reel {
// For the failure messages of the tests below.
void PrintTo(const GraphDifference& d, std::ostream* out) {
  *out << (d.node ? "n" + std::to_string(index_of(*d.node)) : "graph") << " " << d.field << ": "
       << d.before << " / " << d.after;
}
}  // namespace reel

namespace reel::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Optional;

auto difference(std::size_t at, const char* field, const char* before, const char* after) {
  return AllOf(Field(&GraphDifference::node, Optional(node(at))),
               Field(&GraphDifference::field, field), Field(&GraphDifference::before, before),
               Field(&GraphDifference::after, after));
}
auto difference(const char* field, const char* before, const char* after) {
  return AllOf(Field(&GraphDifference::node, std::optional<NodeId>()),
               Field(&GraphDifference::field, field), Field(&GraphDifference::before, before),
               Field(&GraphDifference::after, after));
}

struct GraphDiff : testing::Test {
  Buffer x = make_buffer("x"), y = make_buffer("y");
  Kernel kernel = make_kernel("k");

  // One node each; what differs is said to differ.
  template <class Build>
  auto diff(Build&& build) {
    Graph before, after;
    build(before, false);
    build(after, true);
    EXPECT_EQ(before == after, Graph::diff(before, after).empty());
    return Graph::diff(before, after);
  }
};

TEST_F(GraphDiff, FindsNothingBetweenGraphsBuiltAlike) {
  std::vector<std::byte> first(64), second(64);  // host memory: addresses don't count
  EXPECT_THAT(diff([&](Graph& g, bool other) {
                g.add_dispatch(kernel, one_group, in(x), out(y), 1.5f, shared(64));
                g.add_write(x, other ? second : first);
                g.add_read(x, other ? second : first);
                g.add_host_call([] {});
                g.add_fill(y, std::uint8_t{0});
                g.add_fill(x, std::uint8_t{0}, {.after = {node(0)}});
                // The same edges in another order.
                g.add_dependency(node(other ? 1 : 2), node(5));
                g.add_dependency(node(other ? 2 : 1), node(5));
                g.add_child(g);
              }),
              IsEmpty());
}

TEST_F(GraphDiff, NamesCountsAndEdges) {
  EXPECT_THAT(diff([&](Graph& g, bool other) {
                g.add_fill(x, std::uint8_t{0});
                g.add_fill(y, std::uint8_t{0});
                if (other) g.add_fill(y, std::uint8_t{1}, {.after = {node(1)}});
                if (!other) g.add_dependency(node(0), node(1));
              }),
              ElementsAre(difference("node_count", "2", "3"),
                          difference("edges", "n0 → n1 (asked)", "n1 → n2 (asked)")));
}

TEST_F(GraphDiff, NamesKindLabelAndScope) {
  EXPECT_THAT(diff([&](Graph& g, bool other) {
                other ? g.add_copy(x, y) : g.add_fill(x, std::uint8_t{0});
                g.add_fill(
                    x, std::uint8_t{0},
                    {.label = other ? "b" : "a", .scope = Scope().child(other ? "p/r" : "p/q")});
              }),
              ElementsAre(difference(0, "kind", "fill", "copy"), difference(1, "label", "a", "b"),
                          difference(1, "scope", "p/q", "p/r")));
}

TEST_F(GraphDiff, NamesWhatChangedInADispatch) {
  EXPECT_THAT(diff([&](Graph& g, bool other) {
                const Launch launch{.groups = {other ? 2 : 1}, .group_size = {other ? 32 : 64}};
                if (other)
                  g.add_dispatch(kernel, launch, in(x), out(y), 2u, 5u);
                else
                  g.add_dispatch(kernel, launch, in(x), inout(y), 1u);
              }),
              ElementsAre(difference(0, "groups", "(1, 1, 1)", "(2, 1, 1)"),
                          difference(0, "group_size", "(64, 1, 1)", "(32, 1, 1)"),
                          difference(0, "argument 1", "inout 'y' (offset 0, 64 bytes)",
                                     "out 'y' (offset 0, 64 bytes)"),
                          difference(0, "argument 2", "value 0x00000001 (4 bytes)",
                                     "value 0x00000002 (4 bytes)"),
                          difference(0, "argument 3", "none", "value 0x00000005 (4 bytes)")));
}

TEST_F(GraphDiff, ComparesKernelsByNameAndSource) {
  const auto with_source = [&](const char* source) {
    const Kernel made = make_kernel("k");
    resource_of(made)->source.opencl_c = source;
    return made;
  };
  EXPECT_THAT(diff([&](Graph& g, bool) { g.add_dispatch(with_source("same"), one_group); }),
              IsEmpty());
  EXPECT_THAT(diff([&](Graph& g, bool other) {
                g.add_dispatch(with_source(other ? "b" : "a"), one_group);
              }),
              ElementsAre(difference(0, "kernel", "k", "k (of another source)")));
}

TEST_F(GraphDiff, NamesRangesPatternsAndData) {
  std::vector<std::byte> zeros(64), one(64);
  one[9] = std::byte{1};
  EXPECT_THAT(
      diff([&](Graph& g, bool other) {
        g.add_copy(x.range(other ? 8 : 0, 8), y.range(0, 8));
        g.add({Fill{x, other ? 2u : 1u, 2}});
        g.add_write(x, other ? one : zeros);
        g.add_read(x.range(0, 4), std::span(zeros).first(4));
      }),
      ElementsAre(difference(0, "target", "'x' (offset 0, 8 bytes)", "'x' (offset 8, 8 bytes)"),
                  difference(1, "pattern", "0x0001", "0x0002"),
                  difference(2, "data", "0x00 at byte 9", "0x01 at byte 9")));
}

TEST_F(GraphDiff, LooksIntoChildren) {
  EXPECT_THAT(diff([&](Graph& g, bool other) {
                Graph child;
                child.add_fill(x, std::uint8_t{0});
                child.add_fill(x, static_cast<std::uint8_t>(other ? 1 : 0));
                if (other) child.add_dependency(node(0), node(1));
                g.add_child(child);
              }),
              ElementsAre(difference(0, "graph edges", "none", "n0 → n1 (asked)"),
                          difference(0, "graph n1 pattern", "0x00", "0x01")));
}

}  // namespace
}  // namespace reel::test
