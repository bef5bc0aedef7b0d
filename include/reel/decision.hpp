// decision.hpp - nodes of a graph that decide: which graph runs next, and how often.
//
// A condition is a uint32 in device memory, which kernels of the same launch may write, or a
// function of the host. It is asked when the launch gets there, a loop's again before each round.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "reel/buffer.hpp"

namespace reel {

class Graph;

enum class DecisionKind : std::uint8_t {  // what a node decides
  if_else,      // the first branch where the condition isn't 0, else the second, if there is one
  while_loop,   // its branch as long as the condition isn't 0
  switch_case,  // the branch that the condition numbers
  repeat,       // its branch `count` times
};
// "if", "while", "switch", "repeat"
const char* to_string(DecisionKind kind) noexcept;

using Predicate = std::function<std::uint32_t()>;  // asked on the host

struct Condition {         // what is asked, and where
  BufferRange range = {};  // its uint32, where there is no predicate
  std::shared_ptr<const Predicate> predicate = {};

  Condition() = default;
  Condition(const BufferRange& uint32) : range(uint32) {}
  // Its first uint32. What is shorter is refused by the graph, which knows what it decides.
  Condition(const Buffer& buffer)
      : range(buffer, 0, std::min<std::uint64_t>(buffer.size_bytes(), sizeof(std::uint32_t))) {}
  // Runs after everything before it in the graph, as a host call does. It may look at what reads of
  // the graph fetched, and may not use streams of the device.
  template <class F>
  requires(std::is_invocable_r_v<std::uint32_t, const F&>) Condition(F function)
      : predicate(std::make_shared<const Predicate>(std::move(function))) {}
};

// When a while that goes on and on ends, with an error that names its node. 0: no limit.
struct LoopLimits {
  std::uint64_t iterations = 1'000'000;
  std::chrono::milliseconds time = std::chrono::minutes(1);
  friend bool operator==(const LoopLimits&, const LoopLimits&) = default;
};

// What a node decides. Its condition's range is the source of the node's command, a Read.
struct Decision {
  DecisionKind kind = DecisionKind::if_else;
  std::shared_ptr<const Predicate> predicate = {};  // none: the node reads its condition
  std::uint64_t count = 0;                          // of a repeat
  LoopLimits limits = {};                           // of a while
  std::vector<std::shared_ptr<const Graph>> branches = {};
};

}  // namespace reel
