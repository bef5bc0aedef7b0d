#include "reel/diff.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/made_document.hpp"
#include "document/trace/one_by_one.hpp"

namespace reel {
namespace {

using test::MadeDocument;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A decoder reads more of its cache with each token.
analysis::TraceDiff diff_of_reads(const std::vector<std::uint64_t>& a,
                                  const std::vector<std::uint64_t>& b) {
  MadeDocument before, after;
  for (auto& [made, sizes] : {std::pair(&before, &a), std::pair(&after, &b)}) {
    const auto k = made->kernel("attention"), x = made->buffer();
    double t = 10;
    for (const std::uint64_t size : *sizes) {
      made->add({.kernel = k, .run = {t, t + 5}, .reads = {{x, 0, size}}});
      made->pass({t - 1.5, t + 5.5});
      t += 10;
    }
  }
  return diff(before.trace(), after.trace());
}

TEST(Diff, SaysThatArgumentsChangedOnlyIfTheyStayTheSameFromPassToPass) {
  EXPECT_TRUE(diff_of_reads({64, 64, 64}, {128, 128, 128}).rows.at(0).new_arguments);
  EXPECT_FALSE(diff_of_reads({64, 64, 64}, {64, 64, 64}).rows.at(0).new_arguments);
  EXPECT_FALSE(diff_of_reads({64, 128, 192}, {128, 192, 256}).rows.at(0).new_arguments);
}

// The same builds are a smaller part of more passes: found in one document alone, and not gone.
TEST(Diff, BuildsAreGoneOnlyWhereTheyAre) {
  const auto made_with = [](MadeDocument& made, double build_us, int passes) {
    made.call("clBuildProgram", {1, 1 + build_us});
    const auto k = made.kernel("work");
    double t = 1000;
    for (int pass = 0; pass < passes; ++pass, t += 110) {
      made.add({.kernel = k, .run = {t, t + 100}, .call = test::Span{t - 5, t - 4}});
      made.pass({t - 5.5, t + 101});
    }
    return made.trace();
  };
  MadeDocument few, many, none;
  const Trace a = made_with(few, 700, 10), b = made_with(many, 700, 200);
  const auto finds = [](const Trace& trace) {
    const auto all = find_insights(trace, analyze(trace));
    return std::ranges::any_of(all, [](const auto& finding) { return finding.id == "build"; });
  };
  ASSERT_TRUE(finds(a));
  ASSERT_FALSE(finds(b));
  EXPECT_TRUE(diff(a, b).fixed_findings.empty());
  EXPECT_TRUE(diff(b, a).new_findings.empty());
  const auto gone = diff(a, made_with(none, 50, 10)).fixed_findings;
  ASSERT_FALSE(gone.empty());
  EXPECT_EQ(gone[0].id, "build");
}

// Waits that return late are as they were; that there is more idle time beside them doesn't cure
// them.
TEST(Diff, IdleTimeThatIsASmallerPartOfMoreIsNotGone) {
  const auto made_with = [](double host_us) {
    MadeDocument made;
    const auto k = made.kernel("work");
    double t = 20;
    for (int pass = 0; pass < 12; ++pass) {
      made.add({.kernel = k, .run = {t, t + 500}, .call = test::Span{t - 5, t - 4}});
      made.pass({t - 5.5, t + 500});
      made.call("finish", {t + 100, t + 560});  // 60 late
      t += 560 + host_us + pass % 3;
    }
    return made.trace();
  };
  const Trace a = made_with(10), b = made_with(5000);
  const auto found = diff(a, b);
  ASSERT_TRUE(found.between.significant);
  for (const analysis::Finding& gone : found.fixed_findings) EXPECT_NE(gone.id, "idle.wakeup");
  for (const analysis::Finding& come : diff(b, a).new_findings) EXPECT_NE(come.id, "idle.wakeup");
}

// Each pass ends in a wait that returns so late; then the host works, and its launch takes 5 µs.
struct Between {
  double woken_late = 10, host = 2;
  bool waits = true;
};

analysis::TraceDiff diff_of_between(const Between& a, const Between& b) {
  MadeDocument before, after;
  for (auto& [made, between] : {std::pair(&before, &a), std::pair(&after, &b)}) {
    const auto k = made->kernel("work");
    double t = 20;
    for (int pass = 0; pass < 12; ++pass) {
      made->add({.kernel = k, .run = {t, t + 500}, .call = test::Span{t - 5, t - 4}});
      made->pass({t - 5.5, t + 500});
      t += 500 + (between->waits ? between->woken_late : 0);
      if (between->waits) made->call("finish", {t - between->woken_late - 400, t});
      t += between->host + 5 + pass % 3;
    }
  }
  return diff(before.trace(), after.trace());
}

TEST(Diff, HowLateAWaitReturnsBetweenPassesIsTheSystemsDoing) {
  const analysis::TraceDiff later = diff_of_between({}, {.woken_late = 90});
  EXPECT_FALSE(later.between.significant);
  EXPECT_GT(later.between.delta_ns(), 70'000) << "and it is still shown";
  EXPECT_FALSE(later.differs());
}

TEST(Diff, WhatTheHostDoesBetweenPassesIsTheProgramsDoing) {
  EXPECT_TRUE(diff_of_between({}, {.host = 60}).between.significant);
  EXPECT_TRUE(diff_of_between({.woken_late = 30}, {.host = 90}).between.significant);
  // A wait that wasn't there.
  EXPECT_TRUE(diff_of_between({.waits = false}, {.woken_late = 90}).between.significant);
}

// Sixteen commands a pass; three of them, each time others, are interrupted for so long.
analysis::TraceDiff diff_of_interruptions(double a, double b, double slower = 0) {
  MadeDocument before, after;
  for (auto& [made, us, more] : {std::tuple(&before, a, 0.0), std::tuple(&after, b, slower)}) {
    const auto k = made->kernel("matmul");
    double t = 10;
    for (int pass = 0; pass < 16; ++pass) {
      const double begin = t;
      for (int i = 0; i < 16; ++i) {
        const double took = 20 + more + pass % 3 * 0.1 + ((i * 5 + pass * 7) % 16 < 3 ? us : 0);
        made->add({.kernel = k, .run = {t, t + took}, .scope = "layer" + std::to_string(i)});
        t += took + 1;
      }
      made->pass({begin - 1.5, t});
      t += 10;
    }
  }
  return diff(before.trace(), after.trace());
}

TEST(Diff, InterruptionsOfOtherCommandsInEveryPassAreNoChange) {
  const analysis::TraceDiff found = diff_of_interruptions(100, 0);
  EXPECT_LT(found.total.delta_ns(), -250'000);
  EXPECT_FALSE(found.differs()) << found.cause;
  const analysis::TraceDiff slower = diff_of_interruptions(100, 100, 4);
  EXPECT_THAT(slower.cause, HasSubstr("slower a pass")) << "of what is in the rows";
}

struct Shape {
  double matmul = 20, gap = 1, jitter = 0;
  int passes = 12;
  bool extra = false;
  std::string source = "one", scope = "mlp";
  float result = 1;
  std::uint32_t groups = 64;
};

void fill(MadeDocument& made, const Shape& shape) {
  const auto matmul = made.kernel("matmul", shape.source), add = made.kernel("add");
  const auto x = made.buffer(), y = made.buffer();
  double t = 10;
  std::uint32_t last = 0;
  for (int pass = 0; pass < shape.passes; ++pass) {
    const double begin = t;
    const double run = shape.matmul + shape.jitter * (pass % 3);
    made.add({.kernel = matmul,
              .run = {t, t + run},
              .reads = {{x}},
              .writes = {{y}},
              .scope = shape.scope,
              .groups = shape.groups});
    t += run + shape.gap;
    last = made.add(
        {.kernel = add, .run = {t, t + 5}, .reads = {{y}}, .writes = {{x}}, .scope = "mlp"});
    t += 5;
    if (shape.extra) {
      made.add({.kernel = add, .run = {t, t + 30}, .reads = {{y}}, .scope = "extra"});
      t += 30;
    }
    made.pass({begin - 1.5, t + 0.5});
    t += 10;
  }
  made.contents(ContentRole::check, last, x, std::vector<float>(1024, shape.result));
}

analysis::TraceDiff diff_of(const Shape& a, const Shape& b) {
  MadeDocument before, after;
  fill(before, a);
  fill(after, b);
  const Trace first = before.trace(), second = after.trace();
  analysis::TraceDiff found = diff(first, second);
  std::int64_t sum = found.idle.delta_ns() + found.rest_ns;
  for (const analysis::DiffRow& row : found.rows) sum += row.time.delta_ns();
  EXPECT_EQ(sum, found.total.delta_ns()) << "the parts must make up the whole";
  EXPECT_TRUE(nlohmann::json::accept(analysis::diff_json(first, second, found)));
  return found;
}

const analysis::DiffRow& row(const analysis::TraceDiff& diff, const std::string& scope,
                             const std::string& name) {
  for (const analysis::DiffRow& r : diff.rows)
    if (r.scope == scope && r.name == name) return r;
  ADD_FAILURE() << "no row " << scope << " " << name;
  return diff.rows.at(0);
}

TEST(Diff, OfTheSameIsNothing) {
  const analysis::TraceDiff found = diff_of({}, {});
  EXPECT_EQ(found.total.delta_ns(), 0);
  EXPECT_FALSE(found.total.significant);
  EXPECT_FALSE(found.contents);
  EXPECT_EQ(found.equal_contents, 1u);
  EXPECT_FALSE(found.differs());
  EXPECT_THAT(found.cause, HasSubstr("No significant difference"));
}

TEST(Diff, NamesTheKernelThatGotSlower) {
  const analysis::TraceDiff found = diff_of({}, {.matmul = 40});
  EXPECT_EQ(found.total.delta_ns(), 20'000);
  EXPECT_TRUE(found.total.significant);
  const analysis::DiffRow& matmul = row(found, "mlp", "matmul");
  EXPECT_EQ(matmul.change, analysis::Change::slower);
  EXPECT_EQ(matmul.time.delta_ns(), 20'000);
  EXPECT_EQ(row(found, "mlp", "add").change, analysis::Change::same);
  EXPECT_THAT(found.cause, HasSubstr("'matmul' in mlp"));
}

TEST(Diff, SaysThatTheSourceChanged) {
  const analysis::TraceDiff found = diff_of({}, {.matmul = 10, .source = "two"});
  EXPECT_TRUE(row(found, "mlp", "matmul").new_source);
  ASSERT_EQ(found.sources.size(), 1u);
  EXPECT_EQ(found.sources[0].text_b, "two");
  EXPECT_THAT(found.cause, HasSubstr("faster"));
  EXPECT_THAT(found.cause, HasSubstr("source"));
}

// Programs hold many kernels in one text.
TEST(Diff, TheSourceOfAKernelIsNotThatOfItsNeighbour) {
  const std::string blend = "kernel void blend(global float* x) { x[0] += 1; }\n";
  MadeDocument before, after;
  for (auto& [made, scale] :
       {std::pair(&before, "{ x[0] *= 2; }"), std::pair(&after, "{ x[0] *= 3; }")}) {
    const std::string text = blend + "kernel void scale(global float* x) " + scale;
    const auto one = made->kernel("blend", text), other = made->kernel("scale", text);
    made->add({.kernel = one, .run = {10, 20}});
    made->add({.kernel = other, .run = {20, 30}});
  }
  const analysis::TraceDiff found = diff(before.trace(), after.trace());
  EXPECT_FALSE(row(found, "", "blend").new_source);
  EXPECT_TRUE(row(found, "", "scale").new_source);
  ASSERT_EQ(found.sources.size(), 1u);
  EXPECT_EQ(found.sources[0].kernel_a, 1u);
}

// One kernel in many places, each place slow in another pass: the median of sums is not the sum of
// medians, and the sentence must say what the table adds up to.
TEST(Diff, AKernelChangesByWhatItsRowsChangeBy) {
  for (std::uint32_t seed = 1; seed < 30; ++seed) {
    MadeDocument before, after;
    std::uint32_t random = seed * 2654435761u;
    const auto next = [&](std::uint32_t below) {
      return (random = random * 1664525 + 1013904223) / 65536 % below;
    };
    for (auto& [made, us] : {std::pair(&before, 10.0), std::pair(&after, 25.0)}) {
      const auto k = made->kernel("matmul"), other = made->kernel("add");
      double t = 10;
      for (int pass = 0; pass < 11; ++pass) {
        const double begin = t;
        for (const char* scope : {"q", "k", "v", "o"}) {
          const double took = us + next(7) * 1.5;
          made->add({.kernel = k, .run = {t, t + took}, .scope = scope});
          made->add({.kernel = other, .run = {t + took, t + took + 4}, .scope = scope});
          t += took + 4;
        }
        made->pass({begin - 1.5, t});
        t += 10;
      }
    }
    const analysis::TraceDiff found = diff(before.trace(), after.trace());
    for (const analysis::DiffKernel& kernel : found.kernels) {
      std::int64_t rows = 0;
      for (const analysis::DiffRow& r : found.rows)
        if (r.name == kernel.name) rows += r.time.delta_ns();
      EXPECT_EQ(kernel.time.delta_ns(), rows) << kernel.name << ", seed " << seed;
    }
    EXPECT_THAT(found.cause, HasSubstr("'matmul' in 4 places"));
  }
}

// What is certain and too little says of what it is too little a part, not just "small": a kernel
// that takes half as long is no small change of that kernel.
TEST(Diff, SaysWhyACertainChangeIsNotCalledOne) {
  MadeDocument before, after;
  for (auto& [made, us] : {std::pair(&before, 2.0), std::pair(&after, 1.0)}) {
    const auto big = made->kernel("matmul"), tiny = made->kernel("tiny");
    double t = 10;
    for (int pass = 0; pass < 12; ++pass) {
      made->add({.kernel = big, .run = {t, t + 1000}});
      made->add({.kernel = tiny, .run = {t + 1000, t + 1000 + us}});
      made->pass({t - 1.5, t + 1000 + us});
      t += 1100;
    }
  }
  const analysis::TraceDiff found = diff(before.trace(), after.trace());
  EXPECT_EQ(row(found, "", "tiny").time.verdict, "under 1.5% of a pass");
  EXPECT_EQ(found.total.verdict, "under 3%");
  const analysis::TraceDiff slower = diff_of({}, {.matmul = 40});
  EXPECT_EQ(slower.total.verdict, "slower");
  EXPECT_EQ(slower.kernels.at(0).time.verdict, "slower");
  const analysis::TraceDiff gaps = diff_of({}, {.gap = 20});
  EXPECT_EQ(gaps.idle.verdict, "longer");
  EXPECT_THAT(gaps.cause, HasSubstr("idle 19.0 µs longer"));
}

TEST(Diff, SeesLaunchSizes) {
  EXPECT_TRUE(row(diff_of({}, {.groups = 32}), "mlp", "matmul").new_shape);
}

TEST(Diff, KnowsNoiseFromRepeatedPasses) {
  const analysis::TraceDiff found = diff_of({.jitter = 8}, {.matmul = 22, .jitter = 8});
  EXPECT_FALSE(found.total.significant);
  EXPECT_EQ(row(found, "mlp", "matmul").change, analysis::Change::same);
  EXPECT_GT(row(found, "mlp", "matmul").time.spread_a_ns, 0u);
  EXPECT_TRUE(row(found, "mlp", "matmul").time.passes_needed);
}

TEST(Diff, TellsWhatWasAddedAndRemoved) {
  const analysis::TraceDiff more = diff_of({}, {.extra = true});
  EXPECT_EQ(row(more, "extra", "add").change, analysis::Change::added);
  EXPECT_THAT(more.cause, HasSubstr("is new"));
  const analysis::TraceDiff less = diff_of({.extra = true}, {});
  EXPECT_EQ(row(less, "extra", "add").change, analysis::Change::removed);
  EXPECT_THAT(less.cause, HasSubstr("is gone"));
}

TEST(Diff, FollowsAKernelIntoAScopeOfAnotherName) {
  const analysis::TraceDiff found = diff_of({}, {.matmul = 40, .scope = "feed_forward"});
  EXPECT_EQ(row(found, "mlp -> feed_forward", "matmul").time.delta_ns(), 20'000);
}

TEST(Diff, BlamesIdleTimeWhereKernelsAreTheSame) {
  const analysis::TraceDiff found = diff_of({}, {.gap = 30});
  EXPECT_EQ(found.idle.delta_ns(), 29'000);
  EXPECT_THAT(found.cause, HasSubstr("idle"));
}

TEST(Diff, ComparesPassesNotWholeDocuments) {
  const analysis::TraceDiff found = diff_of({.passes = 4}, {.passes = 9});
  EXPECT_EQ(found.total.delta_ns(), 0);
  EXPECT_EQ(found.a.commands, found.b.commands);
}

TEST(Diff, NamesTheFirstResultThatDiffers) {
  const analysis::TraceDiff found = diff_of({}, {.result = 2});
  ASSERT_TRUE(found.contents);
  EXPECT_EQ(found.contents->command_a, 23u);
  EXPECT_EQ(found.contents->value_a, "1");
  EXPECT_EQ(found.contents->value_b, "2");
  EXPECT_EQ(found.contents->largest_absolute, 1);
}

TEST(Diff, OfOnePassEachCallsNothingADifference) {
  const analysis::TraceDiff found = diff_of({.passes = 1}, {.matmul = 400, .passes = 1});
  EXPECT_FALSE(found.differs());
  EXPECT_EQ(row(found, "mlp", "matmul").change, analysis::Change::same);
  EXPECT_THAT(found.cause, AllOf(HasSubstr("too few"), HasSubstr("9 or more passes")));
  EXPECT_EQ(found.total.passes_needed, 9u);
}

TEST(Diff, OfOnePassKnowsNothingOfWhatIsBetweenPasses) {
  EXPECT_FALSE(diff_of({.passes = 1}, {.passes = 12}).has_between());
  EXPECT_TRUE(diff_of({.passes = 12}, {.passes = 12}).has_between());
}

TEST(Diff, ATimeIsTheMedianOfItsOwnPasses) {
  // The pass in the middle has the longest matmul: its value must not stand for the row.
  const auto made = [](double longest) {
    MadeDocument document;
    const auto matmul = document.kernel("matmul"), add = document.kernel("add");
    double t = 10;
    for (int pass = 0; pass < 13; ++pass) {
      const double run = pass == 6 ? longest : 20, rest = pass == 6 ? 40 - longest : pass;
      document.add({.kernel = matmul, .run = {t, t + run}, .scope = "mlp"});
      document.add({.kernel = add, .run = {t + run, t + run + rest + 1}, .scope = "mlp"});
      document.pass({t - 1.5, t + run + rest + 1.5});
      t += 100;
    }
    return document.trace();
  };
  const analysis::TraceDiff found = diff(made(35), made(5));
  EXPECT_EQ(row(found, "mlp", "matmul").time.ns_a, 20'000u);
  EXPECT_EQ(row(found, "mlp", "matmul").time.ns_b, 20'000u);
  EXPECT_FALSE(found.differs());
}

TEST(Diff, SaysThatDocumentsHaveNothingInCommon) {
  MadeDocument one, other;
  for (MadeDocument* made : {&one, &other}) {
    const auto kernel = made->kernel(made == &one ? "peak" : "softmax");
    for (int pass = 0; pass < 12; ++pass) {
      const double t = 100 * pass + 10, run = made == &one ? 80 : 20;
      made->add({.kernel = kernel, .run = {t, t + run}});
      made->add({.kind = WorkKind::read, .run = {t + run, t + run + 1}});
      made->pass({t - 1.5, t + run + 1.5});
    }
  }
  const analysis::TraceDiff found = diff(one.trace(), other.trace());
  EXPECT_FALSE(found.comparable);
  EXPECT_FALSE(found.differs());
  EXPECT_TRUE(found.rows.empty() && found.kernels.empty());
  EXPECT_EQ(found.total.ns_a, 0u);
  EXPECT_THAT(found.cause, AllOf(HasSubstr("nothing in common"), Not(HasSubstr("faster"))));
}

// Passes of 100 µs, the last of which was cut off; commands without a time came too late.
Trace cut_document(int passes, int last_commands, bool last_has_times) {
  MadeDocument made;
  const auto k = made.kernel("k"), x = made.buffer();
  for (int pass = 0; pass < passes; ++pass) {
    const bool is_last = pass + 1 == passes;
    const double t = 10 + 120 * pass;
    const auto launch =
        made.add({.kind = WorkKind::launch, .call = test::Span{t - 2, t - 1}, .graph = 0});
    for (std::uint32_t i = 0; i < (is_last ? static_cast<std::uint32_t>(last_commands) : 10u);
         ++i) {
      const bool has_time = !is_last || last_has_times || i < 3;
      made.add({.kernel = k,
                .run = has_time ? test::Span{t + 10 * i, t + 10 * i + 10} : test::Span{},
                .call = test::Span{t - 2, t - 1},
                .changes = {{x}},
                .launch = launch,
                .node = i});
    }
  }
  return made.cut();
}

TEST(Diff, ComparesWholePassesAloneOfADocumentThatWasCut) {
  MadeDocument whole;
  const auto k = whole.kernel("k"), x = whole.buffer();
  for (int pass = 0; pass < 12; ++pass) {
    const double t = 10 + 120 * pass;
    for (int i = 0; i < 10; ++i)
      whole.add({.kernel = k, .run = {t + 10 * i, t + 10 * i + 10}, .changes = {{x}}});
    whole.pass({t - 1.5, t + 101});
  }
  const Trace before = whole.trace();
  // Twice: with the last pass shorter, and with as many commands, of which most have no times.
  for (const auto& [passes, commands, times] :
       {std::tuple(12, 4, true), std::tuple(12, 10, false), std::tuple(2, 4, true)}) {
    const analysis::TraceDiff found = diff(before, cut_document(passes, commands, times));
    EXPECT_TRUE(found.comparable);
    EXPECT_TRUE(found.b.is_cut);
    EXPECT_FALSE(found.a.is_cut);
    EXPECT_EQ(found.total.ns_a, 100'000u);
    EXPECT_EQ(found.total.ns_b, 100'000u) << passes << " " << commands << " " << times;
    EXPECT_EQ(found.b.commands, 10u);
    EXPECT_THAT(found.cause, HasSubstr(passes == 2 ? "was cut off: its one whole pass is compared"
                                                   : "was cut off: its 11 whole passes are"));
  }
}

TEST(Diff, ComparesNothingOfADocumentThatWasCutInItsFirstPass) {
  MadeDocument a, b;
  for (MadeDocument* made : {&a, &b}) {
    const auto k = made->kernel("k");
    for (int i = 0; i < (made == &a ? 10 : 4); ++i)
      made->add({.kernel = k, .run = {10.0 + 10 * i, 19.0 + 10 * i}, .groups = 1u + i});
  }
  const analysis::TraceDiff found = diff(a.trace(), b.cut());
  EXPECT_FALSE(found.comparable);
  EXPECT_TRUE(found.rows.empty());
  EXPECT_THAT(found.cause, HasSubstr("cut off before a whole pass of it was recorded"));
}

TEST(Diff, ComparesOneRunWhereAPassHasMore) {
  const auto made = [](int runs) {
    MadeDocument document;
    const auto matmul = document.kernel("matmul");
    double t = 10;
    for (int pass = 0; pass < 12; ++pass) {
      const double begin = t;
      for (int i = 0; i < runs; ++i, t += 21)
        document.add({.kernel = matmul, .run = {t, t + 20}, .scope = "mlp"});
      document.pass({begin - 1.5, t + 0.5});
      t += 10;
    }
    return document.trace();
  };
  const analysis::TraceDiff found = diff(made(1), made(9));
  const analysis::DiffRow& matmul = row(found, "mlp", "matmul");
  EXPECT_EQ(matmul.change, analysis::Change::more_runs);
  ASSERT_TRUE(matmul.run);
  EXPECT_EQ(matmul.run->ns_a, 20'000u);
  EXPECT_EQ(matmul.run->ns_b, 20'000u);
  EXPECT_THAT(found.cause, testing::StartsWith("9 commands a pass, 1 before. "));
}

TEST(Diff, NamesTheGraphThatClosedTheGaps) {
  const auto made = [](bool as_graph, const char* backend, double first_takes = 5) {
    MadeDocument document(2, {}, backend);
    const auto add = document.kernel("add");
    double t = 100;
    for (int pass = 0; pass < 12; ++pass) {
      const double begin = t;
      std::uint32_t launch = no_index;
      if (as_graph) {
        launch = document.add({.kind = WorkKind::launch,
                               .call = test::Span{t - 2, t - 1},
                               .label = "pass",
                               .graph = 0});
      }
      for (std::uint32_t i = 0; i < 8; ++i, t += as_graph ? 5.1 : 12)
        document.add({.kernel = add,
                      .run = {t, t + (i ? 5 : first_takes)},
                      .scope = i ? "mlp" : "head",
                      .launch = launch,
                      .node = as_graph ? i : no_index});
      document.pass({begin - 3, t + 0.5});
      t += 20;
    }
    if (as_graph && std::string_view(backend) == "opencl")
      document.note(one_by_one_text(0, "", "native replay"), std::string(one_by_one_kind));
    return document.trace();
  };
  const analysis::TraceDiff found = diff(made(false, "host"), made(true, "host"));
  EXPECT_THAT(found.cause, HasSubstr("the device was idle"));
  EXPECT_THAT(found.cause, HasSubstr("the host enqueues 8 commands in one graph launch, not one by "
                                     "one; kernels take as long as before"));
  // Where recording takes the graph apart, its times are not the program's.
  EXPECT_TRUE(found.total.significant);
  EXPECT_TRUE(found.total.comparable);
  for (const bool after : {false, true}) {
    const analysis::TraceDiff apart = diff(made(!after, "opencl"), made(after, "opencl"));
    EXPECT_THAT(apart.cause,
                StartsWith(fmt::format("Whether the graph {} makes a pass faster can't be told",
                                       after ? "after" : "before")));
    EXPECT_THAT(apart.cause, AllOf(HasSubstr("kernels take as long as before"),
                                   HasSubstr("--prove' measures what a graph gains"),
                                   Not(HasSubstr("slower")), Not(HasSubstr(" faster a pass"))));
    EXPECT_FALSE(apart.differs()) << "headline, rows and exit code agree";
    EXPECT_FALSE(apart.total.comparable || apart.idle.comparable || apart.between.comparable);
    EXPECT_TRUE(apart.busy.comparable);
  }
  // One row of many is longer, and that is no "as long as before".
  EXPECT_THAT(
      diff(made(false, "opencl", 2), made(true, "opencl", 5)).cause,
      AllOf(HasSubstr("'add' in 2 places is 3.0 µs slower"), Not(HasSubstr("as long as before"))));
  // Two graphs are taken apart alike.
  EXPECT_TRUE(diff(made(true, "opencl"), made(true, "opencl")).total.comparable);
}

TEST(Diff, SaysThatTheMachineMayHaveSlowedAllKernels) {
  const auto made = [](double first, double others, const char* backend = "host") {
    MadeDocument document(2, {}, backend);
    const std::uint32_t kernels[] = {document.kernel("matmul"), document.kernel("norm"),
                                     document.kernel("add"), document.kernel("rope")};
    double t = 100;
    for (int pass = 0; pass < 12; ++pass) {
      const double begin = t;
      for (const std::uint32_t kernel : kernels) {
        const double took = kernel == kernels[0] ? 40 * first : 20 * others;
        document.add({.kernel = kernel, .run = {t, t + took}});
        t += took + 0.1;
      }
      document.pass({begin - 1, t + 0.5});
      t += 20;
    }
    return document.trace();
  };
  EXPECT_THAT(diff(made(1, 1), made(1.4, 1.4)).cause,
              AllOf(HasSubstr("'matmul'"), HasSubstr("the typical kernel takes 40% longer, as on a "
                                                     "busier machine")));
  EXPECT_THAT(diff(made(1.4, 1.4), made(1, 1)).cause, HasSubstr("as on a quieter machine"));
  EXPECT_THAT(diff(made(1, 1), made(1.4, 1)).cause,
              AllOf(HasSubstr("'matmul'"), Not(HasSubstr("machine")), Not(HasSubstr("device"))));
  // Of another device that is no riddle.
  EXPECT_THAT(diff(made(1, 1), made(1.4, 1.4, "vulkan")).cause,
              AllOf(StartsWith("On another device: 'Test' (vulkan), 'Test' (host) before. "),
                    HasSubstr("the typical kernel takes 40% longer"), Not(HasSubstr("machine"))));
}

TEST(Diff, OfEmptyDocumentsSaysSo) {
  MadeDocument a, b;
  const analysis::TraceDiff found = diff(a.trace(), b.trace());
  EXPECT_TRUE(found.rows.empty());
  EXPECT_THAT(found.cause, HasSubstr("Neither document has commands"));
}

}  // namespace
}  // namespace reel
