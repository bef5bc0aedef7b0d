#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "graph/commands/describe.hpp"
#include "graph/commands/resource.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

bool same(const KernelSource& a, const KernelSource& b) {
  const auto text = [](const KernelSource& s) {
    return std::tie(s.name, s.opencl_c, s.glsl, s.spirv, s.opencl_binary, s.opencl_il,
                    s.opencl_parts, s.opencl_builtin, s.host.function, s.entry, s.options,
                    s.group_size, s.declared_layout, s.array_counts, s.subgroup_size,
                    s.full_subgroups);
  };
  const auto same_define = [](const Define& x, const Define& y) {
    return x.name == y.name && x.value == y.value;
  };
  const auto same_constant = [](const SpecConstant& x, const SpecConstant& y) {
    return x.id == y.id && x.value == y.value;
  };
  return text(a) == text(b) && std::ranges::equal(a.defines, b.defines, same_define) &&
         std::ranges::equal(a.constants, b.constants, same_constant);
}

bool same(const BufferRange& a, const BufferRange& b) {
  return a.buffer == b.buffer && a.offset_bytes == b.offset_bytes && a.size_bytes == b.size_bytes;
}

std::vector<Edge> sorted(std::span<const Edge> edges) {
  std::vector<Edge> list(edges.begin(), edges.end());
  std::ranges::sort(list, {}, [](const Edge& e) { return std::tuple(e.to, e.from, e.kind); });
  return list;
}

// "n0 → n1 (asked), n1 → n2 (stream), and 5 more"
std::string list_of(const std::vector<Edge>& edges) {
  // All of them where only one would be left.
  const std::size_t most_shown = edges.size() == 5 ? 5 : 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(edges.size(), most_shown); ++i)
    text += fmt::format("{}n{} → n{} ({})", i ? ", " : "", index_of(edges[i].from),
                        index_of(edges[i].to), to_string(edges[i].kind));
  if (edges.size() > most_shown) text += fmt::format(", and {} more", edges.size() - most_shown);
  return text.empty() ? "none" : text;
}

std::vector<Edge> only_in(const std::vector<Edge>& all, const std::vector<Edge>& without) {
  std::vector<Edge> result;
  std::ranges::set_difference(
      all, without, std::back_inserter(result), {},
      [](const Edge& e) { return std::tuple(e.to, e.from, e.kind); },
      [](const Edge& e) { return std::tuple(e.to, e.from, e.kind); });
  return result;
}

std::string_view kind_of(const Node& node) {
  if (node.decides()) return to_string(node.decision()->kind);
  return node.is_child() ? "graph" : kind_name(node.command.work);
}

// Says how two nodes of the same place differ.
class NodeDiff {
 public:
  NodeDiff(std::vector<GraphDifference>& out, NodeId id) : out_(out), id_(id) {}

  void compare(const Node& before, const Node& after) {
    if (kind_of(before) != kind_of(after)) {
      add("kind", std::string(kind_of(before)), std::string(kind_of(after)));
      return;  // nothing else can be compared
    }
    const Command &a = before.command, &b = after.command;
    if (a.label != b.label) add("label", std::string(a.label), std::string(b.label));
    if (a.scope != b.scope) add("scope", std::string(a.scope.path()), std::string(b.scope.path()));
    if (before.is_child()) {
      compare(*before.child(), *after.child());
      return;
    }
    if (before.decides()) {
      compare(*before.decision(), *after.decision());
      // One may ask a function where the other reads a buffer.
      if (a.work.index() != b.work.index()) {
        add("condition", condition_text(before), condition_text(after));
        return;
      }
    }
    std::visit(
        [&](const auto& work) {
          compare(work, std::get<std::remove_cvref_t<decltype(work)>>(b.work));
        },
        a.work);
  }

 private:
  void add(std::string field, std::string before, std::string after) {
    out_.push_back({id_, std::move(field), std::move(before), std::move(after)});
  }
  void compare(const char* field, const BufferRange& a, const BufferRange& b) {
    if (!same(a, b)) add(field, describe(a), describe(b));
  }

  void compare(const Graph& a, const Graph& b) {
    if (&a == &b) return;  // copies of a graph share their children
    for (GraphDifference& inner : Graph::diff(a, b)) {
      const std::string place = inner.node ? fmt::format("n{} ", index_of(*inner.node)) : "";
      add(fmt::format("graph {}{}", place, inner.field), inner.before, inner.after);
    }
  }
  static std::string condition_text(const Node& node) {
    const auto* read = std::get_if<Read>(&node.command.work);
    return read ? describe(read->source) : "a function";
  }
  void compare(const Decision& a, const Decision& b) {
    if (a.branches.size() != b.branches.size()) {
      add("branches", std::to_string(a.branches.size()), std::to_string(b.branches.size()));
      return;
    }
    if (a.count != b.count) add("count", std::to_string(a.count), std::to_string(b.count));
    if (a.limits != b.limits) {
      const auto text = [](const LoopLimits& limits) {
        return fmt::format("{} iterations, {} ms", limits.iterations, limits.time.count());
      };
      add("limits", text(a.limits), text(b.limits));
    }
    for (std::size_t i = 0; i < a.branches.size(); ++i) {
      if (a.branches[i] == b.branches[i]) continue;
      for (GraphDifference& inner : Graph::diff(*a.branches[i], *b.branches[i])) {
        const std::string place = inner.node ? fmt::format("n{} ", index_of(*inner.node)) : "";
        add(fmt::format("{} {}{}", branch_name(a, i), place, inner.field), inner.before,
            inner.after);
      }
    }
  }
  void compare(const Dispatch& a, const Dispatch& b) {
    const KernelSource &x = a.kernel->source, &y = b.kernel->source;
    if (a.kernel != b.kernel && !same(x, y))
      add("kernel", x.name, x.name == y.name ? y.name + " (of another source)" : y.name);
    if (a.groups != b.groups) add("groups", describe(a.groups), describe(b.groups));
    if (a.group_size != b.group_size)
      add("group_size", describe(a.group_size), describe(b.group_size));
    if (a.offset != b.offset) add("offset", describe(a.offset), describe(b.offset));
    if (a.items != b.items) add("items", describe(a.items), describe(b.items));
    compare("indirect", a.indirect, b.indirect);
    compare("predicate", a.predicate.word, b.predicate.word);
    if (a.predicate && b.predicate && a.predicate.kind() != b.predicate.kind())
      add("predicate", to_string(a.predicate.kind()), to_string(b.predicate.kind()));
    for (std::size_t i = 0; i < std::max(a.arguments.size(), b.arguments.size()); ++i) {
      const auto text = [&](const Dispatch& d) {
        return i < d.arguments.size() ? describe(d.arguments[i]) : "none";
      };
      const bool both = i < a.arguments.size() && i < b.arguments.size();
      if (!both || !(a.arguments[i] == b.arguments[i]))
        add(fmt::format("argument {}", i), text(a), text(b));
    }
  }
  void compare(const Copy& a, const Copy& b) {
    compare("source", a.source, b.source);
    compare("target", a.target, b.target);
  }
  void compare(const Fill& a, const Fill& b) {
    compare("target", a.target, b.target);
    const auto text = [](const Fill& f) {
      return hex(std::as_bytes(std::span(&f.pattern, 1)).first(f.pattern_bytes));
    };
    if (text(a) != text(b)) add("pattern", text(a), text(b));
  }
  void compare(const Write& a, const Write& b) {
    compare("target", a.target, b.target);
    if (std::ranges::equal(a.data, b.data)) return;
    if (a.data.size() != b.data.size()) {
      add("data", fmt::format("{} bytes", a.data.size()), fmt::format("{} bytes", b.data.size()));
      return;
    }
    const auto first =
        static_cast<std::size_t>(std::ranges::mismatch(a.data, b.data).in1 - a.data.begin());
    const auto text = [&](const Write& w) {
      return fmt::format("{} at byte {}", hex(w.data.subspan(first, 1)), first);
    };
    add("data", text(a), text(b));
  }
  void compare(const Read& a, const Read& b) { compare("source", a.source, b.source); }
  void compare(const HostCall&, const HostCall&) {}  // functions can't be compared
  void compare(const Barrier&, const Barrier&) {}

  std::vector<GraphDifference>& out_;
  NodeId id_;
};

}  // namespace

std::vector<GraphDifference> Graph::diff(const Graph& before, const Graph& after) {
  std::vector<GraphDifference> result;
  if (before.node_count() != after.node_count())
    result.push_back({{},
                      "node_count",
                      std::to_string(before.node_count()),
                      std::to_string(after.node_count())});
  const std::vector<Edge> a = sorted(before.edges_), b = sorted(after.edges_);
  if (a != b) result.push_back({{}, "edges", list_of(only_in(a, b)), list_of(only_in(b, a))});
  for (std::size_t i = 0; i < std::min(before.node_count(), after.node_count()); ++i)
    NodeDiff(result, static_cast<NodeId>(i)).compare(before.nodes_[i], after.nodes_[i]);
  return result;
}

bool operator==(const Graph& a, const Graph& b) { return Graph::diff(a, b).empty(); }

}  // namespace reel
