// scopes.cpp - `reel scopes`: time by scope, and by decision, as a tree.
#include <fmt/format.h>

#include <algorithm>

#include "cli/showing/table.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/analysis.hpp"
#include "reel/decision_tree.hpp"
#include "reel/scope_tree.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

void add_rows(Table& table, const analysis::ScopeNode& node, std::uint64_t total_ns,
              std::size_t depth) {
  for (const analysis::ScopeNode& child : node.below) {
    table.add({std::string(2 * depth, ' ') + child.name, std::to_string(child.commands),
               child.timed ? time_text(child.run_ns) : "-", share_text(child.run_ns, total_ns)});
    add_rows(table, child, total_ns, depth + 1);
  }
}

void add_rows(Table& table, const analysis::DecisionNode& node, std::uint64_t total_ns,
              std::size_t depth) {
  for (const analysis::DecisionNode& child : node.below) {
    table.add({std::string(2 * depth, ' ') + child.title, std::to_string(child.times),
               std::to_string(child.commands), child.timed ? time_text(child.run_ns) : "-",
               child.timed ? share_text(child.run_ns, total_ns) : "-"});
    add_rows(table, child, total_ns, depth + 1);
  }
}

// What graphs that decide did.
bool print_decisions(const Trace& trace, bool is_first) {
  const analysis::DecisionNode root = analysis::find_decisions(trace);
  if (std::ranges::none_of(root.below, [](const auto& launch) { return !launch.below.empty(); }))
    return false;
  using enum Table::Align;
  Table table(
      {{"DECISION"}, {"TIMES", right}, {"COMMANDS", right}, {"RAN", right}, {"SHARE", right}});
  add_rows(table, root, std::max(analysis::find_activity(trace).sum_ns, root.run_ns), 0);
  fmt::print("{}{}", is_first ? "" : "\n", table.text());
  return true;
}

int run(const TraceOptions& options) {
  const Trace trace = open_trace(options);
  const analysis::ScopeNode root = analysis::find_scopes(trace);
  if (options.json) {
    print_json(Json::parse(analysis::scopes_json(trace, root)));
    return done;
  }
  if (root.below.empty()) {
    if (print_decisions(trace, true))
      print_next(options, {{"reel commands $", "what ran, one by one"}});
    else
      print_none(trace, "scopes", "No command of the document has a scope.");
    return done;
  }
  using enum Table::Align;
  Table table({{"SCOPE"}, {"COMMANDS", right}, {"RAN", right}, {"SHARE", right}});
  // Shares are of the sum, as those of kernels: what was only timed together is of no scope alone.
  const std::uint64_t sum_ns = std::max(analysis::find_activity(trace).sum_ns, root.run_ns);
  add_rows(table, root, sum_ns, 0);
  // What has no scope is a part of all, too.
  std::uint64_t commands = root.commands, run_ns = root.run_ns, timed = root.timed;
  for (const analysis::ScopeNode& below : root.below) {
    commands -= below.commands;
    run_ns -= below.run_ns;
    timed -= below.timed;
  }
  if (commands)
    table.add({"(none)", std::to_string(commands), timed ? time_text(run_ns) : "-",
               timed ? share_text(run_ns, sum_ns) : "-"});
  if (sum_ns > root.run_ns)
    table.add({"(timed together)", "", time_text(sum_ns - root.run_ns),
               share_text(sum_ns - root.run_ns, sum_ns)});
  table.add({"all", std::to_string(root.commands), sum_ns ? time_text(sum_ns) : "-",
             share_text(sum_ns, sum_ns)});
  fmt::print("{}", table.text());
  print_decisions(trace, false);
  print_next(options, {{"reel commands $ --scope '" + root.below[0].name + "'", "what ran in one"},
                       {"reel kernels $", "time by kernel"}});
  return done;
}

}  // namespace

void add_scopes(CommandLine& line) {
  add_trace_verb(line, "scopes", "Time by scope, and by decision of graphs, as a tree", run)
      .verb.footer("Example:\n  reel scopes pass.reel");
}

}  // namespace reel::cli
