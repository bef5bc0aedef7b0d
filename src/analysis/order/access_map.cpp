#include "analysis/order/access_map.hpp"

#include "document/trace/ranges.hpp"

namespace reel::analysis {

AccessMap::AccessMap(const Trace& trace, CommandSets& sets)
    : sets_(sets), buffers_(trace.buffers().size()) {
  for (const TraceWork& work : trace.works())
    for_each_range(trace, work, [&](const TraceArgument& range, Access) {
      auto& cuts = buffers_[range.buffer].cuts;
      const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
      // Most works use what the one before them did.
      if (cuts.size() >= 2 && cuts[cuts.size() - 2] == begin && cuts.back() == end) return;
      cuts.push_back(begin);
      cuts.push_back(end);
    });
  for (Tree& tree : buffers_) {
    std::ranges::sort(tree.cuts);
    tree.cuts.erase(std::unique(tree.cuts.begin(), tree.cuts.end()), tree.cuts.end());
    tree.cuts.shrink_to_fit();
    if (!tree.cuts.empty()) tree.nodes.resize(2 * (tree.cuts.size() - 1) - 1);
  }
}

AccessMap::Place AccessMap::place_of(const TraceArgument& range) {
  Tree& tree = buffers_[range.buffer];
  if (tree.cuts.size() == 2) return {&tree, 0, 1};
  const auto piece = [&](std::uint64_t at) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(tree.cuts, at) - tree.cuts.begin());
  };
  return {&tree, piece(range.offset_bytes), piece(range.offset_bytes + range.size_bytes)};
}

void AccessMap::learn_writers(Tree& tree, const Span& span) {
  Node& node = tree.nodes[span.node];
  if (node.state != State::stale) return;
  node.written = 0;
  for (const Span& part : {span.left(), span.right()}) {
    learn_writers(tree, part);
    const Node& half = tree.nodes[part.node];
    if (half.writers != CommandSets::none)
      node.written +=
          half.state == State::same ? tree.cuts[part.end] - tree.cuts[part.first] : half.written;
  }
  node.writers = sets_.join(tree.nodes[span.left().node].writers,
                            tree.nodes[span.right().node].writers, CommandSets::Shape::halves);
  node.state = State::known;
}

// What holds for all of it holds for its parts, which are about to differ.
void AccessMap::push_down(Tree& tree, const Span& span) {
  Node& node = tree.nodes[span.node];
  Node &left = tree.nodes[span.left().node], &right = tree.nodes[span.right().node];
  if (node.state == State::same) {
    left = right = node;
    node.written =
        node.writers == CommandSets::none ? 0 : tree.cuts[span.end] - tree.cuts[span.first];
    node.state = State::known;
  } else if (node.readers != CommandSets::none) {
    for (Node* part : {&left, &right})
      part->readers = sets_.join(part->readers, node.readers, CommandSets::Shape::grown);
  }
  node.readers = CommandSets::none;
}

void AccessMap::enter_read(const Place& place, const Span& span, std::uint32_t command) {
  if (place.misses(span)) return;
  Node& node = place.tree->nodes[span.node];
  if (place.has(span)) {
    if (node.readers == CommandSets::none || sets_.last(node.readers) != command)
      node.readers = sets_.join(node.readers, command, CommandSets::Shape::grown);
    return;
  }
  push_down(*place.tree, span);
  enter_read(place, span.left(), command);
  enter_read(place, span.right(), command);
}

void AccessMap::enter_write(const Place& place, const Span& span, std::uint32_t command) {
  if (place.misses(span)) return;
  Node& node = place.tree->nodes[span.node];
  if (place.has(span)) {
    node = {.writers = command};
    return;
  }
  push_down(*place.tree, span);
  node.state = State::stale;
  enter_write(place, span.left(), command);
  enter_write(place, span.right(), command);
}

void AccessMap::enter(std::uint32_t command, const Place& place, Access access) {
  if (writes(access))
    enter_write(place, whole(*place.tree), command);
  else
    enter_read(place, whole(*place.tree), command);
}

}  // namespace reel::analysis
