#include "backends/opencl/work/signal.hpp"

#include "base/fail.hpp"

namespace reel::opencl {
namespace {

cl_int status_of(cl_event event) {
  cl_int status = CL_COMPLETE;
  check(api().get_event_info(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                             nullptr),
        "clGetEventInfo");
  return status;
}

}  // namespace

void Failures::add(Code code, std::string sentence) {
  const std::lock_guard lock(mutex_);
  if (any_) return;
  code_ = code;
  sentence_ = std::move(sentence);
  any_ = true;
}

void Failures::throw_once() {
  if (!any_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  if (any_.exchange(false)) throw Error(code_, sentence_);
}

bool is_done(cl_event event) { return status_of(event) <= CL_COMPLETE; }

void check_event(cl_event event) {
  const cl_int status = status_of(event);
  if (status >= CL_COMPLETE) return;
  // Work that was accepted and then not done leaves the queue in a state nobody can vouch for.
  fail(Code::device_lost, "Work on the OpenCL device failed with {} ({}).", status_name(status),
       status);
}

bool EventSignal::done() { return !event_ || is_done(event_.get()); }

void EventSignal::wait() {
  if (event_) {
    const cl_event event = event_.get();
    const cl_int status = api().wait_for_events(1, &event);
    if (status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
      failures_->throw_once();
      check_event(event);
    }
    check(status, "clWaitForEvents");
  }
  failures_->throw_once();
}

std::optional<std::uint64_t> EventSignal::time_ns() {
  if (!context_->info().can_stamp_time) return {};
  if (!event_) return time_ns_;
  cl_ulong time = 0;
  if (!is_done(event_.get()) ||
      api().get_event_profiling_info(event_.get(), CL_PROFILING_COMMAND_END, sizeof time, &time,
                                     nullptr) != CL_SUCCESS)
    return {};
  return time;
}

}  // namespace reel::opencl
