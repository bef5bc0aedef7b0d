// stamp_plan.hpp - which timestamps stand around which commands of a batch.
//
// A timestamp says when everything before it had ended. What comes after it may have started before
// that, unless a barrier at the same place holds it back: so only such timestamps cut a batch into
// intervals, and the commands between two of them all ran within. Numbers of commands count from
// the first of the batch, those of timestamps as the caller likes. Knows nothing of a driver.
// One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "recording/calls/api_adapter.hpp"

namespace reel::layer::vk {

// Stages as VkPipelineStageFlags2 has them.
struct StageBarrier {
  std::uint64_t source = 0, target = 0;
};

using capture::TimedCommands;

class StampPlan {
 public:
  // In the order in which the batch has them, between its first and its last timestamp.
  void add_stamp(std::uint32_t stamp);
  void add_work(std::uint32_t command, std::uint64_t stages);
  void add_barrier(std::span<const StageBarrier> parts);
  // Timestamps around this one command, which was added.
  void add_own(std::uint32_t command, std::uint32_t begin, std::uint32_t end);

  bool has_works() const noexcept { return !works_.empty(); }
  // Is it one of those that cut the batch?
  bool uses(std::uint32_t stamp) const noexcept;

  using Times = std::function<std::optional<std::uint64_t>(std::uint32_t stamp)>;
  // From the first timestamp of the batch to its last; `time` is that of one in nanoseconds. One
  // that has none, or that lies before an earlier one, is passed over: commands around it are timed
  // together.
  std::vector<TimedCommands> times(std::uint64_t begin_ns, std::uint64_t end_ns,
                                   const Times& time) const;

 private:
  struct Interval {
    std::optional<std::uint32_t> stamp;  // none: the first of the batch
    std::uint64_t held_back;             // stages that wait for all before it
    std::uint64_t stages;                // of its commands
    std::size_t first_work;
  };
  struct Own {
    std::uint32_t command, begin, end;
  };
  void open();

  std::vector<std::uint32_t> works_;  // commands that take time, ascending
  std::vector<Interval> intervals_{{std::nullopt, ~std::uint64_t{0}, 0, 0}};
  std::vector<Own> own_;  // by command
  // Since the last command that takes time:
  std::optional<std::uint32_t> stamp_;
  std::uint64_t held_back_ = 0;
};

}  // namespace reel::layer::vk
