// named_sets.hpp - numbers the sets that dependencies name, and lists their members.
//
// Looks into sets that it doesn't own. One thread.
#pragma once

#include <utility>
#include <vector>

#include "analysis/order/command_sets.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

class NamedSets {
 public:
  // A set is worth an entry of its own from here on; fewer are dependencies one by one.
  static constexpr std::uint32_t few = 8;

  explicit NamedSets(const CommandSets& sets) : sets_(sets) {}

  // Of a pair with more than a few commands.
  std::uint32_t number_of(CommandSets::Set set);

  // After `done` of `all` commands.
  void reserve_by_part(std::size_t done, std::size_t all) {
    analysis::reserve_by_part(members_, done, all);
  }

  std::vector<SetMember> take() && { return std::move(members_); }

 private:
  bool is_named(CommandSets::Set set) const {
    const std::size_t number = CommandSets::number(set);
    return number < numbers_.size() && numbers_[number] != no_index;
  }

  const CommandSets& sets_;
  std::vector<std::uint32_t> numbers_;  // by number of the pair
  std::uint32_t named_ = 0;
  std::vector<SetMember> members_;
};

}  // namespace reel::analysis
