// relaxed.hpp - looks for orders that the declared byte ranges allow and the results don't.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "replay/heartbeat.hpp"
#include "replay/stage.hpp"

namespace reel::rerun {

// The actions in the order most unlike the recorded one that conflicts of declared ranges allow: of
// all that could be next, always the one that was given last.
std::vector<std::uint32_t> contrary_order(const Trace& trace, const std::vector<Action>& actions);

// Two commands whose order matters though no declared range says so; none where the contrary order
// gives the same results. Runs the script some 2 log2(n) times where there are such.
std::optional<Race> observed_race(Stage& stage, const std::shared_ptr<Heartbeat>& heart);

}  // namespace reel::rerun
