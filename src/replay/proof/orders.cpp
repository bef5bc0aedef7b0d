#include "replay/proof/orders.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace reel::rerun {

std::vector<Action> ordered(const Trace& trace, const std::vector<Action>& actions,
                            const OrderWanted& wanted) {
  // Places in a list, each once, that ranks are taken from: as given, the other way round,
  // shuffled.
  std::vector<std::uint32_t> rank(trace.commands().size());
  std::iota(rank.begin(), rank.end(), 0u);
  if (wanted.number) std::ranges::reverse(rank);
  if (wanted.number.value_or(0) > 0) {
    std::mt19937 random(*wanted.number);
    for (std::size_t i = rank.size(); i > 1; --i) std::swap(rank[i - 1], rank[random() % i]);
  }
  std::vector<std::vector<Action>> of_command(trace.commands().size());
  for (const Action& action : actions) of_command[action.command].push_back(action);
  std::vector<Action> result;
  for (const std::uint32_t c : sequence_of(trace, {wanted.without, wanted.also, std::move(rank)}))
    result.insert(result.end(), of_command[c].begin(), of_command[c].end());
  return result;
}

}  // namespace reel::rerun
