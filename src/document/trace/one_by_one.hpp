// one_by_one.hpp - graphs that a recording gives in pieces, and the program alone doesn't.
//
// Drivers that tell no times within a graph are given its nodes one by one while it is recorded,
// and a graph that decides is given part by part. Who records it leaves a note; who looks at the
// times must know, since the time between the pieces is recording's.
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
inline constexpr std::string_view in_parts_kind = "launched_in_parts";
// A decision that ended its launch: a while at its limit, a switch without such a branch.
inline constexpr std::string_view decision_failed_kind = "decision_failed";
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

inline std::string in_parts_text(std::uint32_t graph, std::string_view name,
                                 std::string_view lowering) {
  return fmt::format(
      "{}{}{} decides, and is given in parts while it is recorded, which waits for each decision; "
      "without a capture: {}.",
      one_by_one_begin, graph, name.empty() ? "" : fmt::format(" '{}'", name), lowering);
}

// By their numbers in the document: those that have a note of this kind.
inline std::set<std::uint32_t> graphs_noted(const Trace& trace, std::string_view kind) {
  std::set<std::uint32_t> graphs;
  for (const TraceNote& note : trace.notes()) {
    if (note.kind != kind || !note.text.starts_with(one_by_one_begin)) continue;
    const char* number = note.text.data() + one_by_one_begin.size();
    std::uint32_t graph = 0;
    if (std::from_chars(number, note.text.data() + note.text.size(), graph).ec == std::errc())
      graphs.insert(graph);
  }
  return graphs;
}
inline std::set<std::uint32_t> graphs_given_one_by_one(const Trace& trace) {
  return graphs_noted(trace, one_by_one_kind);
}

}  // namespace reel
