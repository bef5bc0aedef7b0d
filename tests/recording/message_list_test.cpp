#include "recording/writing/message_list.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/clock.hpp"
#include "recording/captured.hpp"
#include "recording/writing/document_thread.hpp"
#include "reel/trace.hpp"

namespace reel::capture {
namespace {

std::uint64_t begin_of(const Message& message) { return std::get<CallMessage>(message).begin_ns; }

TEST(MessageList, GivesWhatCameInItsOrderHoweverOftenItIsTaken) {
  MessageList list;
  std::mt19937 random(3);
  std::uint64_t given = 0, seen = 0;
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t count = random() % 2000;
    for (std::uint64_t i = 0; i < count; ++i) list.add(CallMessage{"call", 1, given++, 0});
    EXPECT_EQ(list.size(), count);
    OwnVector<MessageList::Block> taken = list.take();
    EXPECT_EQ(list.size(), 0u);
    for (const MessageList::Block& block : taken)
      for (const Message& message : block) ASSERT_EQ(begin_of(message), seen++);
    list.give_back(std::move(taken));
  }
  EXPECT_EQ(seen, given);
}

// What moves holds the program up, for as long as there are messages.
TEST(MessageList, MovesNothingWhenItGrows) {
  MessageList list;
  std::vector<const Message*> places;
  for (std::uint64_t i = 0; i < 40'000; ++i)
    places.push_back(&list.add(CallMessage{"call", 1, i, 0}));
  for (std::uint64_t i = 0; i < places.size(); ++i) ASSERT_EQ(begin_of(*places[i]), i);
}

TEST(MessageList, UsesBlocksAgain) {
  MessageList list;
  const Message* first = &list.add(CallMessage{"call", 1, 0, 0});
  list.give_back(list.take());
  EXPECT_EQ(&list.add(CallMessage{"call", 1, 1, 0}), first);
}

// The end of a call is when it is noted: what comes after is the program's.
TEST(DocumentThread, ACallEndsWhenItIsNoted) {
  const test::ScratchFolder folder;
  DocumentThread thread(folder.path(), {}, {}, 0);
  std::vector<std::uint64_t> before, after;
  for (int i = 0; i < 20'000; ++i) {
    before.push_back(monotonic_ns());
    thread.push_ending({"call", 1, before.back(), 0});
    after.push_back(monotonic_ns());
  }
  EXPECT_EQ(thread.finish({}).lost, "");
  const Trace trace = Trace::load(folder.path());
  ASSERT_EQ(trace.calls().size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const TraceCall call = trace.calls()[i];
    EXPECT_EQ(call.begin_ns, before[i]);
    EXPECT_GE(call.end_ns, before[i]);
    EXPECT_LE(call.end_ns, after[i]);
  }
}

}  // namespace
}  // namespace reel::capture
