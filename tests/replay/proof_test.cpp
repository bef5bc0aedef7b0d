// Findings tried by replay: claims whose truth is known, most of them made up for the test.
#include "reel/proof.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <tuple>

#include "analysis/findings/tiny_chains.hpp"
#include "base/clock.hpp"
#include "replay/replay_test.hpp"

namespace reel::test {
namespace {

using analysis::Finding;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string told(const Proof& proof) {
  return std::string(to_string(proof.verdict)) + " (" + proof.experiment + "): " + proof.sentence;
}

Finding claim(const char* id, std::vector<std::uint32_t> commands,
              std::optional<std::uint64_t> saving_ns = {}) {
  Finding finding{.id = id};
  finding.evidence.commands = std::move(commands);
  finding.saving_ns = saving_ns;
  return finding;
}

constexpr std::uint32_t most_seconds = 20;  // of a busy machine; a tenth of it is enough for most
constexpr std::uint64_t an_hour_ns = 3'600'000'000'000;

class Proofs : public ReplayTest {
 protected:
  static Proof proved(const Trace& trace, const Finding& finding,
                      const std::optional<analysis::Report>& report = {}) {
    const auto proofs = prove(trace, device(), report ? *report : analyze(trace), {finding},
                              {.seconds = most_seconds});
    EXPECT_EQ(proofs.size(), 1u);
    return proofs.at(0);
  }
  static bool is_same(const Device& other) { return other.info().backend == info().backend; }
  // A time was measured, and the sentence has all of it.
  static void expect_measured(const Proof& proof) {
    EXPECT_TRUE(proof.measured_ns && proof.noise_ns) << told(proof);
    EXPECT_GE(proof.runs, 6u) << told(proof);
    EXPECT_GE(proof.noise_ns.value_or(-1), 0) << told(proof);
  }
};

// --- left out -----------------------------------------------------------------------------------

TEST_P(Proofs, ACopyOfTheSameBytesIsNotNeeded) {
  x.write(ramp(1));
  const Stream stream = device().stream();
  for (const Contents contents : {Contents::inputs, Contents::all}) {
    const Trace trace = captured(
        [&] {
          stream.copy(y, x);
          mix(stream, x, y, z, 3);
          stream.copy(y, x);
          mix(stream, z, y, w, 5);
          stream.synchronize();
        },
        {.contents = contents});
    const Proof proof = proved(trace, claim("copy.redundant", {2}));
    EXPECT_EQ(proof.verdict, ProofVerdict::supported) << told(proof);
    EXPECT_EQ(proof.experiment, "left_out");
    EXPECT_THAT(proof.sentence,
                AllOf(HasSubstr("Without c2"), HasSubstr("all results are the same"),
                      HasSubstr("Measured: ")));
    expect_measured(proof);
    EXPECT_EQ(replayed(trace, {.without = {2}}).verdict(), Verdict::equal);
  }
}

TEST_P(Proofs, ACopyThatIsNeededIsWithdrawnWithTheFirstByte) {
  x.write(ramp(1));
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    stream.copy(y, x);
    mad(stream, y, 3, 1);
    stream.copy(y, x);  // needed: c1 changed it
    mix(stream, x, y, z, 3);
    stream.copy(y, x);  // not needed
    mix(stream, z, y, w, 5);
    stream.synchronize();
  });
  const Proof proof = proved(trace, claim("copy.redundant", {2, 4}, 1000));
  EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
  // y of the first word: 3 x 1 + 1 = 4 in place of 1; z = 3 x + y: 7 in place of 4, and so on.
  EXPECT_THAT(proof.sentence, AllOf(HasSubstr("byte 0 of b"), HasSubstr(" instead of "),
                                    HasSubstr("1 of 2 is needed: c2")))
      << told(proof);
  EXPECT_FALSE(proof.measured_ns);
  EXPECT_EQ(replayed(trace, {.without = {2}}).verdict(), Verdict::different);
  EXPECT_EQ(replayed(trace, {.without = {4}}).verdict(), Verdict::equal);
}

// By hash the target holds the same bytes: nobody declares that the kernel between writes it.
TEST_P(Proofs, ACopyThatOnlyDeclarationsMakeRedundantIsWithdrawn) {
  x.write(ramp(1));
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    stream.copy(y, x);
    stream.dispatch(mad_kernel, grid("liar"), in(y), 3u, 1u, word_count);
    stream.copy(y, x);
    mix(stream, x, y, z, 3);
    stream.synchronize();
  });
  const analysis::Report report = analyze(trace);
  const auto findings = find_insights(trace, report);
  const auto found = std::ranges::find(findings, "copy.redundant", &Finding::id);
  ASSERT_NE(found, findings.end());
  const Proof proof = proved(trace, *found, report);
  EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
}

TEST_P(Proofs, AFillThatIsOverwrittenUnreadIsDead) {
  x.write(ramp(1));
  const Stream stream = device().stream();
  for (const Contents contents : {Contents::inputs, Contents::all}) {
    const Trace trace = captured(
        [&] {
          stream.fill(z, std::uint32_t{9});
          mix(stream, x, x, z, 3);
          stream.synchronize();
        },
        {.contents = contents});
    const Proof proof = proved(trace, claim("fill.dead", {0}));
    EXPECT_EQ(proof.verdict, ProofVerdict::supported) << told(proof);
    expect_measured(proof);
    EXPECT_EQ(replayed(trace, {.without = {0}}).verdict(), Verdict::equal);
  }
}

// Leaving it out would change nothing: what is there already is zero. But somebody reads it.
TEST_P(Proofs, AFillThatIsReadIsNotDeadThoughItChangesNothing) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    stream.fill(y, std::uint32_t{0});
    mad(stream, y, 3, 1);
    stream.synchronize();
  });
  const Proof proof = proved(trace, claim("fill.dead", {0}));
  EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
  EXPECT_THAT(proof.sentence, HasSubstr("byte 0 of"));
}

// --- copied on the device -----------------------------------------------------------------------

TEST_P(Proofs, ASecondUploadCanBeACopy) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    stream.write(x, ramp(7));
    stream.write(y, ramp(7));
    mix(stream, x, y, z, 3);
    stream.synchronize();
  });
  const Proof proof = proved(trace, claim("upload.dup", {1}));
  EXPECT_NE(proof.verdict, ProofVerdict::not_tried) << told(proof);
  EXPECT_THAT(proof.sentence,
              AllOf(HasSubstr("With c1 copied on the device"), HasSubstr("results are the same")));
  expect_measured(proof);
}

TEST_P(Proofs, ASecondUploadOfBytesThatAreGoneIsNotTried) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    stream.write(x, ramp(7));
    mad(stream, x, 3, 1);
    stream.write(y, ramp(7));
    mix(stream, x, y, z, 3);
    stream.synchronize();
  });
  const Proof proof = proved(trace, claim("upload.dup", {2}));
  EXPECT_EQ(proof.verdict, ProofVerdict::not_tried) << told(proof);
  EXPECT_THAT(proof.sentence, HasSubstr("overwritten"));
}

TEST_P(Proofs, ARoundTripCanBeACopy) {
  x.write(ramp(7));
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    mad(stream, x, 3, 1);
    const Words back = stream.read_now<std::uint32_t>(x);
    stream.write(y, back);
    mix(stream, x, y, z, 3);
    stream.synchronize();
  });
  ASSERT_EQ(trace.commands().size(), 4u);
  const Proof proof = proved(trace, claim("copy.roundtrip", {1, 2}));
  EXPECT_NE(proof.verdict, ProofVerdict::not_tried) << told(proof);
  EXPECT_THAT(proof.sentence, HasSubstr("results are the same"));
  expect_measured(proof);
}

// --- orders -------------------------------------------------------------------------------------

void put(const HostGroup& group, std::uint32_t* target, std::uint32_t value) {
  group.for_each([&](const HostItem& item) {
    std::atomic_ref(target[item.global.x]).store(value, std::memory_order_relaxed);
  });
}
KernelSource put_source() {
  return {.name = "put_word",
          .opencl_c = R"(
__kernel void put_word(__global uint* target, uint value) { target[get_global_id(0)] = value; })",
          .glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Target { uint target[]; };
layout(push_constant) uniform Values { uint value; };
void main() { target[gl_GlobalInvocationID.x] = value; })",
          .host = host_kernel<&put>()};
}

TEST_P(Proofs, ARaceIsShownByAnOrderThatChangesResults) {
  register_host_kernel("put_word", put_source().host);
  const Kernel kernel = build(put_source());
  const Stream one = device().stream(), two = device().stream();
  for (const std::uint32_t value : {6u, 7u}) {
    const Trace trace = captured([&] {
      one.fill(x, std::uint32_t{1});
      one.synchronize();
      one.dispatch(kernel, grid(), out(x), 6u);
      two.dispatch(kernel, grid(), out(x), value);
      one.synchronize();
      two.synchronize();
    });
    const analysis::Report report = analyze(trace);
    const auto findings = find_insights(trace, report);
    const auto race = std::ranges::find(findings, "race", &Finding::id);
    ASSERT_NE(race, findings.end());
    const Proof proof = proved(trace, *race, report);
    if (value == 6) {  // whoever comes last writes the same
      EXPECT_EQ(proof.verdict, ProofVerdict::inconclusive) << told(proof);
      EXPECT_THAT(proof.sentence, HasSubstr("all results are the same"));
    } else {
      EXPECT_EQ(proof.verdict, ProofVerdict::supported) << told(proof);
      EXPECT_THAT(proof.sentence, AllOf(HasSubstr(" before c"), HasSubstr("byte 0 of b"),
                                        HasSubstr(" instead of ")));
    }
  }
}

TEST_P(Proofs, AWaitThatNothingNeedsCanGo) {
  const Stream one = device().stream(), two = device().stream();
  const Event event = device().event();
  const Trace trace = captured([&] {
    mad(one, x, 3, 1);
    one.record(event);
    two.wait(event);
    mad(two, y, 5, 2);
    one.synchronize();
    two.synchronize();
  });
  const analysis::Report report = analyze(trace);
  const auto findings = find_insights(trace, report);
  const auto found = std::ranges::find(findings, "barrier.redundant", &Finding::id);
  ASSERT_NE(found, findings.end());
  const Proof proof = proved(trace, *found, report);
  EXPECT_EQ(proof.verdict, ProofVerdict::supported) << told(proof);
  EXPECT_THAT(proof.sentence, AllOf(HasSubstr("Without 1 wait"), HasSubstr("9 orders")));
  expect_measured(proof);
  ASSERT_EQ(trace.orders().size(), 1u);
  EXPECT_EQ(replayed(trace, {.without_waits = trace.orders()}).verdict(), Verdict::equal);
}

// What the first kernel says it reads it writes, so by declared ranges nobody needs the wait.
TEST_P(Proofs, AWaitThatOnlyDeclarationsMakeRedundantIsWithdrawn) {
  x.write(ramp(1));
  const Stream one = device().stream(), two = device().stream();
  const Event event = device().event();
  const Trace trace = captured([&] {
    one.dispatch(mad_kernel, grid("liar"), in(x), 3u, 1u, word_count);
    one.record(event);
    two.wait(event);
    mix(two, x, x, z, 5);
    one.synchronize();
    two.synchronize();
  });
  const analysis::Report report = analyze(trace);
  const auto findings = find_insights(trace, report);
  const auto found = std::ranges::find(findings, "barrier.redundant", &Finding::id);
  ASSERT_NE(found, findings.end());
  const Proof proof = proved(trace, *found, report);
  EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
  EXPECT_THAT(proof.sentence, HasSubstr("byte 0 of"));
}

// --- times --------------------------------------------------------------------------------------

TEST_P(Proofs, AChainOfTinyKernelsIsMeasuredAsAGraph) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 300; ++i) mad(stream, x, 3, i);
    stream.synchronize();
  });
  const std::uint64_t active_ns = analyze(trace).activity.active_ns;
  const Proof modest = proved(trace, claim("launch.bound", {0}));
  expect_measured(modest);
  EXPECT_THAT(modest.sentence, AllOf(HasSubstr("As a graph"), HasSubstr("results are the same")));
  if (is("opencl")) {
    EXPECT_EQ(modest.verdict, ProofVerdict::supported) << told(modest);
    EXPECT_GT(*modest.measured_ns, *modest.noise_ns) << told(modest);
    // What saves a thousand times the claim is about something else.
    const Proof other = proved(trace, claim("launch.bound", {0}, 1));
    EXPECT_EQ(other.verdict, ProofVerdict::inconclusive) << told(other);
    EXPECT_THAT(other.sentence, HasSubstr("more than there is to save")) << told(other);
  }
  // Kernels that would be fused are left out, and what they run is not counted as saved. On a busy
  // machine some of them, or all, take too long to be tiny.
  const bool has_tiny = !analysis::find_tiny_chains(trace, analyze(trace)).empty();
  if (has_tiny) {
    const Proof fused = proved(trace, claim("fuse.tiny", {0}, active_ns));
    EXPECT_EQ(fused.experiment, "fewer_launches");
    EXPECT_THAT(fused.sentence, HasSubstr("all but the first of each run, ")) << told(fused);
    expect_measured(fused);
  }
  for (const char* id : {"idle.launch", "fuse.tiny", "overlap.lost"}) {
    if (id == std::string_view("fuse.tiny") && !has_tiny) continue;
    const Proof proof = proved(trace, claim(id, {0}, an_hour_ns));
    EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
    EXPECT_THAT(proof.sentence, HasSubstr("3600.000 s claimed")) << told(proof);
    expect_measured(proof);
  }
}

// A graph gains nothing by being recorded into a graph.
TEST_P(Proofs, CommandsThatAreNodesAlreadyAreNotTriedAsAGraph) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 8; ++i) mad(stream, x, 3, i);
    stream.synchronize();
  });
  for (const auto& [id, part, whole] :
       {std::tuple{"idle.launch", "before_nodes", "idle"},
        std::tuple{"overlap.lost", "in_graphs", "one_after_the_other"}}) {
    Finding finding = claim(id, {0}, 1000);
    finding.numbers = {{part, "ns", 900}, {whole, "ns", 1000}};
    const Proof proof = proved(trace, finding);
    EXPECT_EQ(proof.verdict, ProofVerdict::not_tried) << told(proof);
    EXPECT_THAT(proof.sentence, HasSubstr("nodes of a graph already"));
  }
}

void be_busy(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST_P(Proofs, WorkOfTheHostBetweenItsCallsIsDoneAgain) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    be_busy(std::chrono::milliseconds(50));  // before the first command: nobody waits for it
    for (std::uint32_t i = 0; i < 5; ++i) {
      mad(stream, x, 3, i);
      be_busy(std::chrono::milliseconds(2));
    }
    stream.synchronize();
  });
  // On a busy machine the pauses may be many times as long, when recorded and when done again. So
  // the claim is half again what was recorded, from the first command to the last.
  const std::uint64_t recorded =
      trace.commands()[4].call_begin_ns - trace.commands()[0].call_end_ns;
  const Proof proof = proved(trace, claim("idle.host", {0}, recorded * 3 / 2));
  EXPECT_EQ(proof.verdict, ProofVerdict::supported) << told(proof);
  EXPECT_EQ(proof.experiment, "without_host_work");
  // Four pauses, at least, and not what came before the first command.
  EXPECT_GT(*proof.measured_ns, 6e6) << told(proof);
  const Proof too_much = proved(trace, claim("idle.host", {0}, an_hour_ns));
  EXPECT_EQ(too_much.verdict, ProofVerdict::withdrawn) << told(too_much);
}

TEST_P(Proofs, WaitsOfTheHostAreMadeAgain) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 40; ++i) {
      mad(stream, x, 3, i);
      stream.synchronize();
    }
  });
  const Proof proof = proved(trace, claim("idle.sync", {0}, an_hour_ns));
  expect_measured(proof);
  EXPECT_EQ(proof.experiment, "without_host_waits");
  EXPECT_THAT(proof.sentence, HasSubstr("With 39 waits of the host")) << told(proof);
  EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
}

TEST_P(Proofs, HowThreadsTookTurnsIsNotTried) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    mad(stream, x, 3, 1);
    std::thread([&] { mad(stream, x, 5, 1); }).join();
    stream.synchronize();
  });
  const Proof proof = proved(trace, claim("idle.host", {0}, 1));
  EXPECT_EQ(proof.verdict, ProofVerdict::not_tried) << told(proof);
  EXPECT_THAT(proof.sentence, HasSubstr("Several threads"));
}

// Commands that a queue of Vulkan doesn't order, one before the other; here the stream does, and
// the claim is made up.
TEST_P(Proofs, PairsThatAQueueDoesNotOrderAreTurned) {
  const Stream stream = device().stream();
  const auto verdict = [&](auto&& body, std::vector<std::uint32_t> pair) {
    Finding made_up = claim("sync.missing", std::move(pair));
    made_up.confidence = analysis::Confidence::likely;
    const Proof proof = proved(captured([&] { body(), stream.synchronize(); }), made_up);
    EXPECT_EQ(proof.experiment, "turned_pairs");
    return proof;
  };
  x.write(ramp(1));
  y.write(ramp(2));
  const Proof changes = verdict([&] { mad(stream, x, 3, 1), mad(stream, x, 5, 3); }, {0, 1});
  EXPECT_EQ(changes.verdict, ProofVerdict::supported) << told(changes);
  EXPECT_THAT(changes.sentence, HasSubstr("With c1 before c0, which nothing forbids, "));
  const Proof apart = verdict([&] { mad(stream, x, 3, 1), mad(stream, y, 5, 2); }, {0, 1});
  EXPECT_EQ(apart.verdict, ProofVerdict::withdrawn) << told(apart);
  const Proof held =
      verdict([&] { mad(stream, x, 3, 1), mad(stream, x, 5, 2), mad(stream, x, 7, 3); }, {0, 2});
  EXPECT_EQ(held.verdict, ProofVerdict::not_tried) << told(held);
}

// Order that only the stream gives is lost in a graph, and so the advice is wrong.
TEST_P(Proofs, AGraphThatChangesResultsIsWithdrawn) {
  x.write(ramp(1));
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 40; ++i) {
      mix(stream, x, y, z, i);
      stream.dispatch(mad_kernel, grid("liar"), in(x), 3u, 1u, word_count);
    }
    stream.synchronize();
  });
  // Whether the graph goes wrong is the device's choice; that it is told when it does is ours.
  const Proof proof = proved(trace, claim("launch.bound", {0}, 1));
  EXPECT_THAT(proof.sentence, Not(HasSubstr("not compared"))) << told(proof);
  if (proof.sentence.find("results are the same") == std::string::npos) {
    EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
    EXPECT_THAT(proof.sentence, HasSubstr("so the declared byte ranges")) << told(proof);
  }
}

TEST_P(Proofs, WhatWasSlowOnceIsFastWhenItIsWarm) {
  if (!info().can_stamp_time) GTEST_SKIP() << "The device gives no times.";
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 10; ++i) mad(stream, x, 3, i);
    stream.synchronize();
  });
  analysis::Report report = analyze(trace);
  report.own_ns[2] = 5'000'000'000;  // by the document; here it takes microseconds
  const Proof once = proved(trace, claim("outlier", {2}, 4'900'000'000), report);
  EXPECT_EQ(once.verdict, ProofVerdict::supported) << told(once);
  EXPECT_THAT(once.sentence, HasSubstr("it was an exception"));
  if (const Device other = another_device(); other && !is_same(other)) {
    const Proof elsewhere =
        prove(trace, other, report, {claim("outlier", {2}, 4'900'000'000)}).at(0);
    EXPECT_EQ(elsewhere.verdict, ProofVerdict::not_tried) << told(elsewhere);
  }
  report.own_ns[2] = 1;
  const Proof always = proved(trace, claim("outlier", {2}, 1), report);
  EXPECT_EQ(always.verdict, ProofVerdict::withdrawn) << told(always);
  EXPECT_THAT(always.sentence, HasSubstr("as long each time"));
}

// x[i] after so many rounds of each item.
void churn(const HostGroup& group, std::uint32_t* x, std::uint32_t rounds) {
  group.for_each([&](const HostItem& item) {
    std::uint32_t word = x[item.global.x];
    for (std::uint32_t i = 0; i < rounds; ++i) word = word * 1664525u + 1013904223u;
    x[item.global.x] = word;
  });
}
KernelSource churn_source() {
  return {.name = "churn_words",
          .opencl_c = R"(
__kernel void churn_words(__global uint* x, uint rounds) {
  uint word = x[get_global_id(0)];
  for (uint i = 0; i < rounds; ++i) word = word * 1664525u + 1013904223u;
  x[get_global_id(0)] = word;
})",
          .glsl = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Values { uint rounds; };
void main() {
  uint word = x[gl_GlobalInvocationID.x];
  for (uint i = 0u; i < rounds; ++i) word = word * 1664525u + 1013904223u;
  x[gl_GlobalInvocationID.x] = word;
})",
          .host = host_kernel<&churn>()};
}

TEST_P(Proofs, AKernelOfOneGroupShowsWhatItsTimeIsWorth) {
  constexpr std::uint32_t items = 16'384;
  register_host_kernel(churn_source().name, churn_source().host);
  const Kernel slow = build(churn_source());
  const Buffer large = device().buffer(4 * items, "large");
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    mad(stream, y, 3, 1);
    for (int i = 0; i < 4; ++i) stream.dispatch(slow, over(items), inout(large), 1000u);
    mad(stream, y, 5, 1);
    stream.synchronize();
  });
  const std::uint32_t kernel = trace.work_of(trace.commands()[1]).kernel;
  // Twice what there is to save: far from both ends of what is believed.
  std::uint64_t ran_ns = 0;
  for (std::uint32_t c = 1; c <= 4; ++c)
    ran_ns += trace.commands()[c].ended_ns - trace.commands()[c].started_ns;
  Finding finding = claim("cp", {1}, ran_ns);
  finding.evidence.kernels = {kernel};
  const Proof proof = proved(trace, finding);
  EXPECT_EQ(proof.verdict, ProofVerdict::supported) << told(proof);
  EXPECT_THAT(proof.sentence, HasSubstr("With one group in each of 4 runs"));
  expect_measured(proof);
  finding.saving_ns = an_hour_ns;
  const Proof too_much = proved(trace, finding);
  EXPECT_EQ(too_much.verdict, ProofVerdict::withdrawn) << told(too_much);
  finding.saving_ns = 1000;
  const Proof impossible = proved(trace, finding);
  EXPECT_EQ(impossible.verdict, ProofVerdict::inconclusive) << told(impossible);
  EXPECT_THAT(impossible.sentence, HasSubstr("more than there is to save"));
  // Nothing can be taken from what has one group.
  const Trace single = captured([&] {
    stream.dispatch(slow, over(group_items), inout(large), 1000u);
    stream.synchronize();
  });
  Finding of_single = claim("cp", {0}, 1000);
  of_single.evidence.kernels = {single.work_of(single.commands()[0]).kernel};
  EXPECT_THAT(proved(single, of_single).sentence, HasSubstr("one group each"));
  finding.id = "bandwidth";
  const Proof alone = proved(trace, finding);
  EXPECT_THAT(alone.sentence, HasSubstr("alone and warm")) << told(alone);
  if (info().can_stamp_time) expect_measured(alone);
}

// --- repeated -----------------------------------------------------------------------------------

TEST_P(Proofs, ResultsThatAreTheSameEachTimeAreNotLeftToChance) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    mad(stream, x, 3, 1);
    mad(stream, x, 3, 1);
    stream.synchronize();
  });
  const Proof proof = proved(trace, claim("nondeterminism", {0, 1}));
  EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
  EXPECT_EQ(proof.runs, 20u);
}

// --- what can't be tried ------------------------------------------------------------------------

TEST_P(Proofs, WhatCannotBeTriedSaysWhy) {
  const Stream stream = device().stream();
  const auto work = [&] {
    mad(stream, x, 3, 1);
    stream.synchronize();
  };
  const Trace trace = captured(work);
  for (const char* id : {"verdict", "idle.dep", "idle.something.new", "mem.peak", "no.such.rule"}) {
    const Proof proof = proved(trace, claim(id, {}));
    EXPECT_EQ(proof.verdict, ProofVerdict::not_tried);
    EXPECT_EQ(proof.experiment, "");
    EXPECT_THAT(proof.sentence, testing::EndsWith(".")) << id;
  }
  const auto proofs =
      prove(trace, device(), analyze(trace), {claim("launch.bound", {0})}, {.seconds = 0});
  EXPECT_EQ(proofs.at(0).verdict, ProofVerdict::not_tried);
  EXPECT_THAT(proofs.at(0).sentence, HasSubstr("--prove-seconds"));

  x.write(ramp(1));
  const Trace hollow = captured(work, {.contents = Contents::hashes});
  const Proof lost = proved(hollow, claim("copy.redundant", {0}));
  EXPECT_EQ(lost.verdict, ProofVerdict::not_tried) << told(lost);
  EXPECT_THAT(lost.sentence, HasSubstr("only hashes")) << told(lost);
}

TEST_P(Proofs, EachFindingHasAProofInTheJson) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    for (std::uint32_t i = 0; i < 40; ++i) mad(stream, x, 3, i);
    stream.synchronize();
  });
  const analysis::Report report = analyze(trace);
  const auto findings = find_insights(trace, report);
  std::vector<std::uint32_t> told_of;
  const auto proofs =
      prove(trace, device(), report, findings,
            {.on_proof = [&](std::uint32_t i, const Proof&) { told_of.push_back(i); }});
  ASSERT_EQ(proofs.size(), findings.size());
  EXPECT_EQ(told_of.size(), findings.size());
  EXPECT_TRUE(std::ranges::is_sorted(told_of));
  const std::string json = proofs_json(trace, report, findings, proofs);
  for (const Proof& proof : proofs) {
    EXPECT_THAT(json, HasSubstr(std::string("\"verdict\": \"") + to_string(proof.verdict)));
    EXPECT_FALSE(proof.sentence.empty());
  }
}

TEST_P(Proofs, OnlyFindingsFromTheFirstOnAreTried) {
  const Stream stream = device().stream();
  const Trace trace = captured([&] {
    mad(stream, x, 3, 1);
    stream.synchronize();
  });
  std::vector<std::uint32_t> told_of;
  prove(trace, device(), analyze(trace), {claim("a", {}), claim("b", {}), claim("c", {})},
        {.first = 1, .on_proof = [&](std::uint32_t i, const Proof&) { told_of.push_back(i); }});
  EXPECT_THAT(told_of, testing::ElementsAre(1u, 2u));
}

INSTANTIATE_TEST_SUITE_P(Each, Proofs, every_device(), device_name);

// --- on the host, whose kernels can do anything -------------------------------------------------

std::atomic<std::uint32_t> calls{0};
std::atomic<bool> is_held{false}, is_cold{true};

void chance(const HostGroup& group, std::uint32_t* x) {
  if (group.id.x == 0) x[5] = calls.fetch_add(1);
}
void hold(const HostGroup&, std::uint32_t*) {
  while (is_held) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}
void chill(const HostGroup&, std::uint32_t*) { is_cold = true; }
// Slow right after chill, and otherwise a tenth of it.
void warm_up(const HostGroup&, std::uint32_t*) {
  be_busy(std::chrono::microseconds(is_cold.exchange(false) ? 3000 : 300));
}

// Takes time, and no processor: as long on a busy machine as on a quiet one.
constexpr std::chrono::milliseconds nap_time(20);
// A device that knows what a kernel costs knows its time on a processor: a nap alone would be
// cheap, and run on the caller.
void nap(const HostGroup&, std::uint32_t*) {
  constexpr std::uint64_t plainly_long_ns = 500'000;
  std::this_thread::sleep_for(nap_time);
  const std::uint64_t begin_ns = thread_cpu_ns();
  while (thread_cpu_ns() - begin_ns < plainly_long_ns) continue;
}

class HostProofs : public testing::Test {
 protected:
  Kernel kernel(const char* name, const HostKernel& function) const {
    register_host_kernel(name, function);
    return host.kernel({.name = name, .host = function, .group_size = {64}});
  }
  const Device host = open_device("host");
  const Buffer x = host.buffer(256, "x"), y = host.buffer(256, "y");
  const Stream stream = host.stream();
};

TEST_F(HostProofs, ResultsLeftToChanceAreShown) {
  const Kernel unsteady = kernel("proof_chance", host_kernel<&chance>());
  const Trace trace = captured([&] {
    stream.dispatch(unsteady, {.groups = {1}}, x);
    stream.fill(x, std::uint32_t{7});
    stream.synchronize();
  });
  const auto proofs = prove(trace, host, analyze(trace),
                            {claim("nondeterminism", {0}), claim("copy.redundant", {1})});
  // Overwritten before anything was recorded of it: seen right after the command.
  EXPECT_EQ(proofs[0].verdict, ProofVerdict::supported) << told(proofs[0]);
  EXPECT_THAT(proofs[0].sentence, HasSubstr("right after c0"));
  EXPECT_EQ(proofs[1].verdict, ProofVerdict::withdrawn) << told(proofs[1]);
}

// The device works for 20 ms, then the host does, because it waited: without the waits both work at
// once. Either is a thousand times what a wait takes by itself, and neither needs a processor of
// its own to take as long again, so a busy machine gives the same answer.
TEST_F(HostProofs, WaitsThatKeepTheHostFromItsWorkAreSupported) {
  const Kernel slow = kernel("proof_nap", host_kernel<&nap>());
  constexpr std::uint64_t rounds = 4;
  for (int i = 0; i < 3; ++i) {  // until the device knows that it takes long
    stream.dispatch(slow, {.groups = {1}}, x);
    stream.synchronize();
  }
  for (const bool waits : {true, false}) {
    const Trace trace = captured([&] {
      for (std::uint64_t i = 0; i < rounds; ++i) {
        stream.dispatch(slow, {.groups = {1}}, x);
        if (waits) stream.synchronize();
        be_busy(nap_time);
      }
      stream.dispatch(slow, {.groups = {1}}, x);
      stream.synchronize();
    });
    // What can be saved is the host's time in all rounds.
    const auto saving = std::chrono::nanoseconds(rounds * nap_time).count();
    const Proof proof =
        prove(trace, host, analyze(trace),
              {claim("idle.sync", {0}, static_cast<std::uint64_t>(saving))}, {.seconds = 8})
            .at(0);
    // Without waits a busy machine may leave it open; nothing may support it.
    if (waits)
      EXPECT_EQ(proof.verdict, ProofVerdict::supported) << told(proof);
    else
      EXPECT_NE(proof.verdict, ProofVerdict::supported) << told(proof);
    EXPECT_EQ(proof.experiment, "without_host_waits");
    if (!waits) continue;
    EXPECT_THAT(proof.sentence, HasSubstr("With 4 waits of the host")) << told(proof);
    EXPECT_GT(*proof.measured_ns, static_cast<double>(saving) / 2) << told(proof);
  }
}

TEST_F(HostProofs, UnsteadyResultsProveNothing) {
  const Kernel unsteady = kernel("proof_chance", host_kernel<&chance>());
  const Trace trace = captured([&] {
    stream.fill(y, std::uint32_t{7});
    stream.dispatch(unsteady, {.groups = {1}}, x);
    stream.synchronize();
  });
  const Proof proof = prove(trace, host, analyze(trace), {claim("copy.redundant", {0})}).at(0);
  EXPECT_EQ(proof.verdict, ProofVerdict::not_tried) << told(proof);
}

TEST_F(HostProofs, AKernelThatIsSlowOnlyInItsPlaceIsWithdrawn) {
  const Kernel before = kernel("proof_chill", host_kernel<&chill>()),
               slow = kernel("proof_warm_up", host_kernel<&warm_up>());
  for (const bool is_chilled : {true, false}) {
    is_cold = false;
    const Trace trace = captured([&] {
      if (is_chilled) stream.dispatch(before, {.groups = {1}}, y);
      stream.dispatch(slow, {.groups = {1}}, x);
      stream.synchronize();
    });
    Finding finding = claim("bandwidth", {});
    finding.evidence.kernels = {
        trace.work_of(trace.commands()[trace.commands().size() - 1]).kernel};
    const Proof proof = prove(trace, host, analyze(trace), {finding}).at(0);
    EXPECT_EQ(proof.verdict, is_chilled ? ProofVerdict::withdrawn : ProofVerdict::supported)
        << told(proof);
  }
}

// The longest run is often one that was interrupted, and says nothing of the kernel.
TEST_F(HostProofs, AKernelIsJudgedByATypicalRun) {
  const Kernel slow = kernel("proof_warm_up", host_kernel<&warm_up>());
  is_cold = false;
  const Trace trace = captured([&] {
    for (int i = 0; i < 9; ++i) stream.dispatch(slow, {.groups = {1}}, x);
    stream.synchronize();
  });
  analysis::Report report = analyze(trace);
  report.own_ns[4] *= 100;  // somebody else had the processor
  Finding finding = claim("bandwidth", {});
  finding.evidence.kernels = {trace.work_of(trace.commands()[0]).kernel};
  const Proof proof = prove(trace, host, report, {finding}).at(0);
  EXPECT_EQ(proof.verdict, ProofVerdict::supported) << told(proof);
  EXPECT_THAT(proof.sentence, AllOf(HasSubstr("its median run (P50)"), Not(HasSubstr("c4,"))));
}

// By the recorded times, six pairs of runs would take an hour: nobody waits to be told so.
TEST_F(HostProofs, WhatTakesTooLongIsNotBegun) {
  const Kernel quick = kernel("proof_warm_up", host_kernel<&warm_up>());
  is_cold = false;
  const Trace trace = captured([&] {
    for (int i = 0; i < 20; ++i) stream.dispatch(quick, {.groups = {2}}, x);
    stream.synchronize();
  });
  analysis::Report report = analyze(trace);
  report.activity.busy_ns = an_hour_ns / 12;
  Finding path = claim("cp", {}), bandwidth = claim("bandwidth", {});
  path.evidence.kernels = bandwidth.evidence.kernels = {trace.work_of(trace.commands()[0]).kernel};
  const auto begin = std::chrono::steady_clock::now();
  const auto proofs =
      prove(trace, host, report, {claim("launch.bound", {0}, 1000), path, bandwidth});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  for (const Proof& proof : proofs) {
    EXPECT_EQ(proof.runs, 0u) << told(proof);
    EXPECT_THAT(proof.sentence, AllOf(HasSubstr("by the recorded times, a run takes 300"),
                                      HasSubstr("--prove-seconds gives more")));
  }
}

TEST_F(HostProofs, ARecordedTimeThatDoesNotComeAgainIsWithdrawn) {
  const Kernel slow = kernel("proof_warm_up", host_kernel<&warm_up>());
  is_cold = true;
  const Trace trace = captured([&] {
    stream.dispatch(slow, {.groups = {1}}, x);
    stream.synchronize();
  });
  Finding finding = claim("bandwidth", {});
  finding.evidence.kernels = {trace.work_of(trace.commands()[0]).kernel};
  const Proof proof = prove(trace, host, analyze(trace), {finding}).at(0);
  EXPECT_EQ(proof.verdict, ProofVerdict::withdrawn) << told(proof);
  EXPECT_THAT(proof.sentence, HasSubstr("does not come again"));
}

TEST_F(HostProofs, ACommandThatHangsCostsItsExperimentAndThoseAfterIt) {
  const Kernel stuck = kernel("proof_hold", host_kernel<&hold>());
  const Trace trace = captured([&] {
    stream.dispatch(stuck, {.groups = {1}, .label = "stuck"}, x);
    stream.synchronize();
  });
  is_held = true;
  const auto proofs =
      prove(trace, host, analyze(trace),
            {claim("launch.bound", {0}), claim("copy.redundant", {0}), claim("verdict", {})},
            {.time_limit_s = 1});
  is_held = false;
  EXPECT_TRUE(proofs[0].is_hung);
  EXPECT_EQ(proofs[0].verdict, ProofVerdict::not_tried);
  EXPECT_THAT(proofs[0].sentence, HasSubstr("c0 'stuck'")) << told(proofs[0]);
  EXPECT_EQ(proofs[1].verdict, ProofVerdict::not_tried);
  EXPECT_THAT(proofs[1].sentence, HasSubstr("did not end"));
  EXPECT_FALSE(proofs[2].sentence.empty());
}

}  // namespace
}  // namespace reel::test
