// event_stamps.hpp - when commands went through the device, told by their events.
//
// The queue is in order, so events are asked in the order they were given, up to the first that
// is not done. One thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backends/opencl/device/api.hpp"
#include "runtime/driver.hpp"

namespace reel::opencl {

// When a host call ran. Set before its gate opens, and read when the gate's event is done.
struct CallTimes {
  std::atomic<std::uint64_t> started_ns = 0, ended_ns = 0;
};

// The first and last event of one command; one event where the command is one.
struct CommandEvents {
  EventHandle first, last;
  std::shared_ptr<const CallTimes> call;  // of a host call
};

class EventStamps {
 public:
  // `can_stamp`: whether the device's events have times; without, only queued_ns is known.
  explicit EventStamps(bool can_stamp) : can_stamp_(can_stamp) {}

  void add(std::uint64_t ticket, std::uint64_t queued_ns, CommandEvents events);
  void add(std::uint64_t ticket, std::uint64_t queued_ns, EventHandle event) {
    pending_.push_back({ticket, queued_ns, {std::move(event), {}, {}}});
    count_added();
  }
  void add_empty(std::uint64_t ticket, std::uint64_t queued_ns) {
    done_.push_back({ticket, {queued_ns}});
  }
  void collect(StampList& into);
  // Not when they were queued and submitted: two questions to the driver less for each command.
  void ask_for_runs_only() noexcept { runs_only_ = true; }

 private:
  struct Pending {
    std::uint64_t ticket, queued_ns;
    CommandEvents events;
  };
  // Events are memory of the driver's: those that are done go after this many, whether anybody
  // collects or not. PoCL takes the memory of the next from a list of free ones. Against 1024 this
  // saved 17 and 29 % of the CPU time by medians on a busy machine; the best runs of both are
  // alike.
  static constexpr std::size_t added_before_asking = 16;

  void count_added() {
    if (++added_ >= added_before_asking) ask(done_);
  }
  void ask(StampList& into);
  bool ask(const Api& driver, const Pending& pending, Stamps& stamps) const;  // false: not done

  const bool can_stamp_;
  bool runs_only_ = false;
  OwnVector<Pending> pending_;  // from first_ on
  std::size_t first_ = 0;
  std::size_t added_ = 0;  // since they were last asked
  StampList done_;         // asked already
};

}  // namespace reel::opencl
