// scopes.cpp - `reel scopes`: time by scope, as a tree.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "reel/analysis.hpp"
#include "reel/units.hpp"
#include "table.hpp"
#include "trace_input.hpp"
#include "verbs.hpp"

namespace reel::cli {
namespace {

// With all that is below it.
struct Node {
  std::uint64_t commands = 0, run_ns = 0;
  std::uint64_t first = ~std::uint64_t{0};  // command, for the order of the tree
  std::map<std::string, std::unique_ptr<Node>> below;
};

// A scope nests by its slashes; deeper than this is no label but an attack on the stack.
constexpr std::size_t deepest = 64;

Node& node_of(Node& root, const std::string& scope, std::vector<Node*>& path) {
  path.assign(1, &root);
  std::size_t begin = 0;
  while (begin < scope.size() && path.size() <= deepest) {
    std::size_t end = scope.find('/', begin);
    if (end == std::string::npos || path.size() == deepest) end = scope.size();
    auto& child = path.back()->below[scope.substr(begin, end - begin)];
    if (!child) child = std::make_unique<Node>();
    path.push_back(child.get());
    begin = end + 1;
  }
  return *path.back();
}

Node tree_of(const Trace& trace) {
  Node root;
  // Once for each scope, however many commands are in it.
  struct Sum {
    std::uint64_t commands = 0, run_ns = 0, first = ~std::uint64_t{0};
  };
  std::map<std::uint32_t, Sum> sums;
  const std::vector<std::uint64_t> run_ns = own_run_ns(trace);
  for (std::size_t i = 0; i < trace.commands().size(); ++i) {
    const TraceCommand& command = trace.commands()[i];
    Sum& sum = sums[trace.work_of(command).scope];
    ++sum.commands;
    sum.run_ns += run_ns[i];
    sum.first = std::min<std::uint64_t>(sum.first, i);
  }
  std::vector<Node*> path;
  for (const auto& [scope, sum] : sums) {
    node_of(root, trace.text(scope), path);
    for (Node* node : path) {
      node->commands += sum.commands;
      node->run_ns += sum.run_ns;
      node->first = std::min(node->first, sum.first);
    }
  }
  return root;
}

std::vector<std::pair<std::string, const Node*>> in_order(const Node& node) {
  std::vector<std::pair<std::string, const Node*>> list;
  for (const auto& [name, child] : node.below) list.emplace_back(name, child.get());
  std::ranges::stable_sort(list, {}, [](const auto& entry) { return entry.second->first; });
  return list;
}

void add_rows(Table& table, const Node& node, std::uint64_t total_ns, std::size_t depth) {
  for (const auto& [name, child] : in_order(node)) {
    table.add({std::string(2 * depth, ' ') + name, std::to_string(child->commands),
               time_text(child->run_ns), share_text(child->run_ns, total_ns)});
    add_rows(table, *child, total_ns, depth + 1);
  }
}

Json to_json(const Node& node) {
  Json list = Json::array();
  for (const auto& [name, child] : in_order(node))
    list.push_back({{"name", name},
                    {"commands", child->commands},
                    {"run_ns", child->run_ns},
                    {"scopes", to_json(*child)}});
  return list;
}

int run(const TraceOptions& options) {
  const Trace trace = open_trace(options);
  const Node root = tree_of(trace);
  if (options.json) {
    Json json = json_of(trace);
    json["commands"] = root.commands;
    json["run_ns"] = root.run_ns;
    json["scopes"] = to_json(root);
    print_json(json);
    return done;
  }
  if (root.below.empty()) {
    fmt::print("No command of the document has a scope.\n");
    return done;
  }
  using enum Table::Align;
  Table table({{"SCOPE"}, {"COMMANDS", right}, {"RAN", right}, {"SHARE", right}});
  add_rows(table, root, root.run_ns, 0);
  table.add({"all", std::to_string(root.commands), time_text(root.run_ns),
             share_text(root.run_ns, root.run_ns)});
  fmt::print("{}", table.text());
  print_next(options,
             {{"reel commands $ --scope '" + in_order(root)[0].first + "/*'", "what ran in one"},
              {"reel kernels $", "time by kernel"}});
  return done;
}

}  // namespace

void add_scopes(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* verb = app.add_subcommand("scopes", "Time by scope, as a tree");
  add_trace_options(*verb, *options);
  verb->footer("Example:\n  reel scopes pass.reel");
  verb->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace reel::cli
