#include <nlohmann/json.hpp>

#include "graph/commands/text.hpp"
#include "graph/fixtures.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct GraphExport : testing::Test {
  Buffer x = make_buffer("x"), y = make_buffer("y");
  Graph graph;
};

TEST_F(GraphExport, DotDrawsEachKindOfEdgeInItsStyle) {
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(y, std::uint8_t{0}, {.after = {node(0)}});
  graph.add({Fill{y}}, {node(1)}, EdgeKind::stream);
  graph.add_fill(x, std::uint8_t{0});
  const std::string dot = graph.to_dot();
  EXPECT_THAT(dot, HasSubstr("n0 -> n1 [style=solid]"));
  EXPECT_THAT(dot, HasSubstr("n1 -> n2 [style=dashed]"));
  EXPECT_THAT(dot, HasSubstr("n0 -> n3 [style=bold"));
  EXPECT_THAT(dot, HasSubstr("rankdir=TB"));
}

TEST_F(GraphExport, DotFramesScopesInsideEachOther) {
  graph.add_fill(x, std::uint8_t{0}, {.scope = Scope().child("layer0/attention")});
  graph.add_fill(y, std::uint8_t{0}, {.scope = Scope().child("layer0")});
  const std::string dot = graph.to_dot();
  const auto outer = dot.find("label=\"layer0\""), second = dot.find("n1 ["),
             inner = dot.find("label=\"attention\""), first = dot.find("n0 [");
  EXPECT_LT(outer, second);
  EXPECT_LT(second, inner);
  EXPECT_LT(inner, first);
}

TEST_F(GraphExport, DotLeavesOutHazardsThatAreImplied) {
  for (int i = 0; i < 3; ++i) graph.add_fill(x, std::uint8_t{0}, {.label = "f"});
  graph.add_dispatch(make_kernel("k"), one_group, in(x));
  graph.add_host_call([] {});
  EXPECT_THAT(graph.to_dot(), Not(HasSubstr("n0 -> n4")));
  EXPECT_THAT(graph.to_dot(), HasSubstr("n3 -> n4"));
}

TEST_F(GraphExport, DotEscapesLabels) {
  graph.add_fill(x, std::uint8_t{0}, {.label = "say \"hi\" \\ bye\nnow"});
  EXPECT_THAT(graph.to_dot(), HasSubstr(R"(say \"hi\" \\ bye\nnow)"));
}

TEST_F(GraphExport, JsonTellsAllOfANode) {
  const Kernel kernel = make_kernel("matmul");
  graph.add_dispatch(kernel, {.groups = {4, 2}, .group_size = {8}, .label = "q"},
                     in(x.range(16, 32)), 1.5f, shared(256));
  const json parsed = json::parse(graph.to_json());
  const json expected = json::parse(R"({
    "id": 0, "kind": "dispatch", "label": "q", "scope": "", "kernel": "matmul",
    "groups": [4, 2, 1], "group_size": [8, 1, 1],
    "arguments": [
      {"kind": "buffer", "access": "in",
       "range": {"buffer": 0, "label": "x", "offset_bytes": 16, "size_bytes": 32}},
      {"kind": "value", "size_bytes": 4, "hex": "0x3fc00000",
       "as_int": 1069547520, "as_float": 1.5},
      {"kind": "shared", "size_bytes": 256}]})");
  json node_0 = parsed.at("nodes").at(0);
  node_0["arguments"][0]["range"]["buffer"] = 0;  // numbered through the life of the process
  EXPECT_EQ(node_0, expected);
}

TEST_F(GraphExport, JsonHasEveryKindOfNode) {
  std::vector<std::byte> memory(64);
  graph.add_dispatch(make_kernel("k"), one_group);
  graph.add({Dispatch{make_kernel("i"), {}, {1}, {}, x.range(0, 12)}});
  graph.add_copy(y, x);
  graph.add_fill(x, std::uint8_t{7});
  graph.add_write(x, memory);
  graph.add_read(x, memory);
  graph.add_host_call([] {});
  graph.add_barrier();
  graph.add_child(graph, {.label = "again"});
  const json parsed = json::parse(graph.to_json());
  std::vector<std::string> kinds;
  for (const json& n : parsed["nodes"]) kinds.push_back(n["kind"]);
  EXPECT_THAT(kinds, testing::ElementsAre("dispatch", "dispatch", "copy", "fill", "write", "read",
                                          "host_call", "barrier", "graph"));
  EXPECT_EQ(parsed["nodes"][1]["indirect"]["size_bytes"], 12);
  EXPECT_EQ(parsed["nodes"][2]["source"]["label"], "x");
  EXPECT_EQ(parsed["nodes"][3]["pattern"], 7);
  EXPECT_EQ(parsed["nodes"][8]["graph"]["nodes"].size(), 8u);
}

TEST_F(GraphExport, JsonHasEdgesAndLevels) {
  graph.add_fill(x, std::uint8_t{0});
  graph.add_fill(y, std::uint8_t{0});
  graph.add_copy(y, x, {.after = {node(0)}});
  const json parsed = json::parse(graph.to_json());
  EXPECT_EQ(parsed["edges"], json::parse(R"([{"from": 0, "to": 2, "kind": "asked"},
                                             {"from": 1, "to": 2, "kind": "hazard"}])"));
  EXPECT_EQ(parsed["levels"], json::parse("[[0, 1], [2]]"));
  EXPECT_EQ(json::parse(Graph().to_json()),
            json::parse(R"({"nodes": [], "edges": [], "levels": []})"));
}

TEST_F(GraphExport, JsonLeavesOutFloatsThatAreNone) {
  graph.add_dispatch(make_kernel("k"), one_group, 0x7fc00000, 3, 0);
  const json arguments = json::parse(graph.to_json())["nodes"][0]["arguments"];
  EXPECT_FALSE(arguments[0].contains("as_float"));
  EXPECT_FALSE(arguments[1].contains("as_float"));
  EXPECT_EQ(arguments[2]["as_float"], 0);
}

TEST_F(GraphExport, JsonSurvivesLabelsOfAnyBytes) {
  const std::string every_byte = [] {
    std::string text;
    for (int i = 0; i < 256; ++i) text += static_cast<char>(i);
    return text;
  }();
  graph.add_fill(x, std::uint8_t{0}, {.label = every_byte});
  graph.add_fill(x, std::uint8_t{0}, {.label = "größer → \"2\" \\"});
  const json parsed = json::parse(graph.to_json());
  EXPECT_EQ(parsed["nodes"][1]["label"], "größer → \"2\" \\");
  EXPECT_EQ(parsed["nodes"][0]["label"].get<std::string>().substr(0, 128),
            every_byte.substr(0, 128));
}

TEST(ValidUtf8, ReplacesWhatIsNotValid) {
  EXPECT_EQ(valid_utf8("aé€😀"), "aé€😀");
  EXPECT_EQ(valid_utf8("\xc3"), "\xef\xbf\xbd");                  // cut off
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");  // overlong
  EXPECT_EQ(valid_utf8("\xed\xa0\x80").size(), 9u);               // a surrogate
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80").size(), 12u);          // beyond the last
  EXPECT_EQ(valid_utf8("\xff"
                       "ok"),
            "\xef\xbf\xbd"
            "ok");
}

}  // namespace
}  // namespace reel::test
