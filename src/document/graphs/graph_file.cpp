#include "document/graphs/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reel::document {
namespace {

// Stays where it is past every limit, so that it never wraps.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  return std::min(std::min(a, most) + std::min(b, most), most);
}

}  // namespace

void GraphExtent::add_node(std::uint64_t written) {
  nodes = sum(nodes, 1);
  written_bytes = sum(written_bytes, written);
}

void GraphExtent::add_child(const GraphExtent& child) {
  nested = std::max(nested, child.nested + 1);
  nodes = sum(nodes, child.nodes);
  written_bytes = sum(written_bytes, child.written_bytes);
}

std::string GraphExtent::excess() const {
  if (nested > most_nested)
    return fmt::format("Its graphs are nested {} deep; a file holds up to {}.", nested,
                       most_nested);
  if (nodes > most_nodes)
    return fmt::format(
        "It has {} nodes, those of child graphs counted each time; a file holds up "
        "to {}.",
        nodes, most_nodes);
  if (written_bytes > most_written_bytes)
    return fmt::format("Its nodes write {} bytes; a file holds up to {}.", written_bytes,
                       most_written_bytes);
  return {};
}

}  // namespace reel::document
