// access.hpp - which bytes a command reads and writes.
#pragma once

#include <variant>

#include "reel/command.hpp"

namespace reel {

// Calls visit(const BufferRange&, Access) for each range. Empty ranges are left out.
template <class F>
void for_each_access(const Work& work, F&& visit) {
  const auto touch = [&](const BufferRange& range, Access access) {
    if (range.buffer && range.size_bytes) visit(range, access);
  };
  std::visit(overloaded{
                 [&](const Dispatch& d) {
                   for (const Argument& a : d.arguments)
                     if (a.kind == ParameterKind::buffer) touch(a.range, a.access);
                   touch(d.indirect, Access::read);
                 },
                 [&](const Copy& c) {
                   touch(c.source, Access::read);
                   touch(c.target, Access::write);
                 },
                 [&](const Fill& f) { touch(f.target, Access::write); },
                 [&](const Write& w) { touch(w.target, Access::write); },
                 [&](const Read& r) { touch(r.source, Access::read); },
                 [](const HostCall&) {},
                 [](const Barrier&) {},
             },
             work);
}

// Host calls may do anything, and barriers are for everything: both are ordered against all.
inline bool orders_everything(const Work& work) noexcept {
  return std::holds_alternative<HostCall>(work) || std::holds_alternative<Barrier>(work);
}

}  // namespace reel
