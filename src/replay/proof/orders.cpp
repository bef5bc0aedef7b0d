#include "replay/proof/orders.hpp"

#include <numeric>
#include <queue>
#include <random>

namespace reel::rerun {

std::vector<Action> ordered(const Trace& trace, const std::vector<Action>& actions,
                            const OrderWanted& wanted) {
  const auto count = static_cast<std::uint32_t>(trace.commands().size());
  std::vector<std::vector<std::uint32_t>> next(count);
  std::vector<std::uint32_t> missing(count), last(trace.streams().size(), no_index);
  const auto add = [&](std::uint32_t before, std::uint32_t after) {
    next[before].push_back(after);
    ++missing[after];
  };
  for (std::uint32_t c = 0; c < count; ++c) {
    const std::uint32_t stream = trace.commands()[c].stream;
    if (last[stream] != no_index) add(last[stream], c);
    last[stream] = c;
  }
  for (const TraceOrder& order : trace.orders())
    if (!wanted.without.contains({order.command, order.after})) add(order.after, order.command);
  for (const KeptOrder::Wait& wait : wanted.also) add(wait.after, wait.command);

  std::vector<std::uint32_t> priority(count);
  std::iota(priority.begin(), priority.end(), 0u);
  if (!wanted.number) std::ranges::reverse(priority);
  if (wanted.number.value_or(0) > 0) {
    std::mt19937 random(*wanted.number);
    for (std::size_t i = priority.size(); i > 1; --i)
      std::swap(priority[i - 1], priority[random() % i]);
  }
  const auto comes_later = [&](std::uint32_t a, std::uint32_t b) {
    return priority[a] < priority[b];
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(comes_later)> ready(
      comes_later);
  for (std::uint32_t c = 0; c < count; ++c)
    if (!missing[c]) ready.push(c);
  std::vector<std::vector<Action>> of_command(count);
  for (const Action& action : actions) of_command[action.command].push_back(action);
  std::vector<Action> result;
  std::uint32_t seen = 0;
  for (; !ready.empty(); ++seen) {
    const std::uint32_t c = ready.top();
    ready.pop();
    result.insert(result.end(), of_command[c].begin(), of_command[c].end());
    for (const std::uint32_t after : next[c])
      if (--missing[after] == 0) ready.push(after);
  }
  if (seen != count) result.clear();
  return result;
}

}  // namespace reel::rerun
