// command_sets.hpp - sets of commands that share their parts.
//
// A set is a number, never changes, and costs one entry however many commands it has: it is made of
// two others. Owned by whoever asks for dependencies. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/reserve_by_part.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

class CommandSets {
 public:
  // A command, a pair of sets, or nothing.
  using Set = std::uint32_t;
  static constexpr Set none = no_index;
  static constexpr bool is_pair(Set set) noexcept { return set != none && (set & pair_bit) != 0; }
  // Of a pair: pairs are numbered as they are made, from 0.
  static constexpr std::size_t number(Set set) noexcept { return set & ~pair_bit; }
  std::size_t pairs() const noexcept { return pairs_.size(); }

  // Reads grow a set by one command after the other; bytes beside each other are halves. What is
  // asked of halves is asked of each of them again, what is asked of grown ones isn't.
  enum class Shape : std::uint8_t { grown, halves };
  struct Pair {
    Set first, second;
    std::uint32_t least, last;            // of its commands
    std::uint32_t stream;                 // of all of them; no_index: of several
    std::uint32_t count : 31, shape : 1;  // at least as many as it has
  };

  // `streams`: by command. Both arguments stay unchanged; what is equal or nothing makes no pair.
  explicit CommandSets(const std::vector<std::uint32_t>& streams) : streams_(streams) {}
  Set join(Set a, Set b, Shape shape);
  // After `done` of `all` commands.
  void reserve_by_part(std::size_t done, std::size_t all) {
    analysis::reserve_by_part(pairs_, done, all);
  }

  const Pair& pair(Set set) const noexcept { return pairs_[set & ~pair_bit]; }
  std::uint32_t last(Set set) const noexcept { return is_pair(set) ? pair(set).last : set; }
  std::uint32_t least(Set set) const noexcept { return is_pair(set) ? pair(set).least : set; }
  std::uint32_t count(Set set) const noexcept { return is_pair(set) ? pair(set).count : 1; }
  std::uint32_t stream(Set set) const noexcept {
    return is_pair(set) ? pair(set).stream : streams_[set];
  }

  // visit(command) for each; for some more than once. Ends early where it returns false.
  template <class F>
  bool for_each(Set set, F&& visit) const {
    if (set == none) return true;
    std::vector<Set> open{set};
    while (!open.empty()) {
      const Set next = open.back();
      open.pop_back();
      if (!is_pair(next)) {
        if (!visit(next)) return false;
        continue;
      }
      open.push_back(pair(next).first);
      open.push_back(pair(next).second);
    }
    return true;
  }

 private:
  static constexpr std::uint32_t pair_bit = 1u << 31;

  const std::vector<std::uint32_t>& streams_;
  std::vector<Pair> pairs_;
};

}  // namespace reel::analysis
