#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/made_document.hpp"
#include "reel/analysis.hpp"

namespace reel {
namespace {

using analysis::Pass;
using test::MadeDocument;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto of_kind = [](Pass::Kind kind) { return Each(Field(&Pass::kind, kind)); };
MATCHER_P2(Commands, first, end, "") { return arg.first == first && arg.end == end; }

// Commands one after the other, 10 us each.
class Program {
 public:
  MadeDocument made;

  void run(const std::string& kernel, const std::string& scope = {},
           std::vector<test::MadeRange> buffers = {}, std::uint32_t groups = 64) {
    made.add({.kernel = kernel_of(kernel),
              .run = {now + 2, now + 8},
              .call = test::Span{now, now + 1},
              .changes = std::move(buffers),
              .scope = scope,
              .groups = groups});
    now += 10;
  }
  void launch(std::uint32_t graph, std::uint32_t nodes, const std::string& label = {}) {
    const test::Span call{now, now + 1};
    const auto launch = made.add({.kind = WorkKind::launch,
                                  .run = {now + 2, now + 2.0 + 6 * nodes},
                                  .call = call,
                                  .label = label,
                                  .graph = graph});
    for (std::uint32_t node = 0; node < nodes; ++node)
      made.add({.kernel = kernel_of("node" + std::to_string(node)),
                .run = {now + 3.0 + 6 * node, now + 8.0 + 6 * node},
                .call = call,
                .launch = launch,
                .node = node});
    now += 10 + 6 * nodes;
  }
  std::vector<Pass> passes() {
    const Trace trace = made.trace();
    return analysis::find_passes(trace, analysis::find_repetitions(trace));
  }

  double now = 1;

 private:
  std::uint32_t kernel_of(const std::string& name) {
    const auto [at, is_new] = kernels_.try_emplace(name, 0);
    if (is_new) at->second = made.kernel(name);
    return at->second;
  }
  std::map<std::string, std::uint32_t> kernels_;
};

TEST(Passes, AreSessionsWhereTheyHaveMostCommands) {
  Program program;
  program.run("setup");
  for (int pass = 0; pass < 3; ++pass) {
    const double begin = program.now - 0.5;
    for (int i = 0; i < 4; ++i) program.run("k");
    program.made.pass({begin, program.now - 0.7});
  }
  const auto passes = program.passes();
  EXPECT_THAT(passes, ElementsAre(Commands(1u, 5u), Commands(5u, 9u), Commands(9u, 13u)));
  EXPECT_THAT(passes, of_kind(Pass::Kind::session));
}

TEST(Passes, OfSessionsThatOverlapEndWhereTheNextBegins) {
  Program program;
  program.run("a");  // calls at 1, 11, 21, 31
  program.run("a");
  program.run("a");
  program.run("a");
  program.made.pass({0, 25});  // is waited for after the next has begun
  program.made.pass({20, 60});
  EXPECT_THAT(program.passes(), ElementsAre(Commands(0u, 2u), Commands(2u, 4u)));
}

TEST(Passes, LeaveASessionWithinASessionInIt) {
  Program program;
  for (int i = 0; i < 4; ++i) program.run("a");
  program.made.pass({0, 50});
  program.made.pass({10, 22});
  EXPECT_THAT(program.passes(), ElementsAre(Commands(0u, 4u)));
}

TEST(Passes, AreLaunchesOfTheGraphThatDidMost) {
  Program program;
  for (int i = 0; i < 5; ++i) program.run("setup" + std::to_string(i));
  program.launch(7, 12, "prefill");
  for (int i = 0; i < 6; ++i) program.launch(8, 10, "decode");
  program.run("teardown");
  const auto passes = program.passes();
  ASSERT_THAT(passes, SizeIs(6));
  EXPECT_THAT(passes, of_kind(Pass::Kind::launch));
  EXPECT_THAT(passes[0], Commands(18u, 29u));
  EXPECT_THAT(passes[5], Commands(73u, 84u));
  EXPECT_EQ(passes[1].took_ns(), 59'000u);
  EXPECT_EQ(passes[1].busy_ns, 50'000u);
}

TEST(Passes, AreLaunchesThoughASessionMadeTheGraph) {
  Program program;
  const double begin = program.now - 0.5;
  program.run("warmup");
  program.made.pass({begin, program.now - 0.7});
  for (int i = 0; i < 3; ++i) program.launch(0, 5);
  EXPECT_THAT(program.passes(), AllOf(SizeIs(3), of_kind(Pass::Kind::launch)));
}

TEST(Passes, AreWhatRepeatsWhereAPassIsTwoGraphs) {
  Program program;
  for (int i = 0; i < 4; ++i) {
    program.launch(0, 5);
    program.launch(1, 5);
  }
  const auto passes = program.passes();
  EXPECT_THAT(passes, AllOf(SizeIs(4), of_kind(Pass::Kind::repetition)));
  EXPECT_THAT(passes[1], Commands(12u, 24u));
}

TEST(Passes, AreScopesInTheSameOrderThoughSizesDiffer) {
  Program program;
  program.run("fill", "reset");
  for (std::uint32_t pass = 0; pass < 5; ++pass) {
    program.run("embed", "model/embedding");
    for (const char* layer : {"model/layer0", "model/layer1"}) {
      program.run("q", layer);
      program.run("attention", layer, {}, 1 + pass);  // the cache grows
    }
    program.run("argmax", "model/head");
  }
  const auto passes = program.passes();
  EXPECT_THAT(passes, AllOf(SizeIs(5), of_kind(Pass::Kind::scope)));
  EXPECT_THAT(passes[0], Commands(1u, 7u));
  EXPECT_THAT(passes[4], Commands(25u, 31u));
}

TEST(Passes, AreNumberedScopesOverTheSameMemory) {
  Program program;
  const auto weights = program.made.buffer(), x = program.made.buffer();
  for (std::uint32_t step = 0; step < 4; ++step)
    for (std::uint32_t k = 0; k < 3; ++k)
      program.run("k" + std::to_string(k), "step " + std::to_string(step), {{weights}, {x}},
                  1 + step);
  EXPECT_THAT(program.passes(), AllOf(SizeIs(4), of_kind(Pass::Kind::scope)));
}

TEST(Passes, AreNotAFewScopesThatComeTwice) {
  Program program;
  for (int i = 0; i < 20; ++i) program.run("k" + std::to_string(i), "part" + std::to_string(i));
  for (int i = 0; i < 2; ++i) {
    program.run("softmax", "tail/softmax");
    program.run("norm", "tail/norm");
  }
  EXPECT_THAT(program.passes(), IsEmpty());
}

TEST(Passes, AreNotStagesOverTheSameMemory) {
  Program program;
  const auto x = program.made.buffer();
  for (std::uint32_t stage = 0; stage < 6; ++stage)
    for (const char* kernel : {"swap", "merge"})
      program.run(kernel, "sort/stage" + std::to_string(stage), {{x}}, 1 + stage);
  EXPECT_THAT(program.passes(), IsEmpty());
}

TEST(Passes, AreNotLayers) {
  for (const bool named : {true, false}) {
    Program program;
    const auto x = program.made.buffer();
    for (std::uint32_t layer = 0; layer < 6; ++layer) {
      const auto weights = program.made.buffer(), bias = program.made.buffer();
      for (const char* kernel : {"norm", "matmul", "add"})
        program.run(kernel, named ? "layer" + std::to_string(layer) : "", {{x}, {weights}, {bias}});
    }
    EXPECT_THAT(program.passes(), IsEmpty()) << (named ? "named" : "unnamed");
  }
}

TEST(Passes, OfUnnamedLayersAreWhatUsesTheSameWeightsAgain) {
  Program program;
  const auto x = program.made.buffer();
  std::vector<std::uint32_t> weights;
  for (int layer = 0; layer < 6; ++layer) weights.push_back(program.made.buffer());
  for (int pass = 0; pass < 4; ++pass)
    for (const auto of_layer : weights)
      for (const char* kernel : {"norm", "matmul"}) program.run(kernel, "", {{x}, {of_layer}});
  const auto passes = program.passes();
  EXPECT_THAT(passes, AllOf(SizeIs(4), of_kind(Pass::Kind::repetition)));
  EXPECT_THAT(passes[1], Commands(12u, 24u));
}

TEST(Passes, MayAllocateTheirMemoryEachTime) {
  Program program;
  const auto weights = program.made.buffer();
  for (int pass = 0; pass < 4; ++pass) {
    const auto temporary =
        program.made.buffer({.allocated = program.now - 0.5, .freed = program.now + 25});
    for (const char* kernel : {"a", "b"}) program.run(kernel, "", {{weights}, {temporary}});
    program.now += 10;
  }
  EXPECT_THAT(program.passes(), SizeIs(4));
}

TEST(Passes, AreNoneOfADocumentWithoutCommandsOrWithOne) {
  EXPECT_THAT(Program().passes(), IsEmpty());
  Program one;
  one.run("k", "scope");
  EXPECT_THAT(one.passes(), IsEmpty());
}

TEST(Passes, WithoutTimestampsAreKnownByTheirCommands) {
  MadeDocument made;
  const auto k = made.kernel("k"), other = made.kernel("other");
  for (int pass = 0; pass < 3; ++pass) {
    made.add({.kernel = k, .call = test::Span{10.0 * pass + 1, 10.0 * pass + 2}});
    made.add({.kernel = other, .call = test::Span{10.0 * pass + 3, 10.0 * pass + 4}});
  }
  const Trace trace = made.trace();
  const auto passes = analysis::find_passes(trace, analysis::find_repetitions(trace));
  ASSERT_THAT(passes, SizeIs(3));
  EXPECT_EQ(passes[0].took_ns(), 0u);
  EXPECT_EQ(passes[0].started_ns, 0u);
}

}  // namespace
}  // namespace reel
