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
  explicit Event(std::shared_ptr<EventState> state) : state_(std::move(state)) {}

  const std::string& label() const;
  bool done() const;
  void synchronize() const;
  // When the device reached it, on the device's clock; none before it is done, or where the
  // device can't stamp time.
  std::optional<std::uint64_t> time_ns() const;

  explicit operator bool() const noexcept { return state_ != nullptr; }
  const std::shared_ptr<EventState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<EventState> state_;
};

class Stream {
 public:
  Stream() = default;
  explicit Stream(std::shared_ptr<StreamState> state) : state_(std::move(state)) {}

  StreamId id() const;
  const std::string& label() const;
  Device device() const;

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
  void copy(BufferRange target, BufferRange source, std::string_view label = {}) const;
  // The pattern is T's bytes (1, 2 or 4), repeated.
  template <class T>
  void fill(BufferRange target, T value, std::string_view label = {}) const {
    static_assert(std::is_trivially_copyable_v<T> &&
                  (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4));
    std::uint32_t pattern = 0;
    std::memcpy(&pattern, &value, sizeof(T));
    fill_pattern(target, pattern, sizeof(T), label);
  }
  void fill_pattern(BufferRange target, std::uint32_t pattern, std::uint32_t pattern_bytes,
                    std::string_view label = {}) const;
  // `data` may be reused as soon as this returns.
  void write(BufferRange target, std::span<const std::byte> data,
             std::string_view label = {}) const;
  // `target` is filled when the command is done; it must live until then.
  void read(BufferRange source, std::span<std::byte> target, std::string_view label = {}) const;
  template <class T>
  void write(BufferRange target, const std::vector<T>& data, std::string_view label = {}) const {
    write(target, std::as_bytes(std::span<const T>(data)), label);
  }
  template <class T>
  void read(BufferRange source, std::vector<T>& target, std::string_view label = {}) const {
    read(source, std::as_writable_bytes(std::span<T>(target)), label);
  }
  // Read, and wait for it.
  void read_now(BufferRange source, std::span<std::byte> target) const;
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
  void barrier() const;

  // --- order -----------------------------------------------------------------------------------
  void record(const Event& event) const;
  void wait(const Event& event) const;
  void flush() const;        // start what is enqueued, don't wait
  void synchronize() const;  // wait for it all
  bool done() const;         // is it all done?

  // --- words -----------------------------------------------------------------------------------
  // Commands of this stream carry the scope until the guard is gone.
  ScopeGuard scope(std::string_view name) const;
  bool is_capturing() const;

  explicit operator bool() const noexcept { return state_ != nullptr; }
  const std::shared_ptr<StreamState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<StreamState> state_;
};

}  // namespace reel
