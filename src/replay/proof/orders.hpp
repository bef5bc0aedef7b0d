// orders.hpp - other orders of a document's commands that its streams and waits allow.
#pragma once

#include <vector>

#include "replay/run/runner.hpp"

namespace reel::rerun {

struct OrderWanted {
  Waits without = {};                      // waits that don't count
  std::vector<KeptOrder::Wait> also = {};  // and others that do
  // 0: of all commands that may be next, always the one that was given last; none: the one given
  // first. Others are shuffled, each in its own way.
  std::optional<std::uint32_t> number = {};
};
// Empty where there is none: waits in a circle.
std::vector<Action> ordered(const Trace& trace, const std::vector<Action>& actions,
                            const OrderWanted& wanted);

}  // namespace reel::rerun
