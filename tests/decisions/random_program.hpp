// random_program.hpp - random nested programs of if, while, switch and repeat, and what they mean.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "reel/decision.hpp"

namespace reel::test {

inline constexpr std::size_t data_count = 4, flag_count = 4;
inline constexpr std::uint32_t fewest_flag = data_count;  // buffers from here on hold conditions

// All words of a data buffer are equal, and of a flag only the first counts: a value each is
// enough.
using Memory = std::array<std::uint32_t, data_count + flag_count>;

struct Statement {
  enum class Kind { mad, mix, copy, fill, pick, count_down, decide } kind = Kind::mad;
  std::uint32_t target = 0, source = 0, other = 0;  // buffers
  std::uint32_t a = 0, b = 0;
  DecisionKind decision = DecisionKind::if_else;
  std::vector<std::vector<Statement>> branches = {};
};
using Block = std::vector<Statement>;

void interpret(const Block& block, Memory& m);
// The same, and what ran: "3 if=1(1 branch0(2)) repeat=2(0 round0(1) round1(1))". A number at the
// beginning counts commands that are in no decision below: statements and reads of conditions.
std::string interpret_and_tell(const Block& block, Memory& m, std::uint32_t reads = 0);

// Each nested level has a flag of its own, so that what decides over a loop is not written in it
// but by its count.
class Author {
 public:
  explicit Author(std::uint32_t seed) : random_(seed) {}

  Block block(std::uint32_t depth);
  // The same program with other numbers: what an update takes over.
  void renumber(Block& block);
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  Statement plain();
  void decide(Block& result, std::uint32_t depth);

  std::mt19937 random_;
};

// Whoever looks for more gives REEL_TEST_SEED, the first, and REEL_TEST_SEEDS, how many.
struct Seeds {
  std::uint32_t first, count;
};
Seeds seeds(Seeds usual);

}  // namespace reel::test
