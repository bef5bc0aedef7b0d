#include "reel/stream.hpp"

#include "base/fail.hpp"
#include "runtime/callback.hpp"
#include "runtime/capture_session.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/event_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

StreamState& state_of(const Stream& stream, std::string_view operation) {
  if (!stream)
    fail(Code::invalid_argument, "The Stream given to {} is empty; make one with Device::stream().",
         operation);
  return *stream.state();
}

StreamId Stream::id() const { return state_of(*this, "id()").id; }
const std::string& Stream::label() const { return state_of(*this, "label()").label; }
Device Stream::device() const { return Device(state_of(*this, "device()").device); }

void Stream::dispatch(const Kernel& kernel, const Launch& launch,
                      std::span<const Argument> arguments) const {
  state_of(*this, "dispatch()").enqueue(dispatch_command(kernel, launch, arguments));
}

void Stream::dispatch_indirect(const Kernel& kernel, BufferRange groups, const Launch& launch,
                               std::span<const Argument> arguments) const {
  state_of(*this, "dispatch_indirect()")
      .enqueue(indirect_dispatch_command(kernel, groups, launch, arguments));
}

void Stream::copy(BufferRange target, BufferRange source, std::string_view label) const {
  state_of(*this, "copy()").enqueue({Copy{source, target}, label});
}

void Stream::fill_pattern(BufferRange target, std::uint32_t pattern, std::uint32_t pattern_bytes,
                          std::string_view label) const {
  state_of(*this, "fill()").enqueue({Fill{target, pattern, pattern_bytes}, label});
}

void Stream::write(BufferRange target, std::span<const std::byte> data,
                   std::string_view label) const {
  state_of(*this, "write()").enqueue({Write{target, data}, label});
}

void Stream::read(BufferRange source, std::span<std::byte> target, std::string_view label) const {
  state_of(*this, "read()").enqueue({Read{source, target}, label});
}

void Stream::read_now(BufferRange source, std::span<std::byte> target) const {
  StreamState& state = state_of(*this, "read_now()");
  refuse_wait_in_callback(state.device->info(), "read_now()");
  if (state.capture()) state.synchronize("read_now()");  // throws what a wait throws there
  state.enqueue({Read{source, target}});
  state.synchronize("read_now()");
}

void Stream::host_call(std::function<void()> function, std::string_view label) const {
  StreamState& state = state_of(*this, "host_call()");
  state.enqueue(
      {HostCall{std::make_shared<const std::function<void()>>(std::move(function))}, label});
}

void Stream::barrier() const { state_of(*this, "barrier()").enqueue({Barrier{}}); }

void Stream::record(const Event& event) const {
  state_of(*this, "record()").record(state_of(event, "Stream::record()"));
}

void Stream::wait(const Event& event) const {
  state_of(*this, "wait()").wait(state_of(event, "Stream::wait()"));
}

void Stream::flush() const { state_of(*this, "flush()").flush(); }
void Stream::synchronize() const { state_of(*this, "synchronize()").synchronize("synchronize()"); }
bool Stream::done() const { return state_of(*this, "done()").done(); }

ScopeGuard Stream::scope(std::string_view name) const {
  StreamState& state = state_of(*this, "scope()");
  const Scope before = state.enter(name);
  return ScopeGuard([keep = state_, before] { keep->leave_to(before); });
}

bool Stream::is_capturing() const { return state_of(*this, "is_capturing()").capture() != nullptr; }

}  // namespace reel
