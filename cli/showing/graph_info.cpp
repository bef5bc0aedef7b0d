#include "cli/showing/graph_info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
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
  std::map<std::string, std::size_t> nodes;  // of the graph itself, by kind
  std::size_t total = 0;
  std::size_t nested = 0;  // of its child graphs and branches, each counted once
  std::uint64_t written_bytes = 0;
};

Counts counts_of(const Trace& trace) {
  // By launch: the decision that it stands for. Its first row says what is decided, the others
  // launch the branches; none of these is a node.
  std::map<std::uint32_t, std::string> decisions;
  for (const TraceCommand& command : trace.commands())
    if (const TraceWork& work = trace.work_of(command);
        work.kind == WorkKind::opaque && command.launch != no_index)
      decisions[command.launch] = trace.text(work.label);
  Counts counts;
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const TraceCommand& command = trace.commands()[c];
    if (command.launch != no_index) {
      counts.nested += !decisions.contains(command.launch);
      continue;
    }
    const WorkKind kind = trace.work_of(command).kind;
    const auto decision = decisions.find(c);
    ++counts.nodes[decision != decisions.end() ? decision->second
                   : kind == WorkKind::launch  ? "graph"
                                               : to_string(kind)];
    ++counts.total;
  }
  for (const TraceContents& contents : trace.contents())
    counts.written_bytes += contents.size_bytes;
  return counts;
}

std::string nodes_text(const Counts& counts) {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : counts.nodes) kinds.push_back(fmt::format("{} {}", count, kind));
  if (kinds.empty()) return "none";
  std::string text = fmt::format("{} ({})", counts.total, fmt::join(kinds, ", "));
  if (counts.nested) text += fmt::format("; {} more in child graphs and branches", counts.nested);
  return text;
}

std::string shortened(std::vector<std::string> items) {
  if (items.size() > most_shown + 1) {  // one that is left is as short as "and 1 more"
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
  json["nodes"] = {{"total", counts.total}, {"nested", counts.nested}};
  for (const auto& [kind, count] : counts.nodes) json["nodes"][kind] = count;
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
  fact_line("nodes", nodes_text(counts));
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
