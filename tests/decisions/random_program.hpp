// random_program.hpp - random nested programs of if, while, switch and repeat, and what they mean.
#pragma once

#include <array>
#include <cstdint>
#include <random>
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
  std::uint32_t a = 0, b = 0;  // numbers; of a while, b is its limit of rounds, if it isn't 0
  std::uint32_t name = 0;      // of a decision, another one each
  DecisionKind decision = DecisionKind::if_else;
  std::vector<std::vector<Statement>> branches = {};
};
using Block = std::vector<Statement>;

// A decision that fails: a switch out of range, a while over its limit.
struct Fault {
  std::uint32_t name, value;
  DecisionKind decision;
};

// Throws a Fault, and memory is what it was then.
void interpret(const Block& block, Memory& m);

// Each nested level has a flag of its own, so that what decides over a loop is not written in it
// but by its count.
class Author {
 public:
  enum class Writes { what_works, what_may_fail };
  explicit Author(std::uint32_t seed, Writes writes = Writes::what_works)
      : random_(seed), writes_(writes) {}

  Block block(std::uint32_t depth);
  // The same program with other numbers: what an update takes over.
  void renumber(Block& block);
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  Statement plain();
  void decide(Block& result, std::uint32_t depth);

  std::mt19937 random_;
  const Writes writes_;
  std::uint32_t decisions_ = 0;
};

// Whoever looks for more gives REEL_TEST_SEED, the first, and REEL_TEST_SEEDS, how many.
struct Seeds {
  std::uint32_t first, count;
};
Seeds seeds(Seeds usual);

}  // namespace reel::test
