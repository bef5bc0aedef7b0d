// reel_modes.hpp - the same work through the library, the same on every device.
#pragma once

#include <vector>

#include "add_one.hpp"
#include "harness.hpp"
#include "reel/reel.hpp"

namespace bench {

namespace ours {
inline constexpr const char* stream_direct = "Stream, direct";
inline constexpr const char* session_direct = "GraphSession, direct";
inline constexpr const char* session_recorded = "GraphSession, recorded each time";
inline constexpr const char* instantiate = "(instantiate alone)";
inline constexpr const char* graph_exec = "GraphExec";
}  // namespace ours

inline constexpr reel::Launch one_group{.groups = {1}, .group_size = {items}};
reel::Kernel add_one_kernel(const reel::Device& device);

// In the order above, without aims.
std::vector<Mode> reel_modes(const Case& work, const reel::Device& device);

}  // namespace bench
