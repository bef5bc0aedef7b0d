#include "layers/vulkan/stamps/stamp_plan.hpp"

#include <algorithm>

#include "layers/vulkan/functions.hpp"

namespace reel::layer::vk {

namespace {

constexpr std::uint64_t transfers = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |
                                    VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT;

std::uint64_t expanded(std::uint64_t stages) {
  if (stages & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) return ~std::uint64_t{0};
  if (stages & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) stages |= transfers;
  return stages;
}
// What a barrier waits for: the end of the pipeline is behind everything, its top behind nothing.
std::uint64_t waited_for(std::uint64_t stages) {
  if (stages & VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT) return ~std::uint64_t{0};
  return expanded(stages) & ~std::uint64_t{VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT};
}
std::uint64_t held_back(std::uint64_t stages) {
  if (stages & VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT) return ~std::uint64_t{0};
  return expanded(stages) & ~std::uint64_t{VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT};
}
bool covers(std::uint64_t stages, std::uint64_t all) { return (all & ~stages) == 0; }

}  // namespace

void StampPlan::add_stamp(std::uint32_t stamp) {
  if (!stamp_) stamp_ = stamp;
}

void StampPlan::add_barrier(std::span<const StageBarrier> parts) {
  const Interval& last = intervals_.back();
  // Of one barrier, parts don't wait for each other.
  const std::uint64_t before = held_back_;
  for (const StageBarrier& part : parts) {
    const std::uint64_t source = waited_for(part.source);
    if (covers(source, last.stages) || (source & before)) held_back_ |= held_back(part.target);
  }
}

void StampPlan::open() {
  // Two timestamps with nothing between them make no interval.
  if (stamp_ && held_back_ && works_.size() > intervals_.back().first_work)
    intervals_.push_back({*stamp_, held_back_, 0, works_.size()});
  stamp_.reset();
  held_back_ = 0;
}

void StampPlan::add_work(std::uint32_t command, std::uint64_t stages) {
  open();
  works_.push_back(command);
  intervals_.back().stages |= stages;
  // It may have started before what the barrier waited for had ended.
  while (intervals_.size() > 1 && !covers(intervals_.back().held_back, intervals_.back().stages)) {
    const std::uint64_t merged = intervals_.back().stages;
    intervals_.pop_back();
    intervals_.back().stages |= merged;
  }
}

void StampPlan::add_own(std::uint32_t command, std::uint32_t begin, std::uint32_t end) {
  own_.push_back({command, begin, end});
}

bool StampPlan::uses(std::uint32_t stamp) const noexcept {
  return std::ranges::any_of(intervals_, [&](const Interval& one) { return one.stamp == stamp; });
}

std::vector<TimedCommands> StampPlan::times(std::uint64_t begin_ns, std::uint64_t end_ns,
                                            const Times& time) const {
  std::vector<TimedCommands> found;
  if (works_.empty() || end_ns < begin_ns) return found;
  std::vector<std::uint32_t> timed;  // by themselves
  for (const Own& own : own_) {
    const auto from = time(own.begin), to = time(own.end);
    if (!from || !to || *to < *from) continue;
    found.push_back({own.command, 1, true, *from, *to});
    timed.push_back(own.command);
  }
  const auto is_timed = [&](std::uint32_t command) {
    return std::ranges::binary_search(timed, command);
  };
  const auto add = [&](std::size_t first, std::size_t stop, std::uint64_t from, std::uint64_t to) {
    // One command alone has this time; several, or one beside others that have theirs, share it.
    const bool is_alone = stop - first == 1;
    for (std::size_t i = first; i < stop;) {
      if (is_timed(works_[i])) {
        ++i;
        continue;
      }
      std::size_t next = i + 1;
      while (next < stop && !is_timed(works_[next])) ++next;
      found.push_back({works_[i], works_[next - 1] - works_[i] + 1, is_alone, from, to});
      i = next;
    }
  };
  std::size_t first = 0;
  std::uint64_t from = begin_ns;
  for (std::size_t i = 1; i < intervals_.size(); ++i) {
    const auto cut = time(*intervals_[i].stamp);
    if (!cut || *cut < from || *cut > end_ns) continue;
    add(first, intervals_[i].first_work, from, *cut);
    first = intervals_[i].first_work;
    from = *cut;
  }
  add(first, works_.size(), from, end_ns);
  return found;
}

}  // namespace reel::layer::vk
