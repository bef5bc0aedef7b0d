// recorded_point.hpp - a point in the order of commands that a capture has, as recorders note it
// and the fronts keep it with their events.
#pragma once

#include <cstdint>
#include <vector>

namespace reel {

// A command of a stream; whatever comes after it comes after all before it, too.
struct RecordedPlace {
  std::uint32_t stream = 0, command = 0;
};

// Where in a capture an event was recorded: after each of these. A stream that was told to wait and
// got no command since is behind what it waits for.
struct RecordedPoint {
  std::uint32_t capture = 0;  // 0: in none
  std::vector<RecordedPlace> after = {};
};

}  // namespace reel
