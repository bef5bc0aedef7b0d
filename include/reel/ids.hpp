// ids.hpp - ids are types, so that a kernel's id can't be taken for a buffer's.
//
// Buffers, kernels and streams are numbered through the life of the process; nodes within
// their graph.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reel {

enum class BufferId : std::uint32_t {};  // b7
enum class KernelId : std::uint32_t {};  // k4
enum class StreamId : std::uint32_t {};  // s0
enum class NodeId : std::uint32_t {};    // of a graph

// Of a node, in Graph::nodes().
constexpr std::size_t index_of(NodeId id) noexcept { return static_cast<std::size_t>(id); }

}  // namespace reel
