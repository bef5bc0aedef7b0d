// tiny_chains.hpp - runs of tiny kernels where each reads what only the one before wrote for it.
#pragma once

#include <cstdint>
#include <vector>

#include "reel/analysis.hpp"

namespace reel::analysis {

inline constexpr std::uint64_t tiny_kernel_ns = 20'000;

// Commands of one stream, in order, three or more each.
using TinyChain = std::vector<std::uint32_t>;
std::vector<TinyChain> find_tiny_chains(const Trace& trace, const Report& report);

}  // namespace reel::analysis
