// access_map.hpp - who last wrote each byte of each buffer, and who has read it since.
//
// Commands come in their order; each use tells what it depends on. A buffer is cut where any range
// of the trace begins or ends, and the pieces are the leaves of a tree: a use is entered at the few
// nodes that make up its range, and what a node's leaves were written by is one set. So a use costs
// the logarithm of the pieces, however many commands its bytes come from. A buffer that is always
// used whole is one leaf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/order/command_sets.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

class AccessMap {
  using Set = CommandSets::Set;
  enum class State : std::uint8_t {
    same,   // all of its bytes have this writer, and these readers
    known,  // it has parts, whose writers are `writers`
    stale   // it has parts
  };
  struct Node {
    Set writers = CommandSets::none;
    Set readers = CommandSets::none;  // of all of it; its parts may have more, earlier ones
    std::uint64_t written = 0;        // bytes, of `writers`
    State state = State::same;
  };
  // Nodes come before their parts, the left part first; a tree over n pieces has 2n - 1 nodes.
  struct Tree {
    std::vector<std::uint64_t> cuts;
    std::vector<Node> nodes;
  };
  struct Span {
    std::uint32_t node, first, end;  // pieces
    std::uint32_t middle() const { return first + (end - first) / 2; }
    Span left() const { return {node + 1, first, middle()}; }
    Span right() const { return {node + 2 * (middle() - first), middle(), end}; }
  };

 public:
  // Where a range lies among the pieces of its buffer: looked for once, and then asked about.
  struct Place {
    Tree* tree;
    std::uint32_t first, end;  // pieces
    bool has(const Span& span) const { return first <= span.first && span.end <= end; }
    bool misses(const Span& span) const { return span.end <= first || end <= span.first; }
  };

  AccessMap(const Trace& trace, CommandSets& sets);

  Place place_of(const TraceArgument& range);

  // Who wrote the bytes that are read: visit(set, bytes). Where it returns false of a set, its
  // parts come one by one; of a single command it must return true.
  template <class F>
  void find_writers(const Place& place, F&& visit) {
    find_writers(*place.tree, whole(*place.tree), place, visit);
  }
  // Who must not be overtaken by the bytes that are written: visit(set, bytes). Writers where
  // nobody has read since, unless `without_writers`: readers have waited for the writer, so whoever
  // waits for them has, too.
  template <class F>
  void find_overtaken(const Place& place, bool without_writers, F&& visit) {
    find_overtaken(*place.tree, whole(*place.tree), place, without_writers, visit);
  }
  // Enters it. Reads of a command come before its writes.
  void enter(std::uint32_t command, const Place& place, Access access);

 private:
  static Span whole(const Tree& tree) {
    return {0, 0, static_cast<std::uint32_t>(tree.cuts.size() - 1)};
  }
  static std::uint64_t bytes_of(const Tree& tree, const Span& span, const Place& place) {
    return tree.cuts[std::min(span.end, place.end)] - tree.cuts[std::max(span.first, place.first)];
  }
  void learn_writers(Tree& tree, const Span& span);
  void push_down(Tree& tree, const Span& span);
  void enter_read(const Place& place, const Span& span, std::uint32_t command);
  void enter_write(const Place& place, const Span& span, std::uint32_t command);

  template <class F>
  void find_writers(Tree& tree, const Span& span, const Place& place, F& visit) {
    if (place.misses(span)) return;
    Node& node = tree.nodes[span.node];
    if (node.state == State::same) {
      if (node.writers != CommandSets::none) visit(node.writers, bytes_of(tree, span, place));
      return;
    }
    if (place.has(span)) {
      learn_writers(tree, span);
      if (node.writers == CommandSets::none || visit(node.writers, node.written)) return;
    }
    find_writers(tree, span.left(), place, visit);
    find_writers(tree, span.right(), place, visit);
  }

  template <class F>
  void find_overtaken(Tree& tree, const Span& span, const Place& place, bool without_writers,
                      F& visit) {
    if (place.misses(span)) return;
    const Node& node = tree.nodes[span.node];
    if (node.readers != CommandSets::none) {
      visit(node.readers, bytes_of(tree, span, place));
      without_writers = true;
    }
    if (node.state == State::same) {
      if (!without_writers && node.writers != CommandSets::none)
        visit(node.writers, bytes_of(tree, span, place));
      return;
    }
    // All of these parts are one piece when the write is entered: looked at once each.
    find_overtaken(tree, span.left(), place, without_writers, visit);
    find_overtaken(tree, span.right(), place, without_writers, visit);
  }

  CommandSets& sets_;
  std::vector<Tree> buffers_;
};

}  // namespace reel::analysis
