// happens_before.hpp - which commands are done for certain when another begins.
//
// Order comes from streams, from waits between them (those of the host among them), and within
// the launch of a graph from its edges. Also remembers which waits were the reason, so that those
// nobody needed stand out. Commands are shown one by one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "analysis/order/command_sets.hpp"
#include "analysis/order/stream_clocks.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

class HappensBefore {
 public:
  // Of what streams know of each other it keeps so many bytes at most.
  static constexpr std::uint64_t most_clock_bytes = 200u << 20;
  explicit HappensBefore(const Trace& trace, std::uint64_t most_bytes = most_clock_bytes);

  // The next command: what it was told to wait for counts from now on.
  void next(std::uint32_t command);
  // Those of the last one shown, in trace.orders().
  std::span<const TraceOrder> waits() const noexcept { return waits_; }

  // `earlier` is done when `later`, the last one shown, begins. The waits that make it so are
  // taken as needed.
  bool is_ordered(std::uint32_t earlier, std::uint32_t later);
  // Each command of a set is, by the same waits.
  bool is_ordered(const CommandSets& sets, CommandSets::Set earlier, std::uint32_t later);
  // It is certain that none is; a no may be wrong.
  bool is_surely_unordered(const CommandSets& sets, CommandSets::Set earlier,
                           std::uint32_t later) const;

  // By index in trace.orders(): some answer above rested on it.
  const std::vector<bool>& needed() const noexcept { return needed_; }

  // Too many streams know of too many others to follow them all: from this command on answers are
  // always yes. no_index: never.
  std::uint32_t gave_up_at() const noexcept { return gave_up_at_; }

  const std::vector<std::uint32_t>& streams() const noexcept { return streams_; }  // by command

 private:
  // From command `at` on, by the wait `order`.
  struct Known {
    std::uint32_t at, order;
    StreamClocks::Clock clock;
  };
  StreamClocks::Clock clock_of(std::uint32_t stream) const {
    return known_[stream].empty() ? StreamClocks::zero : known_[stream].back().clock;
  }
  // The first by which `command` of another stream is done.
  const Known* first_known(std::uint32_t stream, std::uint32_t of, std::uint32_t command) const;
  void need(std::uint32_t stream, std::uint32_t of, std::uint32_t earlier);
  bool leads_to(std::uint32_t graph, std::uint32_t from, std::uint32_t to);

  const Trace& trace_;
  const std::uint64_t most_bytes_;
  std::vector<std::uint32_t> streams_, launches_;  // by command
  std::size_t next_order_ = 0;
  std::span<const TraceOrder> waits_;
  std::uint32_t gave_up_at_ = no_index;
  StreamClocks clocks_;
  std::vector<std::vector<Known>> known_;  // by stream, by `at`
  std::vector<bool> needed_;
  // Waits that were followed to what they waited for: wait, stream and command looked for.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> followed_;
  // By number of a set of several streams: the last two streams whose later commands come after all
  // of it.
  std::vector<std::array<std::uint32_t, 2>> ordered_;
  std::vector<CommandSets::Set> open_, learned_;  // of one question: made once
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges_to_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, bool> paths_;
};

}  // namespace reel::analysis
