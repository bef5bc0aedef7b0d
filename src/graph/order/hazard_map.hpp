// hazard_map.hpp - who last wrote each byte, and who has read it since.
//
// Nodes are shown in an order that their dependencies allow; for each, the earlier ones come back
// that it must wait for: the last writers of what it reads or writes, the readers since then of
// what it writes. For n nodes that touch their ranges in few pieces this is O(n log n).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "reel/command.hpp"

namespace reel {

struct Use {
  BufferRange range;
  Access access;
};

class HazardMap {
 public:
  // The nodes that the next one (0, 1, 2, … by call) must wait for: sorted, each once.
  // A fence waits for every node since the last fence, and every later one for it.
  std::vector<std::uint32_t> next(std::span<const Use> uses, bool fence);

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  // The bytes from the key to `end`; gaps between pieces were touched by nobody.
  struct Piece {
    std::uint64_t end;
    std::uint32_t writer = nobody;
    std::vector<std::uint32_t> readers = {};  // since the writer
  };
  using Pieces = std::map<std::uint64_t, Piece>;

  void find(const Use& use, std::vector<std::uint32_t>& waits) const;
  void add_reader(Pieces& pieces, std::uint64_t begin, std::uint64_t end) const;
  void set_writer(Pieces& pieces, std::uint64_t begin, std::uint64_t end);
  static void split(Pieces& pieces, std::uint64_t at);

  std::unordered_map<const BufferResource*, Pieces> buffers_;
  std::uint32_t count_ = 0;
  std::uint32_t last_fence_ = nobody;
};

}  // namespace reel
