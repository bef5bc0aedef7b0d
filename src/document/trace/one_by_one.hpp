// one_by_one.hpp - graphs that a recording gives node by node, and the program alone doesn't.
//
// Drivers that tell no times within a graph are given its nodes one by one while it is recorded.
// Who records it leaves a note; who looks at the times must know, since the time between such nodes
// is recording's.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "reel/trace.hpp"

namespace reel {

inline constexpr std::string_view one_by_one_kind = "nodes_one_by_one";
inline constexpr std::string_view one_by_one_begin = "Graph ";

// `lowering`: how the device is given the graph otherwise.
inline std::string one_by_one_text(std::uint32_t graph, std::string_view name,
                                   std::string_view lowering) {
  return fmt::format(
      "{}{}{} is given node by node while it is recorded, since the driver tells no times within "
      "it; "
      "without a capture: {}.",
      one_by_one_begin, graph, name.empty() ? "" : fmt::format(" '{}'", name), lowering);
}

// By their numbers in the document.
inline std::set<std::uint32_t> graphs_given_one_by_one(const Trace& trace) {
  std::set<std::uint32_t> graphs;
  for (const TraceNote& note : trace.notes()) {
    if (note.kind != one_by_one_kind || !note.text.starts_with(one_by_one_begin)) continue;
    const char* number = note.text.data() + one_by_one_begin.size();
    std::uint32_t graph = 0;
    if (std::from_chars(number, note.text.data() + note.text.size(), graph).ec == std::errc())
      graphs.insert(graph);
  }
  return graphs;
}

}  // namespace reel
