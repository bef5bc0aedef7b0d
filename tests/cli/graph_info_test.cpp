// `reel info` of a document that holds a graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/handles.hpp"
#include "document/sample_document.hpp"
#include "graph/fixtures.hpp"
#include "run_program.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class GraphInfo : public testing::Test {
 protected:
  GraphInfo() {
    const Buffer x = make_buffer("x", 4096), y = make_buffer("y", 8192);
    Kernel scale = make_kernel("scale");
    resource_of(scale)->source.opencl_c = "kernel void scale(global float* x) {}";
    resource_of(scale)->source.glsl = "#version 450\nvoid main() {}";
    Graph child, graph;
    child.add_fill(y, std::uint8_t{0});
    const NodeId first = graph.add_child(child, {.label = "clear"});
    graph.add_dispatch(scale, one_group, in(x), inout(y));
    graph.add_write(y.range(0, 4), std::vector<std::byte>(4), {.after = {first}});
    graph.save(path);
  }
  static Outcome reel(std::vector<std::string> words) {
    words.insert(words.begin(), REEL_PROGRAM);
    return run_program(words);
  }

  TemporaryFolder folder;
  const std::string path = folder / "graph.reel";
};

TEST_F(GraphInfo, TellsNodesKernelsInputsAndOutputs) {
  const Outcome run = reel({"info", path});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("  a graph, "), HasSubstr(", complete\n"),
                             HasSubstr("3 (1 dispatch, 1 graph, 1 write); 1 more in child graphs"),
                             HasSubstr("1 dependency\n"), HasSubstr("scale (opencl_c, glsl)"),
                             HasSubstr("inputs      x (4.0 KiB)\n"),
                             HasSubstr("outputs     y (8.0 KiB)\n"), HasSubstr("reel commands ")));
}

TEST_F(GraphInfo, JsonHasTheSame) {
  const Outcome run = reel({"info", path, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json info = json::parse(run.out);
  EXPECT_EQ(info["kind"], "graph");
  const json& graph = info["graph"];
  EXPECT_EQ(graph["nodes"],
            json({{"total", 3}, {"nested", 1}, {"dispatch", 1}, {"write", 1}, {"graph", 1}}));
  EXPECT_EQ(graph["dependencies"], 1);
  EXPECT_EQ(graph["written_bytes"], 4);
  EXPECT_TRUE(graph["problem"].is_null());
  EXPECT_EQ(graph["kernels"][0]["forms"], json({"opencl_c", "glsl"}));
  ASSERT_EQ(graph["buffers"].size(), 2u);
  EXPECT_EQ(graph["buffers"][0],
            json({{"name", "y"}, {"size_bytes", 8192}, {"is_input", false}, {"is_output", true}}));
  EXPECT_EQ(graph["buffers"][1]["is_input"], true);
}

// A decision is one node; its branches are graphs, and how it is kept is nobody's business.
TEST_F(GraphInfo, DecisionsAreNodesAndNotOpaque) {
  const Buffer x = make_buffer("x", 4096), flag = make_buffer("flag", 4);
  Graph then, other, graph;
  then.add_fill(x, std::uint8_t{1});
  then.add_fill(x, std::uint8_t{2});
  other.add_fill(x, std::uint8_t{3});
  graph.add_if(flag, then, other);
  graph.add_fill(x, std::uint8_t{4});
  const std::string decides = folder / "decides.reel";
  graph.save(decides);
  EXPECT_THAT(reel({"info", decides}).out,
              HasSubstr("2 (1 fill, 1 if); 3 more in child graphs and branches"));
  const std::string listed = reel({"commands", decides}).out;
  EXPECT_THAT(listed, AllOf(HasSubstr("decision"), testing::Not(HasSubstr("opaque"))));
}

TEST_F(GraphInfo, OneThatCantBeLoadedSaysWhy) {
  const std::string stripped = folder / "stripped.reel";
  ASSERT_EQ(reel({"strip", path, "-o", stripped}).exit_code, 0)
      << reel({"strip", path, "-o", stripped}).err;
  EXPECT_THAT(reel({"info", stripped}).out, HasSubstr("4 bytes that c2 writes"));
  const json info = json::parse(reel({"info", stripped, "--json"}).out);
  EXPECT_THAT(info["graph"]["problem"].get<std::string>(), HasSubstr("4 bytes that c2 writes"));
}

TEST_F(GraphInfo, OtherVerbsReadItAsTheyReadACapture) {
  for (const char* verb : {"commands", "kernels", "buffers", "scopes", "calls", "verify"})
    EXPECT_EQ(reel({verb, path}).exit_code, 0) << verb;
  EXPECT_THAT(reel({"source", path, "k0", "--form", "glsl"}).out, HasSubstr("#version 450"));
}

}  // namespace
}  // namespace reel::test
