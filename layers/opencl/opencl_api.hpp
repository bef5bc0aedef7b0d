// opencl_api.hpp - OpenCL for a recording: what its driver is asked, and what a command of it is
// given.
#pragma once

#include <vector>

#include "layers/opencl/objects/objects.hpp"
#include "recording/calls/api_adapter.hpp"
#include "recording/calls/call_queue.hpp"

namespace reel::layer {

capture::ApiAdapter& opencl_api() noexcept;

// One command on its way, with what the driver is to be given.
struct Ticket final : capture::Ticket {
  cl_uint wait_count = 0;
  const cl_event* waits = nullptr;
  cl_event* event = nullptr;
  cl_event taken = nullptr;  // where the program wants no event
  cl_event* program_event = nullptr;
  std::vector<cl_event> more_waits;  // with reads of ours

  void set(cl_uint count, const cl_event* events, cl_event* program) noexcept {
    wait_count = count;
    waits = events;
    event = program_event = program;
    program_waits = events ? count : 0;
    // So many events without a list. A list of none some drivers take.
    is_refused_for_sure = count != 0 && !events;
  }
  // The driver is to wait for reads of ours as well. A list that it refuses stays as it is.
  void add_own_waits() {
    if (own_waits.size() == own_waits_added_ || (wait_count == 0) != (waits == nullptr)) return;
    if (more_waits.empty()) more_waits.assign(waits, waits + wait_count);
    for (; own_waits_added_ < own_waits.size(); ++own_waits_added_)
      more_waits.push_back(static_cast<cl_event>(own_waits[own_waits_added_].get()));
    wait_count = static_cast<cl_uint>(more_waits.size());
    waits = more_waits.data();
  }
  // Its event, whoever has it.
  cl_event done_event() const noexcept { return program_event ? *program_event : taken; }

 private:
  std::size_t own_waits_added_ = 0;
};

}  // namespace reel::layer
