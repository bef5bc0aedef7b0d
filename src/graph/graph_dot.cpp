#include <fmt/format.h>

#include <iterator>
#include <map>

#include "graph/commands/describe.hpp"
#include "graph/commands/resource.hpp"
#include "graph/commands/text.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

// Scopes as a tree; each becomes a frame around its nodes.
struct Frame {
  std::vector<NodeId> nodes;
  std::map<std::string, Frame, std::less<>> inner;
};

Frame& frame_of(Frame& root, std::string_view path) {
  Frame* frame = &root;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    frame = &frame->inner[std::string(path.substr(0, slash))];
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return *frame;
}

const char* colour_of(const Node& node) {
  if (node.is_child()) return "#e6e0f8";
  if (node.decides()) return "#fef3c7";
  return std::visit(overloaded{
                        [](const Dispatch&) { return "#dbeafe"; },
                        [](const Copy&) { return "#dcfce7"; },
                        [](const Fill&) { return "#ecfccb"; },
                        [](const Write&) { return "#ccfbf1"; },
                        [](const Read&) { return "#ccfbf1"; },
                        [](const HostCall&) { return "#ffedd5"; },
                        [](const Barrier&) { return "#e5e7eb"; },
                    },
                    node.command.work);
}

std::string grid_text(const Dim3& d) {
  if (d.z != 1) return fmt::format("{}×{}×{}", d.x, d.y, d.z);
  return d.y != 1 ? fmt::format("{}×{}", d.x, d.y) : std::to_string(d.x);
}

// What a node does, in a line; the rest is in the tooltip.
std::string work_text(const Node& node) {
  if (node.is_child()) return fmt::format("graph of {}", node.child()->node_count());
  const auto name = [](const BufferRange& r) {
    return r.buffer->label.empty() ? describe(*r.buffer) : r.buffer->label;
  };
  if (node.decides()) {
    const Decision& decision = *node.decision();
    if (const auto* read = std::get_if<Read>(&node.command.work))
      return fmt::format("{} {}", to_string(decision.kind), name(read->source));
    if (decision.predicate) return fmt::format("{} function", to_string(decision.kind));
    return fmt::format("repeat {}", decision.count);
  }
  return std::visit(
      overloaded{
          [&](const Dispatch& d) {
            const std::string groups =
                d.indirect.buffer ? "groups from " + name(d.indirect) : grid_text(d.groups);
            const std::string predicate =
                d.predicate ? fmt::format(" {} {}", d.predicate.is_inverted ? "unless" : "if",
                                          name(d.predicate.word))
                            : "";
            return fmt::format("{} {} of {}{}", d.kernel->source.name, groups,
                               grid_text(d.group_size), predicate);
          },
          [&](const Copy& c) {
            return fmt::format("copy {} → {}, {} bytes", name(c.source), name(c.target),
                               c.source.size_bytes);
          },
          [&](const Fill& f) {
            return fmt::format("fill {}, {} bytes", name(f.target), f.target.size_bytes);
          },
          [&](const Write& w) {
            return fmt::format("write {}, {} bytes", name(w.target), w.target.size_bytes);
          },
          [&](const Read& r) {
            return fmt::format("read {}, {} bytes", name(r.source), r.source.size_bytes);
          },
          [](const HostCall&) { return std::string("host call"); },
          [](const Barrier&) { return std::string("barrier"); },
      },
      node.command.work);
}

// ", 6 times", ", at most 12 rounds or 60000 ms": of a loop, what ends it beside its condition.
std::string how_often(const Decision& decision) {
  if (decision.kind == DecisionKind::repeat)
    return fmt::format(", {} time{}", decision.count, decision.count == 1 ? "" : "s");
  if (decision.kind != DecisionKind::while_loop) return {};
  const LoopLimits& limits = decision.limits;
  std::string text;
  if (limits.iterations)
    text =
        fmt::format(", at most {} round{}", limits.iterations, limits.iterations == 1 ? "" : "s");
  if (limits.time.count() > 0)
    text += fmt::format("{} {} ms", text.empty() ? ", at most" : " or", limits.time.count());
  return text.empty() ? ", without a limit" : text;
}

std::string tooltip_of(const Node& node) {
  std::string text;
  if (const auto* dispatch = std::get_if<Dispatch>(&node.command.work))
    for (const Argument& a : dispatch->arguments) text += (text.empty() ? "" : "\n") + describe(a);
  return text.empty() ? work_text(node) : text;
}

class Drawing {
 public:
  Drawing(const Graph& graph, std::string& out, std::size_t& clusters, std::string prefix = "n")
      : graph_(graph), out_(out), clusters_(clusters), prefix_(std::move(prefix)) {}

  void draw_all(std::size_t depth) {
    Frame root;
    for (std::size_t i = 0; i < graph_.node_count(); ++i)
      frame_of(root, graph_.nodes()[i].command.scope.path())
          .nodes.push_back(static_cast<NodeId>(i));
    draw(root, depth);
    draw_edges(depth);
  }

 private:
  template <class... A>
  void line(std::size_t depth, fmt::format_string<A...> format, A&&... values) {
    out_.append(2 * depth, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<A>(values)...);
    out_ += '\n';
  }

  void draw(const Frame& frame, std::size_t depth) {
    for (const NodeId id : frame.nodes) draw(id, depth);
    for (const auto& [name, inner] : frame.inner) {
      line(depth, "subgraph cluster_{} {{", clusters_++);
      line(depth + 1, "label={}; labeljust=l; style=rounded; color=\"#cbd5e1\";", dot_string(name));
      draw(inner, depth + 1);
      line(depth, "}}");
    }
  }

  void draw(NodeId id, std::size_t depth) {
    const Node& node = graph_.nodes()[index_of(id)];
    std::string text = fmt::format("n{}", index_of(id));
    if (!node.command.label.empty()) text += fmt::format("  {}", node.command.label);
    text += "\n" + work_text(node);
    line(depth, "{} [label={}, tooltip={}, fillcolor=\"{}\"{}];", name_of(id), dot_string(text),
         dot_string(tooltip_of(node)), colour_of(node),
         node.is_child()  ? ", shape=box3d"
         : node.decides() ? ", shape=diamond, style=filled"
                          : "");
    if (node.decides()) draw_branches(id, *node.decision(), depth);
  }

  // Each in a frame of its own, with a dotted line from the decision to what begins there.
  void draw_branches(NodeId id, const Decision& decision, std::size_t depth) {
    for (std::size_t i = 0; i < decision.branches.size(); ++i) {
      const Graph& branch = *decision.branches[i];
      const std::string name = branch_name(decision, i);
      const std::string prefix = fmt::format("{}b{}_n", name_of(id), i);
      line(depth, "subgraph cluster_{} {{", clusters_++);
      line(depth + 1, "label={}; labeljust=l; style=\"rounded,dashed\"; color=\"#d97706\";",
           dot_string(fmt::format("{} of n{}{}", name, index_of(id), how_often(decision))));
      Drawing(branch, out_, clusters_, prefix).draw_all(depth + 1);
      line(depth, "}}");
      for (const std::vector<NodeId>& level : branch.levels()) {
        for (const NodeId first : level)
          line(depth, "{} -> {}{} [style=dotted, color=\"#d97706\", label={}];", name_of(id),
               prefix, index_of(first), dot_string(name));
        break;
      }
    }
  }

  std::string name_of(NodeId id) const { return fmt::format("{}{}", prefix_, index_of(id)); }

  // What somebody asked for and what a stream did is drawn as it is; hazards only where nothing
  // else implies them: all of them would hide the picture.
  void draw_edges(std::size_t depth) {
    std::vector<Edge> edges(graph_.dependencies().begin(), graph_.dependencies().end());
    for (const Edge& e : graph_.reduced_edges())
      if (e.kind == EdgeKind::hazard) edges.push_back(e);
    for (const Edge& e : edges)
      line(depth, "{} -> {} [{}];", name_of(e.from), name_of(e.to), style_of(e.kind));
  }

  static const char* style_of(EdgeKind kind) {
    switch (kind) {
      case EdgeKind::asked:
        return "style=solid";
      case EdgeKind::stream:
        return "style=dashed";
      case EdgeKind::hazard:
        return "style=bold, color=\"#dc2626\"";
    }
    return "";
  }

  const Graph& graph_;
  std::string& out_;
  std::size_t& clusters_;
  const std::string prefix_;  // of the names of its nodes
};

}  // namespace

std::string Graph::to_dot() const {
  std::string out =
      "digraph reel {\n"
      "  rankdir=TB; nodesep=0.3; ranksep=0.4;\n"
      "  graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, fontcolor=\"#475569\"];\n"
      "  node [shape=box, style=\"filled,rounded\", color=\"#94a3b8\", fontsize=10, "
      "fontname=\"Helvetica,Arial,sans-serif\", margin=\"0.12,0.06\"];\n"
      "  edge [color=\"#475569\", arrowsize=0.7];\n";
  std::size_t clusters = 0;
  Drawing(*this, out, clusters).draw_all(1);
  return out + "}\n";
}

}  // namespace reel
