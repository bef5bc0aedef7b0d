#include "backends/opencl/work/event_stamps.hpp"

#include <utility>

#include "backends/opencl/work/signal.hpp"

namespace reel::opencl {
namespace {

// 0 where there is none: not done yet, or failed.
std::uint64_t time_of(const Api& driver, cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  const cl_int status = driver.get_event_profiling_info(event, what, sizeof time, &time, nullptr);
  return status == CL_SUCCESS ? time : 0;
}

}  // namespace

void EventStamps::add(std::uint64_t ticket, std::uint64_t queued_ns, CommandEvents events) {
  pending_.push_back({ticket, queued_ns, std::move(events)});
  count_added();
}

void EventStamps::collect(StampList& into) {
  into.insert(into.end(), done_.begin(), done_.end());
  done_.clear();
  ask(into);
}

void EventStamps::ask(StampList& into) {
  added_ = 0;
  const Api& driver = api();
  for (Stamps stamps; first_ < pending_.size() && ask(driver, pending_[first_], stamps); ++first_) {
    into.push_back({pending_[first_].ticket, stamps});
    pending_[first_].events = {};
  }
  if (first_ == pending_.size()) {
    pending_.clear();
    first_ = 0;
  } else if (first_ > pending_.size() / 2) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

bool EventStamps::ask(const Api& driver, const Pending& pending, Stamps& stamps) const {
  const cl_event first = pending.events.first.get();
  const cl_event last = pending.events.last ? pending.events.last.get() : first;
  stamps = {pending.queued_ns};
  if (can_stamp_) stamps.ended_ns = time_of(driver, last, CL_PROFILING_COMMAND_END);
  // An end means that it is done, which saves asking for that.
  if (stamps.ended_ns == 0) {
    if (!is_done(last)) return false;
    // Done in between, or failed.
    if (can_stamp_) stamps.ended_ns = time_of(driver, last, CL_PROFILING_COMMAND_END);
  }
  if (stamps.ended_ns != 0) {
    if (!runs_only_) {
      stamps.queued_ns = time_of(driver, first, CL_PROFILING_COMMAND_QUEUED);
      stamps.submitted_ns = time_of(driver, first, CL_PROFILING_COMMAND_SUBMIT);
    }
    stamps.started_ns = time_of(driver, first, CL_PROFILING_COMMAND_START);
  }
  if (const CallTimes* call = pending.events.call.get()) {
    stamps.started_ns = call->started_ns.load(std::memory_order_acquire);
    stamps.ended_ns = call->ended_ns.load(std::memory_order_acquire);
  }
  return true;
}

}  // namespace reel::opencl
