// Memory that the host changes while a command may still use it: single documents, and random
// programs whose truth is known, since they were made with it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "analysis/made_document.hpp"
#include "reel/insights.hpp"

namespace reel {
namespace {

using test::MadeDocument;
using testing::ElementsAre;

std::optional<analysis::Finding> find(const Trace& trace, const std::string& id) {
  for (const analysis::Finding& finding : find_insights(trace, analyze(trace)))
    if (finding.id == id) return finding;
  return std::nullopt;
}

TEST(HostAccess, IsFoundWhereNothingShowsThatTheHostWaited) {
  for (const bool waits : {false, true})
    for (const bool is_queue : {false, true}) {
      MadeDocument made(2, {{"queue_orders", "all"}});
      const std::uint32_t stream = is_queue ? made.queue() : 0;
      const auto k = made.kernel("k"), x = made.buffer({.size = 16, .label = "x"});
      const auto first = made.add({.kernel = k,
                                   .stream = stream,
                                   .run = {20, 60},
                                   .call = test::Span{1, 2},
                                   .reads = {{x}}});
      made.contents(ContentRole::input, first, x, {1, 2, 3, 4});
      made.call("clFinish", {0.2, 0.5});  // how it waits is known
      if (waits && !is_queue) made.call("clFinish", {3, 5});
      const auto second = made.add({.kernel = k,
                                    .stream = stream,
                                    .run = {70, 80},
                                    .call = test::Span{10, 11},
                                    .reads = {{x}}});
      if (waits && is_queue) made.order(second, first, OrderKind::host);
      made.contents(ContentRole::input, second, x, {1, 2, 3, 5});
      const auto found = find(made.trace(), is_queue ? "sync.host" : "race.host");
      ASSERT_EQ(found.has_value(), !waits);
      if (found) {
        EXPECT_THAT(found->evidence.commands, ElementsAre(first, second));
      }
    }
}
// Pages are looked at as a whole; the host may write one part while a command reads another.
TEST(HostAccess, IsOfTheBytesThatChanged) {
  for (const std::uint64_t changed : {0, 3}) {  // a number of x
    MadeDocument made(2, {{"queue_orders", "all"}});
    const std::uint32_t queue = made.queue();
    const auto k = made.kernel("k"), x = made.buffer({.size = 16});
    made.add({.kernel = k, .stream = queue, .call = test::Span{1, 2}, .reads = {{x, 0, 4}}});
    std::vector<float> numbers{1, 2, 3, 4};
    made.contents(ContentRole::input, 0, x, numbers);
    made.add({.kernel = k, .stream = queue, .call = test::Span{10, 11}, .reads = {{x}}});
    numbers[changed] = 9;
    made.contents(ContentRole::input, 1, x, numbers);
    EXPECT_EQ(find(made.trace(), "sync.host").has_value(), changed == 0) << changed;
  }
}
// The device waits for it, and the host knows nothing of that; a call that sets an event may be
// what the command waits for.
TEST(HostAccess, ASemaphoreTellsTheHostNothing) {
  for (const bool sets_event : {false, true}) {
    MadeDocument made(2, {{"queue_orders", "all"}});
    const std::uint32_t queue = made.queue();
    const auto k = made.kernel("k"), x = made.buffer({.size = 16});
    made.add({.kernel = k, .stream = queue, .call = test::Span{1, 2}, .reads = {{x}}});
    made.contents(ContentRole::input, 0, x, {1, 2, 3, 4});
    if (sets_event) made.call("vkSetEvent", {3, 4});
    made.add({.kernel = k, .stream = queue, .call = test::Span{10, 11}, .reads = {{x}}});
    made.order(1, 0, OrderKind::semaphore);
    made.contents(ContentRole::input, 1, x, {1, 2, 3, 5});
    EXPECT_EQ(find(made.trace(), "sync.host").has_value(), !sets_event);
  }
}
// The recorder looked when the host had learned that they were done.
TEST(HostAccess, IsFoundWhereTheRecorderSawIt) {
  for (const std::string note : {"c0 to c1: the host changed bytes 0 to 8 of b{} before",
                                 "c0 to c1: the host changed bytes 8 to 16 of b{} before",
                                 "c0 to c9: the host changed bytes 0 to 8 of b{} before",
                                 "c0 to c1: the host changed bytes 0 to 8 of b77 before", ""}) {
    MadeDocument made(2, {{"queue_orders", "all"}});
    const std::uint32_t queue = made.queue();
    const auto k = made.kernel("k"), x = made.buffer({.size = 16, .label = "x"}),
               y = made.buffer({});
    made.add({.kernel = k, .stream = queue, .call = test::Span{1, 2}, .reads = {{y}}});
    made.add({.kernel = k, .stream = queue, .call = test::Span{1, 2}, .reads = {{x, 0, 8}}});
    made.note(fmt::format(fmt::runtime(note), x), "host_changed");
    const auto found = find(made.trace(), "sync.host");
    ASSERT_EQ(found.has_value(), note.find("c1: the host changed bytes 0 to 8 of b{}") != note.npos)
        << note;
    if (!found) continue;
    EXPECT_THAT(found->evidence.commands, ElementsAre(1));
    EXPECT_THAT(found->title, testing::HasSubstr("before it had waited for c1"));
  }
}
TEST(HostAccess, IsNotLookedForWhereSomeOrderIsNotKnown) {
  for (const std::string kept : {"all", "some"}) {
    MadeDocument made(2, {{"queue_orders", kept}});
    const std::uint32_t queue = made.queue();
    const auto k = made.kernel("k"), x = made.buffer({.size = 16});
    for (std::uint32_t c = 0; c < 2; ++c) {
      const double at = 10.0 * c;
      made.add({.kernel = k, .stream = queue, .call = test::Span{at + 1, at + 2}, .reads = {{x}}});
      made.contents(ContentRole::input, c, x, {1, 2, 3, static_cast<float>(c)});
    }
    EXPECT_EQ(find(made.trace(), "sync.host").has_value(), kept == "all");
  }
}

// The second look finds a part of it changed, and has that part alone.
TEST(HostAccess, ComparesLooksAtPartsOfARange) {
  for (const float value : {2.0f, 7.0f}) {
    MadeDocument made(2, {{"queue_orders", "all"}});
    const std::uint32_t queue = made.queue();
    const auto k = made.kernel("k"), x = made.buffer({.size = 16});
    made.add({.kernel = k, .stream = queue, .call = test::Span{1, 2}, .reads = {{x}}});
    made.contents(ContentRole::input, 0, x, {1, 2, 3, 4});
    made.add({.kernel = k, .stream = queue, .call = test::Span{10, 11}, .reads = {{x}}});
    made.contents(ContentRole::input, 1, x, {1, value});
    EXPECT_EQ(find(made.trace(), "sync.host").has_value(), value != 2);
  }
}

// --- random programs ----------------------------------------------------------------------------

// Submissions of one command to up to three queues, semaphores between them, waits of the host, and
// writes of the host into memory that commands read. What is wrong is found by following every way
// in which the host could have learned that a command had ended.
class RandomProgram {
 public:
  RandomProgram(MadeDocument& made, std::uint32_t seed) : made_(made), random_(seed) {
    const std::size_t queues = 1 + random_() % 3;
    for (std::size_t i = 0; i < queues; ++i) queues_.push_back({.stream = made.queue()});
    for (auto& memory : memories_) memory.buffer = made.buffer({.size = 16});
    kernel_ = made.kernel("k");
  }

  // How many writes of the host are wrong.
  std::size_t run() {
    const std::size_t steps = 4 + random_() % 16;
    for (std::size_t i = 0; i < steps; ++i) switch (random_() % 5) {
        case 0:
          ++memories_[random_() % memories_.size()].value;
          break;
        case 1:
          if (!given_.empty()) see_done(random_() % given_.size());
          break;
        default:
          submit();
      }
    return wrong_;
  }

 private:
  struct Queue {
    std::uint32_t stream;
    std::map<std::uint32_t, std::uint32_t> told =
        {};                                   // by stream: seen by the host, as its rows say
    std::set<std::uint32_t> waited_for = {};  // all that is done before what it is given now
  };
  struct Given {
    std::size_t queue;
    std::set<std::uint32_t> before;  // done before it signals
  };
  struct Memory {
    std::uint32_t buffer = 0;
    int value = 0, looked_at = -1;
    std::vector<std::uint32_t> readers = {};  // since the last look that found something new
  };

  void submit() {
    const std::size_t q = random_() % queues_.size();
    Queue& queue = queues_[q];
    Memory& memory = memories_[random_() % memories_.size()];
    const auto c = static_cast<std::uint32_t>(given_.size());
    const double at = 10.0 * c;
    made_.add({.kernel = kernel_,
               .stream = queue.stream,
               .call = test::Span{at + 1, at + 2},
               .reads = {{memory.buffer}}});
    // As the recorder has it: the last that was seen done of each queue, where that is news.
    for (std::size_t other = 0; other < queues_.size(); ++other) {
      std::uint32_t last = no_index;
      for (const std::uint32_t done : seen_)
        if (given_[done].queue == other && asked_.contains(done)) last = done;
      if (last == no_index) continue;
      const auto [known, is_new] = queue.told.try_emplace(queues_[other].stream, last);
      if (!is_new && known->second >= last) continue;
      known->second = last;
      made_.order(c, last, OrderKind::host);
    }
    queue.waited_for.insert(seen_.begin(), seen_.end());
    if (c > 0 && random_() % 3 == 0) {
      const auto after = static_cast<std::uint32_t>(random_() % c);
      made_.order(c, after, OrderKind::semaphore, random_() % 2 ? 0x1000 : 0);
      queue.waited_for.insert(given_[after].before.begin(), given_[after].before.end());
    }
    Given given{q, queue.waited_for};
    for (std::uint32_t earlier = 0; earlier < c; ++earlier)
      if (given_[earlier].queue == q) given.before.insert(earlier);
    given.before.insert(c);
    given_.push_back(given);
    if (memory.looked_at != memory.value) {
      made_.contents(ContentRole::input, c, memory.buffer, {static_cast<float>(memory.value)});
      if (memory.looked_at >= 0)
        wrong_ += std::ranges::any_of(
            memory.readers, [&](std::uint32_t reader) { return !seen_.contains(reader); });
      memory.looked_at = memory.value;
      memory.readers.clear();
    }
    memory.readers.push_back(c);
  }

  void see_done(std::size_t of) {
    asked_.insert(static_cast<std::uint32_t>(of));
    seen_.insert(given_[of].before.begin(), given_[of].before.end());
  }

  MadeDocument& made_;
  std::mt19937 random_;
  std::vector<Queue> queues_;
  std::array<Memory, 2> memories_;
  std::uint32_t kernel_ = 0;
  std::vector<Given> given_;              // by command
  std::set<std::uint32_t> seen_, asked_;  // by the host: done; waited for itself
  std::size_t wrong_ = 0;
};

TEST(HostAccess, IsFoundInRandomProgramsWhereItIsAndNowhereElse) {
  std::size_t wrong = 0, right = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    MadeDocument made(2, {{"queue_orders", "all"}});
    const std::size_t expected = RandomProgram(made, seed).run();
    const auto found = find(made.trace(), "sync.host");
    ASSERT_EQ(found ? found->numbers[0].value : 0, static_cast<double>(expected))
        << "seed " << seed;
    (expected ? wrong : right) += 1;
  }
  EXPECT_GT(wrong, 200u);
  EXPECT_GT(right, 200u);
}

}  // namespace
}  // namespace reel
