// Clones, bindings and changed parameters in random order, against a model in plain memory: what
// would show a clone that shares, loses or keeps too much of what its original was given.
#include <random>

#include "stream_test.hpp"

namespace reel::test {
namespace {

class Clones : public StreamTest {};
INSTANTIATE_TEST_SUITE_P(Each, Clones, every_device(), device_name);

TEST_P(Clones, ABoundCloneWritesTheBytesItsOriginalWasBuiltWith) {
  Graph graph;
  graph.add_write(x, std::as_bytes(std::span<const std::uint32_t>(ramp(7))));
  const Buffer label_x = make("x of the clone");
  const GraphExec original = graph.instantiate(device());
  GraphExec clone = original.clone();
  clone.bind(x.label(), label_x);
  clone.launch(stream);
  stream.synchronize();
  EXPECT_EQ(contents(label_x), ramp(7));
  EXPECT_EQ(contents(x), words(0));
  EXPECT_EQ(std::get<Write>(clone.graph().node(node(0)).command.work).data.size(), 4 * word_count);
}

TEST_P(Clones, ACloneOfACloneKeepsBytesThatWereSetLater) {
  Graph graph;
  const NodeId write = graph.add_write(x, std::as_bytes(std::span<const std::uint32_t>(ramp(7))));
  GraphExec first = graph.instantiate(device());
  first.set_data(write, std::as_bytes(std::span<const std::uint32_t>(ramp(30))));
  GraphExec second = first.clone().clone();
  first.set_data(write, std::as_bytes(std::span<const std::uint32_t>(ramp(50))));
  second.bind(x.label(), y);
  second.launch(stream);
  stream.synchronize();
  EXPECT_EQ(contents(y), ramp(30));
}

// --- random
// ---------------------------------------------------------------------------------------

// What one node does, with numbers for buffers and everything that can be changed later.
struct ModelNode {
  enum Kind { write, fill, copy, mad, mix } kind;
  std::size_t target, first = 0, second = 0;
  Words data;
  std::uint32_t a = 1, b = 0;
  bool enabled = true;
};

using Memory = std::vector<Words>;

void run(const std::vector<ModelNode>& nodes, Memory& memory) {
  for (const ModelNode& n : nodes) {
    if (!n.enabled) continue;
    Words& target = memory[n.target];
    for (std::size_t i = 0; i < target.size(); ++i) switch (n.kind) {
        case ModelNode::write:
          target[i] = n.data[i];
          break;
        case ModelNode::fill:
          target[i] = 0x01010101u * n.a;
          break;
        case ModelNode::copy:
          target[i] = memory[n.first][i];
          break;
        case ModelNode::mad:
          target[i] = n.a * target[i] + n.b;
          break;
        case ModelNode::mix:
          target[i] = n.a * memory[n.first][i] + memory[n.second][i];
          break;
      }
  }
}

// One exec and the model of it. Node numbers are those of the graph.
struct Pair {
  GraphExec exec;
  std::vector<ModelNode> nodes;
  std::vector<std::size_t> bound;  // by label of the graph, the buffer it stands for now
};

constexpr std::size_t named = 4, spare = 6;  // buffers of the graph, and others to bind
constexpr std::size_t most_execs = 6;
constexpr std::size_t nowhere = ~std::size_t{0};  // what a label stands for that no node has

class RandomClones {
 public:
  RandomClones(const Device& device, const Kernel& mad, const Kernel& mix, std::uint32_t seed)
      : random_(seed), stream_(device.stream("clones")) {
    for (std::size_t i = 0; i < named + spare; ++i) {
      memory_.push_back(ramp(1000 * static_cast<std::uint32_t>(i)));
      buffers_.push_back(device.buffer_of(memory_.back(), "b" + std::to_string(i)));
    }
    Graph graph;
    std::vector<ModelNode> nodes(5 + pick(12));
    for (ModelNode& node : nodes) {
      node = any_node();
      const Buffer &target = buffers_[node.target], &first = buffers_[node.first],
                   &second = buffers_[node.second];
      const Launch launch{.groups = {word_count / 64}, .group_size = {64}};
      switch (node.kind) {
        case ModelNode::write:
          graph.add_write(target, std::as_bytes(std::span<const std::uint32_t>(node.data)));
          break;
        case ModelNode::fill:
          graph.add_fill(target, static_cast<std::uint8_t>(node.a));
          break;
        case ModelNode::copy:
          graph.add_copy(target, first);
          break;
        case ModelNode::mad:
          graph.add_dispatch(mad, launch, inout(target), node.a, node.b, word_count);
          break;
        case ModelNode::mix:
          graph.add_dispatch(mix, launch, in(first), in(second), out(target), node.a, word_count);
          break;
      }
    }
    std::vector<std::size_t> bound(named);
    for (std::size_t i = 0; i < named; ++i) bound[i] = is_used(nodes, i) ? i : nowhere;
    pairs_.push_back({graph.instantiate(device), std::move(nodes), std::move(bound)});
  }

  std::string told;  // what was done, for a failed test

  void step() {
    const std::size_t which = pick(pairs_.size());
    Pair& pair = pairs_[which];
    told += "\n  exec " + std::to_string(which) + ": ";
    switch (pick(8)) {
      case 0:
        clone(pair);
        break;
      case 1:
      case 2:
        bind(pair);
        break;
      case 3:
        set_data(pair);
        break;
      case 4:
        set_value(pair);
        break;
      case 5:
        set_enabled(pair);
        break;
      case 6:
        drop(which);
        break;
      default:
        launch(pair);
        break;
    }
  }

  // Where the device and the model part; empty when they agree.
  std::string difference() {
    stream_.synchronize();
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const Words found = buffers_[i].read<std::uint32_t>();
      for (std::size_t at = 0; at < found.size(); ++at)
        if (found[at] != memory_[i][at])
          return "b" + std::to_string(i) + "[" + std::to_string(at) + "] is " +
                 std::to_string(found[at]) + ", expected " + std::to_string(memory_[i][at]);
    }
    return {};
  }

 private:
  std::size_t pick(std::size_t below) { return random_() % below; }
  Words any_words() {
    Words result(word_count);
    for (std::uint32_t& word : result) word = static_cast<std::uint32_t>(random_());
    return result;
  }

  ModelNode any_node() {
    ModelNode node{static_cast<ModelNode::Kind>(pick(5)), pick(named), 0, 0, {}, 1, 0, true};
    node.first = (node.target + 1 + pick(named - 1)) % named;  // never the target itself
    node.second = (node.target + 1 + pick(named - 1)) % named;
    node.a = static_cast<std::uint32_t>(random_()) | 1;
    if (node.kind == ModelNode::fill) node.a &= 0xff;
    node.b = static_cast<std::uint32_t>(random_());
    if (node.kind == ModelNode::write) node.data = any_words();
    return node;
  }

  static bool names(const ModelNode& node, std::size_t buffer) {
    const bool reads_first = node.kind == ModelNode::copy || node.kind == ModelNode::mix;
    return node.target == buffer || (reads_first && node.first == buffer) ||
           (node.kind == ModelNode::mix && node.second == buffer);
  }

  static bool is_used(const std::vector<ModelNode>& nodes, std::size_t buffer) {
    return std::ranges::any_of(nodes, [&](const ModelNode& n) { return names(n, buffer); });
  }

  void clone(const Pair& pair) {
    told += "clone";
    if (pairs_.size() < most_execs) pairs_.push_back({pair.exec.clone(), pair.nodes, pair.bound});
  }

  void drop(std::size_t which) {
    told += "drop";
    if (pairs_.size() > 1) pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  // By label. Refused for a label that no node has, and for a buffer that is named elsewhere.
  void bind(Pair& pair) {
    const auto label_at = pick(named), to = pick(buffers_.size());
    const std::string label = "b" + std::to_string(label_at);
    told += "bind " + label + " to b" + std::to_string(to);
    const std::size_t from = pair.bound[label_at];
    if (from == nowhere || (to != from && is_used(pair.nodes, to))) {
      EXPECT_THROW(pair.exec.bind(label, buffers_[to]), Error) << told;
      return;
    }
    pair.exec.bind(label, buffers_[to]);
    pair.bound[label_at] = to;
    for (ModelNode& n : pair.nodes)
      for (std::size_t* place : {&n.target, &n.first, &n.second})
        if (*place == from) *place = to;
  }

  void set_data(Pair& pair) {
    const std::size_t at = pick(pair.nodes.size());
    told += "set_data n" + std::to_string(at);
    const Words data = any_words();
    const auto bytes = std::as_bytes(std::span<const std::uint32_t>(data));
    if (pair.nodes[at].kind != ModelNode::write) {
      EXPECT_THROW(pair.exec.set_data(node(at), bytes), Error) << told;
      return;
    }
    pair.exec.set_data(node(at), bytes);
    pair.nodes[at].data = data;
  }

  void set_value(Pair& pair) {
    const std::size_t at = pick(pair.nodes.size());
    ModelNode& n = pair.nodes[at];
    told += "set_argument n" + std::to_string(at);
    if (n.kind != ModelNode::mad && n.kind != ModelNode::mix) {
      EXPECT_THROW(pair.exec.set_argument(node(at), 1, 1u), Error) << told;
      return;
    }
    const auto value = static_cast<std::uint32_t>(random_());
    pair.exec.set_argument(node(at), n.kind == ModelNode::mad ? 1 : 3, value);
    n.a = value;
  }

  void set_enabled(Pair& pair) {
    const std::size_t at = pick(pair.nodes.size());
    const bool enabled = pick(3) != 0;
    told += (enabled ? "enable n" : "disable n") + std::to_string(at);
    pair.exec.set_enabled(node(at), enabled);
    pair.nodes[at].enabled = enabled;
  }

  void launch(Pair& pair) {
    told += "launch";
    pair.exec.launch(stream_);
    run(pair.nodes, memory_);
  }

  std::mt19937 random_;
  Stream stream_;
  std::vector<Buffer> buffers_;
  Memory memory_;
  std::vector<Pair> pairs_;
};

TEST_P(Clones, RandomChangesAndLaunchesGiveTheBytesOfTheModel) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    RandomClones work(device(), mad_kernel, mix_kernel, seed);
    for (int i = 0; i < 40; ++i) work.step();
    ASSERT_EQ(work.difference(), "") << "seed " << seed << work.told;
  }
}

}  // namespace
}  // namespace reel::test
