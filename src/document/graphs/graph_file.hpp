// graph_file.hpp - what a document that holds a graph has of its own; docs/document-format.md says
// what its tables mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reel::document {

// In the metadata `reel`: the key, and its value in such a document. Captures may lack it.
inline constexpr const char* kind_key = "kind";
inline constexpr const char* graph_kind = "graph";
// In `reel.end`: how many rows of /edges there are.
inline constexpr const char* edges_key = "edges";
// And which buffers are temporaries, where there are any: "2,5".
inline constexpr const char* temporaries_key = "temporaries";

// How much a graph is when each child counts as often as it stands there. A few bytes of a file
// may ask for any amount of it, so there are limits; graphs beyond them are not saved either.
struct GraphExtent {
  static constexpr std::size_t most_nested = 64;
  static constexpr std::uint64_t most_nodes = 1u << 24;
  static constexpr std::uint64_t most_written_bytes = 1u << 30;

  std::size_t nested = 1;  // graphs in graphs, itself among them
  std::uint64_t nodes = 0, written_bytes = 0;

  void add_node(std::uint64_t written = 0);
  void add_child(const GraphExtent& child);
  // A sentence about what is too much; empty where nothing is.
  std::string excess() const;
};

}  // namespace reel::document
