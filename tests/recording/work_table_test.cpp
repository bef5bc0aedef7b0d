// Which number a work gets: the same as before where it is known, and how much is known.
#include "recording/writing/work_table.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "recording/captured.hpp"

namespace reel::capture {
namespace {

class WorkTableTest : public ::testing::Test {
 protected:
  // The number of a dispatch that differs from others by one value alone.
  std::uint32_t number(std::uint64_t value) {
    alignas(8) std::byte bytes[sizeof(PackedCommand) + sizeof(TraceArgument) + 8]{};
    auto* command = new (bytes) PackedCommand{};
    command->header = {sizeof bytes, EntryType::command};
    command->work.kind = WorkKind::dispatch;
    command->work.argument_count = 1;
    command->value_bytes = sizeof value;
    *command->arguments() = {ArgumentKind::value, Access::read, no_index, 0, sizeof value};
    std::memcpy(command->values(), &value, sizeof value);
    return table_.number_of(*command, document_);
  }

  const test::ScratchFolder folder_;
  document::DocumentWriter document_{folder_.path(), {}};
  WorkTable table_;
};

TEST_F(WorkTableTest, WorkThatNeverComesAgainGetsANumberEach) {
  std::set<std::uint32_t> numbers;
  for (std::uint64_t i = 0; i < 300'000; ++i) numbers.insert(number(i));
  EXPECT_EQ(numbers.size(), 300'000u);
}

TEST_F(WorkTableTest, ALoopOfFewWorksIsKnownFromTheSecondTimeOn) {
  for (std::uint64_t pass = 0; pass < 3; ++pass)
    for (std::uint64_t i = 0; i < 3000; ++i) EXPECT_EQ(number(i), i);
}

// Longer than what is remembered at first; also after many that never came again.
TEST_F(WorkTableTest, ALoopOfManyWorksIsKnownAfterSomePasses) {
  for (const std::uint64_t period : {5'000u, 20'000u, 100'000u}) {
    for (std::uint64_t i = 0; i < 200'000; ++i) number((period << 32) + (1u << 30) + i);
    const auto pass = [&] {
      std::vector<std::uint32_t> numbers;
      for (std::uint64_t i = 0; i < period; ++i) numbers.push_back(number((period << 32) + i));
      return numbers;
    };
    for (int warm_up = 0; warm_up < 4; ++warm_up) pass();
    EXPECT_EQ(pass(), pass()) << period;
  }
}

TEST_F(WorkTableTest, ANumberAlwaysStandsForOneWork) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> work_of;
  for (int i = 0; i < 400'000; ++i) {
    const std::uint64_t span = 1u << (random() % 20);
    const std::uint64_t work = random() % span;
    const std::uint32_t given = number(work);
    ASSERT_LE(given, work_of.size());
    if (given == work_of.size()) work_of.push_back(work);
    ASSERT_EQ(work_of[given], work);
  }
}

}  // namespace
}  // namespace reel::capture
