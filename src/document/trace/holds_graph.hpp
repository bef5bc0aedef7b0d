// holds_graph.hpp - is a document a saved graph, and no capture?
#pragma once

#include "reel/trace.hpp"

namespace reel {

inline bool holds_graph(const Trace& trace) {
  const auto kind = trace.facts().find("kind");
  return kind != trace.facts().end() && kind->second == "graph";
}

}  // namespace reel
