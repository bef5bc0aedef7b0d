#include "reel/scope_tree.hpp"

#include <algorithm>
#include <map>

#include "analysis/time/device_work.hpp"
#include "graph/json_writer.hpp"
#include "reel/analysis.hpp"
#include "reel/decision_tree.hpp"

namespace reel::analysis {
namespace {

// A scope nests by its slashes; deeper than this is no label but an attack on the stack.
constexpr std::size_t deepest = 64;

struct Sum {
  std::uint64_t commands = 0, timed = 0, run_ns = 0;
  std::uint32_t first = no_index;

  void add(const Sum& other) {
    commands += other.commands;
    timed += other.timed;
    run_ns += other.run_ns;
    first = std::min(first, other.first);
  }
};

// Finds children by name while the tree grows.
struct Branch {
  Sum sum;
  std::map<std::string, Branch, std::less<>> below;

  void add(std::string_view scope, const Sum& part) {
    Branch* at = this;
    at->sum.add(part);
    for (std::size_t depth = 1; !scope.empty() && depth <= deepest; ++depth) {
      const std::size_t end =
          depth == deepest ? scope.size() : std::min(scope.find('/'), scope.size());
      at = &at->below.try_emplace(std::string(scope.substr(0, end))).first->second;
      at->sum.add(part);
      scope.remove_prefix(std::min(end + 1, scope.size()));
    }
  }

  ScopeNode node(std::string name) const {
    ScopeNode node{std::move(name), sum.commands, sum.timed, sum.run_ns, sum.first, {}};
    for (const auto& [child, branch] : below) node.below.push_back(branch.node(child));
    std::ranges::stable_sort(node.below, {}, &ScopeNode::first);
    return node;
  }
};

void write_time(JsonWriter& json, const ScopeNode& node) {
  json.key("run_ns");
  node.timed ? json.value(node.run_ns) : json.null();
}

void write_below(JsonWriter& json, const ScopeNode& node) {
  json.array("scopes", node.below, [&](const ScopeNode& child) {
    json.object([&] {
      json.member("name", child.name);
      json.member("commands", child.commands);
      write_time(json, child);
      write_below(json, child);
    });
  });
}

void write_below(JsonWriter& json, const DecisionNode& node) {
  json.array("decisions", node.below, [&](const DecisionNode& child) {
    json.object([&] {
      json.member("title", child.title);
      json.member("times", child.times);
      json.member("commands", child.commands);
      json.key("run_ns");
      child.timed ? json.value(child.run_ns) : json.null();
      write_below(json, child);
    });
  });
}

}  // namespace

ScopeNode find_scopes(const Trace& trace) {
  // Once for each scope, however many commands are in it.
  std::vector<Sum> works(trace.works().size());
  const std::vector<std::uint64_t> run_ns = own_run_ns(trace);
  for (std::uint32_t i = 0; i < trace.commands().size(); ++i) {
    const TraceCommand& command = trace.commands()[i];
    const bool has_time =
        command.has_run_times() && takes_device_time(trace, trace.works()[command.work], run_ns[i]);
    works[command.work].add({1, has_time, has_time ? run_ns[i] : 0, i});
  }
  std::map<std::uint32_t, Sum> scopes;
  for (std::size_t i = 0; i < works.size(); ++i)
    if (works[i].commands > 0) scopes[trace.works()[i].scope].add(works[i]);
  Branch root;
  for (const auto& [scope, sum] : scopes) root.add(trace.text(scope), sum);
  return root.node("");
}

std::string scopes_json(const Trace& trace, const ScopeNode& root) {
  JsonWriter json;
  json.object([&] {
    json.member("schema_version", 1);
    json.member("document", trace.path());
    json.member("complete", trace.is_complete());
    json.member("commands", root.commands);
    write_time(json, root);
    write_below(json, root);
    write_below(json, find_decisions(trace));
  });
  return std::move(json).take();
}

}  // namespace reel::analysis
