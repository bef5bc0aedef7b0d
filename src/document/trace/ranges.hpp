// ranges.hpp - the bytes that a recorded command touches.
#pragma once

#include "reel/arguments.hpp"
#include "reel/trace.hpp"

namespace reel {

// visit(const TraceArgument&, Access) for each range of a work that has bytes.
template <class F>
void for_each_range(const Trace& trace, const TraceWork& work, F&& visit) {
  for (const TraceArgument& argument : trace.arguments(work)) {
    if (argument.has_range() && argument.buffer != no_index && argument.size_bytes)
      visit(argument, is_read_beside(argument.kind) ? Access::read : argument.access);
  }
}

// What a work is given, in bytes: what it may read and what it may write, each once.
inline std::uint64_t given_bytes(const Trace& trace, const TraceWork& work) {
  std::uint64_t bytes = 0;
  for_each_range(trace, work, [&](const TraceArgument& range, Access access) {
    bytes += range.size_bytes * (access == Access::read_write ? 2 : 1);
  });
  return bytes;
}

}  // namespace reel
