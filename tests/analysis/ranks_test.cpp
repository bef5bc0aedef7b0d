// Who the ranks wait for: documents of ranks that wait for each other after every step, made with a
// known straggler or none, over many seeds.
#include "reel/ranks.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "analysis/diff/statistics.hpp"
#include "analysis/made_document.hpp"
#include "expect_error.hpp"

namespace reel {
namespace {

using analysis::LateCause;
using analysis::Lateness;
using analysis::RankRow;
using analysis::RanksClock;
using analysis::RanksReport;
using analysis::RankSteps;
using test::MadeDocument;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// What a machine does to times, as parts of them.
struct Noise {
  const char* name = "";
  double white = 0.02;          // of each command of its own
  double lasting = 0, rho = 0;  // of all commands of a step of a rank, and of its next: AR(1)
  double spike_rate = 0;        // steps of a rank that something else interrupts
  double bias = 0;              // of a rank, in all its steps
  double growing = 0;           // of all ranks, from the first step to the last
};

// Kernels of a step, in order; all times in us.
struct MadeKernel {
  std::string name;
  double us = 0;
  double gap_us = 5;  // before it
  std::uint32_t groups = 64;
  int runs = 1;
};

struct Cluster {
  int ranks = 4, steps = 40;
  Noise noise = {};
  std::string boot_id = {};  // empty: no common clock
  bool waits = true;         // after each step, for the others
  double start_gap_us = 20;  // of every rank, from when all are done to its first command
  // The kernels of a rank in a step, before noise.
  std::function<std::vector<MadeKernel>(int rank, int step)> work;
  std::function<double(int rank, int step)> start_late_us = {};
  std::function<double(int rank, int step)> after_us = {};  // the host's, before it waits
  bool is_recorded = false;  // the wait is a recorded call of MPI, which takes 10 us by itself
};

std::vector<MadeKernel> usual_work() {
  return {{"norm", 800}, {"matmul", 5000}, {"attention", 2500}, {"add", 600}};
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  // By Box and Muller: the library's distributions differ from one library to the next.
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 random_;
};

// Calls `ran` for each run of a kernel, `stepped` at the end of each step of a rank, and `waited`
// when it waited then.
template <class Ran, class Stepped, class Waited>
void simulate(const Cluster& cluster, std::uint64_t seed, Ran&& ran, Stepped&& stepped,
              Waited&& waited) {
  Random random(seed);
  const auto ranks = static_cast<std::size_t>(cluster.ranks);
  const Noise& noise = cluster.noise;
  std::vector<double> now(ranks, 10), lasting(ranks), bias(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    lasting[r] = random.normal();
    bias[r] = noise.bias * random.normal();
  }
  for (int step = 0; step < cluster.steps; ++step) {
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto rank = static_cast<int>(r);
      double factor =
          1 + bias[r] + noise.lasting * lasting[r] + noise.growing * step / cluster.steps;
      if (random.uniform() < noise.spike_rate) factor += random.uniform();
      lasting[r] = noise.rho * lasting[r] + std::sqrt(1 - noise.rho * noise.rho) * random.normal();
      double t = now[r] + cluster.start_gap_us;
      if (cluster.start_late_us) t += cluster.start_late_us(rank, step);
      const double begin = t;
      for (const MadeKernel& kernel : cluster.work(rank, step))
        for (int i = 0; i < kernel.runs; ++i) {
          t += kernel.gap_us;
          const double took = kernel.us * factor * std::max(0.1, 1 + noise.white * random.normal());
          ran(r, kernel, t, t + took);
          t += took;
        }
      stepped(r, begin, t);
      now[r] = t + (cluster.after_us ? cluster.after_us(rank, step) : 0);
    }
    if (!cluster.waits) continue;
    const double released = *std::ranges::max_element(now) + (cluster.is_recorded ? 10 : 0);
    for (std::size_t r = 0; r < ranks; ++r) waited(r, now[r], released);
    now.assign(ranks, released);
  }
}

document::Facts facts_of(const Cluster& cluster, std::size_t rank) {
  document::Facts facts{{"rank", std::to_string(rank)}, {"ranks", std::to_string(cluster.ranks)}};
  if (!cluster.boot_id.empty()) facts["boot_id"] = cluster.boot_id;
  return facts;
}

// Through documents.
std::vector<RankSteps> run(const Cluster& cluster, std::uint64_t seed) {
  std::vector<std::unique_ptr<MadeDocument>> documents;
  std::vector<std::map<std::string, std::uint32_t>> kernels(
      static_cast<std::size_t>(cluster.ranks));
  for (std::size_t r = 0; r < kernels.size(); ++r)
    documents.push_back(std::make_unique<MadeDocument>(2, facts_of(cluster, r)));
  simulate(
      cluster, seed,
      [&](std::size_t r, const MadeKernel& kernel, double begin, double end) {
        const auto id = kernels[r].try_emplace(kernel.name, no_index).first;
        if (id->second == no_index) id->second = documents[r]->kernel(kernel.name);
        documents[r]->add({.kernel = id->second, .run = {begin, end}, .groups = kernel.groups});
      },
      [&](std::size_t r, double begin, double end) {
        documents[r]->pass({begin - 2, end + 1});
      },
      [&](std::size_t r, double begin, double end) {
        if (cluster.is_recorded) documents[r]->call("MPI_Allreduce", {begin, end}, 1, no_index, 16);
      });
  std::vector<RankSteps> steps;
  for (const auto& document : documents) steps.push_back(analysis::steps_of(document->trace()));
  return steps;
}

// The same without documents, for hundreds of runs.
std::vector<RankSteps> quick_run(const Cluster& cluster, std::uint64_t seed) {
  std::vector<RankSteps> list(static_cast<std::size_t>(cluster.ranks));
  for (std::size_t r = 0; r < list.size(); ++r) {
    list[r].rank = static_cast<std::uint32_t>(r);
    list[r].facts = facts_of(cluster, r);
    list[r].clock.boot_id = cluster.boot_id;
    list[r].clock_error_ns = 0;
    list[r].kind = analysis::Pass::Kind::session;
    list[r].works[0] = {};
  }
  std::vector<analysis::RankStep> open(list.size());
  const auto add = [&](std::size_t r, RankRow::Kind kind, const std::string& name, double us) {
    auto& rows = list[r].rows;
    const RankRow row{kind, name};
    const auto at = static_cast<std::uint32_t>(std::ranges::find(rows, row) - rows.begin());
    if (at == rows.size()) rows.push_back(row);
    open[r].parts.emplace_back(at, static_cast<std::uint64_t>(us * 1000));
  };
  simulate(
      cluster, seed,
      [&](std::size_t r, const MadeKernel& kernel, double begin, double end) {
        const std::uint64_t started = test::at_us(begin), ended = test::at_us(end);
        if (open[r].started_ns == 0)
          open[r].started_ns = started;
        else
          add(r, RankRow::Kind::gap, kernel.name, kernel.gap_us);
        add(r, RankRow::Kind::kernel, kernel.name, end - begin);
        open[r].busy_ns += ended - started;
        open[r].ended_ns = ended;
      },
      [&](std::size_t r, double, double) { list[r].steps.push_back(std::exchange(open[r], {})); },
      [](std::size_t, double, double) {});
  return list;
}

std::vector<MadeKernel> with(std::vector<MadeKernel> work, const std::string& name, double add_us) {
  for (MadeKernel& kernel : work)
    if (kernel.name == name) kernel.us += add_us;
  return work;
}

TEST(Ranks, NamesAStragglerItsKernelAndItsCost) {
  const Cluster cluster{
      .work = [](int rank, int) { return with(usual_work(), "matmul", rank == 2 ? 1900 : 0); }};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const RanksReport report = compare_ranks(run(cluster, seed));
    ASSERT_TRUE(report.straggler) << seed << ": " << report.sentence;
    const analysis::RankReport& rank = report.ranks[*report.straggler];
    EXPECT_EQ(rank.rank, 2u);
    EXPECT_EQ(rank.lateness, Lateness::imbalance);
    EXPECT_GE(rank.last, 37u);
    ASSERT_TRUE(rank.cause && rank.cost_ns);
    EXPECT_EQ(rank.cause->kind, LateCause::Kind::row);
    EXPECT_EQ(rank.cause->rows.front().row, (RankRow{RankRow::Kind::kernel, "matmul"}));
    EXPECT_NEAR(static_cast<double>(*rank.cost_ns), 1.9e6, 1.9e6 * 0.05) << seed;
    EXPECT_THAT(report.sentence, HasSubstr("Rank 2 is last in"));
    EXPECT_THAT(report.sentence, HasSubstr("its 'matmul' takes 1."));
    EXPECT_THAT(report.sentence, HasSubstr("which costs the other 3 ranks"));
    EXPECT_EQ(std::ranges::count(report.ranks, Lateness::none, &analysis::RankReport::lateness), 3);
    EXPECT_NE(report.typical, report.straggler);
  }
}

// Any number of ranks and steps, any straggler, any kernel: named in 19 of 20 at least, and then
// its cost within 5 % of what was put in, by recorded calls of MPI and without a common clock.
TEST(Ranks, RandomStragglersAreNamedByRecordedCalls) {
  int named = 0, right = 0;
  constexpr int runs = 60;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Random random(seed * 7919);
    const int ranks = 2 + static_cast<int>(random.uniform() * 10);
    const int slow = static_cast<int>(random.uniform() * ranks);
    const std::string kernel = usual_work()[static_cast<std::size_t>(random.uniform() * 4)].name;
    // More than the eleventh of a step that the rules ask for where there are twelve.
    const double late_us = 1500 + 6000 * random.uniform();
    const Cluster cluster{
        .ranks = ranks,
        .steps = 12 + static_cast<int>(random.uniform() * 40),
        .noise = {.name = "white", .white = 0.005},
        .work = [&](int rank,
                    int) { return with(usual_work(), kernel, rank == slow ? late_us : 0); },
        .is_recorded = true};
    const RanksReport report = compare_ranks(run(cluster, seed));
    EXPECT_TRUE(report.waits_recorded) << seed;
    if (!report.straggler) continue;
    const analysis::RankReport& rank = report.ranks[*report.straggler];
    named += rank.rank == static_cast<std::uint32_t>(slow) &&
             rank.cause->rows.front().row == RankRow{RankRow::Kind::kernel, kernel};
    right += rank.cost_ns &&
             std::abs(static_cast<double>(*rank.cost_ns) - late_us * 1000) < late_us * 50;
    EXPECT_THAT(report.sentence, HasSubstr("(MPI_Allreduce, 16 B)")) << seed;
    for (const analysis::RankReport& other : report.ranks) {
      ASSERT_EQ(other.waits.size(), 1u);
      EXPECT_EQ(other.waits[0].name, "MPI_Allreduce");
      EXPECT_EQ(other.waits[0].bytes, 16u);
      EXPECT_FALSE(other.waits[0].peer);
    }
  }
  // White noise resembles noise that lasts, now and then, and then nothing is claimed.
  EXPECT_GE(named * 20, runs * 19);
  EXPECT_EQ(right, named);
}

TEST(Ranks, OfRecordedCallsAlikeNoneIsNamed) {
  int claimed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    claimed += compare_ranks(run({.ranks = 2 + static_cast<int>(seed % 8),
                                  .steps = 24,
                                  .noise = {.name = "spikes", .spike_rate = 0.1},
                                  .work = [](int, int) { return usual_work(); },
                                  .is_recorded = true},
                                 seed))
                   .straggler.has_value();
  EXPECT_LE(claimed, 3);
}

// No length of a step on a device shows these, and there is no common clock.
TEST(Ranks, WhoseHostIsLateAreFoundByRecordedCalls) {
  const auto late = [](int rank, int) { return rank == 1 ? 2000.0 : 0.0; };
  Cluster cluster{.work = [](int, int) { return usual_work(); }, .start_late_us = late};
  EXPECT_FALSE(compare_ranks(run(cluster, 1)).straggler);
  cluster.is_recorded = true;
  const RanksReport before = compare_ranks(run(cluster, 1));
  EXPECT_EQ(before.straggler, 1u) << before.sentence;
  EXPECT_THAT(before.sentence, HasSubstr("the gap before its first command takes 2.0"));

  cluster.start_late_us = {};
  cluster.after_us = late;
  const RanksReport after = compare_ranks(run(cluster, 1));
  EXPECT_EQ(after.straggler, 1u) << after.sentence;
  EXPECT_THAT(after.sentence, HasSubstr("its host takes 2.0"));
  EXPECT_THAT(after.sentence, HasSubstr("after the last command"));
  for (const RanksReport& report : {before, after}) {
    ASSERT_TRUE(report.ranks[1].cost_ns);
    EXPECT_NEAR(static_cast<double>(*report.ranks[1].cost_ns), 2e6, 1e5);
    EXPECT_NEAR(static_cast<double>(*report.ranks[0].waiting_ns), 2e6, 2e5);
  }
}

// Ranks that pass something on in the middle of a step: steps take equally long on all devices.
TEST(Ranks, ThatWaitWithinStepsAreTimedByRecordedCalls) {
  std::vector<RankSteps> steps;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    MadeDocument document(2, {{"rank", std::to_string(rank)}, {"ranks", "3"}});
    const auto first = document.kernel("first"), second = document.kernel("second");
    for (int step = 0; step < 20; ++step) {
      const double t = 10 + 10'000.0 * step,
                   noise = 3.0 * ((step * 7 + static_cast<int>(rank)) % 5);
      const double done = t + (rank == 1 ? 6000 : 2000) + noise;
      document.add({.kernel = first, .run = {t, done}});
      // Rank 1 sends what the others wait for.
      if (rank != 1) document.call("MPI_Recv", {done + 3, t + 6030}, 1, 1, 4096);
      if (rank == 1) document.call("MPI_Send", {done + 3, t + 6030}, 1, 0, 4096);
      document.add({.kernel = second, .run = {t + 6040, t + 8000}});
      document.call("MPI_Barrier", {t + 8010, t + 8100});
      document.pass({t - 2, t + 8005});
    }
    steps.push_back(analysis::steps_of(document.trace()));
  }
  const RanksReport report = compare_ranks(std::move(steps));
  EXPECT_TRUE(report.waits_recorded);
  ASSERT_EQ(report.straggler, 1u) << report.sentence;
  EXPECT_THAT(report.sentence, HasSubstr("its 'first' takes 4.0"));
  EXPECT_THAT(report.sentence, HasSubstr("(MPI_Recv with rank 1, 4.0 KiB)"));
  EXPECT_NEAR(static_cast<double>(*report.ranks[1].cost_ns), 4e6, 2e5);
  EXPECT_EQ(report.ranks[0].waits.front().peer, 1u);
  EXPECT_EQ(text_of(report.ranks[0].waits.front()), "MPI_Recv with rank 1, 4.0 KiB");
}

TEST(Ranks, ClaimNothingWhereAllRanksAreAlike) {
  const std::vector<Noise> noises{{.name = "white"},
                                  {.name = "lasting", .lasting = 0.03, .rho = 0.8},
                                  {.name = "spikes", .spike_rate = 0.2},
                                  {.name = "biased", .bias = 0.005},
                                  {.name = "growing", .growing = 0.5}};
  for (const Noise& noise : noises)
    for (const int ranks : {2, 4, 16})
      for (const int steps : {9, 24, 60}) {
        const Cluster cluster{.ranks = ranks, .steps = steps, .noise = noise, .work = [](int, int) {
                                return usual_work();
                              }};
        int claimed = 0;
        constexpr int runs = 200;
        for (std::uint64_t seed = 1; seed <= runs; ++seed)
          claimed += compare_ranks(quick_run(cluster, seed)).straggler.has_value();
        EXPECT_LE(claimed * 20, runs) << noise.name << ", " << ranks << " ranks, " << steps;
        RecordProperty(fmt::format("{}_{}_{}", noise.name, ranks, steps), claimed);
      }
}

TEST(Ranks, AreNamedUnderNoise) {
  // Twice the noise that is called nothing above, and a kernel that takes a fifth longer.
  for (const Noise& noise : {Noise{.name = "white", .white = 0.05},
                             Noise{.name = "lasting", .lasting = 0.02, .rho = 0.6},
                             Noise{.name = "spikes", .spike_rate = 0.2}}) {
    const Cluster cluster{.ranks = 8, .noise = noise, .work = [](int rank, int) {
                            return with(usual_work(), "matmul", rank == 5 ? 1900 : 0);
                          }};
    int named = 0;
    constexpr int runs = 100;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      const RanksReport report = compare_ranks(quick_run(cluster, seed));
      named += report.straggler == 5u && report.ranks[5].cause->kind == LateCause::Kind::row &&
               report.ranks[5].cause->rows.front().row.name == "matmul";
    }
    EXPECT_GE(named, 95) << noise.name;
  }
}

TEST(Ranks, OfDocumentsTakeWhatTheyTook) {
  const Cluster cluster{.ranks = 2, .steps = 5, .work = [](int, int) { return usual_work(); }};
  const std::vector<RankSteps> read = run(cluster, 1), made = quick_run(cluster, 1);
  for (std::size_t r = 0; r < 2; ++r) {
    ASSERT_EQ(read[r].steps.size(), 5u);
    EXPECT_EQ(read[r].rank, r);
    EXPECT_EQ(read[r].ranks, 2u);
    for (std::size_t s = 0; s < 5; ++s) {
      const analysis::RankStep &a = read[r].steps[s], &b = made[r].steps[s];
      EXPECT_EQ(a.started_ns, b.started_ns);
      EXPECT_EQ(a.ended_ns, b.ended_ns);
      EXPECT_EQ(a.busy_ns, b.busy_ns);
      std::uint64_t sum = 0;
      for (const auto& [row, ns] : a.parts) sum += ns;
      EXPECT_EQ(sum, a.took_ns());
      EXPECT_EQ(a.parts.size(), 7u);  // four kernels and the gaps between them
    }
  }
}

TEST(Ranks, ThatBecomeSlowerDrift) {
  const Cluster cluster{.steps = 60, .work = [](int rank, int step) {
                          return with(usual_work(), "attention", rank == 1 ? 60 * step : 0);
                        }};
  int named = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RanksReport report = compare_ranks(quick_run(cluster, seed));
    if (!report.straggler) continue;
    const analysis::RankReport& rank = report.ranks[*report.straggler];
    EXPECT_EQ(rank.rank, 1u);
    EXPECT_EQ(rank.lateness, Lateness::drift) << report.sentence;
    EXPECT_GT(rank.excess_last_ns, 4 * rank.excess_first_ns);
    EXPECT_EQ(rank.cause->rows.front().row.name, "attention");
    EXPECT_THAT(report.sentence, HasSubstr("drifts"));
    ++named;
  }
  EXPECT_GE(named, 19);
}

TEST(Ranks, ThatWereLateOnceAreNoStragglers) {
  const Cluster cluster{.work = [](int rank, int step) {
    std::vector<MadeKernel> work = usual_work();
    if (rank == 3 && step == 17) work[2].gap_us = 8000;
    return work;
  }};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RanksReport report = compare_ranks(quick_run(cluster, seed));
    EXPECT_FALSE(report.straggler);
    ASSERT_EQ(report.one_offs.size(), 1u) << report.sentence;
    EXPECT_EQ(report.one_offs[0].rank, 3u);
    EXPECT_EQ(report.one_offs[0].step, 17u);
    EXPECT_NEAR(static_cast<double>(report.one_offs[0].excess_ns), 8e6, 4e5);
    ASSERT_TRUE(report.one_offs[0].row);
    EXPECT_EQ(report.one_offs[0].row->row, (RankRow{RankRow::Kind::gap, "attention"}));
    EXPECT_THAT(report.sentence, HasSubstr("No rank is a straggler"));
    EXPECT_THAT(report.sentence, HasSubstr("One-off: rank 3"));
  }
}

TEST(Ranks, WithOtherWorkAreNamedWithWhatDiffers) {
  const Cluster cluster{.work = [](int rank, int) {
    std::vector<MadeKernel> work = usual_work();
    work[1].us = 1000;
    work[1].runs = rank == 0 ? 7 : 5;
    if (rank == 3) work[3].groups = 128;
    return work;
  }};
  const RanksReport report = compare_ranks(run(cluster, 1));
  ASSERT_TRUE(report.straggler);
  EXPECT_EQ(report.ranks[*report.straggler].rank, 0u);
  EXPECT_THAT(report.sentence, HasSubstr("it runs 7 times a step, 5 in the others"));
  EXPECT_EQ(report.ranks[1].work_group, report.ranks[2].work_group);
  EXPECT_NE(report.ranks[0].work_group, report.ranks[1].work_group);
  EXPECT_NE(report.ranks[3].work_group, report.ranks[0].work_group);
  EXPECT_THAT(report.differences, Contains(HasSubstr("Rank 3 does other work: 'add' has")));
  EXPECT_THAT(report.differences, Contains(HasSubstr("Ranks 1 and 2 do the same work.")));
}

TEST(Ranks, WhoseHostIsLateAreFoundByACommonClock) {
  Cluster cluster{.work = [](int, int) { return usual_work(); },
                  .start_late_us = [](int rank, int) { return rank == 1 ? 2000.0 : 0.0; }};
  // Lengths of steps are alike, so without one nothing is said.
  const RanksReport apart = compare_ranks(run(cluster, 1));
  EXPECT_EQ(apart.clock, RanksClock::none);
  EXPECT_FALSE(apart.straggler);
  EXPECT_THAT(apart.steps[5].arrivals, IsEmpty());

  cluster.boot_id = "9d2c";
  const RanksReport report = compare_ranks(run(cluster, 1));
  EXPECT_EQ(report.clock, RanksClock::known);
  ASSERT_TRUE(report.straggler) << report.sentence;
  const analysis::RankReport& rank = report.ranks[*report.straggler];
  EXPECT_EQ(rank.rank, 1u);
  EXPECT_NEAR(static_cast<double>(*rank.cost_ns), 2e6, 1e5);
  EXPECT_EQ(rank.cause->rows.front().row, (RankRow{RankRow::Kind::gap, ""}));
  EXPECT_THAT(report.sentence, HasSubstr("the gap before its first command takes 2."));
  ASSERT_EQ(report.steps[5].arrivals.size(), 4u);
  EXPECT_EQ(report.steps[5].arrivals.back(), 1u);
}

// Two runs of one program, one after the other: there is a slower one, and nobody waits.
TEST(Ranks, ThatDidNotRunAtTheSameTimeWaitForNobody) {
  const Cluster cluster{.boot_id = "9d2c", .work = [](int rank, int) {
                          auto work = usual_work();
                          if (rank == 1) work[1].us *= 2;
                          return work;
                        }};
  const auto later = [&](std::uint64_t by_ns) {
    std::vector<RankSteps> documents = quick_run(cluster, 1);
    for (analysis::RankStep& step : documents[1].steps) {
      step.started_ns += by_ns;
      step.ended_ns += by_ns;
    }
    return compare_ranks(std::move(documents));
  };
  ASSERT_TRUE(later(0).straggler);
  ASSERT_TRUE(later(1'000'000).straggler);  // it began a little later, and overlaps
  const RanksReport apart = later(3'000'000'000);
  EXPECT_FALSE(apart.straggler) << apart.sentence;
  EXPECT_THAT(apart.sentence, HasSubstr("These documents are not of one run: "));
  EXPECT_THAT(apart.sentence, HasSubstr("so one can't have waited for the other"));
  for (const analysis::RankReport& rank : apart.ranks) {
    EXPECT_FALSE(rank.waiting_ns);
    EXPECT_EQ(rank.lateness, Lateness::none);
    EXPECT_EQ(rank.last, 0u);
    EXPECT_GT(rank.own_ns, 0u);
  }
  EXPECT_THAT(apart.one_offs, IsEmpty());
}

TEST(Ranks, OfOtherClocksAreBroughtToOne) {
  // A time namespace: the clock of rank 1 is 90 s ahead, and its document says so.
  constexpr std::uint64_t ahead = 90'000'000'000;
  const Cluster cluster{.boot_id = "9d2c",
                        .work = [](int, int) { return usual_work(); },
                        .start_late_us = [](int rank, int) { return rank == 1 ? 2000.0 : 0.0; }};
  std::vector<RankSteps> documents = quick_run(cluster, 1);
  for (analysis::RankStep& step : documents[1].steps) {
    step.started_ns += ahead;
    step.ended_ns += ahead;
  }
  documents[1].clock.offset_ns = ahead;
  const RanksReport report = compare_ranks(documents);
  EXPECT_EQ(report.clock, RanksClock::known);
  ASSERT_TRUE(report.straggler) << report.sentence;
  EXPECT_EQ(report.ranks[*report.straggler].rank, 1u);
  EXPECT_NEAR(static_cast<double>(*report.ranks[1].cost_ns), 2e6, 1e5);
  EXPECT_EQ(report.steps[5].arrivals.back(), 1u);
  // Of another boot, with nothing that compares the clocks, only lengths are left.
  documents[1].clock.boot_id = "77aa";
  EXPECT_EQ(compare_ranks(documents).clock, RanksClock::none);
}

TEST(Ranks, ThatWaitWithinStepsAreComparedByBusyTime) {
  // The host waits for the others before 'add': steps take equally long, gaps make up for it.
  const Cluster cluster{.work = [](int rank, int) {
    std::vector<MadeKernel> work = with(usual_work(), "matmul", rank == 2 ? 2000 : 0);
    work[3].gap_us = rank == 2 ? 10 : 2010;
    return work;
  }};
  const RanksReport report = compare_ranks(run(cluster, 3));
  EXPECT_TRUE(report.waits_within);
  ASSERT_TRUE(report.straggler);
  EXPECT_EQ(report.ranks[*report.straggler].rank, 2u);
  EXPECT_NEAR(static_cast<double>(*report.ranks[*report.straggler].cost_ns), 2e6, 1e5);
  EXPECT_THAT(report.sentence, HasSubstr("its 'matmul' takes"));
}

TEST(Ranks, WaitInCollectives) {
  const Cluster cluster{.work = [](int rank, int) {
    std::vector<MadeKernel> work = with(usual_work(), "matmul", rank == 2 ? 2000 : 0);
    work.push_back({"ncclDevKernel_AllReduce_Sum_f32", rank == 2 ? 100.0 : 2100.0});
    return work;
  }};
  const RanksReport report = compare_ranks(run(cluster, 4));
  ASSERT_TRUE(report.straggler);
  const analysis::RankReport& rank = report.ranks[*report.straggler];
  EXPECT_EQ(rank.rank, 2u);
  EXPECT_EQ(rank.cause->rows.front().row.name, "matmul");
  EXPECT_NEAR(static_cast<double>(*rank.cost_ns), 2e6, 1e5);
}

TEST(Ranks, ThatNobodyWaitsForCostNothing) {
  const Cluster cluster{.waits = false, .work = [](int rank, int) {
                          return with(usual_work(), "matmul", rank == 2 ? 2000 : 0);
                        }};
  const RanksReport report = compare_ranks(run(cluster, 5));
  ASSERT_TRUE(report.straggler);
  EXPECT_FALSE(report.ranks[*report.straggler].cost_ns);
  EXPECT_THAT(report.sentence, HasSubstr("the others don't wait for it"));
}

TEST(Ranks, OfASlowerDeviceAreSaidToBe) {
  const Cluster cluster{.ranks = 8, .work = [](int rank, int) {
                          std::vector<MadeKernel> work = usual_work();
                          for (MadeKernel& kernel : work) kernel.us *= rank == 6 ? 1.15 : 1;
                          return work;
                        }};
  const RanksReport report = compare_ranks(run(cluster, 6));
  ASSERT_TRUE(report.straggler);
  EXPECT_EQ(report.ranks[*report.straggler].rank, 6u);
  EXPECT_EQ(report.ranks[*report.straggler].cause->kind, LateCause::Kind::all_kernels);
  EXPECT_NEAR(*report.ranks[*report.straggler].cause->factor, 1.15, 0.02);
  EXPECT_THAT(report.sentence, HasSubstr("so its device is slower"));
}

TEST(Ranks, LateForTwoReasonsAreMixed) {
  const Cluster cluster{.work = [](int rank, int) {
    return with(with(usual_work(), "matmul", rank == 0 ? 900 : 0), "attention",
                rank == 0 ? 800 : 0);
  }};
  const RanksReport report = compare_ranks(run(cluster, 7));
  ASSERT_TRUE(report.straggler);
  EXPECT_EQ(report.ranks[*report.straggler].cause->kind, LateCause::Kind::mixed);
  EXPECT_THAT(report.sentence, HasSubstr("for mixed reasons: 'matmul' +"));
}

TEST(Ranks, BadDocumentsAreNamedAndTheRestIsAnswered) {
  const Cluster cluster{.ranks = 6, .work = [](int rank, int) {
                          return with(usual_work(), "matmul", rank == 2 ? 1900 : 0);
                        }};
  std::vector<RankSteps> documents = run(cluster, 8);
  for (std::size_t r = 0; r < documents.size(); ++r)
    documents[r].path = fmt::format("run-{}.reel", r);
  RankSteps twice = documents[1];
  twice.path = "again.reel";
  documents.push_back(twice);
  RankSteps other = documents[0];
  other.path = "other.reel";
  other.facts["program"] = "another";
  documents.push_back(other);
  documents[0].steps.resize(35);
  documents[0].is_cut = true;
  for (analysis::RankStep& step : documents[3].steps) step.started_ns = step.ended_ns = 0;
  for (std::size_t s = 20; s < 23; ++s) {
    documents[4].steps[s].started_ns -= 100'000'000;
    documents[4].steps[s].ended_ns -= 100'000'000;
  }
  documents.erase(documents.begin() + 5);
  documents[1].clock_notes = {"The machine slept for 60 s."};
  documents[1].facts["job"] = "17";
  documents[2].facts["job"] = "18";

  const RanksReport report = compare_ranks(documents);
  for (const char* words :
       {"1 of 6 ranks is missing (5)", "run-1.reel and again.reel are both of rank 1",
        "other.reel is of the program 'another'", "Rank 0 (run-0.reel) was cut",
        "Rank 3 (run-3.reel) has no times", "Rank 1 (run-1.reel): The machine slept for 60 s.",
        "The clock of rank 4 (run-4.reel) jumps back at step 20: 3 steps",
        "Numbers of steps differ: 4 ranks have 40, rank 0 has 35", "2 jobs ('17', '18')"})
    EXPECT_THAT(report.problems, Contains(HasSubstr(words)));
  ASSERT_TRUE(report.straggler) << report.sentence;
  EXPECT_EQ(report.ranks[*report.straggler].rank, 2u);
  EXPECT_NEAR(static_cast<double>(*report.ranks[*report.straggler].cost_ns), 1.9e6, 1e5);
  EXPECT_EQ(report.ranks[3].own_ns, 0u);
  const auto json = nlohmann::json::parse(analysis::ranks_json(report));
  EXPECT_EQ(json["straggler"], 2);
  EXPECT_EQ(json["ranks"].size(), 5u);
  EXPECT_TRUE(json["ranks"][0]["step_own_ns"][36].is_null());
}

TEST(Ranks, WithoutRanksAreNumberedByTheirNames) {
  std::vector<RankSteps> documents =
      run({.ranks = 3, .steps = 6, .work = [](int, int) { return usual_work(); }}, 9);
  for (RankSteps& document : documents) document.rank.reset();
  documents[0].path = "job77_rank10.reel";
  documents[1].path = "job77_rank2.reel";
  documents[2].path = "job77_rank0.reel";
  RanksReport report = compare_ranks(documents);
  EXPECT_TRUE(report.numbered_by_name);
  EXPECT_EQ(report.ranks[1].path, "job77_rank2.reel");
  EXPECT_EQ(report.ranks[2].rank, 10u);
  for (RankSteps& document : documents) document.path = "same7.reel";
  report = compare_ranks(documents);
  EXPECT_EQ(report.ranks[2].rank, 2u);
}

TEST(Ranks, OfFewStepsAreNotTested) {
  const Cluster cluster{.steps = 4, .work = [](int rank, int) {
                          return with(usual_work(), "matmul", rank == 2 ? 5000 : 0);
                        }};
  const RanksReport report = compare_ranks(run(cluster, 10));
  EXPECT_FALSE(report.straggler);
  EXPECT_FALSE(report.ranks[2].p);
  EXPECT_THAT(report.sentence, HasSubstr("too few to tell a straggler"));
  EXPECT_EQ(report.ranks[2].last, 3u);
}

TEST(Ranks, OneDocumentIsNoComparison) {
  const auto one = run({.ranks = 1, .work = [](int, int) { return usual_work(); }}, 11);
  test::expect_error(Code::invalid_argument, {"fewer than two"}, [&] { compare_ranks(one); });
  test::expect_error(Code::invalid_argument, {"nothing.reel"},
                     [] { compare_ranks(std::vector<std::string>{"nothing.reel"}); });
}

TEST(TrendTest, SeesAnOrderAndNotAResemblance) {
  analysis::Times growing, waves;
  for (std::uint64_t i = 0; i < 30; ++i) {
    growing.push_back(1000 + 10 * i + i * 7919 % 97);
    waves.push_back(1000 + (i / 5 % 2) * 100 + i * 7919 % 97);
  }
  EXPECT_LT(analysis::trend_test(growing), 1e-3);
  EXPECT_GT(analysis::trend_test(waves), 0.05);
  EXPECT_EQ(analysis::trend_test({1, 2, 3}), 1);
  EXPECT_EQ(analysis::trend_test({5, 5, 5, 5, 5}), 1);
}

TEST(SignTest, IsExactAndKnowsPairs) {
  const analysis::Times a{10, 20, 30, 40, 50, 60}, b{11, 21, 31, 41, 51, 61};
  EXPECT_NEAR(analysis::sign_test(a, b), 2.0 / 64, 1e-9);
  EXPECT_NEAR(analysis::sign_test(b, a), 2.0 / 64, 1e-9);
  EXPECT_NEAR(analysis::sign_test(a, a), 1, 1e-9);
  EXPECT_NEAR(analysis::sign_test({}, {}), 1, 1e-9);
}

}  // namespace
}  // namespace reel
