// queue_log.hpp - what a recording keeps with a queue or stream of any API, under that one's lock.
//
// In: what each of its commands comes after. Out: the log for the writer, and the lanes, which are
// the streams of the document that stand for it; one of a queue in order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/own_memory.hpp"
#include "graph/order/recorded_point.hpp"
#include "recording/order/lanes.hpp"
#include "recording/writing/command_log.hpp"

namespace reel::capture {

using Point = RecordedPlace;

// The last command of each stream.
inline void add_point(std::vector<Point>& points, const Point& point) {
  if (point.command == no_index) return;
  for (Point& known : points)
    if (known.stream == point.stream) {
      known.command = std::max(known.command, point.command);
      return;
    }
  points.push_back(point);
}

inline void add_points(std::vector<Point>& points, std::span<const Point> more) {
  for (const Point& point : more) add_point(points, point);
}

// What an event of the program stands for; in no capture: 0.
struct RecordedEvent {
  // Of a command that a capture saw and did not record (`command` is no_index): the last recorded
  // ones that it came after.
  std::vector<Point> after;
  std::uint32_t capture = 0, stream = 0, command = 0;

  // visit(Point) for each recorded command that is done when it is.
  template <class F>
  void for_each_done(F&& visit) const {
    for (const Point& point : after) visit(point);
    if (command != no_index) visit(Point{stream, command});
  }
};

struct QueueLog {
  std::uint32_t capture = 0;
  bool in_order = true;
  bool is_ordered = true;  // else waits for its own commands are told, too
  const std::shared_ptr<CommandLog> log =
      std::allocate_shared<CommandLog>(OwnAllocator<CommandLog>());
  Lanes lanes;
  // What came before and was not recorded here: waits, and what commands that were not recorded
  // came after. Of a queue in order the next recorded command does, too; of another, the next
  // barrier, and what comes after that.
  std::vector<Point> carried, after_barrier;
  std::vector<std::uint32_t> after;  // of the command on its way: what it waits for
  // Those of a queue that is not ordered, with the stages that wait (TraceOrder).
  struct StagedWait {
    std::uint32_t after;
    std::uint64_t stages;
  };
  std::vector<StagedWait> staged;
  std::uint32_t since_collected = 0;
  // The work that was appended last, where it may come again: whose it was, and what can change
  // about it from one time to the next.
  struct {
    const void* work = nullptr;
    TraceWork row;
    const void* scope = nullptr;
    std::string label;
  } last;
  // The same of the last entry of the log that is bare; a label that lives as long as the process.
  struct {
    bool is_there = false;
    TraceWork row;
    const void* scope = nullptr;
    std::string_view label;
  } last_bare;

  // The last that it was given.
  void add_given(std::vector<Point>& points) const {
    add_points(points, carried);
    for (const Lane& lane : lanes) add_point(points, {lane.stream, lane.last_command});
  }
  // What a command that is not recorded comes after, besides what it waits for.
  void add_before(std::vector<Point>& points, bool waits_for_all) const {
    if (in_order || waits_for_all) add_given(points);
    if (in_order) return;
    add_points(points, after_barrier);
    add_point(points, {lanes.barrier_stream, lanes.barrier});
  }
};

}  // namespace reel::capture
