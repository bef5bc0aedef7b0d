#include "cli/showing/graph_info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <reel/error.hpp>
#include <reel/graph.hpp>

#include "cli/showing/terminal.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

// As much as goes on one screen.
constexpr std::size_t most_shown = 12;

struct Loaded {
  std::optional<Graph> graph;
  std::string problem;  // why there is none
};

Loaded load(const Trace& trace) {
  try {
    return {Graph::load(trace.path()), {}};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

struct Counts {
  std::array<std::size_t, static_cast<std::size_t>(WorkKind::unknown) + 1> nodes{};  // by kind
  std::uint64_t written_bytes = 0;
};

// Each child graph is in the document once, wherever it stands.
Counts counts_of(const Trace& trace) {
  Counts counts;
  for (const TraceCommand& command : trace.commands())
    ++counts.nodes[static_cast<std::size_t>(trace.work_of(command).kind)];
  for (const TraceContents& contents : trace.contents())
    counts.written_bytes += contents.size_bytes;
  return counts;
}

std::string kind_name(std::size_t kind) {
  const auto work = static_cast<WorkKind>(kind);
  if (work == WorkKind::opaque) return "decision";  // the first node of its graph
  return work == WorkKind::launch ? "graph" : to_string(work);
}

std::string nodes_text(const Trace& trace, const Counts& counts) {
  std::vector<std::string> kinds;
  for (std::size_t kind = 0; kind < counts.nodes.size(); ++kind)
    if (counts.nodes[kind])
      kinds.push_back(fmt::format("{} {}", counts.nodes[kind], kind_name(kind)));
  if (kinds.empty()) return "none";
  return fmt::format("{} ({})", trace.commands().size(), fmt::join(kinds, ", "));
}

std::string shortened(std::vector<std::string> items) {
  if (items.size() > most_shown) {
    const std::string rest = fmt::format("and {} more", items.size() - most_shown);
    items.resize(most_shown);
    items.push_back(rest);
  }
  return items.empty() ? "none" : fmt::format("{}", fmt::join(items, ", "));
}

std::string buffers_text(const std::vector<GraphBuffer>& buffers, bool GraphBuffer::*wanted) {
  std::vector<std::string> items;
  for (const GraphBuffer& buffer : buffers)
    if (buffer.*wanted)
      items.push_back(fmt::format("{} ({})", buffer.name, size_text(buffer.size_bytes)));
  return shortened(std::move(items));
}

std::string kernels_text(const Trace& trace) {
  std::vector<std::string> items;
  for (const TraceKernel& kernel : trace.kernels()) {
    std::vector<std::string> forms;
    for (const TraceVariant& variant : kernel.variants) forms.push_back(to_string(variant.form));
    items.push_back(fmt::format("{} ({})", kernel.name, fmt::join(forms, ", ")));
  }
  return shortened(std::move(items));
}

std::string fact(const Trace& trace, const char* key) {
  const auto found = trace.facts().find(key);
  return found == trace.facts().end() ? std::string() : found->second;
}

void fact_line(const char* what, const std::string& value) {
  if (!value.empty()) fmt::print("{}{}\n", dim(fmt::format("{:<12}", what)), printable(value));
}

}  // namespace

bool holds_graph(const Trace& trace) { return fact(trace, "kind") == "graph"; }

Json graph_json(const Trace& trace) {
  const Loaded loaded = load(trace);
  const Counts counts = counts_of(trace);
  Json json = {{"dependencies", trace.edges().size()}, {"written_bytes", counts.written_bytes}};
  json["nodes"] = {{"total", trace.commands().size()}};
  for (std::size_t kind = 0; kind < counts.nodes.size(); ++kind)
    if (counts.nodes[kind]) json["nodes"][kind_name(kind)] = counts.nodes[kind];
  json["kernels"] = Json::array();
  for (const TraceKernel& kernel : trace.kernels()) {
    Json forms = Json::array();
    for (const TraceVariant& variant : kernel.variants) forms.push_back(to_string(variant.form));
    json["kernels"].push_back({{"name", kernel.name}, {"forms", forms}});
  }
  json["problem"] = loaded.graph ? Json() : Json(loaded.problem);
  if (!loaded.graph) return json;
  json["buffers"] = Json::array();
  for (const GraphBuffer& buffer : loaded.graph->buffers())
    json["buffers"].push_back({{"name", buffer.name},
                               {"size_bytes", buffer.size_bytes},
                               {"is_input", buffer.is_input},
                               {"is_output", buffer.is_output}});
  return json;
}

void print_graph(const Trace& trace, const TraceOptions& options) {
  const Loaded loaded = load(trace);
  const Counts counts = counts_of(trace);
  fmt::print("{}  a graph, {}, {}\n", bold(printable(options.path)), size_text(trace.file_bytes()),
             trace.is_complete() ? "complete" : "incomplete");
  fact_line("program", fact(trace, "program"));
  fact_line("saved", fact(trace, "started"));
  fact_line("nodes", nodes_text(trace, counts));
  const std::size_t edges = trace.edges().size();
  fact_line("order", edges == 1 ? "1 dependency" : fmt::format("{} dependencies", edges));
  fact_line("kernels", kernels_text(trace));
  if (loaded.graph) {
    const std::vector<GraphBuffer> buffers = loaded.graph->buffers();
    fact_line("inputs", buffers_text(buffers, &GraphBuffer::is_input));
    fact_line("outputs", buffers_text(buffers, &GraphBuffer::is_output));
  }
  if (counts.written_bytes) fact_line("writes", size_text(counts.written_bytes));
  if (!loaded.graph) fact_line("problem", loaded.problem);
  for (const std::string& problem : trace.problems()) fact_line("problem", problem);
  print_next(options, {{"reel commands $", "its nodes, one by one"},
                       {"reel buffers $", "the memory it needs"}});
}

}  // namespace reel::cli
