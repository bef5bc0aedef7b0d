#include "recording/writing/document_thread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "recording/captured.hpp"
#include "reel/trace.hpp"

namespace reel::capture {
namespace {

// A command that needs nothing, told apart by its label.
void give(CommandLog& log, std::uint32_t id, std::uint32_t work) {
  const std::string label = std::to_string(work);
  PackedCommand* entry = reserve_command(
      log, 1, {.id = id, .call_begin_ns = id, .call_end_ns = id + 1}, 0, 0, label.size());
  entry->work.kind = WorkKind::barrier;
  label.copy(entry->label(), label.size());
  log.commit();
}

void introduce_stream(DocumentThread& thread) {
  document::DeviceRow device{};
  device.selector = device.backend = device.name = "made";
  thread.push(std::move(device));
  thread.push(document::StreamRow{1, 0, "s"});
}

// More than the table of works keeps, some of them again and again, at once or much later.
TEST(DocumentThread, EachCommandHasTheWorkThatItWasGivenHoweverManyThereAre) {
  const test::ScratchFolder folder;
  const std::string path = folder.path();
  DocumentThread thread(path, {}, {}, 0);
  introduce_stream(thread);
  const auto log = std::make_shared<CommandLog>();
  thread.add(log);
  std::mt19937 random(7);
  std::vector<std::uint32_t> given;
  for (std::uint32_t id = 0; id < 400'000; ++id) {
    const unsigned way = random() % 8;
    if (way == 0 && id > 0) {
      append_again(*log, 1, {.id = id, .call_begin_ns = id, .call_end_ns = id + 1});
      given.push_back(given.back());
    } else {
      given.push_back(way == 1   ? static_cast<std::uint32_t>(random() % 100)
                      : way == 2 ? static_cast<std::uint32_t>(random() % 200'000)
                                 : id);
      give(*log, id, given.back());
    }
    thread.wait_for_room(*log);
  }
  EXPECT_EQ(thread.finish({}).lost, "");
  const Trace trace = Trace::load(path);
  ASSERT_EQ(trace.commands().size(), given.size());
  for (std::uint32_t id = 0; id < given.size(); ++id) {
    const TraceCommand command = trace.commands()[id];
    ASSERT_EQ(trace.text(trace.works()[command.work].label), std::to_string(given[id])) << id;
  }
}

// With values: given whole, as the values alone, or as the same again.
TEST(DocumentThread, EachCommandHasItsOwnValuesHoweverTheyTravelled) {
  const test::ScratchFolder folder;
  const std::string path = folder.path();
  DocumentThread thread(path, {}, {}, 0);
  introduce_stream(thread);
  thread.push(document::StreamRow{2, 0, "other"});
  const std::shared_ptr<CommandLog> logs[] = {std::make_shared<CommandLog>(),
                                              std::make_shared<CommandLog>()};
  for (const auto& log : logs) thread.add(log);
  std::mt19937 random(11);
  struct Last {
    std::string label;
    std::vector<std::byte> values;
  } last[2];
  std::vector<Last> given;
  for (std::uint32_t id = 0; id < 200'000; ++id) {
    const std::uint32_t which = random() % 16 == 0, stream = 1 + which;
    CommandLog& log = *logs[which];
    Last& before = last[which];
    const document::CommandRow row{.id = id, .call_begin_ns = id, .call_end_ns = id + 1};
    const auto change = [&] {
      if (!before.values.empty())
        before.values[random() % before.values.size()] = static_cast<std::byte>(random() % 3);
    };
    const unsigned way = before.label.empty() ? 0 : random() % 8;
    if (way == 0) {
      before = {std::to_string(random() % 5), std::vector<std::byte>(random() % 41)};
      change();
      const auto size = static_cast<std::uint32_t>(before.values.size());
      PackedCommand* entry = reserve_command(log, stream, row, 1, size, before.label.size());
      entry->work.kind = WorkKind::host_call;
      *entry->arguments() = {ArgumentKind::value, Access::read, no_index, 0, size};
      std::copy(before.values.begin(), before.values.end(), entry->values());
      before.label.copy(entry->label(), before.label.size());
      log.commit();
    } else if (way == 1) {
      append_again(log, stream, row);
    } else {
      change();
      append_values(log, stream, row, before.values);
    }
    given.push_back(before);
    thread.wait_for_room(log);
  }
  EXPECT_EQ(thread.finish({}).lost, "");
  const Trace trace = Trace::load(path);
  ASSERT_EQ(trace.commands().size(), given.size());
  for (std::uint32_t id = 0; id < given.size(); ++id) {
    const TraceWork& work = trace.works()[trace.commands()[id].work];
    ASSERT_EQ(trace.text(work.label), given[id].label) << id;
    const auto found = trace.value_bytes(trace.arguments(work)[0]);
    ASSERT_TRUE(std::ranges::equal(found, given[id].values)) << id;
  }
}

TEST(DocumentThread, SaysWhatItTookItself) {
  const test::ScratchFolder folder;
  const std::string path = folder.path();
  const std::uint64_t begin_ns = monotonic_ns();
  DocumentThread thread(path, {}, {}, 0);
  introduce_stream(thread);
  const auto log = std::make_shared<CommandLog>();
  thread.add(log);
  for (std::uint32_t id = 0; id < 300'000; ++id) {
    give(*log, id, id);
    thread.wait_for_room(*log);
  }
  thread.finish({});
  const std::uint64_t end_ns = monotonic_ns();
  const Trace trace = Trace::load(path);
  const auto ns = overhead_ns(trace.overheads());
  const auto of = [&](OverheadKind kind) { return ns[static_cast<std::size_t>(kind)]; };
  EXPECT_GT(of(OverheadKind::starting), 0u);
  EXPECT_GT(of(OverheadKind::waiting), 0u);  // for the end
  EXPECT_EQ(std::to_string(of(OverheadKind::writing)), trace.end_facts().at("writer_cpu_ns"));
  EXPECT_GT(of(OverheadKind::writing), 1'000'000u);
  EXPECT_LT(of(OverheadKind::writing), end_ns - begin_ns);
}

}  // namespace
}  // namespace reel::capture
