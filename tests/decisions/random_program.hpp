// random_program.hpp - random nested programs of if, while, switch and repeat, and what they mean.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "reel/decision.hpp"
#include "reel/error.hpp"

namespace reel::test {

inline constexpr std::size_t data_count = 4, flag_count = 4;
inline constexpr std::uint32_t fewest_flag = data_count;  // buffers from here on hold conditions

// All words of a data buffer are equal, and of a flag only the first counts: a value each is
// enough.
using Memory = std::array<std::uint32_t, data_count + flag_count>;

// What a function of the host does: answers that depend on how often it was asked, and now and then
// it throws.
struct Script {
  static constexpr std::size_t most = 16;
  std::uint32_t number = 0;   // of its count, below `most`
  std::uint32_t modulus = 1;  // of what it answers
  std::uint32_t throws = 0;   // the last of so many times; 0: never

  bool throws_at(std::uint32_t time) const { return throws && time % throws == throws - 1; }
  // Comes to 0 within `modulus` times, as that is at most 6.
  std::uint32_t answer_at(std::uint32_t time) const { return (7 * time + number) % modulus; }
};

struct Statement {
  enum class Kind { mad, mix, copy, fill, pick, count_down, decide, host_call } kind = Kind::mad;
  std::uint32_t target = 0, source = 0, other = 0;  // buffers
  std::uint32_t a = 0, b = 0;
  DecisionKind decision = DecisionKind::if_else;
  std::vector<std::vector<Statement>> branches = {};
  std::string label = {};               // of those that may fail
  std::uint64_t limit = 0;              // of a while; 0: the usual one
  std::optional<Script> function = {};  // of a host call, or asked by a decision
  bool enabled = true;
  std::uint32_t place = 0;  // where it runs in its block; those that share one, as they are written
};
using Block = std::vector<Statement>;

// What a launch ends with, or goes on after: its code, and the node that the sentence names.
struct Failure {
  Code code{};
  std::string label;
};

// What programs work on, and what became of it.
struct Machine {
  Memory memory{};
  std::array<std::uint32_t, Script::most> times{};  // that a function was called
  std::optional<Failure> failure = {};              // the first one
};

void interpret(const Block& block, Memory& m);
// As far as it goes.
void interpret(const Block& block, Machine& machine);
// The same, and what ran: "3 if=1(1 branch0(2)) repeat=2(0 round0(1) round1(1))". A number at the
// beginning counts commands that are in no decision below: statements and reads of conditions.
std::string interpret_and_tell(const Block& block, Memory& m, std::uint32_t reads = 0);

// Each nested level has a flag of its own, so that what decides over a loop is not written in it
// but by its count.
class Author {
 public:
  enum class Writes { what_ends_well, what_may_fail, what_may_fail_by_memory_alone };
  explicit Author(std::uint32_t seed, Writes writes = Writes::what_ends_well)
      : random_(seed),
        may_fail_(writes != Writes::what_ends_well),
        calls_functions_(writes == Writes::what_may_fail) {}

  Block block(std::uint32_t depth);
  // The same program with other numbers: what an update takes over.
  void renumber(Block& block);
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

 private:
  Statement plain();
  void decide(Block& result, std::uint32_t depth);
  Script script(std::uint32_t modulus);
  Statement host_call();

  std::mt19937 random_;
  const bool may_fail_, calls_functions_;
  std::uint32_t labels_ = 0, functions_ = 0;
};

// Whoever looks for more gives REEL_TEST_SEED, the first, and REEL_TEST_SEEDS, how many.
struct Seeds {
  std::uint32_t first, count;
};
Seeds seeds(Seeds usual);

}  // namespace reel::test
