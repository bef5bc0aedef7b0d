// named_sets.hpp - numbers the sets that dependencies name, and lists their members.
//
// Looks into sets that it doesn't own. One thread.
#pragma once

#include <unordered_map>
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

  std::vector<SetMember> take() && { return std::move(members_); }

 private:
  const CommandSets& sets_;
  std::unordered_map<CommandSets::Set, std::uint32_t> numbers_;
  std::vector<SetMember> members_;
};

}  // namespace reel::analysis
