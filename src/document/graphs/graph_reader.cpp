// Graph::load: from a checked Trace to a Graph. A Trace leaves out what is wrong and goes on; a
// graph with something left out would do something else, so here everything must fit.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/os/descriptors.hpp"
#include "document/columns/work_codec.hpp"
#include "document/graphs/graph_file.hpp"
#include "document/trace/kernel_source.hpp"
#include "graph/commands/resource.hpp"
#include "graph/temporaries.hpp"
#include "reel/arguments.hpp"
#include "reel/graph.hpp"
#include "reel/trace.hpp"

namespace reel {
namespace {

using namespace document;

class GraphReader final : Resolver {
 public:
  explicit GraphReader(const Trace& trace) : trace_(trace) {}

  Graph read() {
    find_parts();
    if (const std::string excess = extent_of(0, 1).excess(); !excess.empty()) damaged("{}", excess);
    read_buffers();
    read_kernels();
    return graph(0);
  }

 private:
  // The commands of a graph by node; the graph itself is number 0.
  struct Part {
    std::uint32_t launch = no_index;  // the command that its nodes name
    std::vector<std::uint32_t> commands;
    std::vector<Edge> edges;
    GraphExtent extent;
    enum class State { unknown, begun, known } state = State::unknown;
  };

  template <class... A>
  [[noreturn]] void damaged(fmt::format_string<A...> sentence, A&&... values) const {
    fail(Code::damaged_document, "'{}' holds no sound graph. {}", trace_.path(),
         fmt::format(sentence, std::forward<A>(values)...));
  }

  const TraceWork& work(std::uint32_t command) const {
    return trace_.work_of(trace_.commands()[command]);
  }

  void find_parts() {
    parts_[0];
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      if (work(c).kind != WorkKind::launch) continue;
      if (work(c).graph == 0) damaged("Node {} is the graph that it is in.", command_name(c));
      parts_[work(c).graph];
    }
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      const TraceCommand& command = trace_.commands()[c];
      const bool is_top = command.launch == no_index;
      const std::uint32_t number = is_top ? 0 : work(command.launch).graph;
      Part& part = parts_[number];
      if (part.commands.empty()) part.launch = command.launch;
      if (part.launch != command.launch)
        damaged("Graph {} has nodes by {} and by {}.", number, command_name(part.launch),
                command_name(command.launch));
      // Nodes stand in the order of their numbers.
      if (!is_top && command.node != part.commands.size())
        damaged("Node {} of graph {} stands where {} belongs.", command.node, number,
                part.commands.size());
      part.commands.push_back(c);
    }
    for (const TraceEdge& edge : trace_.edges()) {
      const auto part = parts_.find(edge.graph);
      if (part == parts_.end()) damaged("An edge is of graph {}, which isn't there.", edge.graph);
      part->second.edges.push_back(
          {NodeId{edge.from}, NodeId{edge.to}, static_cast<EdgeKind>(edge.kind)});
    }
    // As they come when each node is added with what it comes after.
    for (auto& [number, part] : parts_)
      std::ranges::sort(part.edges, {}, [](const Edge& e) { return std::pair(e.to, e.from); });
  }

  // `depth` ends a descent that the extent would only tell afterwards.
  const GraphExtent& extent_of(std::uint32_t number, std::size_t depth) {
    Part& part = parts_.at(number);
    if (part.state == Part::State::known) return part.extent;
    if (part.state == Part::State::begun) damaged("Graph {} is a part of itself.", number);
    if (depth > GraphExtent::most_nested)
      damaged("Graphs are nested more than {} deep.", GraphExtent::most_nested);
    part.state = Part::State::begun;
    for (const std::uint32_t c : part.commands) {
      const TraceWork& w = work(c);
      const auto arguments = trace_.arguments(w);
      const bool writes = w.kind == WorkKind::write && !arguments.empty();
      part.extent.add_node(writes ? arguments[0].size_bytes : 0);
      if (w.kind == WorkKind::launch) part.extent.add_child(extent_of(w.graph, depth + 1));
    }
    part.state = Part::State::known;
    return part.extent;
  }

  void read_buffers() {
    const std::set<std::uint32_t> temporaries = temporary_ids();
    for (const TraceBuffer& row : trace_.buffers()) {
      if (row.size_bytes == 0) damaged("Buffer '{}' has no bytes.", row.label);
      std::shared_ptr<BufferResource> buffer;
      if (temporaries.contains(static_cast<std::uint32_t>(row.id)))
        buffer = std::make_shared<TemporaryBuffer>();
      else
        buffer = std::make_shared<BufferResource>();
      buffer->id = row.id;
      buffer->label = row.label;
      buffer->size_bytes = row.size_bytes;
      buffers_.push_back(std::move(buffer));
    }
  }

  std::set<std::uint32_t> temporary_ids() const {
    std::set<std::uint32_t> ids;
    const auto list = trace_.end_facts().find(temporaries_key);
    if (list == trace_.end_facts().end()) return ids;
    const char* at = list->second.data();
    const char* const end = at + list->second.size();
    while (at != end) {
      std::uint32_t id = 0;
      const auto [stop, error] = std::from_chars(at, end, id);
      if (error != std::errc() || id >= trace_.buffers().size() || (stop != end && *stop != ','))
        damaged("Its list of temporaries, '{}', is not one of its buffers' ids.", list->second);
      ids.insert(id);
      at = stop == end ? end : stop + 1;
    }
    return ids;
  }

  void read_kernels() {
    for (const TraceKernel& row : trace_.kernels()) {
      auto kernel = std::make_shared<KernelResource>();
      kernel->id = row.id;
      kernel->source = source_of(row);
      kernel->group_size = row.group_size;
      // For those who look; `reflected` stays false, since what a device builds decides.
      kernel->parameters = row.parameters;
      kernel->parameters_by_kind = is_shader(row.built_form);
      kernels_.push_back(std::move(kernel));
    }
  }

  KernelSource source_of(const TraceKernel& row) const {
    for (const TraceVariant& variant : row.variants)
      if (variant.form != KernelForm::host && !(variant.blob && trace_.has_blob(*variant.blob)))
        damaged("The {} of kernel '{}' is not in the file.", to_string(variant.form), row.name);
    return kernel_source(trace_, row);
  }

  Graph graph(std::uint32_t number) {
    if (const auto known = graphs_.find(number); known != graphs_.end()) return known->second;
    const Part& part = parts_.at(number);
    Graph result;
    for (const std::uint32_t c : part.commands) {
      const TraceWork& w = work(c);
      const Command texts = load_texts(trace_, w);
      if (w.kind == WorkKind::launch && decides(parts_.at(w.graph)))
        add_decision(result, parts_.at(w.graph), {.label = texts.label, .scope = texts.scope});
      else if (w.kind == WorkKind::launch)
        result.add_child(graph(w.graph), {.label = texts.label, .scope = texts.scope});
      else
        result.add(command_of(c, w).command);
    }
    result.add_dependencies(part.edges);
    return graphs_.emplace(number, std::move(result)).first->second;
  }

  // A graph that begins with what is decided is no graph of its own.
  bool decides(const Part& part) const {
    return !part.commands.empty() && work(part.commands.front()).kind == WorkKind::opaque;
  }

  void add_decision(Graph& result, const Part& part, const NodeOptions& options) {
    const std::uint32_t first = part.commands.front();
    const auto arguments = trace_.arguments(work(first));
    Decision decision;
    decision.kind = decision_kind(first);
    std::array<std::uint64_t, 3> numbers{};
    const bool has_condition = decision.kind != DecisionKind::repeat;
    if (arguments.size() != numbers.size() + (has_condition ? 1 : 0))
      damaged("Decision {} has {} arguments.", command_name(first), arguments.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto bytes = trace_.value_bytes(arguments[i]);
      if (arguments[i].kind != ArgumentKind::value || bytes.size() != sizeof numbers[i])
        damaged("Argument {} of decision {} is not a number of 8 bytes.", i, command_name(first));
      std::memcpy(&numbers[i], bytes.data(), bytes.size());
    }
    if (has_condition && arguments.back().kind != ArgumentKind::buffer)
      damaged("Decision {} reads no buffer.", command_name(first));
    if (numbers[2] > std::uint64_t{1} << 52)
      damaged("The limit of decision {} is {} ms.", command_name(first), numbers[2]);
    decision.count = numbers[0];
    decision.limits = {numbers[1], std::chrono::milliseconds(numbers[2])};
    for (const std::uint32_t c : std::span(part.commands).subspan(1)) {
      if (work(c).kind != WorkKind::launch || decides(parts_.at(work(c).graph)))
        damaged("Node {} is not a branch of decision {}.", command_name(c), command_name(first));
      decision.branches.push_back(std::make_shared<const Graph>(graph(work(c).graph)));
    }
    result.add_decision(decision, has_condition ? range(arguments.back()) : BufferRange(), options);
  }

  DecisionKind decision_kind(std::uint32_t command) const {
    const std::string_view word = trace_.text(work(command).label);
    for (const DecisionKind kind : {DecisionKind::if_else, DecisionKind::while_loop,
                                    DecisionKind::switch_case, DecisionKind::repeat})
      if (word == to_string(kind)) return kind;
    damaged("Decision {} is of the kind '{}', which this version doesn't know.",
            command_name(command), word);
  }

  // Of what the file names.
  KernelResource* kernel(std::uint32_t index) override { return kernels_[index].get(); }
  BufferRange range(const TraceArgument& argument) override {
    BufferRange range;
    range.buffer = buffers_[argument.buffer].get();
    range.offset_bytes = argument.offset_bytes;
    range.size_bytes = argument.size_bytes;
    return range;
  }
  Argument memory(const TraceArgument& argument) override {
    return Bound{range(argument), argument.access};
  }

  // Ranges are as the Trace found them to fit the kind.
  KeptCommand command_of(std::uint32_t command, const TraceWork& w) {
    const auto arguments = trace_.arguments(w);
    const bool is_transfer =
        w.kind == WorkKind::copy || w.kind == WorkKind::fill || w.kind == WorkKind::write;
    if (is_transfer && arguments.size() != (w.kind == WorkKind::copy ? 2 : 1))
      damaged("Node {} has {} ranges; a {} of a saved graph has {}.", command_name(command),
              arguments.size(), to_string(w.kind), w.kind == WorkKind::copy ? 2 : 1);
    if (w.kind == WorkKind::dispatch) check_arguments(command, arguments);
    if (w.kind == WorkKind::write) {
      KeptCommand write(load_texts(trace_, w));
      write.replace(Write{range(arguments[0]), data_of(command, arguments[0])});
      return write;
    }
    std::vector<KeptCommand> commands = load(trace_, command, *this);
    if (commands.empty())
      damaged("Node {} is of the kind {}, which a saved graph doesn't have.", command_name(command),
              to_string(w.kind));
    return std::move(commands.front());
  }

  void check_arguments(std::uint32_t command, std::span<const TraceArgument> arguments) const {
    bool has_grid = false, has_predicate = false;
    for (const TraceArgument& a : arguments) {
      if (has_predicate)
        damaged("Dispatch {} has arguments after its predicate.", command_name(command));
      has_predicate = is_predicate(a.kind);
      if (has_grid && !has_predicate)
        damaged("Dispatch {} has arguments after the range of its grid.", command_name(command));
      has_grid = has_grid || a.kind == ArgumentKind::indirect;
      if (a.kind == ArgumentKind::sampler || a.kind == ArgumentKind::opaque)
        damaged("Dispatch {} has an argument of the kind {}, which a saved graph doesn't have.",
                command_name(command), to_string(a.kind));
      if (a.kind == ArgumentKind::value && a.size_bytes > max_outside_value_bytes)
        damaged("Dispatch {} has a value of {} bytes; allowed are {}.", command_name(command),
                a.size_bytes, max_outside_value_bytes);
    }
  }

  std::vector<std::byte> data_of(std::uint32_t command, const TraceArgument& target) const {
    if (target.size_bytes == 0) return {};
    // By command, those of none first: one more than none is 0.
    const auto is_before = [&](const TraceContents& c) { return c.command + 1 < command + 1; };
    const auto& contents = trace_.contents();
    for (auto row = std::partition_point(contents.begin(), contents.end(), is_before);
         row != contents.end() && row->command == command; ++row) {
      if (row->role != ContentRole::written || row->buffer != target.buffer ||
          row->offset_bytes != target.offset_bytes || row->size_bytes != target.size_bytes)
        continue;
      if (auto bytes = trace_.bytes(*row)) return std::move(*bytes);
    }
    damaged("The {} bytes that {} writes are not in the file, or damaged.", target.size_bytes,
            command_name(command));
  }

  const Trace& trace_;
  std::unordered_map<std::uint32_t, Part> parts_;
  std::unordered_map<std::uint32_t, Graph> graphs_;
  std::vector<std::shared_ptr<BufferResource>> buffers_;
  std::vector<std::shared_ptr<KernelResource>> kernels_;
};

}  // namespace

namespace {

// Bytes as a file without a name, since a Trace reads files.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes) : file_(os::make_scratch_file("graph")) {
    while (file_.descriptor >= 0 && !bytes.empty()) {
      const ssize_t written = ::write(file_.descriptor, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    if (file_.descriptor >= 0 && bytes.empty()) return;
    const int reason = errno;
    drop();
    fail(Code::io_failed,
         "A graph can't be loaded from memory: the system has no room for a file "
         "of it ({}).",
         std::strerror(reason));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { drop(); }
  const std::string& path() const noexcept { return file_.path; }

 private:
  void drop() const noexcept {
    if (file_.descriptor >= 0) ::close(file_.descriptor);
    if (file_.is_in_folder) ::unlink(file_.path.c_str());
  }

  const os::ScratchFile file_;
};

Graph graph_of(const Trace& trace, const std::string& path) {
  const auto kind = trace.facts().find(kind_key);
  if (!trace.facts().empty() && (kind == trace.facts().end() || kind->second != graph_kind))
    fail(Code::invalid_argument, "'{}' holds a capture, not a graph; `reel replay` runs those.",
         path);
  if (!trace.is_complete())
    fail(Code::damaged_document, "'{}' is cut short or damaged, so its graph can't be loaded. {}",
         path, trace.problems().empty() ? "Its end is missing." : trace.problems().front());
  // A recovered copy is whole again, but nobody can say that it has everything.
  const auto edges = trace.end_facts().find(edges_key);
  if (!trace.end_facts().contains("commands") || edges == trace.end_facts().end() ||
      edges->second != std::to_string(trace.edges().size()))
    fail(Code::damaged_document, "'{}' lacks a part of its graph, so it can't be loaded.", path);
  try {
    return GraphReader(trace).read();
  } catch (const Error& error) {
    if (error.code() != Code::invalid_argument) throw;
    // What every graph is checked for.
    fail(Code::damaged_document, "'{}' holds no sound graph. {}", path, error.what());
  }
}

}  // namespace

Graph Graph::load(const std::string& path) { return graph_of(Trace::load(path), path); }

Graph Graph::load(std::span<const std::byte> file) {
  const MemoryFile in_memory(file);
  const std::string &path = in_memory.path(), name = "(memory)";
  try {
    return graph_of(Trace::load(path), name);
  } catch (const Error& error) {
    std::string text = error.what();
    if (const auto at = text.find(path); at != std::string::npos)
      text.replace(at, path.size(), name);
    throw Error(error.code(), text);
  }
}

}  // namespace reel
