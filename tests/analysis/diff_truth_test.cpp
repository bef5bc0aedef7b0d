// How often a difference is called one where there is none, and where there is: documents made of
// pass times whose distribution is known, over many seeds. `./dev bench truth` does it for real.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <random>
#include <regex>

#include "analysis/diff/statistics.hpp"
#include "analysis/made_document.hpp"
#include "reel/diff.hpp"

namespace reel {
namespace {

using analysis::Times;
using test::MadeDocument;

// What a machine does to times, as parts of them.
struct Noise {
  const char* name = "";
  double white = 0;             // of each command of its own
  double lasting = 0, rho = 0;  // of all commands of a pass, and of the next: AR(1)
  double drift = 0;             // from the first pass to the last, either way
  double spike_rate = 0;        // passes that something else interrupts, by up to twice their time
  double first = 0;             // the first pass takes so much longer
  double stretch = 0;           // the passes in the middle third take so much longer
  double clock = 0;             // every five passes another one, between 1 - clock and 1 + clock
};

class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {}

  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  // By Box and Muller: the library's distributions differ from one library to the next.
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

  // What the times of all passes of a run are multiplied with.
  std::vector<double> passes(const Noise& noise, int count) {
    std::vector<double> factors;
    double lasting = normal();
    const double slope = noise.drift * normal();
    double clock = 0;
    for (int pass = 0; pass < count; ++pass) {
      if (noise.clock > 0 && pass % 5 == 0) clock = noise.clock * (2 * uniform() - 1);
      double factor = 1 + clock + noise.lasting * lasting + slope * pass / count;
      if (uniform() < noise.spike_rate) factor += 2 * uniform();
      if (pass == 0) factor += noise.first;
      if (pass * 3 / count == 1) factor += noise.stretch;
      factors.push_back(std::max(factor, 0.1));
      lasting = noise.rho * lasting + std::sqrt(1 - noise.rho * noise.rho) * normal();
    }
    return factors;
  }

 private:
  std::mt19937_64 random_;
};

struct Program {
  double slowdown = 1;  // of 'matmul', which has half of the time
  double others = 1;    // of the others
  int passes = 20;
};

Trace run(const Program& program, const Noise& noise, Machine& machine) {
  MadeDocument made;
  const std::uint32_t matmul = made.kernel("matmul"), norm = made.kernel("norm"),
                      add = made.kernel("add");
  double t = 10;
  for (const double factor : machine.passes(noise, program.passes)) {
    const double begin = t;
    const auto command = [&](std::uint32_t kernel, double us, const char* scope) {
      const double took = us * factor * std::max(0.1, 1 + noise.white * machine.normal());
      made.add({.kernel = kernel, .run = {t, t + took}, .scope = scope});
      t += took + 2 * factor;
    };
    for (const char* scope : {"layer0", "layer1"}) {
      command(norm, 20 * program.others, scope);
      command(matmul, 60 * program.slowdown, scope);
      command(add, 30 * program.others, scope);
    }
    made.pass({begin - 1.5, t});
    t += 20;
  }
  return made.trace();
}

// Each run is compared with each: a document takes longer to make than to compare.
constexpr int runs = 20;

std::vector<Trace> runs_of(const Program& program, const Noise& noise, Machine& machine) {
  std::vector<Trace> list;
  for (int i = 0; i < runs; ++i) list.push_back(run(program, noise, machine));
  return list;
}

using Verdict = bool (*)(const analysis::TraceDiff&);

// Words go with their numbers, and what is significant stands before what isn't.
void expect_fit(const analysis::DiffTime& time, const std::string& cause) {
  const bool is_longer = time.verdict == "slower" || time.verdict == "longer";
  const bool is_shorter = time.verdict == "faster" || time.verdict == "shorter";
  EXPECT_EQ(is_longer || is_shorter, time.significant) << time.verdict << ": " << cause;
  if (!time.significant) return;
  EXPECT_EQ(is_longer, time.delta_ns() > 0) << time.delta_ns() << " ns: " << cause;
  EXPECT_EQ(is_shorter, time.delta_ns() < 0) << time.delta_ns() << " ns: " << cause;
  EXPECT_EQ(time.shift_ns > 0, time.delta_ns() > 0) << "shifted " << time.shift_ns << ": " << cause;
}
analysis::TraceDiff fitting_diff(const Trace& a, const Trace& b) {
  analysis::TraceDiff found = diff(a, b);
  for (const analysis::DiffTime* time : {&found.total, &found.busy, &found.idle, &found.between})
    expect_fit(*time, found.cause);
  for (const analysis::DiffKernel& kernel : found.kernels) expect_fit(kernel.time, found.cause);
  for (const analysis::DiffRow& row : found.rows) expect_fit(row.time, found.cause);
  const auto is_significant = [](const auto& part) { return part.time.significant; };
  EXPECT_TRUE(std::ranges::is_partitioned(found.rows, is_significant)) << found.cause;
  EXPECT_TRUE(std::ranges::is_partitioned(found.kernels, is_significant)) << found.cause;
  static const std::regex contradiction(
      "(faster|shorter)( a pass)? \\(\\+|(slower|longer)( a pass)? \\(-");
  EXPECT_FALSE(std::regex_search(found.cause, contradiction)) << found.cause;
  return found;
}

double part_of(int count, int pairs, const Noise& noise, const Program& program) {
  const double part = static_cast<double>(count) / pairs;
  fmt::print("  {:30} {:2} passes, x {:.2f}: {:5.1f} % of {} pairs\n", noise.name, program.passes,
             program.slowdown, 100 * part, pairs);
  return part;
}

// The part of all pairs of runs of one program in which the verdict is true.
double part_alike(const Noise& noise, const Program& program, Verdict verdict) {
  Machine machine(1);
  const std::vector<Trace> list = runs_of(program, noise, machine);
  int count = 0, pairs = 0;
  for (int i = 0; i < runs; ++i)
    for (int k = i + 1; k < runs; ++k, ++pairs)
      count += verdict(
          fitting_diff(list[static_cast<std::size_t>(i)], list[static_cast<std::size_t>(k)]));
  return part_of(count, pairs, noise, program);
}

// Of all pairs of a run of one and a run of the other.
double part_unlike(const Noise& noise, const Program& a, const Program& b, Verdict verdict) {
  Machine machine(2);
  const std::vector<Trace> before = runs_of(a, noise, machine), after = runs_of(b, noise, machine);
  int count = 0;
  for (const Trace& x : before)
    for (const Trace& y : after) count += verdict(fitting_diff(x, y));
  return part_of(count, runs * runs, noise, b);
}

bool differs(const analysis::TraceDiff& diff) { return diff.differs(); }
bool blames_matmul(const analysis::TraceDiff& diff) {
  return diff.kernels[0].name == "matmul" && diff.kernels[0].time.significant &&
         diff.cause.find('\'') == diff.cause.find("'matmul'") &&
         diff.cause.find("'matmul'") != std::string::npos;
}

TEST(DiffTruth, TwoRunsOfOneProgramAreSeldomCalledDifferent) {
  const Noise noises[] = {
      {.name = "independent, 5 %", .white = 0.05},
      {.name = "first pass twice as long", .white = 0.02, .first = 1},
      {.name = "one pass in five interrupted", .white = 0.02, .spike_rate = 0.2},
      {.name = "lasting (0.5), 3 %", .white = 0.02, .lasting = 0.03, .rho = 0.5},
      {.name = "drift of 5 %", .white = 0.03, .drift = 0.05},
      {.name = "another clock, 7 %", .white = 0.01, .clock = 0.07},
      {.name = "lasting (0.5), 6 %", .white = 0.1, .lasting = 0.06, .rho = 0.5},
  };
  for (const Noise& noise : noises)
    for (const int passes : {5, 10, 20, 40})
      EXPECT_LE(part_alike(noise, {.passes = passes}, differs), 0.05)
          << noise.name << ", " << passes << " passes";
}

TEST(DiffTruth, ASlowerKernelIsFoundAndNamedFirst) {
  const Noise noises[] = {
      {.name = "independent, 3 %", .white = 0.03},
      {.name = "first pass twice as long", .white = 0.02, .first = 1},
      {.name = "lasting (0.5), 1 %", .white = 0.02, .lasting = 0.01, .rho = 0.5},
      {.name = "another clock, 7 %", .white = 0.01, .clock = 0.07},
  };
  for (const Noise& noise : noises)
    for (const double slowdown : {1.1, 1 / 1.1})
      EXPECT_GE(part_unlike(noise, {}, {.slowdown = slowdown}, blames_matmul), 0.95)
          << noise.name << ", x " << slowdown;
}

// 73 ± 15 µs and 358 ± 96 µs in ten passes are not the same, however the slower run varies.
TEST(DiffTruth, AKernelThatTakesSeveralTimesAsLongIsFoundInTenNoisyPasses) {
  const Noise noises[] = {
      {.name = "independent, 30 %", .white = 0.3},
      {.name = "lasting (0.5), 25 %", .white = 0.1, .lasting = 0.25, .rho = 0.5},
  };
  for (const Noise& noise : noises)
    for (const double slowdown : {5.0, 1 / 5.0})
      EXPECT_GE(
          part_unlike(noise, {.passes = 10}, {.slowdown = slowdown, .passes = 10}, blames_matmul),
          0.95)
          << noise.name << ", x " << slowdown;
}

// A kernel that drifts may be too unsteady to be found by itself; if the total is, it is named.
TEST(DiffTruth, AChangeOfTheTotalIsSeldomLeftWithoutACause) {
  const Noise noises[] = {
      {.name = "independent, 8 %", .white = 0.08},
      {.name = "lasting (0.5), 2 %", .white = 0.06, .lasting = 0.02, .rho = 0.5},
  };
  const Verdict unexplained = [](const analysis::TraceDiff& diff) {
    return diff.total.significant && !blames_matmul(diff);
  };
  const Verdict blames_another = [](const analysis::TraceDiff& diff) {
    return diff.total.significant && diff.kernels[0].name != "matmul" &&
           diff.kernels[0].time.significant;
  };
  for (const Noise& noise : noises) {
    EXPECT_LE(part_unlike(noise, {}, {.slowdown = 1.1}, unexplained), 0.02) << noise.name;
    EXPECT_LE(part_unlike(noise, {}, {.slowdown = 1.1}, blames_another), 0.01) << noise.name;
  }
}

TEST(DiffTruth, NoiseThatCoversAChangeIsNotTakenForOne) {
  const Noise noise{.name = "lasting (0.9), 15 %", .white = 0.02, .lasting = 0.15, .rho = 0.9};
  EXPECT_LE(part_unlike(noise, {}, {.slowdown = 1.02}, differs), 0.1);
}

// Noise only makes passes longer: a busy minute of the slower run says nothing about its best ones.
TEST(DiffTruth, ABusyStretchOfTheSlowerRunHidesNothing) {
  const Noise calm{.name = "calm", .white = 0.02};
  const Noise busy{.name = "busy in the middle", .white = 0.02, .stretch = 0.6};
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Machine machine(seed);
    const Trace before = run({.slowdown = 1.4, .passes = 40}, busy, machine);
    const Trace after = run({.passes = 40}, calm, machine);
    const analysis::TraceDiff changed = diff(before, after);
    found += changed.total.significant && blames_matmul(changed);
    // The other way round it is the faster run that varies, and nobody knows by how much.
    const Trace same = run({.slowdown = 1.1, .passes = 40}, calm, machine);
    EXPECT_FALSE(diff(run({.passes = 40}, busy, machine), same).total.significant);
  }
  EXPECT_GE(found, 19);
}

// What the others did is not taken for the pace of the machine, and put on the one that stayed.
TEST(DiffTruth, AKernelThatStayedIsNotBlamedForAllOthers) {
  Machine machine(3);
  const Noise noise{.white = 0.005};
  for (int i = 0; i < 20; ++i) {
    const analysis::TraceDiff one =
        diff(run({}, noise, machine), run({.others = 1 / 1.08}, noise, machine));
    const auto stayed = std::ranges::find(one.kernels, "matmul", &analysis::DiffKernel::name);
    EXPECT_FALSE(stayed->time.significant) << one.cause;
  }
}

// --- the parts of it
// ------------------------------------------------------------------------------

TEST(RankTest, IsExactForShortSeries) {
  EXPECT_NEAR(analysis::rank_test({1, 2, 3, 4}, {5, 6, 7, 8}), 2.0 / 70, 1e-6);
  EXPECT_NEAR(analysis::rank_test({5, 6, 7, 8}, {1, 2, 3, 4}), 2.0 / 70, 1e-6);
  EXPECT_NEAR(analysis::rank_test({1, 2, 3}, {4, 5, 6}), 2.0 / 20, 1e-6);
  EXPECT_NEAR(analysis::rank_test({1, 2, 4}, {3, 5, 6}), 4.0 / 20, 1e-6);
  EXPECT_EQ(analysis::rank_test({7, 7, 7, 7}, {7, 7, 7, 7}), 1);
  EXPECT_EQ(analysis::rank_test({}, {1}), 1);
}

TEST(RankTest, CountsEveryWayToDrawTheRanks) {
  // Against drawing all subsets, with ties.
  Machine machine(4);
  for (int round = 0; round < 200; ++round) {
    const std::size_t na = 2 + round % 4, nb = 2 + round / 4 % 4;
    Times all(na + nb);
    for (std::uint64_t& time : all) time = static_cast<std::uint64_t>(machine.uniform() * 8);
    const auto twice_u = [&](std::uint32_t chosen) {
      int sum = 0;
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = 0; k < all.size(); ++k)
          if ((chosen >> i & 1) && !(chosen >> k & 1))
            sum += all[i] < all[k] ? 2 : all[i] == all[k] ? 1 : 0;
      return std::abs(sum - static_cast<int>(na * nb));
    };
    const int found = twice_u((1u << na) - 1);
    double as_far = 0, subsets = 0;
    for (std::uint32_t chosen = 0; chosen < 1u << all.size(); ++chosen) {
      if (std::popcount(chosen) != static_cast<int>(na)) continue;
      ++subsets;
      as_far += twice_u(chosen) >= found;
    }
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(na);
    EXPECT_NEAR(analysis::rank_test({all.begin(), middle}, {middle, all.end()}), as_far / subsets,
                1e-6);
  }
}

TEST(RankTest, OfLongSeriesIsCloseToTheExactOne) {
  // One more time on each side makes the series too long to count.
  Machine machine(5);
  for (int round = 0; round < 50; ++round) {
    Times a, b;
    for (int i = 0; i < 14; ++i) {
      a.push_back(static_cast<std::uint64_t>(1e6 + 1e5 * machine.normal()));
      b.push_back(static_cast<std::uint64_t>(1.05e6 + 1e5 * machine.normal()));
    }
    std::ranges::sort(a);  // no time resembles the one before more in one than in the other
    std::ranges::sort(b);
    const double exact = analysis::rank_test(a, b);
    a.push_back(a[7]), b.push_back(b[7]);
    std::ranges::sort(a), std::ranges::sort(b);
    EXPECT_NEAR(analysis::rank_test(a, b), exact, 0.06);
  }
}

TEST(RankTest, TimesThatResembleTheOneBeforeCountLess) {
  Times a, b, mixed_a, mixed_b;
  for (std::uint64_t i = 0; i < 20; ++i) {
    a.push_back(1000 + 10 * i), b.push_back(1100 + 10 * i);
    mixed_a.push_back(1000 + 10 * (i * 7 % 20)), mixed_b.push_back(1100 + 10 * (i * 7 % 20));
  }
  EXPECT_LT(analysis::rank_test(mixed_a, mixed_b), 0.001);
  EXPECT_GT(analysis::rank_test(a, b), 0.05);
}

// However alike neighbours are: neither run came anywhere near the other, but for one pass each
// that was disturbed.
TEST(RankTest, RunsThatAreFartherApartThanEitherVariesDifferByMoreThanChance) {
  Times a, b;
  for (std::uint64_t i = 0; i < 10; ++i) a.push_back(600 + 30 * i), b.push_back(5000 + 90 * i);
  a[3] = 9000, b[4] = 20000;
  EXPECT_LT(analysis::rank_test(a, b), 0.01);
  EXPECT_LT(analysis::rank_test(b, a), 0.01);
  EXPECT_TRUE(analysis::is_significant_alone(analysis::compare(a, b, {}, {})));
}

// Nearly every pass of one takes longer than every pass of the other, and its quartiles are a
// factor of two away: drift of the slower run doesn't explain that.
TEST(RankTest, RunsAFactorOfTwoApartDifferByMoreThanTheSlowerOneDrifts) {
  const Times a{73, 58, 91, 60, 75, 88, 66, 73, 95};
  const Times b{262, 240, 310, 358, 470, 505, 454, 390, 180};
  EXPECT_TRUE(analysis::is_significant_alone(analysis::compare(a, b, {.drift = 0.3}, {})));
  EXPECT_TRUE(analysis::is_significant_alone(analysis::compare(b, a, {.drift = 0.3}, {})));
  Times near = b;
  for (std::uint64_t& time : near) time = time * 2 / 5;
  EXPECT_FALSE(analysis::is_significant_alone(analysis::compare(a, near, {.drift = 0.3}, {})));
}

// Half of the passes are interrupted, by more than the change. Those that weren't show it.
TEST(RankTest, InterruptionsDoNotHideAChangeOfTheOthers) {
  Times a, b;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::uint64_t interrupted = i * 7 % 20 < 10 ? 40 * (1 + i * 3 % 10) : 0;
    a.push_back(1000 + i * 7 % 5 + interrupted), b.push_back(1100 + i * 3 % 5 + interrupted);
  }
  EXPECT_LT(analysis::rank_test(a, b), 0.01);
  EXPECT_LT(analysis::rank_test(b, a), 0.01);
}

TEST(RankTest, IsSeldomSignificantByChance) {
  Machine machine(7);
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    Times a, b;
    // The smallest are close together, and a few are long.
    for (int i = 0; i < 38; ++i)
      (i % 2 ? a : b)
          .push_back(static_cast<std::uint64_t>(1e6 - 1e5 * std::log(machine.uniform())));
    found += analysis::rank_test(a, b) <= 0.05;
  }
  EXPECT_LE(found, 100);
  EXPECT_GE(found, 20) << "it is not that strict";
}

TEST(Judge, OfManyTimesFewAreCalledSignificantByChance) {
  Machine machine(6);
  int families = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<analysis::DiffTime> times(30);
    std::vector<analysis::DiffTime*> family;
    for (analysis::DiffTime& time : times) {
      time = {.ns_a = 100, .ns_b = 200, .p = machine.uniform(), .shift_ns = 100};
      family.push_back(&time);
    }
    analysis::judge(family);
    families += std::ranges::any_of(times, &analysis::DiffTime::significant);
  }
  EXPECT_LE(families, 400 * 0.07);
  EXPECT_GE(families, 400 * 0.02) << "it is not that strict";
}

}  // namespace
}  // namespace reel
