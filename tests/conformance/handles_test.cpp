// What a handle holds belongs to the library: a program that includes every public header can't
// reach it, nor make a handle of something of its own.
#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "reel/reel.hpp"

namespace reel {
namespace {

template <class T>
concept ShowsResource = requires(const T& handle) {
  handle.resource();
}
|| requires(const T& handle) { handle.resource_; };
template <class T>
concept ShowsState = requires(const T& handle) {
  handle.state();
}
|| requires(const T& handle) { handle.state_; };
template <class T>
concept IsComplete = requires {
  sizeof(T);
};

// The concepts themselves: what does show something is found.
struct Open {
  int resource_, state_;
};
static_assert(ShowsResource<Open> && ShowsState<Open> && IsComplete<Open>);

template <class Handle, class Held>
constexpr bool is_closed = !ShowsResource<Handle> && !ShowsState<Handle> && !IsComplete<Held> &&
                           !std::is_constructible_v<Handle, std::shared_ptr<Held>> &&
                           !std::is_constructible_v<Handle, std::unique_ptr<Held>>;
static_assert(is_closed<Buffer, BufferResource>);
static_assert(is_closed<Kernel, KernelResource>);
static_assert(is_closed<Device, DeviceState>);
static_assert(is_closed<Stream, StreamState>);
static_assert(is_closed<Event, EventState>);
static_assert(is_closed<TimedLaunch, TimedLaunchState>);
static_assert(is_closed<PendingPass, PendingPassState>);
static_assert(is_closed<GraphExec, GraphExecState>);
static_assert(!IsComplete<NodePayload> && !IsComplete<detail::Inside>);

// Comparing arguments makes nothing else comparable: algorithms on rows of ours look for it.
static_assert(!std::sentinel_for<std::ptrdiff_t, std::vector<TraceBuffer>::const_iterator>);
static_assert(std::equality_comparable<Argument>);

TEST(Handles, DevicesAreKeysOfHashedContainers) {
  const Device one = open_device("host"), other = open_device("host"), same = one;
  std::unordered_set<Device> seen{one, other, same};
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen.contains(same));
  EXPECT_FALSE(seen.contains(Device()));
}

TEST(Handles, ANodeTellsItsKernelAndItsGraph) {
  const Device device = open_device("host");
  const Kernel nothing =
      device.kernel({.name = "nothing", .host = HostKernel([](const HostGroup&) {})});
  Graph inner;
  inner.add_dispatch(nothing, {.groups = {1}, .group_size = {1}});
  Graph graph;
  graph.add_child(inner);
  graph.add_barrier();
  EXPECT_EQ(inner.node(NodeId{0}).kernel().id(), nothing.id());
  EXPECT_EQ(inner.node(NodeId{0}).child(), nullptr);
  ASSERT_NE(graph.node(NodeId{0}).child(), nullptr);
  EXPECT_EQ(*graph.node(NodeId{0}).child(), inner);
  EXPECT_FALSE(graph.node(NodeId{1}).kernel());
}

}  // namespace
}  // namespace reel
