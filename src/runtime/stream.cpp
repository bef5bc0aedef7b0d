#include "reel/stream.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "graph/commands/dispatch_command.hpp"
#include "graph/commands/resource.hpp"
#include "runtime/callback.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/event_state.hpp"
#include "runtime/graphs/capture_session.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

StreamState& state_of(const Stream& stream, std::string_view operation) {
  if (!stream)
    fail(Code::invalid_argument, "The Stream given to {} is empty; make one with Device::stream().",
         operation);
  return *state_of(stream);
}

StreamId Stream::id() const { return state_of(*this, "id()").id; }
const std::string& Stream::label() const { return state_of(*this, "label()").label; }
Device Stream::device() const { return make_handle<Device>(state_of(*this, "device()").device); }

void Stream::dispatch(const Kernel& kernel, const Launch& launch,
                      std::span<const Argument> arguments) const {
  if (state_) [[likely]]
    return state_->dispatch(kernel, launch, arguments);
  state_of(*this, "dispatch()");
}

void Stream::dispatch_indirect(const Kernel& kernel, BufferRange groups, const Launch& launch,
                               std::span<const Argument> arguments) const {
  state_of(*this, "dispatch_indirect()")
      .enqueue(indirect_dispatch_command(kernel, groups, launch, arguments));
}

void Stream::copy(BufferRange target, BufferRange source, std::string_view label) const {
  state_of(*this, "copy()").enqueue({Copy{target, source}, label});
}

void Stream::copy_2d(const Pitched& target, const Pitched& source, std::uint64_t width_bytes,
                     std::uint64_t rows, std::string_view label) const {
  StreamState& state = state_of(*this, "copy_2d()");
  for (const Copy& row : row_copies(target, source, width_bytes, rows)) state.enqueue({row, label});
}

void Stream::fill(const Fill& fill, std::string_view label) const {
  state_of(*this, "fill()").enqueue({fill, label});
}

void Stream::write(BufferRange target, std::span<const std::byte> data,
                   std::string_view label) const {
  state_of(*this, "write()").enqueue({Write{target, data}, label});
}

void Stream::host_wrote(BufferRange range, std::string_view label) const {
  StreamState& state = state_of(*this, "host_wrote()");
  if (!range.buffer || !range.buffer->mapped)
    fail(Code::invalid_argument,
         "host_wrote() is given {}, which is not mapped; make it by Device::host_visible_buffer().",
         range.buffer ? fmt::format("buffer '{}'", range.buffer->label) : "no buffer");
  // Whoever only runs commands finds the bytes where they are.
  if (!is_recorder_there() && !state.capture()) return;
  state.enqueue(
      {Write{range, {range.buffer->mapped + range.offset_bytes, range.size_bytes}}, label});
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

void Stream::enqueue(const Command& command) const {
  state_of(*this, "enqueue()").enqueue(with_group_size(command));
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

bool Stream::is_in_stream_capture() const {
  return state_of(*this, "is_in_stream_capture()").capture() != nullptr;
}

void copy_between(const Stream& to, BufferRange target, const Stream& from, BufferRange source) {
  state_of(to, "copy_between()");
  state_of(from, "copy_between()");
  if (target.size_bytes != source.size_bytes)
    fail(Code::invalid_argument,
         "copy_between() is given a target of {} bytes and a source of {}; the sizes must be "
         "equal.",
         target.size_bytes, source.size_bytes);
  // In pieces, so that a large copy needs little host memory.
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
  std::vector<std::byte> piece(std::min(source.size_bytes, most_bytes));
  for (std::uint64_t at = 0; at < source.size_bytes; at += piece.size()) {
    piece.resize(std::min(source.size_bytes - at, most_bytes));
    const auto part = [&](BufferRange range) {
      range.offset_bytes += at;
      range.size_bytes = piece.size();
      return range;
    };
    from.read_now(part(source), piece);
    to.write(part(target), piece);
  }
}

}  // namespace reel
