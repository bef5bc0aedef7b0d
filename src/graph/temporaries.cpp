#include "graph/temporaries.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "base/range_set.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/describe.hpp"

namespace reel {
namespace {

struct Life {
  std::shared_ptr<BufferResource> buffer;
  std::uint64_t first = 0, last = 0;  // places of nodes
  RangeSet written = {};
};

class LifeFinder {
 public:
  explicit LifeFinder(const std::function<bool(const BufferResource&)>& wanted) : wanted_(wanted) {}

  void add(const Graph& graph) {
    for (const NodeId id : graph.topological_order()) {
      const Node& node = graph.nodes()[index_of(id)];
      if (node.is_child()) {
        add(*node.child());
        continue;
      }
      add(graph, id, node.command.work);
      if (node.decides()) add(*node.decision());
    }
  }

  std::vector<Life> lives() && {
    while (grow_over_loops()) {
    }
    return std::move(lives_);
  }

 private:
  struct Loop {
    std::uint64_t begin, end;  // places of its first and last node
  };

  void add(const Graph& graph, NodeId id, const Work& work) {
    ++place_;
    for_each_access(work, [&](const BufferRange& range, Access access) {
      Life* life = life_of(*range.buffer);
      if (!life || !reads(access)) return;
      if (!life->written.contains(range.offset_bytes, range.offset_bytes + range.size_bytes))
        fail(Code::invalid_argument,
             "{} reads temporary {} before every byte of that was surely written; write it first, "
             "or "
             "give it a buffer of the device.",
             graph.describe(id), describe(range));
    });
    for_each_access(work, [&](const BufferRange& range, Access access) {
      if (Life* life = life_of(*range.buffer); life && writes(access))
        life->written.add(range.offset_bytes, range.offset_bytes + range.size_bytes);
    });
  }

  // What one branch writes may not have been written. What all of them write was, where one of them
  // runs in any case: a switch ends its launch where it has no case for a number.
  void add(const Decision& decision) {
    const bool is_loop =
        decision.kind == DecisionKind::repeat || decision.kind == DecisionKind::while_loop;
    const bool one_runs = decision.kind == DecisionKind::repeat    ? decision.count > 0
                          : decision.kind == DecisionKind::if_else ? decision.branches.size() == 2
                                                                   : !is_loop;
    const std::uint64_t begin = place_ + 1;
    const std::vector<RangeSet> before = written();
    std::vector<RangeSet> by_all;
    for (const auto& branch : decision.branches) {
      set_written(before);
      add(*branch);
      const bool is_first = &branch == &decision.branches.front();
      by_all = is_first ? written() : common(by_all, written());
    }
    set_written(one_runs ? by_all : before);
    if (is_loop) loops_.push_back({begin, place_});
  }

  std::vector<RangeSet> written() const {
    std::vector<RangeSet> all;
    for (const Life& life : lives_) all.push_back(life.written);
    return all;
  }
  // Of those that came later, nothing.
  void set_written(const std::vector<RangeSet>& all) {
    for (std::size_t i = 0; i < lives_.size(); ++i)
      lives_[i].written = i < all.size() ? all[i] : RangeSet();
  }
  std::vector<RangeSet> common(const std::vector<RangeSet>& a,
                               const std::vector<RangeSet>& b) const {
    std::vector<RangeSet> both(std::min(a.size(), b.size()));
    for (std::size_t i = 0; i < both.size(); ++i) {
      const std::uint64_t size = lives_[i].buffer->size_bytes;
      a[i].for_each_in(0, size, [&](std::uint64_t begin, std::uint64_t end) {
        b[i].for_each_in(
            begin, end, [&](std::uint64_t first, std::uint64_t last) { both[i].add(first, last); });
      });
    }
    return both;
  }

  Life* life_of(BufferResource& buffer) {
    if (!is_temporary(buffer) || !wanted_(buffer)) return nullptr;
    const auto [entry, is_new] = numbers_.try_emplace(&buffer, lives_.size());
    if (is_new) lives_.push_back({buffer.shared_from_this(), place_, place_});
    Life& life = lives_[entry->second];
    life.last = place_;
    return &life;
  }

  bool grow_over_loops() {
    bool grew = false;
    for (Life& life : lives_)
      for (const Loop& loop : loops_) {
        const bool meets = life.first <= loop.end && life.last >= loop.begin;
        const bool is_inside = life.first >= loop.begin && life.last <= loop.end;
        if (!meets || is_inside) continue;
        const Life before = {nullptr, life.first, life.last};
        life.first = std::min(life.first, loop.begin);
        life.last = std::max(life.last, loop.end);
        grew = grew || life.first != before.first || life.last != before.last;
      }
    return grew;
  }

  const std::function<bool(const BufferResource&)>& wanted_;
  std::vector<Life> lives_;
  std::vector<Loop> loops_;
  std::unordered_map<const BufferResource*, std::size_t> numbers_;
  std::uint64_t place_ = 0;
};

}  // namespace

// The largest first, each at the lowest place that nobody has while it lives.
TemporaryLayout lay_out_temporaries(const Graph& graph, std::uint64_t alignment_bytes,
                                    const std::function<bool(const BufferResource&)>& wanted) {
  LifeFinder finder(wanted);
  finder.add(graph);
  const std::vector<Life> lives = std::move(finder).lives();
  TemporaryLayout layout;
  for (const Life& life : lives) {
    layout.places.push_back({life.buffer});
    layout.sum_bytes += life.buffer->size_bytes;
  }
  std::vector<std::size_t> order(lives.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return lives[i].buffer->size_bytes; });
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t i : order) {
    const std::uint64_t size = lives[i].buffer->size_bytes;
    std::uint64_t at = 0;
    for (const std::size_t other : placed) {
      if (lives[other].last < lives[i].first || lives[i].last < lives[other].first) continue;
      if (at + size <= layout.places[other].offset_bytes) break;
      const std::uint64_t end = layout.places[other].offset_bytes + lives[other].buffer->size_bytes;
      at = std::max(at, (end + alignment_bytes - 1) / alignment_bytes * alignment_bytes);
    }
    layout.places[i].offset_bytes = at;
    layout.size_bytes = std::max(layout.size_bytes, at + size);
    const auto by_offset = [&](std::size_t other) { return layout.places[other].offset_bytes; };
    placed.insert(std::ranges::upper_bound(placed, at, {}, by_offset), i);
  }
  return layout;
}

Buffer Graph::temporary(std::uint64_t size_bytes, std::string_view label) {
  if (size_bytes == 0)
    fail(Code::invalid_argument, "Temporary '{}' has no bytes; ask for at least one.", label);
  auto buffer = std::make_shared<TemporaryBuffer>();
  buffer->size_bytes = size_bytes;
  buffer->label = label;
  return make_handle<Buffer>(std::move(buffer));
}

}  // namespace reel
