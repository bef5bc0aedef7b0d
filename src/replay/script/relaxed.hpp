// relaxed.hpp - looks for orders that the declared byte ranges allow and the results don't.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "replay/run/heartbeat.hpp"
#include "replay/run/stage.hpp"

namespace reel::rerun {

// The actions in another order that conflicts of declared ranges allow. `number` 0: of all that
// could be next, always the one that was given last; others are shuffled, each in its own way.
std::vector<std::uint32_t> allowed_order(const Trace& trace, const std::vector<Action>& actions,
                                         std::uint32_t number);

// Two commands whose order matters though no declared range says so; none where eight allowed
// orders give the results of the recorded one. Two commands that nothing orders stand the wrong way
// round in about half of them. Finding the pair takes some 2 log2(n) runs more.
std::optional<Race> observed_race(Stage& stage, const std::shared_ptr<Heartbeat>& heart);

}  // namespace reel::rerun
