// The long lists of a trace, which are kept packed, against the rows that they were made of.
#include "reel/trace_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <ranges>

#include "document/columns/row_packer.hpp"
#include "reel/trace_totals.hpp"
#include "sample_document.hpp"

namespace reel::test {
namespace {

using document::DocumentWriter;

static_assert(std::ranges::random_access_range<TraceCommands>);
static_assert(std::ranges::random_access_range<TraceCalls>);

TEST(PackedRows, GiveBackEveryNumber) {
  std::mt19937_64 random(1);
  document::RowPacker<4> packer;
  std::vector<std::array<std::uint64_t, 4>> rows;
  for (std::size_t i = 0; i < 5000; ++i) {
    // A column that never changes, one of a few bytes, one that goes back, and one of everything.
    rows.push_back({7, 1'000'000'000'000 + random() % 100'000, i - 2500, random() >> (i % 64)});
    if (i == 1500) rows.back() = {0, 0, 0, std::numeric_limits<std::uint64_t>::max()};
    packer.add(rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
    for (std::size_t c = 0; c < 4; ++c) ASSERT_EQ(packer.at(i, c), rows[i][c]) << i << " " << c;
  }
  const PackedRows<4> packed = std::move(packer).take();
  ASSERT_EQ(packed.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t c = 0; c < 4; ++c) ASSERT_EQ(packed.at(i, c), rows[i][c]) << i << " " << c;
}

// Commands of three streams on several threads, in an order of the file that is given; some have no
// stamps, or not all. `launches`: every tenth is a launch of the two behind it.
struct Written {
  std::vector<TraceCommand> commands;
  std::vector<TraceCall> others;
};
Written write_commands(const std::string& path, std::uint32_t count, bool in_order, bool launches) {
  std::mt19937_64 random(2);
  DocumentWriter writer(path, {{"program", "x"}});
  writer.add(document::DeviceRow{0, "d", "sim", "", "gpu", "", "", "", 1, 1, true, 1});
  writer.add(document::ClockRow{0, 1'000'000, 500'000, 10});  // the host's is half a ms ahead
  for (std::uint32_t stream = 0; stream < 3; ++stream)
    writer.add(document::StreamRow{stream, 0, ""});
  document::WorkRow barrier{}, launch{};
  barrier.kind = WorkKind::barrier;
  launch.kind = WorkKind::launch;
  launch.graph = 0;
  const std::uint32_t works[] = {writer.add(barrier), writer.add(launch)};

  Written written;
  std::uint64_t now = 1'000'000;
  for (std::uint32_t i = 0; i < count; ++i) {
    TraceCommand command;
    const bool is_launch = launches && i % 10 == 0;
    const bool is_node = launches && (i % 10 == 1 || i % 10 == 2);
    command.work = works[is_launch ? 1 : 0];
    command.stream = static_cast<std::uint32_t>(random() % 3);
    if (is_node) command.launch = i - i % 10, command.node = i % 10 - 1;
    command.thread = static_cast<std::uint32_t>(100 + random() % 4);
    now += random() % 3000;
    command.call_begin_ns = now - random() % 2000;  // threads overlap
    command.call_end_ns = command.call_begin_ns + random() % 100'000;
    if (random() % 8 != 0) {
      command.queued_ns = command.call_begin_ns + random() % 100;
      command.submitted_ns = command.queued_ns + random() % 1000;
      command.started_ns = random() % 50 == 0 ? 0 : command.submitted_ns + random() % 100'000;
      command.ended_ns = command.submitted_ns + 200'000 + random() % 1'000'000;
      if (random() % 50 == 0) command.queued_ns = 0;
    }
    written.commands.push_back(command);
  }
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  if (!in_order) std::ranges::shuffle(order, random);
  const auto on_device = [](std::uint64_t ns) { return ns == 0 ? 0 : ns - 500'000; };
  for (const std::uint32_t i : order) {
    const TraceCommand& c = written.commands[i];
    writer.add(document::CommandRow{i, c.work, c.stream, c.launch, c.node, c.thread,
                                    c.call_begin_ns, c.call_end_ns});
  }
  if (!in_order) std::ranges::shuffle(order, random);
  for (const std::uint32_t i : order) {
    const TraceCommand& c = written.commands[i];
    if (c.ended_ns != 0)
      writer.add(document::StampRow{i, on_device(c.queued_ns), on_device(c.submitted_ns),
                                    on_device(c.started_ns), on_device(c.ended_ns)});
  }
  for (std::uint32_t i = 0; i < 500; ++i) {
    const std::uint64_t begin = 1'000'000 + random() % (now - 1'000'000);
    written.others.push_back({0, 100 + i % 4, begin, begin + random() % 1000, no_index});
    writer.add(
        document::CallRow{writer.text("wait"), 100 + i % 4, begin, written.others.back().end_ns});
  }
  writer.close({{"commands", std::to_string(count)}, {"complete", "yes"}});
  return written;
}

void expect_equal(const TraceCommand& found, const TraceCommand& wanted, std::size_t i) {
  ASSERT_EQ(found.work, wanted.work) << i;
  ASSERT_EQ(found.stream, wanted.stream) << i;
  ASSERT_EQ(found.launch, wanted.launch) << i;
  ASSERT_EQ(found.node, wanted.node) << i;
  ASSERT_EQ(found.thread, wanted.thread) << i;
  ASSERT_EQ(found.call_begin_ns, wanted.call_begin_ns) << i;
  ASSERT_EQ(found.call_end_ns, wanted.call_end_ns) << i;
  ASSERT_EQ(found.queued_ns, wanted.queued_ns) << i;
  ASSERT_EQ(found.submitted_ns, wanted.submitted_ns) << i;
  ASSERT_EQ(found.started_ns, wanted.started_ns) << i;
  ASSERT_EQ(found.ended_ns, wanted.ended_ns) << i;
}

class LongLists : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(LongLists, HaveEveryRowAsItWasWritten) {
  const auto [in_order, launches] = GetParam();
  const TemporaryFolder folder;
  const Written written = write_commands(folder / "x.reel", 20'000, in_order, launches);
  const Trace trace = Trace::load(folder / "x.reel");
  ASSERT_THAT(trace.problems(), testing::IsEmpty());
  ASSERT_EQ(trace.commands().size(), written.commands.size());
  for (std::size_t i = 0; i < written.commands.size(); ++i)
    expect_equal(trace.commands()[i], written.commands[i], i);

  // The list as it would be made without packing: others first, then stably by begin.
  std::vector<TraceCall> calls = written.others;
  for (std::uint32_t i = 0; i < written.commands.size(); ++i) {
    const TraceCommand& command = written.commands[i];
    if (command.launch == no_index)
      calls.push_back({0, command.thread, command.call_begin_ns, command.call_end_ns, i});
  }
  std::ranges::stable_sort(calls, {}, &TraceCall::begin_ns);
  ASSERT_EQ(trace.calls().size(), calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const TraceCall call = trace.calls()[i];
    ASSERT_EQ(call.command, calls[i].command) << i;
    ASSERT_EQ(call.begin_ns, calls[i].begin_ns) << i;
    ASSERT_EQ(call.end_ns, calls[i].end_ns) << i;
    ASSERT_EQ(call.thread, calls[i].thread) << i;
    ASSERT_EQ(trace.text(call.name),
              call.command == no_index
                  ? "wait"
                  : to_string(trace.work_of(trace.commands()[call.command]).kind));
  }
}

void expect_totals(const std::string& path, std::uint64_t max_commands_kept) {
  const Trace trace = Trace::load(path);
  const TraceTotals totals = TraceTotals::load(path, max_commands_kept);
  ASSERT_EQ(totals.trace.has_value(), trace.commands().size() <= max_commands_kept);
  if (totals.trace) {
    EXPECT_EQ(totals.trace->commands().size(), trace.commands().size());
  }
  EXPECT_EQ(totals.command_count, trace.commands().size());
  std::uint64_t first = ~std::uint64_t{0}, last = 0, busy = 0;
  decltype(totals.commands) kinds{};
  std::vector<std::uint64_t> own;
  for (const TraceCommand& command : trace.commands()) {
    ++kinds[static_cast<std::size_t>(trace.work_of(command).kind)];
    first = std::min(first, command.call_begin_ns);
    last = std::max({last, command.call_end_ns, command.ended_ns});
    own.push_back(command.run_ns());
    if (command.launch != no_index && command.has_run_times()) own[command.launch] = 0;
  }
  for (const std::uint64_t ns : own) busy += ns;
  EXPECT_EQ(totals.commands, kinds);
  EXPECT_EQ(totals.first_ns, trace.commands().empty() ? 0 : first);
  EXPECT_EQ(totals.last_ns, last);
  EXPECT_EQ(totals.busy_ns, busy);
  EXPECT_EQ(totals.contents_count, trace.contents().size());
  EXPECT_EQ(totals.problems, trace.problems());
  EXPECT_EQ(totals.is_complete, trace.is_complete());
  EXPECT_EQ(totals.facts, trace.facts());
  EXPECT_EQ(totals.buffers.size(), trace.buffers().size());
  EXPECT_EQ(totals.file_bytes, trace.file_bytes());
}
void expect_totals(const std::string& path) {
  expect_totals(path, 0);
  expect_totals(path, 1'000'000);
}

TEST_P(LongLists, SumUpToTheSameWithoutBeingMade) {
  const auto [in_order, launches] = GetParam();
  const TemporaryFolder folder;
  write_commands(folder / "x.reel", 20'000, in_order, launches);
  expect_totals(folder / "x.reel");
}

INSTANTIATE_TEST_SUITE_P(Orders, LongLists, testing::Combine(testing::Bool(), testing::Bool()));

TEST(TraceCalls, OthersAreFoundWithoutALookAtThoseOfCommands) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    TraceCalls::Parts parts;
    parts.size = random() % 400;
    parts.words.resize((parts.size + 63) / 64);
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < parts.size; ++i)
      // All, nearly all, or half of them.
      if (round % 3 == 0 || random() % (round % 3 == 1 ? 100 : 2) != 0)
        parts.words[i / 64].of_commands |= std::uint64_t{1} << (i % 64);
      else
        others.push_back(i);
    const TraceCalls calls(std::move(parts));
    std::vector<std::size_t> found;
    for (std::size_t i = calls.next_other(0); i < calls.size(); i = calls.next_other(i + 1))
      found.push_back(i);
    ASSERT_EQ(found, others);
    ASSERT_EQ(calls.next_other(calls.size() + 1), calls.size());
  }
  EXPECT_EQ(TraceCalls().next_other(0), 0u);
}

TEST(TraceTotals, AreThoseOfAnyDocumentWholeOrCut) {
  const TemporaryFolder folder;
  expect_totals(write_sample(folder / "sample.reel"));
  write_many(folder / "many.reel", 3000);
  expect_totals(folder / "many.reel");
  const auto bytes = read_bytes(folder / "many.reel");
  for (const std::size_t part : {3, 5, 8}) {
    write_bytes(folder / "cut.reel", std::span(bytes).first(bytes.size() * part / 9));
    expect_totals(folder / "cut.reel");
  }
  DocumentWriter(folder / "none.reel", {{"program", "idle"}}).close({{"commands", "0"}});
  expect_totals(folder / "none.reel");
}

}  // namespace
}  // namespace reel::test
