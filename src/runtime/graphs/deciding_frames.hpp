// deciding_frames.hpp - where a walk through a graph that decides stands.
//
// A stack of execs, the innermost last. Its memory is kept from launch to launch: an allocation is
// a tenth of the time of a small launch.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace reel {

class GraphExecState;
struct Stops;

// An exec that is on its way, and the decision it stands at.
struct DecidingFrame {
  GraphExecState* exec = nullptr;  // it decides
  std::string name = {};           // of its launches, in documents
  std::uint32_t part = 0;          // that comes next, or whose branch is above
  std::uint32_t branch = 0;        // that is above
  bool is_looping = false;         // it stands at a loop that has begun
  bool asks_after_rounds = false;  // the device took some rounds: is it over?
  std::uint64_t round = 0;         // that comes next
  std::chrono::milliseconds loop_began = {};
  std::shared_ptr<const Stops> given = {};  // the device took it: how far did it come?
};
using DecidingFrames = std::vector<DecidingFrame>;

}  // namespace reel
