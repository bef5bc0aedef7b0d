// access.hpp - which bytes a command reads and writes.
#pragma once

#include <concepts>
#include <type_traits>
#include <variant>

#include "graph/commands/resource.hpp"
#include "reel/command.hpp"

namespace reel {

template <class T, class Kind>
concept maybe_const = std::same_as<std::remove_const_t<T>, Kind>;

// visit(range, Access) for each range of work that is no dispatch, in a fixed order; a range of a
// Work that isn't const may be changed.
template <maybe_const<Work> W, class F>
void for_each_transfer_range(W& work, F&& visit) {
  std::visit(overloaded{
                 [](const Dispatch&) {},
                 [&](maybe_const<Copy> auto& c) {
                   visit(c.source, Access::read);
                   visit(c.target, Access::write);
                 },
                 [&](maybe_const<Fill> auto& f) { visit(f.target, Access::write); },
                 [&](maybe_const<Write> auto& w) { visit(w.target, Access::write); },
                 [&](maybe_const<Read> auto& r) { visit(r.source, Access::read); },
                 [](const HostCall&) {},
                 [](const Barrier&) {},
             },
             work);
}

// visit(const BufferRange&, Access) for each range that names a buffer. Of an image that is made on
// a buffer: the buffer's.
template <class F>
void for_each_range(const Work& work, F&& visit) {
  const auto named = [&](const BufferRange& range, Access access) {
    if (range.buffer) visit(range, access);
  };
  if (const auto* dispatch = std::get_if<Dispatch>(&work)) {
    for (const Argument& a : dispatch->arguments) {
      if (a.kind == ArgumentKind::buffer) named(a.range, a.access);
      if (a.kind == ArgumentKind::image) named(stored_range(a.range), a.access);
    }
    named(dispatch->indirect, Access::read);
    named(dispatch->predicate.word, Access::read);
  } else {
    for_each_transfer_range(work, named);
  }
}

// The same without the empty ones.
template <class F>
void for_each_access(const Work& work, F&& visit) {
  for_each_range(work, [&](const BufferRange& range, Access access) {
    if (range.size_bytes) visit(range, access);
  });
}

// Host calls may do anything, and barriers are for everything: both are ordered against all.
inline bool orders_everything(const Work& work) noexcept {
  return std::holds_alternative<HostCall>(work) || std::holds_alternative<Barrier>(work);
}

}  // namespace reel
