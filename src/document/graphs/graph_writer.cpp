// Graph::save: nodes become commands, and each child graph is written once.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/os/process.hpp"
#include "base/utc_time.hpp"
#include "document/columns/kernel_row.hpp"
#include "document/columns/work_codec.hpp"
#include "document/document_writer.hpp"
#include "document/graphs/graph_file.hpp"
#include "graph/commands/describe.hpp"
#include "graph/commands/resource.hpp"
#include "graph/graph_buffers.hpp"
#include "graph/temporaries.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

using namespace document;

constexpr std::uint32_t the_device = 0, the_stream = 0;

// Graphs made by copying one share its nodes.
using GraphKey =
    std::pair<std::vector<const NodePayload*>, std::vector<std::tuple<NodeId, NodeId, EdgeKind>>>;
GraphKey key_of(const Graph& graph) {
  GraphKey key;
  for (const Node& node : graph.nodes()) key.first.push_back(node.payload.get());
  for (const Edge& edge : graph.dependencies())
    key.second.emplace_back(edge.from, edge.to, edge.kind);
  return key;
}

class GraphWriter {
 public:
  // Refuses what can't be saved, before there is a file.
  explicit GraphWriter(const Graph& graph) {
    add_part(graph, no_index, "");
    for (std::size_t i = 0; i < parts_.size(); ++i) collect(i);
    if (const std::string excess = extent_of(0).excess(); !excess.empty())
      fail(Code::unsupported, "The graph can't be saved. {}", excess);
    buffers_ = named_buffers(graph);
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      buffer_ids_.emplace(buffers_[i].buffer.get(), static_cast<std::uint32_t>(i));
  }

  void write(DocumentWriter& file) {
    file.add(DeviceRow{the_device, "", "none", "no device", "", "", "", "", 0, 0, false, 0});
    file.add(StreamRow{the_stream, the_device, "graph"});
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      file.add(BufferRow{static_cast<std::uint32_t>(i), the_device, buffers_[i].facts.size_bytes,
                         buffers_[i].facts.name});
    for (std::uint32_t i = 0; i < kernels_.size(); ++i) file.add(row_of(*kernels_[i], i));
    std::size_t edges = 0;
    for (std::uint32_t number = 0; number < parts_.size(); ++number) {
      const Part& part = parts_[number];
      if (part.decision) {
        write_decision(file, part);
        continue;
      }
      for (std::uint32_t i = 0; i < part.graph->node_count(); ++i) write_node(file, part, i);
      edges += part.graph->dependencies().size();
      for (const Edge& edge : part.graph->dependencies())
        file.add(EdgeRow{number, static_cast<std::uint32_t>(edge.from),
                         static_cast<std::uint32_t>(edge.to),
                         static_cast<std::uint8_t>(edge.kind)});
    }
    std::map<std::string, std::string> facts{{"commands", std::to_string(commands_)},
                                             {edges_key, std::to_string(edges)},
                                             {"complete", "yes"}};
    std::string temporaries;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (is_temporary(*buffers_[i].buffer))
        temporaries += (temporaries.empty() ? "" : ",") + std::to_string(i);
    if (!temporaries.empty()) facts.emplace(temporaries_key, temporaries);
    file.close(facts);
  }

  // Numbers of the file, for store().
  std::uint32_t kernel(const KernelResource& kernel) const { return kernel_ids_.at(&kernel); }
  std::uint32_t buffer(const BufferResource& buffer) const { return buffer_ids_.at(&buffer); }

 private:
  // The graph itself, which is number 0, a child, or a decision: what it is, and its branches.
  struct Part {
    const Graph* graph;    // null of a decision
    std::uint32_t launch;  // the first command that launches it
    std::uint32_t first_command;
    std::string place;                         // "In n3 'layer' (graph of 4), "
    std::vector<std::uint32_t> children = {};  // number by node; no_index: not a child
    const Node* decision = nullptr;            // the node that decides
  };

  std::uint32_t add_part(const Graph& graph, std::uint32_t launch, std::string place) {
    const auto number = static_cast<std::uint32_t>(parts_.size());
    const auto [entry, is_new] = numbers_.try_emplace(key_of(graph), number);
    if (!is_new) return entry->second;
    if (commands_ + graph.node_count() > GraphExtent::most_nodes)
      fail(Code::unsupported, "The graph can't be saved. It has more than {} nodes.",
           GraphExtent::most_nodes);
    parts_.push_back({&graph, launch, commands_, std::move(place)});
    commands_ += static_cast<std::uint32_t>(graph.node_count());
    return number;
  }

  std::uint32_t add_decision(const Node& node, std::uint32_t launch, const std::string& place,
                             const std::string& name) {
    const Decision& decision = *node.decision();
    if (decision.predicate)
      fail(Code::unsupported, "{} can't be saved: it asks a function of this process.",
           place + name);
    const auto number = static_cast<std::uint32_t>(parts_.size());
    const auto [entry, is_new] = decisions_.try_emplace(node.payload.get(), number);
    if (!is_new) return entry->second;
    parts_.push_back({nullptr, launch, commands_, place + "in " + name + ", ", {}, &node});
    commands_ += static_cast<std::uint32_t>(1 + decision.branches.size());
    return number;
  }

  void collect_branches(std::size_t number) {
    const Decision& decision = *parts_[number].decision->decision();
    std::vector<std::uint32_t> children{no_index};
    for (std::uint32_t i = 0; i < decision.branches.size(); ++i)
      children.push_back(add_part(*decision.branches[i], parts_[number].first_command + 1 + i,
                                  parts_[number].place));
    parts_[number].children = std::move(children);
  }

  void collect(std::size_t number) {
    if (parts_[number].decision) {
      collect_branches(number);
      return;
    }
    const Graph& graph = *parts_[number].graph;
    std::vector<std::uint32_t> children(graph.node_count(), no_index);
    for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
      const auto id = static_cast<NodeId>(i);
      const Node& node = graph.nodes()[i];
      const Part& part = parts_[number];  // moves when another is added
      if (node.is_child())
        children[i] = add_part(*node.child(), part.first_command + i,
                               fmt::format("{}in {}, ", part.place, graph.describe(id)));
      else if (node.decides())
        children[i] = add_decision(node, part.first_command + i, part.place, graph.describe(id));
      else
        check(node, part.place + graph.describe(id));
    }
    parts_[number].children = std::move(children);
  }

  void check(const Node& node, const std::string& name) {
    const Work& work = node.command.work;
    if (std::holds_alternative<HostCall>(work))
      fail(Code::unsupported, "{} can't be saved: it calls a function of this process.", name);
    if (std::holds_alternative<Read>(work))
      fail(Code::unsupported, "{} can't be saved: it reads into memory of this process.", name);
    const auto* dispatch = std::get_if<Dispatch>(&work);
    if (!dispatch) return;
    const auto [entry, is_new] =
        kernel_ids_.try_emplace(dispatch->kernel, static_cast<std::uint32_t>(kernels_.size()));
    if (!is_new) return;
    kernels_.push_back(dispatch->kernel);
    const KernelSource& source = dispatch->kernel->source;
    if (!source.opencl_c.empty() || !source.glsl.empty() || !source.spirv.empty()) return;
    if (!source.host)
      fail(Code::unsupported, "{} can't be saved: kernel '{}' has no source.", name, source.name);
    if (find_host_kernel(source.name).function != source.host.function)
      fail(Code::unsupported,
           "{} can't be saved: kernel '{}' is nothing but a C++ function, and its name stands "
           "for another one, or for none; register_host_kernel() says which it is.",
           name, source.name);
  }

  const GraphExtent& extent_of(std::uint32_t number) {
    if (const auto known = extents_.find(number); known != extents_.end()) return known->second;
    GraphExtent extent;
    const Part& part = parts_[number];
    for (std::size_t i = 0; i < part.children.size(); ++i) {
      const auto* write =
          part.graph ? std::get_if<Write>(&part.graph->nodes()[i].command.work) : nullptr;
      extent.add_node(write ? write->data.size() : 0);
      if (part.children[i] != no_index) extent.add_child(extent_of(part.children[i]));
    }
    return extents_.emplace(number, extent).first->second;
  }

  static KernelRow row_of(const KernelResource& kernel, std::uint32_t id) {
    const bool is_shader = kernel.parameters_by_kind;
    KernelRow row = kernel_row(kernel, the_device,
                               !is_shader                   ? KernelForm::none
                               : kernel.source.glsl.empty() ? KernelForm::spirv
                                                            : KernelForm::glsl);
    row.id = id;
    row.group_size = kernel.source.group_size;  // to be built again as it was asked for
    return row;
  }

  // Its first node says what is decided, in words of its own; the others launch the branches.
  void write_decision(DocumentWriter& file, const Part& part) const {
    const Decision& decision = *part.decision->decision();
    const std::array<std::uint64_t, 3> numbers{
        decision.count, decision.limits.iterations,
        static_cast<std::uint64_t>(decision.limits.time.count())};
    std::vector<TraceArgument> arguments(
        numbers.size(), {ArgumentKind::value, Access::read, no_index, 0, sizeof(std::uint64_t)});
    if (const auto* read = std::get_if<Read>(&part.decision->command.work))
      arguments.push_back({ArgumentKind::buffer, Access::read, buffer(*read->source.buffer),
                           read->source.offset_bytes, read->source.size_bytes});
    const auto bytes = std::as_bytes(std::span(numbers));
    const std::vector<std::byte> values(bytes.begin(), bytes.end());
    for (std::uint32_t node = 0; node < part.children.size(); ++node) {
      WorkRow row;
      if (node == 0) {
        row.kind = WorkKind::opaque;
        row.label = file.text(to_string(decision.kind));
        row.arguments = arguments;
        row.values = values;
      } else {
        row.kind = WorkKind::launch;
        row.graph = part.children[node];
        row.label = file.text(branch_name(decision, node - 1));
      }
      file.add(CommandRow{.id = part.first_command + node,
                          .work = file.add(row),
                          .stream = the_stream,
                          .launch = part.launch,
                          .node = node,
                          .thread = 0,
                          .call_begin_ns = 0,
                          .call_end_ns = 0});
    }
  }

  void write_node(DocumentWriter& file, const Part& part, std::uint32_t node) {
    const Command& command = part.graph->nodes()[node].command;
    std::vector<TraceArgument> arguments;
    std::vector<std::byte> values;
    WorkRow row;
    if (part.children[node] != no_index) {
      row.kind = WorkKind::launch;
      row.graph = part.children[node];
    } else {
      if (const auto* dispatch = std::get_if<Dispatch>(&command.work)) refuse_images(*dispatch);
      const StoredSizes sizes = stored_sizes(command.work);
      arguments.resize(sizes.arguments);
      values.resize(sizes.value_bytes);
      store(command.work, *this, row, arguments.data(), values.data());
    }
    row.label = file.text(command.label);
    row.scope = file.text(command.scope.path());
    row.arguments = arguments;
    row.values = values;
    const std::uint32_t id = part.first_command + node;
    const bool is_top = part.launch == no_index;
    file.add(CommandRow{.id = id,
                        .work = file.add(row),
                        .stream = the_stream,
                        .launch = part.launch,
                        .node = is_top ? no_index : node,
                        .thread = 0,
                        .call_begin_ns = 0,
                        .call_end_ns = 0});
    if (const auto* write = std::get_if<Write>(&command.work)) write_data(file, *write, id);
  }

  static void refuse_images(const Dispatch& dispatch) {
    for (const Argument& a : dispatch.arguments)
      if (a.kind == ArgumentKind::image || a.kind == ArgumentKind::sampler)
        fail(Code::unsupported, "Kernel '{}' is given an {}; a graph with one can't be saved.",
             dispatch.kernel->source.name, to_string(a.kind));
  }

  void write_data(DocumentWriter& file, const Write& write, std::uint32_t command) const {
    std::vector<Hash128> pages;
    for (std::uint64_t at = 0; at < write.data.size(); at += page_bytes) {
      const auto page =
          write.data.subspan(at, std::min<std::uint64_t>(page_bytes, write.data.size() - at));
      pages.push_back(hash128(page));
      file.blob(pages.back(), page);
    }
    file.add(ContentsRow{ContentRole::written, command, buffer_ids_.at(write.target.buffer),
                         write.target.offset_bytes, write.target.size_bytes, true, pages});
  }

  std::vector<NamedBuffer> buffers_;
  std::unordered_map<const BufferResource*, std::uint32_t> buffer_ids_;
  std::vector<const KernelResource*> kernels_;
  std::unordered_map<const KernelResource*, std::uint32_t> kernel_ids_;
  std::vector<Part> parts_;
  std::map<GraphKey, std::uint32_t> numbers_;
  std::map<const NodePayload*, std::uint32_t> decisions_;
  std::map<std::uint32_t, GraphExtent> extents_;
  std::uint32_t commands_ = 0;
};

}  // namespace

void Graph::save(const std::string& path, const SaveOptions& options) const {
  GraphWriter writer(*this);
  DocumentWriter file(path,
                      {{kind_key, graph_kind},
                       {"program", os::program_name()},
                       {"pid", std::to_string(getpid())},
                       {"started", utc_now()}},
                      {.overwrite = options.overwrite});
  try {
    writer.write(file);
  } catch (...) {
    file.discard();
    throw;
  }
}

}  // namespace reel
