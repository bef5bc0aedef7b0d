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
    if (is_done(earlier.command, later.command)) return;
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

  // By what its stream was told to wait for, up to this command.
  bool is_done(std::uint32_t earlier, std::uint32_t later) const {
    const std::uint32_t of = trace_.commands()[earlier].stream,
                        stream = trace_.commands()[later].stream;
    for (const TraceOrder& order : trace_.orders()) {
      if (order.command > later || trace_.commands()[order.command].stream != stream) continue;
      if (trace_.commands()[order.after].stream == of && order.after >= earlier) return true;
      if (is_done(earlier, order.after)) return true;
    }
    return false;
  }

  const Trace& trace_;
  std::map<std::uint32_t, std::vector<Row>> rows_;  // by stream
  std::vector<TraceBarrier> all_rows_;
  std::map<Byte, State> bytes_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, SyncFault::Kind>> found_;
};

// --- random documents ---------------------------------------------------------------------------

Trace random_document(MadeDocument& made, std::mt19937& random) {
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
          row.target_stages = pick({all, compute, transfer, compute | transfer, top, indirect});
          row.source_accesses =
              pick({0, shader_write, transfer_write, memory_write, shader_write | transfer_write});
          row.target_accesses = pick({0, shader_read, shader_read | shader_write, transfer_read,
                                      memory_read | memory_write, indirect_read});
          if (random() % 2) {
            const test::MadeRange of = range();
            row.buffer = of.buffer;
            row.offset_bytes = of.offset;
            row.size_bytes = of.size;
          }
        }
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
                                                    : std::vector<test::MadeRange>{range()}});
    }
    if (command > 0 && random() % 6 == 0)
      made.order(command, static_cast<std::uint32_t>(random() % command));
  }
  return made.trace();
}

TEST(QueueSync, FindsWhatAModelOfEveryByteFinds) {
  std::size_t missing = 0, hidden = 0, fine = 0, needed = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    MadeDocument made;
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

// The host changes bytes in mapped memory that a command may still read.
TEST(HostAccess, IsFoundWhereNothingShowsThatTheHostWaited) {
  for (const bool waits : {false, true})
    for (const bool is_queue : {false, true}) {
      MadeDocument made;
      const std::uint32_t stream = is_queue ? made.queue() : 0;
      const auto k = made.kernel("k"), x = made.buffer({.size = 16, .label = "x"});
      const auto first = made.add({.kernel = k,
                                   .stream = stream,
                                   .run = {20, 60},
                                   .call = test::Span{1, 2},
                                   .reads = {{x}}});
      made.contents(ContentRole::input, first, x, {1, 2, 3, 4});
      if (waits) made.call(is_queue ? "vkWaitForFences" : "clFinish", {3, 5});
      const auto second = made.add({.kernel = k,
                                    .stream = stream,
                                    .run = {70, 80},
                                    .call = test::Span{10, 11},
                                    .reads = {{x}}});
      made.contents(ContentRole::input, second, x, {1, 2, 3, 5});
      const Trace trace = made.trace();
      std::optional<analysis::Finding> found;
      for (const analysis::Finding& finding : find_insights(trace, analyze(trace)))
        if (finding.id == (is_queue ? "sync.host" : "race.host")) found = finding;
      ASSERT_EQ(found.has_value(), !waits);
      if (found) {
        EXPECT_THAT(found->evidence.commands, ElementsAre(first, second));
      }
    }
}

}  // namespace
}  // namespace reel
