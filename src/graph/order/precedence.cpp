#include "graph/order/precedence.hpp"

#include <algorithm>

namespace reel {

void sort_unique(std::vector<std::uint32_t>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

namespace {

// A wait for u is implied when another item waited for reaches u. Who reaches whom is kept as
// bits, for a block of u at a time: all at once would take n²/8 bytes, 1.25 GB for 100,000 nodes,
// where a block takes 51 MB; the work, one OR per edge and 64 nodes, is the same.
constexpr std::size_t words_in_block = 64;
constexpr std::size_t block = words_in_block * 64;

bool has(const std::uint64_t* bits, std::size_t i) { return bits[i / 64] >> (i % 64) & 1; }
void set(std::uint64_t* bits, std::size_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }

}  // namespace

void reduce(Predecessors& waits) {
  const std::size_t count = waits.size();
  const auto branches = [](const auto& list) { return list.size() > 1; };
  if (std::ranges::none_of(waits, branches)) return;  // chains and trees imply nothing

  Predecessors kept(count);
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t end = std::min(begin + block, count);
    const std::size_t words = (end - begin + 63) / 64;
    std::vector<std::uint64_t> reaches((count - begin) * words);
    const auto row = [&](std::size_t i) { return reaches.data() + (i - begin) * words; };

    for (std::size_t i = begin; i < count; ++i) {
      std::uint64_t* const mine = row(i);
      for (const std::uint32_t p : waits[i]) {
        if (p < begin) continue;  // reaches nothing of this block
        const std::uint64_t* const theirs = row(p);
        for (std::size_t w = 0; w < words; ++w) mine[w] |= theirs[w];
      }
      for (const std::uint32_t p : waits[i])
        if (begin <= p && p < end && !has(mine, p - begin)) kept[i].push_back(p);
      for (const std::uint32_t p : kept[i])
        if (begin <= p) set(mine, p - begin);
    }
  }
  waits = std::move(kept);
}

std::vector<std::uint32_t> depths(const Predecessors& waits) {
  std::vector<std::uint32_t> depth(waits.size(), 0);
  for (std::size_t i = 0; i < waits.size(); ++i)
    for (const std::uint32_t p : waits[i]) depth[i] = std::max(depth[i], depth[p] + 1);
  return depth;
}

}  // namespace reel
