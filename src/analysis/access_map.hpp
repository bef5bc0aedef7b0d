// access_map.hpp - who last wrote each byte of each buffer, and who has read it since.
//
// Commands come in their order; each use tells what it depends on. A buffer that is always used
// whole costs one lookup a use.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reel/analysis.hpp"

namespace reel::analysis {

class AccessMap {
 public:
  explicit AccessMap(std::size_t buffers) : buffers_(buffers) {}

  struct Hazard {
    std::uint32_t from;
    bool is_data;  // reads what it wrote; else it must not overtake it
    std::uint64_t bytes;
  };
  // What `command` depends on by this use; call before entering any of its uses.
  void find(const TraceArgument& range, Access access, std::vector<Hazard>& hazards) const;
  // Enters it. Reads of a command come before its writes.
  void enter(std::uint32_t command, const TraceArgument& range, Access access);

  // Bytes of the range that no command has written yet.
  std::uint64_t unwritten(const TraceArgument& range) const;

 private:
  struct Piece {
    std::uint64_t end = 0;
    std::uint32_t writer = no_index;
    std::vector<std::uint32_t> readers = {};  // since the writer
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by begin; gaps: touched by nobody

  static void split(Pieces& pieces, std::uint64_t at);
  template <class F>
  static void for_each_overlap(const Pieces& pieces, std::uint64_t begin, std::uint64_t end,
                               F&& visit);
  std::vector<Pieces> buffers_;
};

}  // namespace reel::analysis
