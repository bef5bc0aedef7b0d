// recording_test.hpp - what the tests of captures, graph execs and sessions share: a fixture with
// four buffers and two kernels, and words to speak of graphs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "any_device.hpp"
#include "expect_error.hpp"
#include "kernels.hpp"
#include "reel/reel.hpp"

namespace reel::test {

using Words = std::vector<std::uint32_t>;

inline constexpr std::uint32_t word_count = 256;  // of the buffers used here; one range = 4 groups

inline Words words(std::uint32_t value, std::size_t count = word_count) {
  return Words(count, value);
}
// 100, 101, 102, …: every element its own, so that a shifted range shows.
inline Words ramp(std::uint32_t first, std::size_t count = word_count) {
  Words result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = first + static_cast<std::uint32_t>(i);
  return result;
}

// Holds up whatever runs its host call until it is opened; opens itself when a test ends early.
class Gate {
 public:
  ~Gate() { open(); }
  std::function<void()> holding() const {
    return [state = state_] {
      std::unique_lock lock(state->mutex);
      state->reached = true;
      state->changed.notify_all();
      state->changed.wait(lock, [&] { return state->open; });
    };
  }
  void open() const {
    const std::lock_guard lock(state_->mutex);
    state_->open = true;
    state_->changed.notify_all();
  }
  void wait_until_reached() const {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->reached; });
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false, reached = false;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

inline bool has_edge(const std::vector<Edge>& edges, NodeId from, NodeId to) {
  return std::any_of(edges.begin(), edges.end(),
                     [&](const Edge& e) { return e.from == from && e.to == to; });
}

using NodePair = std::pair<std::uint32_t, std::uint32_t>;

// The dependencies as pairs of numbers, sorted: a shape that reads well in a failed test.
inline std::vector<NodePair> shape(std::span<const Edge> edges) {
  std::vector<NodePair> result;
  for (const Edge& e : edges)
    result.emplace_back(static_cast<std::uint32_t>(e.from), static_cast<std::uint32_t>(e.to));
  std::sort(result.begin(), result.end());
  return result;
}
inline std::vector<NodePair> shape(const Graph& graph) { return shape(graph.dependencies()); }

inline std::vector<std::string> kinds(const Graph& graph) {
  std::vector<std::string> result;
  for (const Node& node : graph.nodes()) result.emplace_back(kind_name(node.command.work));
  return result;
}

// "" when an update was taken, else why not.
inline std::string why(const std::optional<GraphDifference>& difference) {
  if (!difference) return {};
  return (difference->node ? "n" + std::to_string(index_of(*difference->node)) + " " : "") +
         difference->field + ": " + difference->before + " -> " + difference->after;
}

inline NodeId node(std::size_t index) { return static_cast<NodeId>(index); }

// inout x, uint32 a, uint32 b, uint32 n: x = a x + b. Two of these never commute by chance.
KernelSource mad_source();
// in x, in y, out z, uint32 k, uint32 n: z = k x + y.
KernelSource mix_source();

class RecordingTest : public AnyDevice {
 protected:
  void SetUp() override;

  static Launch grid(std::string_view label = {}, std::uint32_t items = word_count) {
    Launch launch = over(items);
    launch.label = label;
    return launch;
  }
  static std::uint32_t words_of(const BufferRange& range) {
    return static_cast<std::uint32_t>(range.size_bytes / 4);
  }

  // On a Stream or a GraphSession: both take the same calls.
  template <class Line>
  void mad(Line& line, const BufferRange& target, std::uint32_t a, std::uint32_t b,
           std::string_view label = {}) const {
    const std::uint32_t n = words_of(target);
    line.dispatch(mad_kernel, grid(label, n), inout(target), a, b, n);
  }
  template <class Line>
  void mix(Line& line, const BufferRange& p, const BufferRange& q, const BufferRange& target,
           std::uint32_t k, std::string_view label = {}) const {
    const std::uint32_t n = words_of(target);
    line.dispatch(mix_kernel, grid(label, n), in(p), in(q), out(target), k, n);
  }
  NodeId add_mad(Graph& graph, const BufferRange& target, std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t n = words_of(target);
    return graph.add_dispatch(mad_kernel, grid({}, n), inout(target), a, b, n);
  }
  NodeId add_mix(Graph& graph, const BufferRange& p, const BufferRange& q,
                 const BufferRange& target, std::uint32_t k) const {
    const std::uint32_t n = words_of(target);
    return graph.add_dispatch(mix_kernel, grid({}, n), in(p), in(q), out(target), k, n);
  }

  static Words contents(const Buffer& buffer) { return buffer.read<std::uint32_t>(); }
  Buffer make(std::string_view label) const { return device().buffer(4 * word_count, label); }

  Buffer x, y, z, w;  // zero, of word_count words each
  Kernel mad_kernel, mix_kernel;
};

// INSTANTIATE_TEST_SUITE_P(Each, SomeTest, every_device(), device_name);
inline auto every_device() { return testing::Values("host", "opencl", "vulkan"); }
inline std::string device_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace reel::test
