#include "analysis/order/named_sets.hpp"

#include <algorithm>

namespace reel::analysis {

std::uint32_t NamedSets::number_of(CommandSets::Set set) {
  if (is_named(set)) return numbers_[CommandSets::number(set)];
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
                         sets_.count(rest) > few && !is_named(rest);
    if (!goes_on) break;
  }
  add(rest);
  std::ranges::sort(commands);
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  const std::uint32_t number = named_++;
  for (const std::uint32_t command : commands) members_.push_back({number, command, no_index});
  for (const std::uint32_t other : inner) members_.push_back({number, no_index, other});
  if (numbers_.size() <= CommandSets::number(set)) numbers_.resize(sets_.pairs(), no_index);
  return numbers_[CommandSets::number(set)] = number;
}

}  // namespace reel::analysis
