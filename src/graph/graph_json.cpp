#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>

#include "graph/commands/describe.hpp"
#include "graph/commands/resource.hpp"
#include "graph/commands/text.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

// Puts commas where they belong: between what is written, not before the first.
class Fields {
 public:
  explicit Fields(std::string& out) : out_(out) { out_ += '{'; }
  ~Fields() { out_ += '}'; }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  // Returns where the value goes.
  std::string& key(const char* name) {
    if (!first_) out_ += ',';
    first_ = false;
    fmt::format_to(std::back_inserter(out_), "\"{}\":", name);
    return out_;
  }
  void text(const char* name, std::string_view value) { key(name) += json_string(value); }
  void number(const char* name, std::uint64_t value) { key(name) += std::to_string(value); }
  void raw(const char* name, std::string_view value) { key(name) += value; }

 private:
  std::string& out_;
  bool first_ = true;
};

template <class List, class F>
void write_list(std::string& out, const List& list, F&& write_one) {
  out += '[';
  bool first = true;
  for (const auto& item : list) {
    if (!first) out += ',';
    first = false;
    write_one(item);
  }
  out += ']';
}

std::string size_text(const Dim3& d) { return fmt::format("[{},{},{}]", d.x, d.y, d.z); }

void write_range(std::string& out, const BufferRange& range) {
  Fields fields(out);
  fields.number("buffer", static_cast<std::uint32_t>(range.buffer->id));
  fields.text("label", range.buffer->label);
  fields.number("offset_bytes", range.offset_bytes);
  fields.number("size_bytes", range.size_bytes);
}

// Bytes don't tell their type; a number in each reading that fits is the most we can offer.
void write_value(Fields& fields, const Argument& a) {
  fields.number("size_bytes", a.value_bytes);
  fields.text("hex", hex(a.value()));
  if (a.value_bytes != 4) return;
  std::int32_t integer;
  float real;
  std::memcpy(&integer, a.bytes, sizeof integer);
  std::memcpy(&real, a.bytes, sizeof real);
  fields.raw("as_int", std::to_string(integer));
  // Small integers read as tiny denormal floats; nobody means those.
  if (real == 0 || std::isnormal(real)) fields.raw("as_float", fmt::format("{}", real));
}

void write_argument(std::string& out, const Argument& a) {
  Fields fields(out);
  fields.text("kind", to_string(a.kind));
  switch (a.kind) {
    case ArgumentKind::buffer:
    case ArgumentKind::image:
      fields.text("access", to_string(a.access));
      write_range(fields.key("range"), a.range);
      break;
    case ArgumentKind::value:
    case ArgumentKind::sampler:
      write_value(fields, a);
      break;
    case ArgumentKind::shared:
      fields.number("size_bytes", a.shared_bytes);
      break;
    case ArgumentKind::null:
    case ArgumentKind::indirect:
    case ArgumentKind::opaque:
    case ArgumentKind::run_if:
    case ArgumentKind::run_unless:
      break;
  }
}

void write_work(Fields& fields, const Work& work) {
  const auto range = [&](const char* name, const BufferRange& r) {
    write_range(fields.key(name), r);
  };
  std::visit(overloaded{
                 [&](const Dispatch& d) {
                   fields.text("kernel", d.kernel->source.name);
                   fields.raw("groups", size_text(d.groups));
                   fields.raw("group_size", size_text(d.group_size));
                   if (d.offset != unset_dim) fields.raw("offset", size_text(d.offset));
                   if (d.items != unset_dim) fields.raw("items", size_text(d.items));
                   if (d.indirect.buffer) range("indirect", d.indirect);
                   if (d.predicate) range(to_string(d.predicate.kind()), d.predicate.word);
                   std::string& out = fields.key("arguments");
                   write_list(out, d.arguments, [&](const Argument& a) { write_argument(out, a); });
                 },
                 [&](const Copy& c) {
                   range("source", c.source);
                   range("target", c.target);
                 },
                 [&](const Fill& f) {
                   range("target", f.target);
                   fields.number("pattern", f.pattern);
                   fields.number("pattern_bytes", f.pattern_bytes);
                 },
                 [&](const Write& w) { range("target", w.target); },
                 [&](const Read& r) { range("source", r.source); },
                 [](const HostCall&) {},
                 [](const Barrier&) {},
             },
             work);
}

void write_graph(std::string& out, const Graph& graph);

void write_decision(Fields& fields, const Node& node) {
  const Decision& decision = *node.decision();
  if (const auto* read = std::get_if<Read>(&node.command.work))
    write_range(fields.key("condition"), read->source);
  if (decision.predicate) fields.text("condition", "function");
  if (decision.kind == DecisionKind::repeat) fields.number("count", decision.count);
  if (decision.kind == DecisionKind::while_loop) {
    fields.number("most_iterations", decision.limits.iterations);
    fields.number("most_ms", static_cast<std::uint64_t>(decision.limits.time.count()));
  }
  std::string& out = fields.key("branches");
  write_list(out, decision.branches, [&](const auto& branch) { write_graph(out, *branch); });
}

void write_node(std::string& out, NodeId id, const Node& node) {
  Fields fields(out);
  fields.number("id", index_of(id));
  fields.text("kind", node.is_child()  ? "graph"
                      : node.decides() ? to_string(node.decision()->kind)
                                       : kind_name(node.command.work));
  fields.text("label", node.command.label);
  fields.text("scope", node.command.scope.path());
  if (node.is_child())
    write_graph(fields.key("graph"), *node.child());
  else if (node.decides())
    write_decision(fields, node);
  else
    write_work(fields, node.command.work);
}

void write_graph(std::string& out, const Graph& graph) {
  Fields fields(out);
  fields.key("nodes");
  std::uint32_t id = 0;
  write_list(out, graph.nodes(),
             [&](const Node& node) { write_node(out, static_cast<NodeId>(id++), node); });
  fields.key("edges");
  write_list(out, graph.edges(), [&](const Edge& e) {
    fmt::format_to(std::back_inserter(out), R"({{"from":{},"to":{},"kind":"{}"}})",
                   index_of(e.from), index_of(e.to), to_string(e.kind));
  });
  fields.key("levels");
  write_list(out, graph.levels(), [&](const std::vector<NodeId>& level) {
    write_list(out, level, [&](NodeId node) { out += std::to_string(index_of(node)); });
  });
}

}  // namespace

std::string Graph::to_json() const {
  std::string out;
  write_graph(out, *this);
  return out;
}

}  // namespace reel
