#include "graph/temporaries.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/describe.hpp"
#include "graph/surely_written.hpp"

namespace reel {
namespace {

struct Life {
  std::shared_ptr<BufferResource> buffer;
  std::uint64_t first = 0, last = 0;  // places of nodes
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
      const auto life = life_of(*range.buffer);
      if (!life || !reads(access)) return;
      if (!written_.has(*life, range))
        fail(Code::invalid_argument,
             "{} reads temporary {} before every byte of that was surely written; write it first, "
             "or "
             "give it a buffer of the device.",
             graph.describe(id), describe(range));
    });
    for_each_access(work, [&](const BufferRange& range, Access access) {
      if (const auto life = life_of(*range.buffer); life && writes(access))
        written_.add(*life, range);
    });
  }

  void add(const Decision& decision) {
    const std::uint64_t begin = place_ + 1;
    written_.add_branches(decision, [&](const Graph& branch) { add(branch); });
    if (decision.kind == DecisionKind::repeat || decision.kind == DecisionKind::while_loop)
      loops_.push_back({begin, place_});
  }

  // The number of its life; of a buffer of a device none.
  std::optional<std::size_t> life_of(BufferResource& buffer) {
    if (!is_temporary(buffer) || !wanted_(buffer)) return std::nullopt;
    const auto [entry, is_new] = numbers_.try_emplace(&buffer, lives_.size());
    if (is_new) lives_.push_back({buffer.shared_from_this(), place_, place_});
    lives_[entry->second].last = place_;
    return entry->second;
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
  SurelyWritten written_;  // by number of a life
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
