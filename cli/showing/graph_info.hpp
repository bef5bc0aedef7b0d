// graph_info.hpp - what `reel info` says of a document that holds a graph.
#pragma once

#include "cli/trace_input.hpp"

namespace reel::cli {

bool holds_graph(const Trace& trace);
Json graph_json(const Trace& trace);
void print_graph(const Trace& trace, const TraceOptions& options);

}  // namespace reel::cli
