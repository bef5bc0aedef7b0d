// lanes.hpp - a queue without order as streams of a document, which are in order.
//
// A command goes where one that it waits for was the last, or where all before it is done. Under
// the lock of the queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "recording/order/host_waits.hpp"
#include "reel/trace.hpp"

namespace reel::capture {

struct Lane {
  std::uint32_t stream = 0;
  std::uint32_t last_command = no_index;
  std::uint32_t pending = 0;  // commands not known to be done
  HostWaits::Known host_waits;
  std::uint32_t after_barrier = no_index;  // the last barrier its commands come after
};

class Lanes {
 public:
  // More commands under way than this are put into lines that they did not have.
  static constexpr std::size_t most = 64;

  std::vector<Lane> all;
  Lane& operator[](std::size_t index) { return all[index]; }
  auto begin() const noexcept { return all.begin(); }
  auto end() const noexcept { return all.end(); }

  std::uint32_t barrier = no_index;  // later commands of the queue come after it
  std::uint32_t barrier_stream = 0;
  bool is_crowded = false;  // there were more than we have lanes for

  struct Asked {
    std::uint32_t command;
    bool waits_for_all = false;     // all before it is done first
    bool holds_back_later = false;  // what comes later starts after it
  };
  // Which lane it goes to. `after`: the commands that it waits for; those that it comes after for
  // other reasons are added. collect() looks what is done by now, add() makes one more lane.
  template <class Collect, class Add>
  std::uint32_t choose(const Asked& asked, std::vector<std::uint32_t>& after, Collect&& collect,
                       Add&& add) {
    if (asked.waits_for_all)
      for (const Lane& lane : all)
        if (lane.last_command != no_index) after.push_back(lane.last_command);
    const auto is_last_of = [&](const Lane& lane) {
      return lane.last_command != no_index &&
             std::find(after.begin(), after.end(), lane.last_command) != after.end();
    };
    auto chosen = std::find_if(all.begin(), all.end(), is_last_of);
    if (chosen == all.end()) {
      collect();
      chosen =
          std::find_if(all.begin(), all.end(), [](const Lane& lane) { return lane.pending == 0; });
    }
    if (chosen == all.end() && all.size() < most) {
      add();
      chosen = std::prev(all.end());
    }
    if (chosen == all.end()) {
      chosen = std::min_element(all.begin(), all.end(), [](const Lane& a, const Lane& b) {
        return a.last_command < b.last_command;
      });
      is_crowded = true;
    }
    if (barrier != no_index && chosen->after_barrier != barrier) {
      chosen->after_barrier = barrier;
      after.push_back(barrier);
    }
    if (asked.holds_back_later) {
      barrier = asked.command;
      barrier_stream = chosen->stream;
    }
    return static_cast<std::uint32_t>(chosen - all.begin());
  }
};

}  // namespace reel::capture
