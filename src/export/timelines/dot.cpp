// dot.cpp - what depends on what, for Graphviz: commands in frames of their scopes.
#include <algorithm>
#include <map>

#include "base/fail.hpp"
#include "export/export_file.hpp"
#include "export/export_formats.hpp"
#include "export/timelines/slices.hpp"
#include "graph/commands/text.hpp"
#include "reel/units.hpp"

namespace reel {
namespace {

// Scopes as a tree; each becomes a frame around its commands.
struct Frame {
  std::vector<std::uint32_t> commands;
  std::map<std::string, Frame, std::less<>> inner;
};

// Graphviz draws frames by calling itself; nobody nests as deep as that would bear.
constexpr std::size_t most_depth = 64;

Frame& frame_of(Frame& root, std::string_view path) {
  Frame* frame = &root;
  for (std::size_t depth = 1; !path.empty(); ++depth) {
    const std::size_t slash = depth < most_depth ? path.find('/') : std::string_view::npos;
    frame = &frame->inner[std::string(path.substr(0, slash))];
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return *frame;
}

const char* colour_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::dispatch:
      return "#dbeafe";
    case WorkKind::copy:
      return "#dcfce7";
    case WorkKind::fill:
      return "#ecfccb";
    case WorkKind::write:
    case WorkKind::read:
      return "#ccfbf1";
    case WorkKind::host_call:
      return "#ffedd5";
    case WorkKind::launch:
      return "#e6e0f8";
    case WorkKind::opaque:
      return "#fce7f3";
    case WorkKind::barrier:
    case WorkKind::unknown:
      break;
  }
  return "#e5e7eb";
}

const char* style_of(analysis::DependencyKind kind) {
  switch (kind) {
    case analysis::DependencyKind::data:
      return "style=solid";
    case analysis::DependencyKind::order:
      return "style=dashed";
    case analysis::DependencyKind::missing:
      return R"(style=bold, color="#dc2626", fontcolor="#dc2626")";
    case analysis::DependencyKind::redundant:
      return R"(style=dotted, color="#94a3b8")";
  }
  return "";
}

class Drawing {
 public:
  Drawing(const Trace& trace, ExportFile& file, std::uint32_t count)
      : trace_(trace), file_(file), count_(count) {}

  // The number of dependencies that have an end outside.
  std::uint64_t draw(const analysis::Dependencies& dependencies) {
    file_.write(
        "digraph reel {\n"
        "  rankdir=TB; nodesep=0.3; ranksep=0.4;\n"
        "  graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, fontcolor=\"#475569\"];\n"
        "  node [shape=box, style=\"filled,rounded\", color=\"#94a3b8\", fontsize=10, "
        "fontname=\"Helvetica,Arial,sans-serif\", margin=\"0.12,0.06\"];\n"
        "  edge [color=\"#475569\", arrowsize=0.7, fontsize=9];\n");
    Frame root;
    for (std::uint32_t c = 0; c < count_; ++c)
      frame_of(root, trace_.text(trace_.work_of(trace_.commands()[c]).scope)).commands.push_back(c);
    draw(root, 1);
    std::uint64_t outside = 0;
    std::uint32_t sets = 0;  // those below are needed
    for (const analysis::Dependency& d : dependencies.edges) {
      if (d.to >= count_ || d.from >= count_) {
        ++outside;
        continue;
      }
      const std::string from =
          d.set == no_index ? fmt::format("c{}", d.from) : fmt::format("s{}", d.set);
      if (d.set != no_index) sets = std::max(sets, d.set + 1);
      line(1, "{} -> c{} [{}{}];", from, d.to, style_of(d.kind), through(d));
    }
    draw_sets(dependencies.sets, sets);
    if (count_ < trace_.commands().size())
      line(1, "rest [shape=plaintext, style=\"\", label={}];",
           dot_string(fmt::format("and {} more commands", trace_.commands().size() - count_)));
    file_.write("}\n");
    return outside;
  }

 private:
  template <class... A>
  void line(std::size_t depth, fmt::format_string<A...> format, A&&... values) {
    file_.write(std::string(2 * depth, ' ') + fmt::format(format, std::forward<A>(values)...) +
                "\n");
  }

  // A point for each set, where the arrows of its members meet. Sets are made in the order of
  // commands, so those of the commands that are drawn have members that are.
  void draw_sets(const std::vector<analysis::SetMember>& members, std::uint32_t count) {
    for (std::size_t i = 0; i < members.size() && members[i].set < count; ++i) {
      const analysis::SetMember& member = members[i];
      if (i == 0 || members[i - 1].set != member.set)
        line(1, "s{} [shape=point, width=0.08, tooltip=\"a set of commands\"];", member.set);
      if (member.inner == no_index)
        line(1, "c{} -> s{} [arrowhead=none];", member.command, member.set);
      else
        line(1, "s{} -> s{} [arrowhead=none];", member.inner, member.set);
    }
  }

  std::string through(const analysis::Dependency& d) const {
    if (d.buffer == no_index) return {};
    return fmt::format(
        ", tooltip={}{}",
        dot_string(fmt::format("{}, {} bytes", describe_buffer(trace_, d.buffer), d.bytes)),
        d.kind == analysis::DependencyKind::missing ? ", label=\"race\"" : "");
  }

  void draw(const Frame& frame, std::size_t depth) {
    for (const std::uint32_t c : frame.commands) draw(c, depth);
    for (const auto& [name, inner] : frame.inner) {
      line(depth, "subgraph cluster_{} {{", clusters_++);
      line(depth + 1, "label={}; labeljust=l; style=rounded; color=\"#cbd5e1\";", dot_string(name));
      draw(inner, depth + 1);
      line(depth, "}}");
    }
  }

  void draw(std::uint32_t c, std::size_t depth) {
    const TraceCommand& command = trace_.commands()[c];
    const TraceWork& work = trace_.work_of(command);
    std::string text = fmt::format("c{}  {}", c, slice_name(trace_, command));
    const std::string& label = trace_.text(work.label);
    if (work.kernel != no_index && !label.empty()) text += "\n" + label;
    if (command.has_run_times()) text += "\n" + time_text(command.run_ns());
    line(depth, "c{} [label={}, tooltip={}, fillcolor=\"{}\"];", c, dot_string(text),
         dot_string(describe_command(trace_, c)), colour_of(work.kind));
  }

  const Trace& trace_;
  ExportFile& file_;
  std::uint32_t count_;
  std::size_t clusters_ = 0;
};

}  // namespace

ExportReport export_dot(const Trace& trace, const std::string& path, const ExportOptions& how) {
  ExportFile file(trace, path, how);
  const auto all = static_cast<std::uint32_t>(trace.commands().size());
  const std::uint32_t count = std::min(all, how.most);
  const std::uint64_t outside =
      Drawing(trace, file, count).draw(analysis::find_dependencies(trace));
  ExportReport report;
  report.bytes = file.keep();
  report.files = {path};
  if (count < all)
    report.left_out.push_back(
        fmt::format("The first {} of {} commands are drawn; the others, and {} dependencies of "
                    "theirs, are left out.",
                    count, all, outside));
  return report;
}

}  // namespace reel
