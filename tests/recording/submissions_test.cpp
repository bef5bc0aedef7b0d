// Commands that are given together, in memory that the host sees as well.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "recording/captured.hpp"
#include "recording/toy_api.hpp"
#include "reel/buffer_value.hpp"

namespace reel::test {
namespace {

using capture::CallRecording;
using capture::Range;
using capture::Submission;

constexpr std::uint64_t page = 4096;

class Submissions : public testing::Test {
 protected:
  void fill(Submission& list, std::uint64_t offset, std::uint64_t size, std::uint32_t pattern) {
    Submission::Given& one = list.add();
    one.work.row.kind = WorkKind::fill;
    one.work.row.pattern = pattern;
    one.work.row.pattern_bytes = 4;
    one.work.write({shared_.get(), offset, size});
  }
  void copy(Submission& list, std::uint64_t from, std::uint64_t to, std::uint64_t size) {
    Submission::Given& one = list.add();
    one.work.row.kind = WorkKind::copy;
    one.work.read({shared_.get(), from, size});
    one.work.write({shared_.get(), to, size});
  }

  // As a hook does it. `between`: what the host does once the commands are given.
  template <class F>
  void give(Submission& list, bool starts_late, F&& between) {
    list.call = "submit";
    const std::lock_guard lock(queue_->mutex);
    ToyTicket ticket;
    ticket.may_start_late = starts_late;
    recording_.start(ticket, *queue_);
    if (starts_late) api_.hold_up(true);
    recording_.submit(ticket, list);
    std::vector<std::function<void()>> works;
    std::byte* bytes = shared_->bytes.data();
    for (const Submission::Given& one : list.all()) {
      const auto& arguments = one.work.arguments;
      const TraceWork row = one.work.row;
      works.push_back([=] {
        const Range& to = arguments.back().range;
        if (row.kind == WorkKind::copy)
          std::memmove(bytes + to.offset_bytes, bytes + arguments[0].range.offset_bytes,
                       to.size_bytes);
        for (std::uint64_t i = 0; row.kind == WorkKind::fill && i < to.size_bytes; i += 4)
          std::memcpy(bytes + to.offset_bytes + i, &row.pattern, 4);
      });
    }
    ToyEvent* event = api_.submit(*queue_, {}, [works] {
      for (const auto& work : works) work();
    });
    event->timed_together = timed_together_;
    event->recorded = recording_.submitted(ticket, 0, capture::Completion::of(api_, event));
    between();
    if (starts_late) api_.hold_up(false);
    host_waits(recording_, api_, event);
    api_.release(capture::HandleKind::completion, event);
  }
  void give(Submission& list) {
    give(list, false, [] {});
  }
  void refuse(Submission& list) {
    list.call = "submit";
    const std::lock_guard lock(queue_->mutex);
    ToyTicket ticket;
    recording_.start(ticket, *queue_);
    recording_.submit(ticket, list);
    recording_.submitted(ticket, -1, {});
  }
  Trace end() {
    EXPECT_EQ(recording_.end(std::chrono::seconds(5)).lost, "");
    Trace trace = Trace::load(folder_.path());
    EXPECT_EQ(trace.problems(), std::vector<std::string>{});
    return trace;
  }
  static std::vector<TraceContents> of(const Trace& trace, ContentRole role) {
    std::vector<TraceContents> found;
    for (const TraceContents& one : trace.contents())
      if (one.role == role) found.push_back(one);
    return found;
  }
  // What the document has of it before that command; none where it has nothing.
  static std::optional<std::byte> input_byte(const Trace& trace, std::uint32_t command,
                                             std::uint64_t offset) {
    std::optional<std::byte> found;
    for (const TraceContents& input : of(trace, ContentRole::input)) {
      if (input.command != command || offset < input.offset_bytes ||
          offset >= input.offset_bytes + input.size_bytes)
        continue;
      if (const auto bytes = trace.bytes(input)) found = (*bytes)[offset - input.offset_bytes];
    }
    return found;
  }

  std::uint32_t timed_together_ = 0;
  const ScratchFolder folder_;
  ToyApi api_{{.name = "toy"}};
  std::atomic<std::uint32_t> strays_{0};
  CallRecording recording_{1, folder_.path(),
                           std::make_unique<capture::DocumentThread>(
                               folder_.path(), document::Facts{}, document::DocumentOptions{}, 0),
                           Contents::inputs, strays_};
  std::shared_ptr<ToyQueue> queue_ = api_.queue(true, "line");
  std::shared_ptr<ToyBuffer> shared_ = [this] {
    auto made = api_.buffer(8 * page, "shared");
    made->address = made->bytes.data();
    return made;
  }();
};

TEST_F(Submissions, AreRowsWithTheirCommandsInARow) {
  Submission list;
  fill(list, 0, page, 1);
  fill(list, page, page, 2);
  give(list);
  const Trace trace = end();
  ASSERT_EQ(trace.commands().size(), 2u);
  ASSERT_EQ(trace.submissions().size(), 1u);
  EXPECT_EQ(trace.submissions()[0].count, 2u);
  EXPECT_EQ(trace.text(trace.submissions()[0].call), "submit");
}

// The log has barriers that are like an earlier one as such: each must come out as it went in,
// whatever lies between them and whether or not the driver took it.
TEST_F(Submissions, BarriersAreWhatTheyWereHoweverOftenTheyRepeat) {
  struct Expected {
    WorkKind kind;
    std::string label, scope;
  };
  const char* const labels[] = {"barrier", "other barrier"};
  const Scope scopes[] = {Scope(), Scope().child("a"), Scope().child("b")};
  std::mt19937 random(16);
  std::vector<Expected> expected;
  for (int round = 0; round < 60; ++round) {
    Submission list;
    for (std::uint32_t i = 0, count = 1 + random() % 20; i < count; ++i) {
      if (random() % 3 == 0) {
        fill(list, page * (random() % 8), page, random() % 2);
        list.works.back().work.label = "fill";
      } else {
        list.add().work.row.kind = WorkKind::barrier;
        list.works.back().work.label = labels[random() % 8 == 0];
      }
      Submission::Given& one = list.works.back();
      const Scope scope = scopes[random() % 4 == 0 ? random() % 3 : 0];
      one.scope = scope.key();
      expected.push_back(
          {one.work.row.kind, std::string(one.work.label), std::string(scope.path())});
    }
    if (round % 5 == 4)
      refuse(list);
    else
      give(list);
  }
  const Trace trace = end();
  ASSERT_EQ(trace.commands().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const TraceWork& work = trace.work_of(trace.commands()[i]);
    ASSERT_EQ(work.kind, expected[i].kind) << i;
    ASSERT_EQ(trace.text(work.label), expected[i].label) << i;
    ASSERT_EQ(trace.text(work.scope), expected[i].scope) << i;
  }
}

TEST_F(Submissions, AreTimedTogetherWhereNobodyKnowsMore) {
  timed_together_ = 2;
  Submission list;
  fill(list, 0, page, 1);
  fill(list, page, page, 2);
  give(list);
  timed_together_ = 1;
  Submission alone;
  fill(alone, 0, page, 3);
  give(alone);
  const Trace trace = end();
  ASSERT_EQ(trace.intervals().size(), 1u);
  EXPECT_EQ(trace.intervals()[0].first, 0u);
  EXPECT_EQ(trace.intervals()[0].count, 2u);
  EXPECT_FALSE(trace.commands()[0].has_run_times());
  EXPECT_TRUE(trace.commands()[2].has_run_times());
  // Nobody asked the device what its clock says: when they were given and seen to be done did.
  ASSERT_TRUE(trace.devices()[0].clock_error_ns);
  const std::uint64_t error = *trace.devices()[0].clock_error_ns;
  EXPECT_GE(trace.intervals()[0].begin_ns + error, trace.commands()[0].call_begin_ns);
  EXPECT_GE(trace.commands()[2].started_ns + error, trace.commands()[2].call_begin_ns);
}

TEST_F(Submissions, AResultIsOfTheLastCommandThatWroteIt) {
  Submission list;
  fill(list, 0, 2 * page, 1);
  fill(list, page, page, 2);  // over a part of it
  give(list);
  const Trace trace = end();
  const auto checks = of(trace, ContentRole::check);
  ASSERT_FALSE(checks.empty());
  for (const TraceContents& check : checks) EXPECT_EQ(check.command, 1u);
}

TEST_F(Submissions, WhatTheHostWroteIsAnInputOfTheNext) {
  Submission first;
  copy(first, 0, 4 * page, page);
  give(first);
  shared_->bytes[17] = std::byte{99};  // the host, without a call
  Submission second;
  copy(second, 0, 5 * page, page);
  give(second);
  const Trace trace = end();
  EXPECT_EQ(input_byte(trace, 1, 17), std::byte{99});
}

TEST_F(Submissions, ThatWaitForTheHostReadWhatItWroteBeforeTheyStart) {
  Submission first;
  copy(first, 0, 4 * page, page);
  give(first);
  Submission second;
  copy(second, 0, 5 * page, page);
  give(second, true, [&] { shared_->bytes[17] = std::byte{77}; });
  const Trace trace = end();
  EXPECT_EQ(input_byte(trace, 1, 17), std::byte{77});
}

TEST_F(Submissions, BytesThatADeviceWroteAreNoInputs) {
  Submission first;
  fill(first, 0, page, 7);
  give(first);
  Submission second;
  copy(second, 0, page, page);
  give(second);
  const Trace trace = end();
  EXPECT_TRUE(of(trace, ContentRole::input).empty());
  EXPECT_FALSE(of(trace, ContentRole::check).empty());
}

}  // namespace
}  // namespace reel::test
