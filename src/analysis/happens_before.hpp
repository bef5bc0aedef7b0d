// happens_before.hpp - which commands are done for certain when another begins.
//
// Order comes from streams, from waits between them (those of the host among them), and within
// the launch of a graph from its edges. Also remembers which waits were the reason, so that those
// nobody needed stand out. Commands are shown one by one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

class HappensBefore {
 public:
  explicit HappensBefore(const Trace& trace);

  // The next command: what it was told to wait for counts from now on.
  void next(std::uint32_t command);

  // `earlier` is done when `later`, the last one shown, begins. The waits that make it so are
  // taken as needed.
  bool is_ordered(std::uint32_t earlier, std::uint32_t later);

  // By index in trace.orders(): some answer above rested on it.
  const std::vector<bool>& needed() const noexcept { return needed_; }

  // Too many streams know of too many others to follow them all; answers are then always yes.
  bool gave_up() const noexcept { return gave_up_; }

 private:
  // From command `at` on, all commands of a stream below `upto` are done, by the wait `order`.
  struct Known {
    std::uint32_t upto, at, order;
  };
  void learn(std::uint32_t stream, std::uint32_t of, Known known);
  void need(std::uint32_t stream, std::uint32_t of, std::uint32_t earlier);
  bool leads_to(std::uint32_t graph, std::uint32_t from, std::uint32_t to);

  const Trace& trace_;
  std::size_t next_order_ = 0, learned_ = 0;
  bool gave_up_ = false;
  std::vector<std::unordered_map<std::uint32_t, std::vector<Known>>>
      known_;  // by stream, of stream
  std::vector<bool> needed_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges_to_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, bool> paths_;
};

}  // namespace reel::analysis
