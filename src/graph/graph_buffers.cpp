#include "graph/graph_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graph/commands/access.hpp"
#include "graph/commands/resource.hpp"
#include "graph/node_payload.hpp"
#include "graph/surely_written.hpp"

namespace reel {
namespace {

class BufferFinder {
 public:
  std::vector<NamedBuffer> found;

  void add(const Graph& graph) {
    for (const NodeId id : graph.topological_order()) {
      const Node& node = graph.nodes()[index_of(id)];
      if (node.is_child()) {
        add(*node.child());
        continue;
      }
      add(node);
      if (node.decides())
        written_.add_branches(*node.decision(), [&](const Graph& branch) { add(branch); });
    }
  }

 private:
  void add(const Node& node) {
    const Work& work = node.command.work;
    for_each_range(work, [&](const BufferRange& range, Access access) {
      const std::size_t place = place_of(*range.buffer);
      if (reads(access) && !written_.has(place, range)) found[place].facts.is_input = true;
    });
    for_each_range(work, [&](const BufferRange& range, Access access) {
      if (!writes(access) || range.size_bytes == 0) return;
      const std::size_t place = place_of(*range.buffer);
      written_.add(place, range);
      found[place].facts.is_output = true;
    });
  }

  std::size_t place_of(BufferResource& buffer) {
    const auto [entry, is_new] = places_.try_emplace(&buffer, found.size());
    if (is_new)
      found.push_back({buffer.shared_from_this(), {buffer.label, buffer.size_bytes, false, false}});
    return entry->second;
  }

  std::unordered_map<const BufferResource*, std::size_t> places_;
  SurelyWritten written_;
};

// Labels that are empty or shared become names of their own.
void name_apart(std::vector<NamedBuffer>& buffers) {
  std::unordered_map<std::string, std::size_t> count;
  for (const NamedBuffer& one : buffers) ++count[one.facts.name];
  std::unordered_set<std::string> taken;
  for (const auto& [label, times] : count)
    if (!label.empty() && times == 1) taken.insert(label);
  std::unordered_map<std::string, std::size_t> last;  // number given, by label
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    std::string& name = buffers[i].facts.name;
    const std::string label = name;
    if (!label.empty() && count[label] == 1) continue;
    if (label.empty()) name = fmt::format("buffer {}", i);
    if (!label.empty() || taken.contains(name)) {
      const std::string stem = name;
      do name = fmt::format("{}#{}", stem, ++last[stem]);
      while (taken.contains(name));
    }
    taken.insert(name);
  }
}

class BufferExchange {
 public:
  explicit BufferExchange(const BufferChoice& choose) : choose_(choose) {}

  Graph apply(const Graph& graph) {
    Graph result = graph;
    for (std::size_t i = 0; i < graph.node_count(); ++i) {
      const auto id = static_cast<NodeId>(i);
      const Node& node = graph.nodes()[i];
      if (node.is_child())
        result.replace(id, apply(*node.child()));
      else if (node.decides())
        result.replace(id, apply(*node.decision()), condition_of(node));
      else if (std::ranges::any_of(node.payload->buffers, [&](const auto& buffer) {
                 return chosen(*buffer).buffer != nullptr;
               }))
        result.replace(id, exchanged(node.command));
    }
    return result;
  }

 private:
  Decision apply(Decision decision) {
    for (auto& branch : decision.branches) branch = std::make_shared<const Graph>(apply(*branch));
    return decision;
  }
  BufferRange condition_of(const Node& node) {
    const auto* read = std::get_if<Read>(&node.command.work);
    BufferRange range = read ? read->source : BufferRange();
    exchange(range);
    return range;
  }
  const StandIn& chosen(const BufferResource& buffer) {
    auto [entry, is_new] = known_.try_emplace(&buffer);
    if (is_new) entry->second = choose_(buffer);
    return entry->second;
  }
  void exchange(BufferRange& range) {
    if (!range.buffer) return;
    const StandIn& other = chosen(*range.buffer);
    if (!other.buffer) return;
    range.buffer = other.buffer.get();
    range.offset_bytes += other.offset_bytes;
  }
  // Its arguments are in arguments_, until the next one.
  Command exchanged(Command command) {
    if (auto* dispatch = std::get_if<Dispatch>(&command.work)) {
      arguments_.assign(dispatch->arguments.begin(), dispatch->arguments.end());
      for (Argument& argument : arguments_)
        if (argument.is_memory()) exchange(argument.range);
      dispatch->arguments = arguments_;
      exchange(dispatch->indirect);
      exchange(dispatch->predicate.word);
    }
    for_each_transfer_range(command.work, [&](BufferRange& range, Access) { exchange(range); });
    return command;
  }

  const BufferChoice& choose_;
  std::unordered_map<const BufferResource*, StandIn> known_;
  std::vector<Argument> arguments_;
};

}  // namespace

std::vector<NamedBuffer> named_buffers(const Graph& graph) {
  BufferFinder finder;
  finder.add(graph);
  name_apart(finder.found);
  return std::move(finder.found);
}

std::vector<GraphBuffer> Graph::buffers() const {
  std::vector<GraphBuffer> list;
  for (NamedBuffer& one : named_buffers(*this)) list.push_back(std::move(one.facts));
  return list;
}

Graph with_buffers(const Graph& graph, const BufferChoice& choose) {
  return BufferExchange(choose).apply(graph);
}

bool names_any_buffer(const Graph& graph,
                      const std::function<bool(const BufferResource&)>& wanted) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    if (node.is_child()) return names_any_buffer(*node.child(), wanted);
    if (node.decides() && std::ranges::any_of(node.decision()->branches, [&](const auto& branch) {
          return names_any_buffer(*branch, wanted);
        }))
      return true;
    return std::ranges::any_of(node.payload->buffers,
                               [&](const auto& buffer) { return wanted(*buffer); });
  });
}

}  // namespace reel
