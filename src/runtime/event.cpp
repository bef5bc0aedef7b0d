#include "base/fail.hpp"
#include "base/handles.hpp"
#include "reel/stream.hpp"
#include "runtime/callback.hpp"
#include "runtime/device_state.hpp"
#include "runtime/event_state.hpp"
#include "runtime/graphs/capture_session.hpp"

namespace reel {

EventState& state_of(const Event& event, std::string_view operation) {
  if (!event)
    fail(Code::invalid_argument, "The Event given to {} is empty; make one with Device::event().",
         operation);
  return *state_of(event);
}

std::shared_ptr<Signal> EventState::signal(std::string_view operation) const {
  const Point where = point();
  if (const auto* captured = std::get_if<CapturePoint>(&where)) {
    Error error(Code::captured_event,
                fmt::format("Event '{}' was last recorded in the capture of stream '{}', so {} has "
                            "nothing to look at; record it outside a capture first.",
                            label, captured->session->origin_label(), operation));
    if (captured->session->is_active()) captured->session->invalidate(error);
    throw error;
  }
  const auto* signal = std::get_if<std::shared_ptr<Signal>>(&where);
  return signal ? *signal : nullptr;
}

const std::string& Event::label() const { return state_of(*this, "label()").label; }

bool Event::done() const {
  const EventState& state = state_of(*this, "done()");
  state.device->refuse_inherited();
  const RecordedPoint point = state.recorded();
  const auto signal = state.signal("Event::done()");
  if (signal && !signal->done()) return false;
  host_waited(point);
  return true;
}

void Event::synchronize() const {
  const RecordedCall call("Event::synchronize()");
  const EventState& state = state_of(*this, "synchronize()");
  state.device->refuse_inherited();
  refuse_wait_in_callback(state.device->info(), "Event::synchronize()");
  const RecordedPoint point = state.recorded();
  const auto signal = state.signal("Event::synchronize()");
  const HostWaits waits(point);
  if (signal) signal->wait();
}

std::optional<std::uint64_t> Event::time_ns() const {
  const auto signal = state_of(*this, "time_ns()").signal("Event::time_ns()");
  if (!signal || !signal->done()) return std::nullopt;
  return signal->time_ns();
}

std::optional<std::int64_t> elapsed_ns(const Event& begin, const Event& end) {
  const EventState& first = state_of(begin, "elapsed_ns()");
  const EventState& last = state_of(end, "elapsed_ns()");
  if (first.device != last.device)
    fail(Code::invalid_argument,
         "elapsed_ns() is given event '{}' of device {} and event '{}' of device {}; each has a "
         "clock of its own.",
         first.label, first.device->info().id, last.label, last.device->info().id);
  const auto from = begin.time_ns(), to = end.time_ns();
  if (!from || !to) return std::nullopt;
  return static_cast<std::int64_t>(*to - *from);
}

}  // namespace reel
