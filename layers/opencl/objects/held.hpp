// held.hpp - what is the driver's and we hold a reference of.
#pragma once

#include <memory>
#include <utility>

#include "layers/opencl/objects/api.hpp"
#include "recording/contents/tracked_buffer.hpp"

namespace reel::layer {

struct Release {
  void operator()(cl_mem memory) const noexcept { next().clReleaseMemObject(memory); }
  void operator()(cl_command_queue queue) const noexcept { next().clReleaseCommandQueue(queue); }
};
using HeldMemory = std::unique_ptr<_cl_mem, Release>;
using HeldQueue = std::unique_ptr<_cl_command_queue, Release>;

// Whether what the event stands for is done, or failed.
inline bool is_done(cl_event event) noexcept {
  cl_int state = CL_COMPLETE;
  return next().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                               nullptr) != CL_SUCCESS ||
         state <= CL_COMPLETE;
}

class HeldEvent final : public capture::UnderWay {
 public:
  HeldEvent() = default;
  explicit HeldEvent(cl_event event) noexcept : event_(event) {}  // takes over a reference
  HeldEvent(const HeldEvent& other) noexcept : HeldEvent(of(other.event_)) {}
  HeldEvent(HeldEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  HeldEvent& operator=(HeldEvent other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~HeldEvent() override {
    if (event_) next().clReleaseEvent(event_);
  }
  // With a reference of its own.
  static HeldEvent of(cl_event event) noexcept {
    if (event) next().clRetainEvent(event);
    return HeldEvent(event);
  }

  cl_event get() const noexcept { return event_; }
  explicit operator bool() const noexcept { return event_ != nullptr; }
  bool is_done() const noexcept override { return layer::is_done(event_); }

 private:
  cl_event event_ = nullptr;
};

}  // namespace reel::layer
