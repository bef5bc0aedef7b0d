// stream.hpp - an in-order line of commands to a device; Events order streams among each other.
//
// Calls return at once; the work is done when synchronize() or a later wait says so. Handles are
// cheap and shared. Any thread may call; calls on one stream from several threads are taken one
// at a time. Errors of work in flight are raised by the next call that waits. While a
// StreamCapture is active, calls become nodes of its graph in place of running.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reel/command.hpp"
#include "reel/device.hpp"

namespace reel {

class StreamState;
class EventState;

// A point in a stream. Recording it again moves it; waits refer to the latest record at the
// time of the wait. An event never recorded is done.
class Event {
 public:
  Event() = default;

  const std::string& label() const;  // as it was given
  bool done() const;                 // is it all done?
  void synchronize() const;          // waits
  // When the device reached it, on the device's clock; none before it is done, or where the
  // device can't stamp time.
  std::optional<std::uint64_t> time_ns() const;

  explicit operator bool() const noexcept { return state_ != nullptr; }

 private:
  friend struct detail::Inside;
  explicit Event(std::shared_ptr<EventState> state) : state_(std::move(state)) {}
  std::shared_ptr<EventState> state_;
};

// Between two events of one device, by its clock; negative where `end` was reached first. None
// before both are done, or where the device can't stamp time.
std::optional<std::int64_t> elapsed_ns(const Event& begin, const Event& end);

class Stream {
 public:
  Stream() = default;

  StreamId id() const;               // as documents name it
  const std::string& label() const;  // as it was given
  Device device() const;             // where it runs

  // --- commands --------------------------------------------------------------------------------
  template <ArgumentLike... A>
  void dispatch(const Kernel& kernel, const Launch& launch, const A&... arguments) const {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    dispatch(kernel, launch, std::span<const Argument>(list));
  }
  void dispatch(const Kernel& kernel, const Launch& launch,
                std::span<const Argument> arguments) const;
  // The grid comes from three uint32 in `groups` when the device gets there. None may be more than
  // info().max_groups has; 0 is no work. Where the host device finds more, the next call that waits
  // throws invalid_argument; other devices don't look.
  template <ArgumentLike... A>
  void dispatch_indirect(const Kernel& kernel, BufferRange groups, const Launch& launch,
                         const A&... arguments) const {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    dispatch_indirect(kernel, groups, launch, std::span<const Argument>(list));
  }
  void dispatch_indirect(const Kernel& kernel, BufferRange groups, const Launch& launch,
                         std::span<const Argument> arguments) const;
  // From range to range; they have the same size, and may not overlap.
  void copy(BufferRange target, BufferRange source, std::string_view label = {}) const;
  // `rows` rows of `width_bytes`; each is a copy of its own where rows have something between.
  void copy_2d(const Pitched& target, const Pitched& source, std::uint64_t width_bytes,
               std::uint64_t rows, std::string_view label = {}) const;
  // The bytes of the value (1, 2 or 4), repeated.
  template <FillValue T>
  void fill(BufferRange target, T value, std::string_view label = {}) const {
    fill(Fill::of(target, value), label);
  }
  void fill(const Fill& fill, std::string_view label = {}) const;
  // `data` may be reused as soon as this returns.
  void write(BufferRange target, std::span<const std::byte> data,
             std::string_view label = {}) const;
  // `target` is filled when the command is done; it must live until then.
  void read(BufferRange source, std::span<std::byte> target, std::string_view label = {}) const;
  template <HostValues R>
  void write(BufferRange target, const R& data, std::string_view label = {}) const {
    write(target, host_bytes(data), label);
  }
  template <HostTarget R>
  void read(BufferRange source, R&& target, std::string_view label = {}) const {
    read(source, host_target(target), label);
  }
  // The host wrote these bytes of a mapped buffer: commands given from now on may use them. What
  // records or captures the stream takes note of the bytes as of a write.
  void host_wrote(BufferRange range, std::string_view label = {}) const;
  // Read, and wait for it.
  void read_now(BufferRange source, std::span<std::byte> target) const;
  template <HostTarget R>
  void read_now(BufferRange source, R&& target) const {
    read_now(source, host_target(target));
  }
  template <class T>
  std::vector<T> read_now(BufferRange source) const {
    std::vector<T> result(source.size_bytes / sizeof(T));
    read_now(source, std::as_writable_bytes(std::span<T>(result)));
    return result;
  }
  // Runs on a thread of the library, after what came before and before what comes after. The
  // function may enqueue on any stream (on its own: after what is there), record events, allocate,
  // build and launch. It may not wait for its own device: synchronize(), read_now(), Buffer::read()
  // and write(), Event::synchronize(), finish() and the like throw `unsupported` there, since they
  // would wait for the function itself. Other devices may be waited for.
  void host_call(std::function<void()> function, std::string_view label = {}) const;
  void barrier() const;  // all before it, then the rest
  // Any command as a value. A dispatch without a group size gets its kernel's; a command without a
  // scope gets the stream's.
  void enqueue(const Command& command) const;

  // --- order -----------------------------------------------------------------------------------
  void record(const Event& event) const;
  void wait(const Event& event) const;  // before what follows
  void flush() const;                   // start what is enqueued, don't wait
  void synchronize() const;             // wait for it all
  bool done() const;                    // is it all done?

  // --- words -----------------------------------------------------------------------------------
  // Commands of this stream carry the scope until the guard is gone.
  ScopeGuard scope(std::string_view name) const;
  bool is_in_stream_capture() const;  // is it part of a StreamCapture?

  explicit operator bool() const noexcept { return state_ != nullptr; }

 private:
  friend struct detail::Inside;
  explicit Stream(std::shared_ptr<StreamState> state) : state_(std::move(state)) {}
  std::shared_ptr<StreamState> state_;
};

// From a buffer of one device to a buffer of another, or of the same: after what `from` was given
// so far, and before what `to` is given next. Goes through host memory, and waits for `from`.
void copy_between(const Stream& to, BufferRange target, const Stream& from, BufferRange source);

}  // namespace reel
