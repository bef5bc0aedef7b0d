// Random commands on queues of Vulkan, with random barriers and semaphores, against a model that
// looks at every byte and tries every chain of barriers.
#include "analysis/sync/queue_sync.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <set>

#include "analysis/barrier_model.hpp"
#include "analysis/made_document.hpp"
#include "document/trace/ranges.hpp"
#include "reel/insights.hpp"

namespace reel {
namespace {

using namespace test::vulkan;
using analysis::SyncFault;
using test::MadeDocument;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// --- the model ----------------------------------------------------------------------------------

class Model {
 public:
  explicit Model(const Trace& trace) : trace_(trace) {
    for (const TraceBarrier& row : trace.barriers())
      rows_[trace.commands()[row.command].stream].push_back(
          {row.command, row.source_stages, row.source_accesses, row.target_stages,
           row.target_accesses, static_cast<std::uint32_t>(all_rows_.size())}),
          all_rows_.push_back(row);
  }

  // All pairs that are not in order, with what is wrong.
  std::set<std::tuple<std::uint32_t, std::uint32_t, SyncFault::Kind>> faults() {
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      const TraceWork& work = trace_.work_of(trace_.commands()[c]);
      for (const bool enter : {false, true})
        for (const bool writing : {false, true})
          for_each_range(trace_, work, [&](const TraceArgument& argument, Access access) {
            if (!(writing ? writes(access) : reads(access))) return;
            for (std::uint64_t i = 0; i < argument.size_bytes; ++i)
              see(byte_of(argument.buffer, argument.offset_bytes + i), c,
                  use_of(work.kind, argument.kind, writing), enter);
          });
    }
    return found_;
  }

 private:
  using Byte = std::pair<std::uint32_t, std::uint64_t>;  // of an allocation, or a buffer without
  struct Seen {
    std::uint32_t command;
    Use use;
  };
  struct State {
    std::vector<Seen> write, reads;
  };

  Byte byte_of(std::uint32_t buffer, std::uint64_t offset) const {
    const BufferMemory& memory = trace_.buffers()[buffer].memory;
    if (memory.allocation == no_index) return {1000 + buffer, offset};
    return {memory.allocation, memory.offset_bytes + offset};
  }
  static Use use_of(WorkKind kind, ArgumentKind argument, bool writing) {
    if (argument == ArgumentKind::indirect) return {indirect, indirect_read};
    if (is_predicate(argument)) return {conditional, conditional_read};
    if (kind == WorkKind::dispatch) return {compute, writing ? shader_write : shader_read};
    return {transfer, writing ? transfer_write : transfer_read};
  }

  void see(const Byte& byte, std::uint32_t c, const Use& use, bool enter) {
    State& state = bytes_[byte];
    const bool writing = use.access & all_writes;
    if (enter) {
      if (writing) state = {{{c, use}}, {}};
      if (!writing) state.reads.push_back({c, use});
      return;
    }
    for (const Seen& earlier : writing && !state.reads.empty() ? state.reads : state.write)
      if (earlier.command != c) compare(byte, earlier, {c, use});
  }

  void compare(const Byte& byte, const Seen& earlier, const Seen& later) {
    const std::uint32_t of = trace_.commands()[earlier.command].stream,
                        stream = trace_.commands()[later.command].stream;
    if (is_done(earlier.command, later.command, later.use.stage)) return;
    const bool ordered = trace_.streams()[stream].is_ordered;
    if (of == stream && ordered) return;
    if (of != stream && ordered && trace_.streams()[of].is_ordered) return;
    Outlook outlook;
    if (of == stream)
      outlook = model(rows_[stream], earlier.command, earlier.use, later.command, later.use,
                      [&](const Row& row) { return covers(all_rows_[row.range], byte); });
    if (outlook.is_fine()) return;
    found_.insert({earlier.command, later.command,
                   outlook.is_ordered ? SyncFault::Kind::visibility : SyncFault::Kind::missing});
  }

  bool covers(const TraceBarrier& row, const Byte& byte) const {
    if (row.buffer == no_index) return true;
    for (std::uint64_t i = 0; i < row.size_bytes; ++i)
      if (byte_of(row.buffer, row.offset_bytes + i) == byte) return true;
    return false;
  }

  // When `order` lets its stream go on, by what it waits for or by what that one had waited for.
  bool is_done(std::uint32_t earlier, const TraceOrder& order) const {
    if (trace_.commands()[order.after].stream == trace_.commands()[earlier].stream &&
        order.after >= earlier)
      return true;
    for (const TraceOrder& before : trace_.orders())
      if (before.command <= order.after &&
          trace_.commands()[before.command].stream == trace_.commands()[order.after].stream &&
          is_done(earlier, before))
        return true;
    return false;
  }
  // Of the stages that wait from command `at` on, does one hold back this one, by barriers?
  bool reaches(std::uint64_t stages, std::uint32_t at, std::uint32_t later, std::uint64_t stage) {
    const Row first{at, 0, 0, stages ? stages : all | host, 0, 0};
    if (holds_back(first, stage)) return true;
    for (const Row& row : rows_[trace_.commands()[later].stream])
      if (row.command >= at && row.command < later && chains(first, row) &&
          reaches(row.target_stages, row.command + 1, later, stage))
        return true;
    return false;
  }
  // By what its stream was told to wait for, up to this command.
  bool is_done(std::uint32_t earlier, std::uint32_t later, std::uint64_t stage) {
    for (const TraceOrder& order : trace_.orders())
      if (order.command <= later &&
          trace_.commands()[order.command].stream == trace_.commands()[later].stream &&
          is_done(earlier, order) && reaches(order.stages, order.command, later, stage))
        return true;
    return false;
  }

  const Trace& trace_;
  std::map<std::uint32_t, std::vector<Row>> rows_;  // by stream
  std::vector<TraceBarrier> all_rows_;
  std::map<Byte, State> bytes_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, SyncFault::Kind>> found_;
};

// --- random documents ---------------------------------------------------------------------------

// `disarmed`: barriers that do nothing, in an otherwise equal document.
Trace random_document(MadeDocument& made, std::mt19937& random,
                      const std::set<std::uint32_t>& disarmed = {}) {
  const auto pick = [&](std::initializer_list<std::uint64_t> of) {
    return *(of.begin() + random() % of.size());
  };
  std::vector<std::uint32_t> streams{made.queue()};
  if (random() % 2) streams.push_back(made.queue());
  if (random() % 4 == 0) streams.push_back(0);  // that is in order
  std::vector<std::uint32_t> buffers;
  for (std::uint64_t i = 0; i < 3; ++i) {
    test::MadeBuffer buffer{.size = 32};
    // Two of them share bytes now and then.
    if (random() % 2) buffer.memory = {.allocation = 7, .offset_bytes = 16 * (random() % 3)};
    buffers.push_back(made.buffer(buffer));
  }
  const auto k = made.kernel("k");
  const auto range = [&]() -> test::MadeRange {
    return {buffers[random() % buffers.size()], 8 * (random() % 2), 8 * (1 + random() % 3)};
  };
  const auto word = [&]() -> test::MadeRange {
    return {buffers[random() % buffers.size()], 4 * (random() % 8), 4};
  };
  const std::uint32_t count = 3 + static_cast<std::uint32_t>(random() % 12);
  for (std::uint32_t c = 0; c < count; ++c) {
    const std::uint32_t stream = streams[random() % streams.size()];
    std::uint32_t command = 0;
    switch (random() % 6) {
      case 0:
      case 1: {
        std::vector<TraceBarrier> rows(1 + random() % 2);
        for (TraceBarrier& row : rows) {
          row.source_stages = pick({all, compute, transfer, compute | transfer, bottom, host});
          row.target_stages = pick({all, compute, transfer, compute | transfer, top, indirect,
                                    conditional, compute | conditional});
          row.source_accesses =
              pick({0, shader_write, transfer_write, memory_write, shader_write | transfer_write});
          row.target_accesses = pick({0, shader_read, shader_read | shader_write, transfer_read,
                                      memory_read | memory_write, indirect_read, conditional_read,
                                      shader_read | conditional_read});
          if (random() % 2) {
            const test::MadeRange of = range();
            row.buffer = of.buffer;
            row.offset_bytes = of.offset;
            row.size_bytes = of.size;
          }
        }
        if (disarmed.contains(c))
          rows = {TraceBarrier{.source_stages = top, .target_stages = bottom}};
        command = made.barrier(stream, rows);
        break;
      }
      case 2: {
        test::MadeRange from = range(), to = range();
        to.size = from.size = std::min(from.size, to.size);
        command =
            made.add({.kind = WorkKind::copy, .stream = stream, .reads = {from}, .writes = {to}});
        break;
      }
      case 3:
        command = made.add({.kind = WorkKind::fill, .stream = stream, .writes = {range()}});
        break;
      default:
        command = made.add({.kernel = k,
                            .stream = stream,
                            .reads = {range()},
                            .writes = {range()},
                            .changes = random() % 3 ? std::vector<test::MadeRange>{}
                                                    : std::vector<test::MadeRange>{range()},
                            .run_if = random() % 4 ? std::nullopt : std::optional(word())});
    }
    if (command > 0 && random() % 5 == 0)
      made.order(command, static_cast<std::uint32_t>(random() % command),
                 random() % 2 ? OrderKind::semaphore : OrderKind::host,
                 pick({0, 0, compute, transfer, compute | transfer, bottom, indirect}) *
                     (stream != 0));  // a stream in order has no stages
  }
  return made.trace();
}

const document::Facts all_orders{{"queue_orders", "all"}};

TEST(QueueSync, FindsWhatAModelOfEveryByteFinds) {
  std::size_t missing = 0, hidden = 0, fine = 0, needed = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    MadeDocument made(2, all_orders);
    const Trace trace = random_document(made, random);
    const auto expected = Model(trace).faults();
    const analysis::QueueSync found = analysis::find_queue_sync(trace);
    ASSERT_EQ(found.fault_count, found.faults.size());
    // Of several readers the last of a queue is told; each is right, and no command is left out.
    std::set<std::pair<std::uint32_t, SyncFault::Kind>> told, known;
    for (const SyncFault& fault : found.faults) {
      ASSERT_TRUE(expected.contains({fault.from, fault.to, fault.kind}))
          << "seed " << seed << ": c" << fault.from << " c" << fault.to;
      told.insert({fault.to, fault.kind});
    }
    for (const auto& [from, to, kind] : expected) {
      known.insert({to, kind});
      (kind == SyncFault::Kind::missing ? missing : hidden) += 1;
    }
    ASSERT_EQ(told, known) << "seed " << seed;
    fine += expected.empty();
    for (const analysis::BarrierUse& barrier : found.barriers) needed += barrier.pairs > 0;
  }
  EXPECT_GT(missing, 1000u);
  EXPECT_GT(hidden, 100u);
  EXPECT_GT(fine, 100u);
  EXPECT_GT(needed, 500u);
}

// All of them together: each pair of commands has barriers of its own that stay.
TEST(QueueSync, WithoutBarriersThatNobodyNeedsNothingElseIsWrong) {
  std::size_t redundant = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed), again(seed);
    MadeDocument made(2, all_orders), others(2, all_orders);
    const Trace trace = random_document(made, random);
    std::set<std::uint32_t> removed;
    for (const analysis::BarrierUse& barrier : analysis::find_queue_sync(trace).barriers)
      if (barrier.pairs == 0 && !barrier.has_other_reason) removed.insert(barrier.command);
    if (removed.empty()) continue;
    redundant += removed.size();
    const Trace without = random_document(others, again, removed);
    ASSERT_EQ(Model(without).faults(), Model(trace).faults()) << "seed " << seed;
  }
  EXPECT_GT(redundant, 1000u);
}

// --- what is said of it -------------------------------------------------------------------------

constexpr TraceBarrier compute_to_compute{.source_stages = compute,
                                          .target_stages = compute,
                                          .source_accesses = shader_write,
                                          .target_accesses = shader_read};

struct Pair {
  MadeDocument made;
  std::uint32_t queue = made.queue(), k = made.kernel("k"), x = made.buffer({.label = "x"});

  std::optional<analysis::Finding> find(const std::string& id) {
    const Trace trace = made.trace();
    for (const analysis::Finding& finding : find_insights(trace, analyze(trace)))
      if (finding.id == id) return finding;
    return std::nullopt;
  }
  void write() { made.add({.kernel = k, .stream = queue, .run = next(), .writes = {{x}}}); }
  void read() { made.add({.kernel = k, .stream = queue, .run = next(), .reads = {{x}}}); }
  test::Span next() { return {now += 10, now + 5}; }
  double now = 0;
};

TEST(SyncMissing, IsFoundBetweenDispatchesAndSaysMay) {
  Pair pair;
  pair.write();
  pair.read();
  const auto finding = pair.find("sync.missing");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("may write"));
  EXPECT_THAT(finding->title, HasSubstr("no barrier, semaphore or wait of the host"));
  EXPECT_THAT(finding->advice,
              HasSubstr("from COMPUTE_SHADER, SHADER_WRITE to COMPUTE_SHADER, SHADER_READ"));
  EXPECT_THAT(finding->evidence.commands, ElementsAre(0, 1));
  EXPECT_EQ(finding->severity, analysis::Severity::warning);
}
TEST(SyncMissing, IsCertainOfCopies) {
  Pair pair;
  const auto y = pair.made.buffer();
  pair.made.add({.kind = WorkKind::fill, .stream = pair.queue, .writes = {{pair.x}}});
  pair.made.add(
      {.kind = WorkKind::copy, .stream = pair.queue, .reads = {{pair.x}}, .writes = {{y}}});
  const auto finding = pair.find("sync.missing");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, analysis::Severity::error);
  EXPECT_THAT(finding->title, testing::Not(HasSubstr("may")));
}
TEST(SyncMissing, IsOnlyPossibleWhereBothHaveTheRestOfABuffer) {
  struct Ranges {
    std::uint64_t first_offset, first_size, second_offset, second_size;
    bool are_rests;
  };
  for (const Ranges& ranges :
       {Ranges{0, 4096, 1024, 3072, true}, Ranges{0, 2048, 1024, 3072, false},
        Ranges{1024, 3072, 1024, 3072, false}}) {
    Pair pair;
    pair.made.add({.kernel = pair.k,
                   .stream = pair.queue,
                   .writes = {{pair.x, ranges.first_offset, ranges.first_size}}});
    pair.made.add({.kernel = pair.k,
                   .stream = pair.queue,
                   .writes = {{pair.x, ranges.second_offset, ranges.second_size}}});
    const auto finding = pair.find("sync.missing");
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->severity,
              ranges.are_rests ? analysis::Severity::info : analysis::Severity::warning);
    EXPECT_EQ(finding->title.find("rest of the buffer") != std::string::npos, ranges.are_rests);
  }
}
TEST(SyncMissing, IsOnlyPossibleOfWhatIsNotKnownInDetail) {
  Pair pair;
  pair.made.add({.kind = WorkKind::opaque, .stream = pair.queue, .writes = {{pair.x}}});
  pair.read();
  const auto finding = pair.find("sync.missing");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->confidence, analysis::Confidence::possible);
}
TEST(SyncMissing, OfAPredicateAsksForItsOwnStage) {
  Pair pair;
  pair.made.add({.kind = WorkKind::fill, .stream = pair.queue, .writes = {{pair.x, 0, 4}}});
  pair.made.barrier(pair.queue, {{.source_stages = transfer,
                                  .target_stages = compute,
                                  .source_accesses = transfer_write,
                                  .target_accesses = shader_read}});
  pair.made.add({.kernel = pair.k, .stream = pair.queue, .run_if = test::MadeRange{pair.x, 0, 4}});
  const auto finding = pair.find("sync.missing");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->advice, HasSubstr("from TRANSFER, TRANSFER_WRITE to CONDITIONAL_RENDERING, "
                                         "CONDITIONAL_RENDERING_READ"));
}
TEST(SyncMissing, OfAPredicateIsNotFoundWithItsBarrier) {
  Pair pair;
  pair.made.add({.kind = WorkKind::fill, .stream = pair.queue, .writes = {{pair.x, 0, 4}}});
  pair.made.barrier(pair.queue, {{.source_stages = transfer,
                                  .target_stages = conditional,
                                  .source_accesses = transfer_write,
                                  .target_accesses = conditional_read}});
  pair.made.add({.kernel = pair.k, .stream = pair.queue, .run_if = test::MadeRange{pair.x, 0, 4}});
  EXPECT_FALSE(pair.find("sync.missing"));
}
TEST(SyncMissing, NamesEachCommandOnce) {
  Pair pair;
  for (int i = 0; i < 4; ++i) pair.write();
  const auto finding = pair.find("sync.missing");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(0, 1, 2, 3));
}
TEST(SyncMissing, IsNotFoundWithABarrier) {
  Pair pair;
  pair.write();
  pair.made.barrier(pair.queue, {compute_to_compute});
  pair.read();
  EXPECT_FALSE(pair.find("sync.missing"));
}
TEST(SyncMissing, IsFoundBetweenQueuesWithoutASemaphore) {
  for (const bool waits : {false, true}) {
    Pair pair;
    pair.write();
    const auto other = pair.made.queue();
    const auto reader =
        pair.made.add({.kernel = pair.k, .stream = other, .run = pair.next(), .reads = {{pair.x}}});
    if (waits) pair.made.order(reader, 0);
    const auto finding = pair.find("sync.missing");
    ASSERT_EQ(finding.has_value(), !waits);
    if (finding) {
      EXPECT_THAT(finding->title, HasSubstr("two queues"));
    }
  }
}
// Older documents don't have semaphores of a queue with itself; others may lack some order.
TEST(SyncMissing, IsFoundBetweenSubmissionsOnlyWhereAllOrdersAreKept) {
  for (const std::string keeps : {"", "some", "all"})
    for (const bool waits : {false, true})
      for (const bool is_other_queue : {false, true}) {
        MadeDocument made(
            2, keeps.empty() ? document::Facts{} : document::Facts{{"queue_orders", keeps}});
        const auto queue = made.queue(), k = made.kernel("k"), x = made.buffer();
        const auto second = is_other_queue ? made.queue() : queue;
        made.add({.kernel = k, .stream = queue, .call = test::Span{1, 2}, .writes = {{x}}});
        made.add({.kernel = k, .stream = second, .call = test::Span{5, 6}, .reads = {{x}}});
        if (waits) made.order(1, 0, OrderKind::host);
        made.submission(queue, 0, 1);
        made.submission(second, 1, 1);
        const analysis::QueueSync found = analysis::find_queue_sync(made.trace());
        const bool is_known = keeps == "all" || (keeps.empty() && is_other_queue);
        EXPECT_EQ(found.fault_count, is_known && !waits ? 1u : 0u) << keeps;
      }
}
// A wait for something else is no order of these two; the poll of an event may be.
TEST(SyncMissing, CallsOfTheHostCountOnlyWhereNoOrdersTellWhatTheyWaitedFor) {
  for (const std::string name : {"vkWaitForFences", "vkGetEventStatus"}) {
    MadeDocument made(2, all_orders);
    const auto queue = made.queue(), k = made.kernel("k"), x = made.buffer();
    made.add({.kernel = k, .stream = queue, .call = test::Span{1, 2}, .writes = {{x}}});
    made.call(name, {3, 4});
    made.add({.kernel = k, .stream = queue, .call = test::Span{5, 6}, .reads = {{x}}});
    made.submission(queue, 0, 1);
    made.submission(queue, 1, 1);
    const analysis::QueueSync found = analysis::find_queue_sync(made.trace());
    EXPECT_EQ(found.fault_count, name == "vkWaitForFences" ? 1u : 0u);
  }
}
// A semaphore holds back the stages that it was told to, and a barrier hands that on.
TEST(SyncMissing, IsFoundWhereAnotherStageWaitsForTheSemaphore) {
  struct {
    std::uint64_t stages;
    bool has_barrier, is_fault;
  } const tries[] = {{0, false, false},       {compute, false, false}, {transfer, false, true},
                     {transfer, true, false}, {indirect, true, true},  {bottom, false, true}};
  for (const auto& one : tries) {
    MadeDocument made(2, all_orders);
    const auto queue = made.queue(), k = made.kernel("k"), x = made.buffer();
    made.add({.kernel = k, .stream = queue, .writes = {{x}}});
    std::uint32_t last = 0, first = 1;
    if (one.has_barrier)
      made.barrier(queue, {TraceBarrier{.source_stages = transfer, .target_stages = compute}});
    last = made.add({.kernel = k, .stream = queue, .reads = {{x}}});
    made.order(first, 0, OrderKind::semaphore, one.stages);
    const analysis::QueueSync found = analysis::find_queue_sync(made.trace());
    EXPECT_EQ(found.fault_count, one.is_fault ? 1u : 0u) << one.stages << " c" << last;
    for (const analysis::BarrierUse& barrier : found.barriers)
      EXPECT_EQ(barrier.has_other_reason, one.stages == transfer);
  }
}
TEST(SyncVisibility, IsFoundWhereTheBarrierNamesAnotherAccess) {
  Pair pair;
  pair.write();
  TraceBarrier weak = compute_to_compute;
  weak.source_accesses = 0;
  pair.made.barrier(pair.queue, {weak});
  pair.read();
  const auto finding = pair.find("sync.visibility");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("may see old bytes"));
}
TEST(BarrierRedundant, IsFoundForASecondBarrierAfterTheFirst) {
  Pair pair;
  pair.write();
  pair.made.barrier(pair.queue, {compute_to_compute});
  const auto second = pair.made.barrier(pair.queue, {compute_to_compute});
  pair.read();
  const auto finding = pair.find("barrier.redundant");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(second));
}
// A wait of the host would do as well; who relies on the barrier is not told to remove it.
TEST(BarrierRedundant, IsNotFoundBesideAWaitOfTheHost) {
  Pair pair;
  pair.write();
  pair.made.barrier(pair.queue, {compute_to_compute});
  pair.made.call("vkQueueWaitIdle", {pair.now + 2, pair.now + 6});
  pair.read();
  EXPECT_FALSE(pair.find("barrier.redundant"));
}
TEST(BarrierRedundant, IsNotFoundForTheHostOrAtTheEnd) {
  Pair pair;
  pair.write();
  TraceBarrier to_host = compute_to_compute;
  to_host.target_stages = host;
  pair.made.barrier(pair.queue, {to_host});
  pair.made.add({.kernel = pair.k, .stream = pair.queue, .reads = {{pair.made.buffer()}}});
  pair.made.barrier(pair.queue, {compute_to_compute});
  EXPECT_FALSE(pair.find("barrier.redundant"));
}
TEST(BarrierWide, IsFoundWhereOneRangeNeedsIt) {
  for (const bool several : {false, true}) {
    Pair pair;
    const auto y = pair.made.buffer();
    pair.write();
    if (several)
      pair.made.add({.kernel = pair.k, .stream = pair.queue, .run = pair.next(), .writes = {{y}}});
    const auto barrier = pair.made.barrier(
        pair.queue, {TraceBarrier{.source_stages = all,
                                  .target_stages = all,
                                  .source_accesses = memory_write,
                                  .target_accesses = memory_read | memory_write}});
    pair.read();
    pair.made.add({.kernel = pair.k, .stream = pair.queue, .run = pair.next(), .reads = {{y}}});
    const auto finding = pair.find("barrier.wide");
    ASSERT_EQ(finding.has_value(), !several);
    if (finding) {
      EXPECT_THAT(finding->evidence.commands, ElementsAre(barrier));
    }
  }
}

}  // namespace
}  // namespace reel
