// Documents that lack what analysis would like to have: each question is answered by what is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/made_document.hpp"
#include "reel/error.hpp"
#include "reel/insights.hpp"

namespace reel {
namespace {

using test::MadeDocument;
using testing::HasSubstr;
using testing::SizeIs;

// Everything that is said about time adds up, and no finding claims time that there isn't.
analysis::Report checked(const Trace& trace) {
  const analysis::Report report = analyze(trace);
  const analysis::Activity& activity = report.activity;
  std::uint64_t idle = 0;
  for (const std::uint64_t ns : activity.idle_ns) idle += ns;
  EXPECT_EQ(activity.busy_ns + idle, activity.active_ns);
  for (const analysis::Pass& pass : report.passes) {
    EXPECT_LT(pass.first, pass.end);
    EXPECT_LE(pass.end, trace.commands().size());
    EXPECT_LE(pass.busy_ns, pass.took_ns());
    EXPECT_LE(pass.begin_ns, pass.end_ns);
  }
  const std::uint64_t most = std::max(activity.active_ns, activity.span_ns());
  for (const analysis::Finding& finding : find_insights(trace, report))
    if (finding.saving_ns) {
      EXPECT_LE(*finding.saving_ns, most) << finding.id << ": " << finding.title;
    }
  return report;
}

TEST(BadInput, WithoutStampsPassesAndMemoryAreKnownAndTimeIsNot) {
  MadeDocument made;
  const auto k = made.kernel("k"), other = made.kernel("other");
  const auto x = made.buffer({.size = 512});
  for (int i = 0; i < 8; ++i) {
    made.add({.kernel = k, .call = test::Span{10.0 * i + 1, 10.0 * i + 2}, .changes = {{x}}});
    made.add({.kernel = other, .call = test::Span{10.0 * i + 3, 10.0 * i + 4}, .reads = {{x}}});
  }
  const Trace trace = made.trace();
  const analysis::Report report = checked(trace);
  EXPECT_FALSE(report.activity.has_times());
  EXPECT_EQ(report.verdict, analysis::Bottleneck::unknown);
  EXPECT_THAT(report.passes, SizeIs(8));
  EXPECT_EQ(report.memory.peak_bytes, 512u);
  EXPECT_THAT(find_insights(trace, report)[0].title, HasSubstr("No timestamps were recorded"));
}

TEST(BadInput, ClocksThatRunBackwardsMakeNoTimeOfTheirOwn) {
  for (const double step : {-7.0, -0.5, 0.0}) {
    MadeDocument made;
    const auto k = made.kernel("k");
    for (int i = 0; i < 40; ++i) {
      const double start = 1000 + step * i;
      made.add({.kernel = k,
                .run = {start, start + (i % 5 == 0 ? -3 : 2)},
                .call = test::Span{2000 + 3.0 * i, 2001 + 3.0 * i}});
      made.call("clFinish", {2002 + 3.0 * i, 2001.5 + 3.0 * i});
    }
    const analysis::Report report = checked(made.trace());
    EXPECT_EQ(report.activity.idle_ns[static_cast<std::size_t>(analysis::IdleCause::unknown)],
              report.activity.active_ns - report.activity.busy_ns)
        << "a start before its call tells nothing of causes";
  }
}

TEST(BadInput, OnePassIsAPassWhereTheProgramSaysSo) {
  MadeDocument made;
  const auto k = made.kernel("k");
  for (int i = 0; i < 6; ++i) made.add({.kernel = k, .run = {10.0 * i + 2, 10.0 * i + 5}});
  made.pass({0.5, 70});
  EXPECT_THAT(checked(made.trace()).passes, SizeIs(1));
}

TEST(BadInput, ADocumentThatIsCutInAPassHasOnlyWholePasses) {
  constexpr std::uint32_t nodes = 40;
  MadeDocument made;
  const auto k = made.kernel("k");
  double t = 1;
  for (std::uint32_t pass = 0; pass < 300; ++pass) {
    const test::Span call{t, t + 1};
    const auto launch = made.add({.kind = WorkKind::launch, .call = call, .graph = 0});
    for (std::uint32_t node = 0; node < nodes; ++node, t += 3)
      made.add({.kernel = k,
                .run = {t + 2, t + 4},
                .call = call,
                .groups = 1 + node,
                .launch = launch,
                .node = node});
    t += 10;
  }
  const Trace whole = made.trace();
  ASSERT_THAT(checked(whole).passes, SizeIs(300));
  const auto size = std::filesystem::file_size(whole.path());
  std::size_t loaded = 0;
  for (int percent = 2; percent < 100; percent += 7) {
    const std::string path = whole.path() + ".cut.reel";
    std::filesystem::copy_file(whole.path(), path,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, size * static_cast<std::uintmax_t>(percent) / 100);
    try {
      const Trace cut = Trace::load(path);
      ++loaded;
      const std::vector<analysis::Pass> passes = checked(cut).passes;
      for (const analysis::Pass& pass : passes)
        if (passes.size() > 1) {
          EXPECT_EQ(pass.end - pass.first, nodes + 1) << percent << "%";
        }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::damaged_document) << error.what();
    }
  }
  EXPECT_GT(loaded, 5u);
}

TEST(BadInput, AHundredThousandStreamsAreAnswered) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer();
  constexpr std::uint32_t count = 100'000;
  for (std::uint32_t s = 0; s < count; ++s)
    made.add({.kernel = k,
              .stream = s ? made.stream() : 0,
              .run = {10.0 + s, 10.5 + s},
              .call = test::Span{1.0 + s, 1.1 + s},
              .reads = {{x}}});
  const analysis::Report report = checked(made.trace());
  EXPECT_EQ(report.activity.devices[0].timed, count);
  EXPECT_EQ(report.activity.busy_ns, count * std::uint64_t{500});
}

}  // namespace
}  // namespace reel
