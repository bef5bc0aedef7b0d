#include "recording/contents/buffer_ledger.hpp"

#include <gtest/gtest.h>

#include <random>

namespace reel::test {
namespace {

using capture::BufferLedger;
using capture::Piece;
using capture::range_of;

constexpr std::uint64_t size = 64;

struct Buffers {
  std::vector<std::shared_ptr<BufferResource>> all;
  explicit Buffers(int count) {
    for (int i = 0; i < count; ++i) {
      all.push_back(std::make_shared<BufferResource>());
      all.back()->size_bytes = size;
    }
  }
};

// What a ledger says of each byte, by asking in ways that change nothing in the end.
std::vector<int> states_of(BufferLedger& ledger, const Buffers& buffers) {
  std::vector<int> states;
  for (const auto& buffer : buffers.all) {
    std::vector<int> of_it(size, 1);
    BufferLedger::Changes changes;
    std::vector<Piece> unknown;
    ledger.use(range_of(*buffer, 0, size), Access::read, unknown, &changes);
    for (const Piece& piece : unknown)
      for (std::uint64_t i = 0; i < piece.size_bytes; ++i) of_it[piece.offset_bytes + i] = 0;
    ledger.undo(changes);
    for (const Piece& piece : ledger.device_written(range_of(*buffer, 0, size)))
      for (std::uint64_t i = 0; i < piece.size_bytes; ++i) of_it[piece.offset_bytes + i] += 2;
    states.insert(states.end(), of_it.begin(), of_it.end());
    // The numbers that a buffer carries are a short cut, and never say more than the sets.
    for (const int state : of_it) {
      EXPECT_TRUE(state % 2 == 1 || buffer->known_in.load() != 1);
      EXPECT_TRUE(state >= 2 || buffer->written_in.load() != 1);
    }
  }
  return states;
}

class RandomUses {
 public:
  RandomUses(std::uint32_t seed, BufferLedger& ledger, Buffers& buffers)
      : random_(seed), ledger_(ledger), buffers_(buffers) {}

  void use(BufferLedger::Changes* changes) {
    const std::uint64_t begin = random_() % size;
    const BufferRange range = range_of(*buffers_.all[random_() % buffers_.all.size()], begin,
                                       1 + random_() % (size - begin));
    std::vector<Piece> unknown;
    switch (random_() % (changes ? 4 : 6)) {
      case 0:
        ledger_.use(range, Access::read, unknown, changes);
        break;
      case 1:
        ledger_.use(range, Access::read_write, unknown, changes);
        break;
      case 2:
        ledger_.overwrite(range, true, changes);
        break;
      case 3:
        ledger_.overwrite(range, false, changes);
        break;
      case 4:
        ledger_.forget(range);
        break;
      default:
        ledger_.settle(range);
    }
  }

  std::minstd_rand random_;

 private:
  BufferLedger& ledger_;
  Buffers& buffers_;
};

TEST(BufferLedger, ACommandThatIsTakenBackLeavesNoTrace) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Buffers buffers(3);
    BufferLedger ledger(1);
    RandomUses uses(seed, ledger, buffers);
    for (int step = 0; step < 20; ++step) {
      uses.use(nullptr);
      const auto before = states_of(ledger, buffers);
      BufferLedger::Changes changes;
      for (std::uint32_t i = uses.random_() % 5; i > 0; --i) uses.use(&changes);
      ledger.undo(changes);
      EXPECT_EQ(states_of(ledger, buffers), before);
    }
  }
}

// Where the command was, nobody knows then which of the two is there.
TEST(BufferLedger, WhatTheCommandDidNotTouchStaysWhereOthersChangedMeanwhile) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Buffers buffers(2);
    BufferLedger ledger(1);
    RandomUses uses(seed, ledger, buffers);
    for (int i = 0; i < 4; ++i) uses.use(nullptr);
    BufferLedger::Changes changes;
    for (int i = 0; i < 3; ++i) uses.use(&changes);
    uses.use(nullptr);
    const auto with_both = states_of(ledger, buffers);
    ledger.undo(changes);
    const auto after = states_of(ledger, buffers);
    for (std::size_t i = 0; i < after.size(); ++i) {
      const BufferResource* buffer = buffers.all[i / size].get();
      const bool was_in_it = std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
        return change.buffer == buffer && change.begin <= i % size && i % size < change.end;
      });
      if (!was_in_it) {
        EXPECT_EQ(after[i], with_both[i]) << i;
      }
    }
  }
}

}  // namespace
}  // namespace reel::test
