// handles.hpp - what a public handle (Buffer, Kernel, Device, Stream, Event, …) holds, for the
// library itself.
//
// Public headers only befriend detail::Inside; that it can look inside is known here alone, so
// that a program can't reach, or depend on, what belongs to a backend or to the runtime.
#pragma once

#include <utility>

namespace reel {

namespace detail {
struct Inside {
  template <class Handle>
  static const auto& resource(const Handle& handle) noexcept {
    return handle.resource_;
  }
  template <class Handle>
  static const auto& state(const Handle& handle) noexcept {
    return handle.state_;
  }
  template <class Handle, class Held>
  static Handle handle(Held&& held) {
    return Handle(std::forward<Held>(held));
  }
};
}  // namespace detail

// Of a Buffer or a Kernel; null where the handle is empty.
template <class Handle>
const auto& resource_of(const Handle& handle) noexcept {
  return detail::Inside::resource(handle);
}
// Of a Device, a Stream or an Event; null where the handle is empty.
template <class Handle>
const auto& state_of(const Handle& handle) noexcept {
  return detail::Inside::state(handle);
}
template <class Handle, class Held>
Handle make_handle(Held&& held) {
  return detail::Inside::handle<Handle>(std::forward<Held>(held));
}

}  // namespace reel
