// event_state.hpp - where an Event was last recorded: nowhere, in a queue, or in a capture.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "reel/ids.hpp"
#include "runtime/driver.hpp"
#include "runtime/recorder.hpp"

namespace reel {

class CaptureSession;
class DeviceState;

// A point inside a capture: what is recorded next waits for these nodes.
struct CapturePoint {
  std::shared_ptr<CaptureSession> session;
  std::vector<NodeId> nodes;
};

class EventState {
 public:
  using Point = std::variant<std::monostate, std::shared_ptr<Signal>, CapturePoint>;

  EventState(std::shared_ptr<DeviceState> owner, std::string name)
      : device(std::move(owner)), label(std::move(name)) {}

  Point point() const {
    const std::lock_guard lock(mutex_);
    return point_;
  }
  void set(Point point, const RecordedPoint& recorded = {}) {
    const std::lock_guard lock(mutex_);
    point_ = std::move(point);
    recorded_ = recorded;
  }
  RecordedPoint recorded() const {
    const std::lock_guard lock(mutex_);
    return recorded_;
  }
  // The signal, or null when never recorded. `operation` can't be done on a captured event.
  std::shared_ptr<Signal> signal(std::string_view operation) const;

  const std::shared_ptr<DeviceState> device;
  const std::string label;

 private:
  mutable std::mutex mutex_;
  Point point_;
  RecordedPoint recorded_;
};

EventState& state_of(const Event& event, std::string_view operation);

}  // namespace reel
