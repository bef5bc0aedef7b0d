#include "analysis/order/stream_clocks.hpp"

#include <algorithm>

namespace reel::analysis {

StreamClocks::StreamClocks(std::size_t streams) : nodes_(1) {
  for (std::size_t covered = fan_out; covered < streams; covered *= fan_out) ++top_;
}

std::uint32_t StreamClocks::at(Clock clock, std::uint32_t stream) const noexcept {
  for (std::uint32_t level = top_; level > 0; --level)
    clock = nodes_[clock].parts[place(stream, level)];
  return nodes_[clock].parts[place(stream, 0)];
}

StreamClocks::Clock StreamClocks::with(Clock clock, std::uint32_t stream, std::uint32_t upto) {
  return at(clock, stream) >= upto ? clock : with(clock, top_, stream, upto);
}

StreamClocks::Clock StreamClocks::with(Clock clock, std::uint32_t level, std::uint32_t stream,
                                       std::uint32_t upto) {
  Node node = nodes_[clock];
  std::uint32_t& part = node.parts[place(stream, level)];
  part = level == 0 ? upto : with(part, level - 1, stream, upto);
  return add(node, level);
}

StreamClocks::Clock StreamClocks::join(Clock a, Clock b) { return join(a, b, top_); }

StreamClocks::Clock StreamClocks::join(Clock a, Clock b, std::uint32_t level) {
  ++visits_;
  // Where all streams wait for one that has waited for all, one clock is ahead of the other
  // everywhere.
  if (a == b || nodes_[b].most <= nodes_[a].least) return a;
  if (nodes_[a].most <= nodes_[b].least) return b;
  Node joined = nodes_[a];
  for (std::uint32_t i = 0; i < fan_out; ++i) {
    const std::uint32_t other = nodes_[b].parts[i];
    joined.parts[i] =
        level == 0 ? std::max(joined.parts[i], other) : join(joined.parts[i], other, level - 1);
  }
  if (joined.parts == nodes_[a].parts) return a;
  if (joined.parts == nodes_[b].parts) return b;
  return add(joined, level);
}

StreamClocks::Clock StreamClocks::add(Node node, std::uint32_t level) {
  const auto least = [&](std::uint32_t part) { return level == 0 ? part : nodes_[part].least; };
  const auto most = [&](std::uint32_t part) { return level == 0 ? part : nodes_[part].most; };
  node.least = least(node.parts[0]);
  node.most = most(node.parts[0]);
  for (const std::uint32_t part : node.parts) {
    node.least = std::min(node.least, least(part));
    node.most = std::max(node.most, most(part));
  }
  nodes_.push_back(node);
  return static_cast<Clock>(nodes_.size() - 1);
}

}  // namespace reel::analysis
