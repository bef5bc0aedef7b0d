// What is said of kernels whose first runs took far longer than later ones.
#include "analysis/time/cold_runs.hpp"

#include <random>
#include <set>

#include "analysis/found.hpp"
#include "reel/peaks.hpp"

namespace reel {
namespace {

using analysis::ColdRuns;
using analysis::Finding;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Runs of one kernel, one after the other; each reads 8000 bytes.
Trace runs_of(MadeDocument& made, const std::vector<double>& took_us) {
  const auto k = made.kernel("slow_at_first"), x = made.buffer({.size = 8000});
  double now = 10;
  for (const double took : took_us) {
    made.add(
        {.kernel = k,
         .run = {now, now + took},
         .call =
             test::Span{5, 5.1},  // all are given at once, so that nothing but the device counts
         .reads = {{x}}});
    now += took + 1;
  }
  return made.trace();
}

Finding found(const Trace& trace, const std::string& id,
              const std::vector<DevicePeaks>& peaks = {}) {
  for (const Finding& finding : analysis::find_insights(trace, analyze(trace), peaks))
    if (finding.id == id) return finding;
  ADD_FAILURE() << id << " is not found";
  return {};
}

TEST(ColdRuns, AreLeadingRunsThatTookFarLongerThanTheMedian) {
  const auto cold_of = [](const std::vector<double>& took_us) {
    MadeDocument made;
    const Trace trace = runs_of(made, took_us);
    const ColdRuns cold(trace);
    std::set<std::uint32_t> commands;
    for (std::uint32_t i = 0; i < took_us.size(); ++i)
      if (cold.contains(i)) commands.insert(i);
    return commands;
  };
  using Set = std::set<std::uint32_t>;
  EXPECT_EQ(cold_of({920, 20, 20, 20, 20}), Set({0}));
  EXPECT_EQ(cold_of({920, 20}), Set({0}));
  EXPECT_EQ(cold_of({920, 400, 20, 20, 20}), Set({0, 1}));
  EXPECT_EQ(cold_of({20, 920, 20, 20, 20}), Set());  // no first run: something else
  EXPECT_EQ(cold_of({50, 20, 20, 20}), Set());       // not three times as long
  EXPECT_EQ(cold_of({0.9, 0.1, 0.1, 0.1}), Set());   // shorter than clocks are exact
  EXPECT_EQ(cold_of({920}), Set());                  // nothing to compare it with
}

// Whatever a first run takes, nothing that is said of the kernel's speed may change.
TEST(ColdRuns, DoNotChangeWhatIsSaidOfTheKernel) {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> took{0};
    const std::size_t runs = 2 + random() % 12;
    for (std::size_t i = 0; i < runs; ++i) took.push_back(20 + static_cast<double>(random() % 10));
    std::set<double> rates, savings;
    for (const double first : {200.0, 5000.0, 400000.0}) {
      took[0] = first;
      MadeDocument made;
      const Trace trace = runs_of(made, took);
      rates.insert(number(found(trace, "bandwidth"), "at_most"));
      savings.insert(static_cast<double>(found(trace, "cp").saving_ns.value_or(0)));
    }
    EXPECT_EQ(rates.size(), 1u) << round;
    EXPECT_EQ(savings.size(), 1u) << round;
  }
}

TEST(ColdRuns, AreNamedWithWhatLaterOnesTook) {
  MadeDocument made;
  const Trace trace = runs_of(made, {920, 20, 20, 20, 20});
  const Finding bandwidth = found(trace, "bandwidth"), path = found(trace, "cp"),
                verdict = found(trace, "verdict");
  EXPECT_DOUBLE_EQ(number(bandwidth, "at_most"), 0.4);
  EXPECT_DOUBLE_EQ(number(bandwidth, "first_runs"), 920'000);
  EXPECT_THAT(bandwidth.title,
              AllOf(HasSubstr("80.0 µs in 4 runs"), HasSubstr("at most 400 MB/s"),
                    HasSubstr("Its first run, c0, took 920.0 µs, later ones like it 20.0 µs; that "
                              "is not counted here.")));
  EXPECT_EQ(path.saving_ns, 40'000u);
  EXPECT_THAT(path.title, HasSubstr("91.6% of it is the first run of a kernel that took far longer "
                                    "than later ones like it: c0."));
  EXPECT_THAT(path.advice, HasSubstr("capture later passes"));
  EXPECT_THAT(verdict.title, HasSubstr("92.0% of its busy time, above all c0"));
  EXPECT_THAT(verdict.advice, AllOf(HasSubstr("warming up"), Not(HasSubstr("Make the kernels"))));
}

TEST(ColdRuns, AreNotKnownOfAKernelThatRanOnce) {
  MadeDocument made;
  const Trace trace = runs_of(made, {920});
  const Finding bandwidth = found(trace, "bandwidth"), path = found(trace, "cp");
  for (const Finding& finding : {bandwidth, path}) {
    EXPECT_THAT(finding.title, HasSubstr("It ran once, so how much of that is warming up"));
    EXPECT_EQ(finding.confidence, analysis::Confidence::possible);
  }
  // Nor is what limits it.
  const TraceDevice& device = trace.devices()[0];
  for (const double gb_per_s : {0.009, 1000.0}) {
    const DevicePeaks peak{.name = device.name,
                           .driver = device.driver,
                           .driver_version = device.driver_version,
                           .measured = "2026-01-02",
                           .bytes_per_s = gb_per_s * 1e9};
    EXPECT_EQ(found(trace, "bandwidth", {peak}).advice, "") << gb_per_s;
  }
}

TEST(ColdRuns, AreSaidNothingOfWhereThereAreNone) {
  MadeDocument made;
  const Trace trace = runs_of(made, {20, 21, 20, 22});
  for (const char* id : {"verdict", "cp", "bandwidth"})
    EXPECT_THAT(found(trace, id).title,
                AllOf(Not(HasSubstr("first run")), Not(HasSubstr("ran once"))));
}

// A kernel that ran long once has less time of its own than one that ran often.
TEST(ColdRuns, DoNotMakeAKernelTheBusiest) {
  MadeDocument made;
  const auto cold = made.kernel("cold"), busy = made.kernel("busy"),
             x = made.buffer({.size = 8000});
  double now = 10;
  const auto add = [&](std::uint32_t kernel, double took) {
    made.add({.kernel = kernel, .run = {now, now + took}, .reads = {{x}}});
    now += took;
  };
  for (int i = 0; i < 5; ++i) add(cold, i == 0 ? 5000 : 10), add(busy, 100);
  const auto finding = find(made, "bandwidth");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, AllOf(HasSubstr("'busy'"), HasSubstr("500.0 µs in 5 runs"),
                                    HasSubstr("apart from first runs")));
}

TEST(ColdRuns, AreNotTheShapeOfALaunch) {
  for (const bool is_cold : {true, false}) {
    MadeDocument made(16);
    const auto k = made.kernel("k"), big = made.kernel("big");
    made.add({.kernel = big, .run = {1, 2001}, .groups = 64});
    made.add({.kernel = k, .run = {2001, 2301}, .groups = 2});
    const double later = is_cold ? 1 : 100;
    for (int i = 0; i < 5; ++i)
      made.add({.kernel = k, .run = {2301 + i * later, 2301 + (i + 1) * later}, .groups = 2});
    EXPECT_EQ(find(made, "launch.shape").has_value(), !is_cold);
  }
}

}  // namespace
}  // namespace reel
