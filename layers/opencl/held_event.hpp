// held_event.hpp - an event of the driver that we hold a reference of.
#pragma once

#include <memory>

#include "layers/opencl/api.hpp"
#include "recording/tracked_buffer.hpp"

namespace reel::layer {

// Whether what the event stands for is done, or failed.
inline bool is_done(cl_event event) noexcept {
  cl_int state = CL_COMPLETE;
  return next().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                               nullptr) != CL_SUCCESS ||
         state <= CL_COMPLETE;
}

class HeldEvent final : public capture::UnderWay {
 public:
  // Takes over a reference.
  explicit HeldEvent(cl_event event) : event_(event) {}
  ~HeldEvent() override { next().clReleaseEvent(event_); }
  HeldEvent(const HeldEvent&) = delete;
  HeldEvent& operator=(const HeldEvent&) = delete;
  bool is_done() const noexcept override { return layer::is_done(event_); }

  // With a reference of its own; null: of none.
  static std::shared_ptr<const UnderWay> of(cl_event event) {
    if (!event || next().clRetainEvent(event) != CL_SUCCESS) return nullptr;
    return std::make_shared<HeldEvent>(event);
  }

 private:
  const cl_event event_;
};

}  // namespace reel::layer
