#include "analysis/order/named_sets.hpp"

#include <algorithm>

namespace reel::analysis {

std::uint32_t NamedSets::number_of(CommandSets::Set set) {
  if (const auto known = numbers_.find(set); known != numbers_.end()) return known->second;
  std::vector<std::uint32_t> commands, inner;
  const auto add = [&](CommandSets::Set part) {
    if (sets_.count(part) > few)
      inner.push_back(number_of(part));
    else
      sets_.for_each(part, [&](std::uint32_t command) {
        commands.push_back(command);
        return true;
      });
  };
  // Halves are named, since others will be made of them. Of what grew by one command after the
  // other, the rest is followed until it has a name: that may be long, so without recursion.
  CommandSets::Set rest = set;
  for (;;) {
    const CommandSets::Pair& pair = sets_.pair(rest);
    add(pair.second);
    rest = pair.first;
    const bool goes_on = pair.shape == static_cast<std::uint32_t>(CommandSets::Shape::grown) &&
                         sets_.count(rest) > few && !numbers_.contains(rest);
    if (!goes_on) break;
  }
  add(rest);
  std::ranges::sort(commands);
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  for (const std::uint32_t command : commands) members_.push_back({number, command, no_index});
  for (const std::uint32_t other : inner) members_.push_back({number, no_index, other});
  numbers_.emplace(set, number);
  return number;
}

}  // namespace reel::analysis
