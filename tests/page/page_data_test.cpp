// What the page asks for equals what the trace and the report say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <future>
#include <map>
#include <regex>
#include <sstream>
#include <thread>

#include "document/document_writer.hpp"
#include "document/sample_document.hpp"
#include "page/page_stages.hpp"
#include "page_documents.hpp"
#include "reel/arguments.hpp"
#include "reel/insights.hpp"
#include "reel/page.hpp"
#include "reel/scope_tree.hpp"
#include "table_reader.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

class PageDataTest : public testing::Test {
 protected:
  TableReader table(const PageData& data, const std::string& name) {
    const auto resource = data.get(name);
    EXPECT_TRUE(resource) << name;
    EXPECT_EQ(resource->media_type, "application/octet-stream");
    return TableReader(resource->bytes);
  }
  json list(const PageData& data, const std::string& name) {
    const auto resource = data.get(name);
    EXPECT_TRUE(resource) << name;
    EXPECT_EQ(resource->media_type, "application/json");
    return json::parse(resource->bytes);
  }

  TemporaryFolder folder_;
};

// `get` of each row, against the column.
template <class Rows, class Get>
void expect_column(const TableReader& table, const std::string& name, const Rows& rows, Get get) {
  const std::vector<double> found = table.column(name);
  ASSERT_EQ(found.size(), rows.size()) << name;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double expected = static_cast<double>(get(rows[i]));
    const bool same = std::isnan(expected) ? std::isnan(found[i]) : found[i] == expected;
    EXPECT_TRUE(same) << name << " of row " << i << " is " << found[i] << ", not " << expected;
  }
}

// A line for each table: | `calls` | `name thread` u32, `begin end` f64 … |
TEST_F(PageDataTest, TheDocumentNamesEveryColumnWithItsType) {
  const PageData data(Trace::load(write_sample(folder_ / "x.reel")));
  std::ifstream lines(REEL_DOCS "/page.md");
  const std::regex row("\\| `(\\w+)` \\| (.*) \\|"), columns("`([a-z0-9_ ]+)` (u8|u16|u32|f64)");
  int tables = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    const auto resource =
        std::regex_match(line, match, row) ? data.get(match[1].str()) : std::nullopt;
    if (!resource || !resource->bytes.starts_with("RCOL")) continue;
    ++tables;
    const TableReader found(resource->bytes);
    std::map<std::string, std::string> expected, described;
    for (const std::string& name : found.names()) expected[name] = found.type(name);
    const std::string text = match[2];
    for (std::sregex_iterator group(text.begin(), text.end(), columns), end; group != end;
         ++group) {
      std::istringstream names((*group)[1]);
      for (std::string name; names >> name;) described[name] = (*group)[2];
    }
    EXPECT_EQ(described, expected) << match[1];
  }
  EXPECT_EQ(tables, 13);
}

TEST_F(PageDataTest, CommandsAreThoseOfTheTrace) {
  const Trace trace = Trace::load(write_sample(folder_ / "x.reel"));
  const PageData data(trace);
  const TableReader commands = table(data, "commands");
  EXPECT_EQ(commands.type("lane"), "u16");
  const auto origin = static_cast<std::int64_t>(analysis::find_activity(trace).begin_ns);
  ASSERT_NE(origin, 0);
  const auto time = [&](std::uint64_t ns) {
    return ns == 0 ? NAN : static_cast<double>(static_cast<std::int64_t>(ns) - origin);
  };
  const auto& rows = trace.commands();
  using Row = TraceCommand;
  expect_column(commands, "work", rows, [](const Row& row) { return row.work; });
  expect_column(commands, "stream", rows, [](const Row& row) { return row.stream; });
  expect_column(commands, "thread", rows, [](const Row& row) { return row.thread; });
  expect_column(commands, "launch", rows, [](const Row& row) { return row.launch; });
  expect_column(commands, "node", rows, [](const Row& row) { return row.node; });
  expect_column(commands, "call_begin", rows,
                [&](const Row& row) { return time(row.call_begin_ns); });
  expect_column(commands, "call_end", rows, [&](const Row& row) { return time(row.call_end_ns); });
  expect_column(commands, "queued", rows, [&](const Row& row) { return time(row.queued_ns); });
  expect_column(commands, "submitted", rows,
                [&](const Row& row) { return time(row.submitted_ns); });
  expect_column(commands, "started", rows, [&](const Row& row) { return time(row.started_ns); });
  expect_column(commands, "ended", rows, [&](const Row& row) { return time(row.ended_ns); });
  const auto own = commands.column("own");
  EXPECT_TRUE(std::isnan(own[6]));  // has no stamps
  EXPECT_EQ(own[8], 0);             // a launch whose nodes are there
  EXPECT_EQ(own[9], 10'000);
}

TEST_F(PageDataTest, WorksAndTheirArgumentsAreThoseOfTheTrace) {
  const Trace trace = Trace::load(write_sample(folder_ / "x.reel"));
  const PageData data(trace);
  const TableReader works = table(data, "works");
  using Row = TraceWork;
  const auto& rows = trace.works();
  expect_column(works, "kind", rows, [](const Row& row) { return static_cast<int>(row.kind); });
  expect_column(works, "kernel", rows, [](const Row& row) { return row.kernel; });
  expect_column(works, "graph", rows, [](const Row& row) { return row.graph; });
  expect_column(works, "label", rows, [](const Row& row) { return row.label; });
  expect_column(works, "scope", rows, [](const Row& row) { return row.scope; });
  expect_column(works, "groups_x", rows, [](const Row& row) { return row.groups.x; });
  expect_column(works, "group_x", rows, [](const Row& row) { return row.group_size.x; });
  expect_column(works, "group_z", rows, [](const Row& row) { return row.group_size.z; });
  expect_column(works, "offset_y", rows, [](const Row& row) { return row.offset.y; });
  expect_column(works, "items_x", rows, [](const Row& row) { return row.items.x; });
  expect_column(works, "dimensions", rows, [](const Row& row) { return row.dimensions; });
  expect_column(works, "pattern", rows, [](const Row& row) { return row.pattern; });

  const TableReader arguments = table(data, "arguments");
  const json values = list(data, "values"), texts = list(data, "texts");
  const auto first = works.column("first_argument"), count = works.column("argument_count");
  for (std::size_t w = 0; w < rows.size(); ++w) {
    EXPECT_EQ(texts[rows[w].label], trace.text(rows[w].label));
    EXPECT_EQ(texts[rows[w].scope], trace.text(rows[w].scope));
    const auto expected = trace.arguments(rows[w]);
    ASSERT_EQ(count[w], expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto at = static_cast<std::size_t>(first[w]) + i;
      EXPECT_EQ(arguments.column("kind")[at], static_cast<int>(expected[i].kind));
      EXPECT_EQ(arguments.column("access")[at],
                expected[i].buffer == no_index ? 0 : static_cast<int>(expected[i].access));
      EXPECT_EQ(arguments.column("buffer")[at], expected[i].buffer);
      EXPECT_EQ(arguments.column("size")[at], expected[i].size_bytes);
      const double value = arguments.column("value")[at];
      if (expected[i].kind != ArgumentKind::value) {
        EXPECT_EQ(value, no_index);
        continue;
      }
      const Parameter* parameter = parameter_of(trace, rows[w], i);
      EXPECT_EQ(values[static_cast<std::size_t>(value)],
                value_text(trace.value_bytes(expected[i]),
                           parameter ? parameter->element : std::nullopt));
    }
  }
  EXPECT_EQ(values, json({"1024", "1073741824 or 2f"}));
}

TEST_F(PageDataTest, WhatWasRecordedBesidesIsThere) {
  const Trace trace = Trace::load(write_sample(folder_ / "x.reel"));
  const PageData data(trace);
  EXPECT_EQ(table(data, "calls").rows(), trace.calls().size());
  EXPECT_EQ(table(data, "regions").rows(), 2u);
  EXPECT_THAT(table(data, "overheads").column("bytes"), Contains(2'621'440));
  const TableReader contents = table(data, "contents");
  EXPECT_THAT(contents.column("role"), ElementsAre(1, 2, 0, 2));
  EXPECT_THAT(contents.column("stored"), ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(contents.column("page_count"), ElementsAre(1, 1, 3, 3));
  const auto low = contents.column("hash_low"), high = contents.column("hash_high");
  EXPECT_EQ(low[2], low[3]);  // the same bytes, one of them as hashes only
  EXPECT_EQ(high[2], high[3]);
  EXPECT_NE(low[0], low[1]);
}

TEST_F(PageDataTest, WhatAnalysisFoundIsThere) {
  const Trace trace = Trace::load(write_sample(folder_ / "x.reel"));
  const analysis::Report report = analyze(trace);
  const PageData data(trace);
  const auto time = [&](std::uint64_t ns) {
    return static_cast<double>(ns - report.activity.begin_ns);
  };
  expect_column(table(data, "gaps"), "begin", report.activity.gaps,
                [&](const analysis::Gap& gap) { return time(gap.begin_ns); });
  expect_column(table(data, "gaps"), "cause", report.activity.gaps,
                [](const analysis::Gap& gap) { return static_cast<int>(gap.cause); });
  expect_column(table(data, "dependencies"), "from", report.dependencies,
                [](const analysis::Dependency& dependency) { return dependency.from; });
  expect_column(table(data, "dependencies"), "bytes", report.dependencies,
                [](const analysis::Dependency& dependency) { return dependency.bytes; });
  expect_column(table(data, "path"), "end", report.path.steps,
                [&](const analysis::PathStep& step) { return time(step.end_ns); });
  expect_column(table(data, "memory"), "bytes", report.memory.curve,
                [](const analysis::MemoryPoint& point) { return point.bytes; });
  EXPECT_EQ(list(data, "findings"),
            json::parse(analysis::findings_json(trace, report, find_insights(trace, report))));
  const json summary = list(data, "summary");
  EXPECT_EQ(summary["document"], trace.path());
  EXPECT_EQ(summary["span_ns"], report.activity.span_ns());
  EXPECT_EQ(summary["busy_ns"], report.activity.busy_ns);
  EXPECT_EQ(summary["verdict"], to_string(report.verdict));
  EXPECT_EQ(summary["counts"]["dispatch"], 4);
  EXPECT_EQ(summary["facts"]["program"], "sample");
  EXPECT_EQ(summary["end_facts"]["complete"], "yes");
  EXPECT_EQ(summary["streams"].size(), 2u);
  EXPECT_EQ(summary["streams"][1]["id"], "s3");
  EXPECT_EQ(summary["threads"], json({77, 78}));
  EXPECT_EQ(summary["overhead_ns"]["starting"], 10'000);
  EXPECT_EQ(summary["memory"]["peak_bytes"], report.memory.peak_bytes);
  EXPECT_EQ(summary["has_diff"], false);
  EXPECT_EQ(summary["left_out"], json::array());
}

TEST_F(PageDataTest, KernelsBuffersAndScopesSayWhatTheVerbsSay) {
  const Trace trace = Trace::load(write_sample(folder_ / "x.reel"));
  const PageData data(trace);
  const json kernels = list(data, "kernels");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["id"], "k4");
  for (const analysis::KernelUsage& usage : analysis::find_kernel_usage(trace)) {
    const json& kernel = kernels[usage.kernel];
    EXPECT_EQ(kernel["count"], usage.count);
    EXPECT_EQ(kernel["total_ns"], usage.total_ns);
    EXPECT_EQ(kernel["p95_ns"], usage.p95_ns);
    EXPECT_EQ(kernel["first"], usage.first);
  }
  EXPECT_EQ(kernels[0]["defines"], json::parse(R"([["N","1024"]])"));
  EXPECT_EQ(kernels[0]["constants"], json::parse("[[0,64]]"));
  EXPECT_EQ(kernels[0]["parameters"][1]["access"], "inout");
  EXPECT_EQ(
      kernels[0]["variants"],
      json::parse(R"([{"form":"opencl_c","has_text":true},{"form":"host","has_text":false}])"));
  const json buffers = list(data, "buffers");
  EXPECT_EQ(buffers[0]["id"], "b1");
  EXPECT_EQ(buffers[0]["element"], "i16");
  EXPECT_EQ(buffers[2]["element"], nullptr);
  EXPECT_EQ(buffers[2]["size_bytes"], 2'621'440);
  EXPECT_EQ(list(data, "scopes"),
            json::parse(analysis::scopes_json(trace, analysis::find_scopes(trace))));
}

TEST_F(PageDataTest, ImagesTellTheirShapeAndTheirFormatInWords) {
  const PageData data(Trace::load(write_images(folder_ / "x.reel")));
  const json buffers = list(data, "buffers");
  EXPECT_EQ(buffers[0]["image"], "2d RGBA8 unorm, 5 x 6");
  EXPECT_EQ(buffers[0]["image_shape"],
            json::parse(R"({"type":"2d","channel_order":"RGBA","channel_type":"8 unorm",
                            "pixel_bytes":4,"width":5,"height":6,"depth":1,"layers":1})"));
  EXPECT_EQ(buffers[1]["image"], "1d_array order 0x1, type 0x2, 3, 2 layers");
  EXPECT_EQ(buffers[1]["image_shape"]["channel_order"], "");
  EXPECT_EQ(buffers[1]["image_shape"]["channel_type"], "");
  EXPECT_EQ(buffers[1]["image_shape"]["layers"], 2);
}

TEST_F(PageDataTest, SourcesAndPagesAreTheBytesOfTheDocument) {
  const Trace trace = Trace::load(write_sample(folder_ / "x.reel"));
  const PageData data(trace);
  EXPECT_EQ(data.get("source/0/0")->bytes, sample_add_cl);
  EXPECT_EQ(data.get("source/0/0")->media_type, "text/plain; charset=utf-8");
  EXPECT_THAT(data.names(), Contains("source/0/0"));
  const auto page = data.get("page/2/1");
  ASSERT_TRUE(page);
  const auto expected = trace.page(trace.contents()[2], 1);
  EXPECT_EQ(page->bytes,
            std::string(reinterpret_cast<const char*>(expected->data()), expected->size()));
  for (const char* name : {"source/0/1", "source/0/9", "source/9/0", "page/2/3", "page/9/0",
                           "page/2", "page/2/1/", "page/-1/0", "page/2/ 1", "source/0/0x",
                           "page/99999999999999999999/0", "diff", "", "commands/", "../commands"})
    EXPECT_FALSE(data.get(name)) << name;
}

TEST_F(PageDataTest, TwoDocumentsHaveADifference) {
  const Trace trace = Trace::load(write_sample(folder_ / "x.reel"));
  const PageData data(trace, trace);
  EXPECT_THAT(data.names(), Contains("diff"));
  EXPECT_TRUE(list(data, "diff").is_object());
  EXPECT_EQ(list(data, "summary")["has_diff"], true);
  EXPECT_THAT(PageData(trace).names(), Not(Contains("diff")));
}

// Names that end tags, strings or the patience of a parser.
TEST_F(PageDataTest, HostileNamesStayText) {
  const PageData data(Trace::load(write_hostile(folder_ / "x.reel")));
  for (const std::string& name : data.names()) {
    const auto resource = data.get(name);
    ASSERT_TRUE(resource) << name;
    if (resource->media_type == "application/json") {
      EXPECT_TRUE(json::accept(resource->bytes)) << name;
    }
  }
  const json summary = list(data, "summary");
  const std::string cleaned = summary["facts"]["program"];
  EXPECT_THAT(cleaned, testing::StartsWith(
                           "</script><script>alert(1)</script><!-- \" ' & \\ \n\t\x01\x7f "));
  EXPECT_THAT(cleaned, testing::HasSubstr("\xef\xbf\xbd"));
  EXPECT_EQ(list(data, "kernels")[0]["name"], cleaned);
  EXPECT_EQ(list(data, "buffers")[0]["label"], cleaned);
  EXPECT_EQ(data.get("source/0/0")->bytes, hostile);  // bytes, not text
}

TEST_F(PageDataTest, DocumentsWithLittleInThemAreShown) {
  const std::string paths[] = {write_empty(folder_ / "empty.reel"), write_one(folder_ / "one.reel"),
                               write_one(folder_ / "untimed.reel", false),
                               write_cut(folder_ / "cut.reel")};
  for (const std::string& path : paths) {
    const Trace trace = Trace::load(path);
    const PageData data(trace);
    for (const std::string& name : data.names()) {
      const auto resource = data.get(name);
      ASSERT_TRUE(resource) << path << " " << name;
      if (resource->media_type == "application/json") {
        EXPECT_TRUE(json::accept(resource->bytes)) << path << " " << name;
      } else if (!name.starts_with("source/")) {
        EXPECT_NO_THROW(TableReader(resource->bytes)) << path << " " << name;
      }
    }
    EXPECT_EQ(table(data, "commands").rows(), trace.commands().size());
    EXPECT_EQ(list(data, "summary")["complete"], trace.is_complete());
  }
  const PageData untimed(Trace::load(paths[2]));
  EXPECT_TRUE(std::isnan(table(untimed, "commands").column("started")[0]));
  EXPECT_EQ(list(untimed, "summary")["streams"][0]["begin_ns"], nullptr);
  EXPECT_EQ(table(untimed, "depth").rows(), 0u);
}

TEST_F(PageDataTest, AHundredThousandStreamsAreShown) {
  const PageData data(Trace::load(write_streams(folder_ / "x.reel", 100'000)));
  EXPECT_EQ(list(data, "summary")["streams"].size(), 100'000u);
  EXPECT_EQ(table(data, "depth").rows(), 200'000u);
}

// The page is looked at while dependencies are still being searched for.
TEST_F(PageDataTest, TheFirstLookDoesNotWaitForTheRest) {
  const Trace trace = Trace::load(write_sample(folder_ / "x.reel"));
  std::promise<void> reached, released;
  bool was_reached = false;  // the difference looks at dependencies again
  const PageData data(trace, trace,
                      {.in_background = true, .progress = [&](std::string_view what, double) {
                         if (what != "Looking at dependencies" || std::exchange(was_reached, true))
                           return;
                         reached.set_value();
                         released.get_future().wait();
                       }});
  reached.get_future().wait();
  const PageData whole(trace, trace);
  for (const char* name : {"summary", "commands", "gaps", "path", "kernels", "buffers", "memory"})
    EXPECT_EQ(data.get(name)->bytes, whole.get(name)->bytes) << name;
  EXPECT_TRUE(data.get("page/2/0"));
  const json progress = json::parse(data.get("progress")->bytes);
  EXPECT_EQ(progress["what"], "Looking at dependencies");
  EXPECT_EQ(progress["done"], false);
  std::vector<std::future<std::string>> later;
  const std::vector<std::string> names{"dependencies", "dependency_sets", "findings", "diff"};
  for (const std::string& name : names)
    later.push_back(std::async(std::launch::async, [&] { return data.get(name)->bytes; }));
  for (auto& one : later)
    EXPECT_EQ(one.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  released.set_value();
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(later[i].get(), whole.get(names[i])->bytes) << names[i];
  EXPECT_EQ(json::parse(data.get("progress")->bytes)["done"], true);
}

// On two cores that are busy, dependencies would take what the first look needs.
TEST_F(PageDataTest, TheRestGivesWayToThoseWhoLook) {
  page::PageStages stages;
  std::optional<page::PageStages::Looking> looking(std::in_place, stages);
  auto rest = std::async(std::launch::async, [&] { stages.give_way(); });
  EXPECT_EQ(rest.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  looking.reset();
  EXPECT_EQ(rest.wait_for(std::chrono::milliseconds(500)), std::future_status::ready);
  // Not for ever.
  looking.emplace(stages);
  auto other = std::async(std::launch::async, [&] { stages.give_way(); });
  EXPECT_EQ(other.wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST_F(PageDataTest, WhatTheAnalysisFailsWithIsTold) {
  const PageData data(Trace::load(write_sample(folder_ / "x.reel")),
                      {.in_background = true, .progress = [](std::string_view what, double) {
                         if (what == "Looking at dependencies") throw std::runtime_error("stopped");
                       }});
  EXPECT_TRUE(data.get("summary"));
  EXPECT_THROW(data.get("findings"), std::runtime_error);
  EXPECT_EQ(json::parse(data.get("progress")->bytes)["done"], true);
}

TEST_F(PageDataTest, AnyThreadMayAsk) {
  const PageData data(Trace::load(write_sample(folder_ / "x.reel")));
  const std::string expected = data.get("commands")->bytes;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, copy = data] {
      for (const std::string& name : copy.names()) wrong += !copy.get(name);
      wrong += copy.get("commands")->bytes != expected;
      wrong += !copy.get("page/2/0");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace reel::test
