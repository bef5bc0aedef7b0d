// precedence.hpp - what must come before what, among items that already stand in a valid order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reel {

// [i]: the items that item i waits for, each smaller than i, sorted, each once.
using Predecessors = std::vector<std::vector<std::uint32_t>>;

void sort_unique(std::vector<std::uint32_t>& list);

// Takes out every wait that the others imply.
void reduce(Predecessors& waits);

// [i]: 0 for what waits for nothing; otherwise one more than the deepest it waits for.
std::vector<std::uint32_t> depths(const Predecessors& waits);

}  // namespace reel
