// Trace events in JSON: valid, nested where viewers need it, linked, and with the trace's numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "decoded.hpp"
#include "document/sample_document.hpp"
#include "export/timelines/slices.hpp"
#include "export_documents.hpp"
#include "reel/export.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

class ChromeEvents : public testing::Test {
 protected:
  json events(const Trace& trace, const ExportOptions& options = {.overwrite = true},
              const std::string& name = "x.json") {
    const std::string path = folder / name;
    report = export_trace(trace, ExportFormat::chrome, path, options);
    json document = json::parse(read_gzip(path));
    EXPECT_EQ(document["schemaVersion"], 1);
    return document["traceEvents"];
  }
  TemporaryFolder folder;
  ExportReport report;
};

std::int64_t ns(const json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

// Slices of one place lie inside each other or beside each other.
void expect_nested(const json& events) {
  struct Span {
    std::int64_t begin, end;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Span>> places;
  for (const json& event : events)
    if (event["ph"] == "X")
      places[{event["pid"], event["tid"]}].push_back(
          {ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])});
  for (auto& [place, spans] : places) {
    std::ranges::stable_sort(spans, [](const Span& a, const Span& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<std::int64_t> open;
    for (const Span& span : spans) {
      while (!open.empty() && open.back() <= span.begin) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(span.end, open.back()) << place.first << "/" << place.second;
      }
      open.push_back(span.end);
    }
  }
}

TEST_F(ChromeEvents, CommandsAreSlicesOfTheirStreams) {
  const Trace trace = Trace::load(write_sample(folder / "s.reel"));
  const json list = events(trace);
  std::set<std::string> ids;
  for (const json& event : list) {
    if (event["ph"] != "X" || !event.contains("args") || !event["args"].contains("id")) continue;
    const std::string id = event["args"]["id"];
    ids.insert(id);
    const TraceCommand& command = trace.commands()[std::stoul(id.substr(1))];
    EXPECT_EQ(ns(event["ts"]), static_cast<std::int64_t>(command.started_ns));
    EXPECT_EQ(ns(event["dur"]), static_cast<std::int64_t>(command.run_ns()));
    EXPECT_EQ(event["pid"], 0);
    EXPECT_GT(event["args"]["stream"], 0);
  }
  EXPECT_EQ(ids.size(), 10);
  EXPECT_THAT(report.left_out, Contains(HasSubstr("1 of 11 commands has no times")));
  expect_nested(list);
}

TEST_F(ChromeEvents, FlowsLeadFromACallToItsCommand) {
  const json list = events(Trace::load(write_sample(folder / "s.reel")));
  std::map<std::uint64_t, std::int64_t> starts, ends;
  for (const json& event : list) {
    if (event["ph"] == "s") starts[event["id"]] = ns(event["ts"]);
    if (event["ph"] == "f") ends[event["id"]] = ns(event["ts"]);
  }
  EXPECT_EQ(starts.size(), 7);  // c4 to c6 were submitted by one call, c9 and c10 are nodes of c8
  for (const auto& [id, begin] : starts) {
    ASSERT_TRUE(ends.contains(id)) << id;
    EXPECT_LE(begin, ends[id]);
  }
}

TEST_F(ChromeEvents, HtaFindsTheCallsItKnows) {
  const Trace trace = Trace::load(write_sample(folder / "s.reel"));
  const json list = events(trace, {.overwrite = true, .hta = true});
  std::map<std::string, int> names;
  for (const json& event : list)
    if (event.value("cat", "") == "cuda_runtime") ++names[event["name"]];
  EXPECT_EQ(names["cudaLaunchKernel"], 2);
  EXPECT_EQ(names["cudaMemcpyAsync"], 2);  // the third was submitted with others
  EXPECT_EQ(names["cudaMemsetAsync"], 1);
}

TEST_F(ChromeEvents, HostileTimesNestAndHostileNamesAreText) {
  const json list = events(Trace::load(write_hostile(folder / "h.reel")));
  expect_nested(list);
  int kernels = 0;
  for (const json& event : list)
    if (event.value("cat", "") == "kernel") {
      ++kernels;
      EXPECT_THAT(event["name"].get<std::string>(), HasSubstr("</script><b>"));
    }
  EXPECT_EQ(kernels, 7);
}

TEST_F(ChromeEvents, NamesEndingInGzAreCompressed) {
  const Trace trace = Trace::load(write_sample(folder / "s.reel"));
  const json plain = events(trace), packed = events(trace, {.overwrite = true}, "x.json.gz");
  EXPECT_EQ(plain, packed);
  EXPECT_THAT(read_text(folder / "x.json.gz"), testing::StartsWith("\x1f\x8b"));
}

TEST_F(ChromeEvents, DocumentsWithNothingGiveValidJson) {
  EXPECT_FALSE(events(Trace::load(write_empty(folder / "e.reel"))).empty());
  for (const json& event : events(Trace::load(write_bare(folder / "b.reel"))))
    EXPECT_NE(event["ph"], "X");
}

TEST(Lanes, SlicesThatOverlapWithoutNestingGetLanesOfTheirOwn) {
  std::vector<Slice> slices{{0, 10, 0, 0, {}},  {5, 15, 0, 1, {}}, {2, 4, 0, 2, {}},
                            {10, 20, 0, 3, {}}, {6, 7, 0, 4, {}},  {0, 10, 0, 5, {}}};
  EXPECT_EQ(assign_lanes(slices).count, 2);
  std::map<std::uint32_t, std::uint32_t> lanes;
  for (const Slice& slice : slices) lanes[slice.id] = slice.lane;
  EXPECT_EQ(lanes, (std::map<std::uint32_t, std::uint32_t>{
                       {0, 0}, {1, 1}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}));
}

TEST(Lanes, MoreThanFitAreCutAndCounted) {
  std::vector<Slice> slices;
  for (std::uint64_t i = 0; i < 10; ++i) slices.push_back({i, 100 + i, 0, 0, {}});
  const Lanes lanes = assign_lanes(slices, 4);
  EXPECT_EQ(lanes.count, 4);
  EXPECT_EQ(lanes.cut, 6);
}

}  // namespace
}  // namespace reel::test
