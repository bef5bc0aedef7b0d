// memory_pieces.hpp - the memory that a document's commands and barriers name, cut where any range
// begins or ends.
//
// Buffers that lie in one allocation of Vulkan share its bytes. Made
// of the whole trace at once; what is known of a piece is the caller's. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/sync/barrier_chains.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

struct MemoryUse {
  std::uint32_t command = no_index, stream = no_index;
  SyncUse use = {};
  std::uint32_t first = command;  // of several that it stands for: the first
};

struct MemoryPiece {
  std::uint64_t begin = 0, end = 0;  // in its space
  std::uint32_t first_range = 0, range_count = 0;
  std::optional<MemoryUse> write = std::nullopt;
  std::vector<MemoryUse> reads = {};  // since then
  // Accesses of commands of this stream that are known to be in order with the write.
  std::uint16_t fine = 0;
  std::uint32_t fine_stream = no_index;

  std::uint64_t size_bytes() const noexcept { return end - begin; }
};

class MemoryPieces {
 public:
  explicit MemoryPieces(const Trace& trace);

  // The number by which barriers of this memory are known.
  BarrierChains::Range range_of(const TraceBarrier& row) const;
  // Those that have all of the piece.
  std::span<const BarrierChains::Range> ranges_of(const MemoryPiece& piece) const {
    return std::span(covering_).subspan(piece.first_range, piece.range_count);
  }

  template <class F>
  void for_each(const TraceArgument& argument, F&& visit) {
    const Place place = place_of(argument.buffer, argument.offset_bytes, argument.size_bytes);
    std::vector<MemoryPiece>& list = spaces_[place.space];
    auto piece = std::ranges::lower_bound(list, place.begin, {}, &MemoryPiece::begin);
    for (; piece != list.end() && piece->begin < place.end; ++piece) visit(*piece);
  }
  // Where the piece begins in the buffer of the argument.
  std::uint64_t offset_in(const MemoryPiece& piece, const TraceArgument& argument) const {
    const std::uint64_t base = place_of(argument.buffer, 0, 1).begin;
    return piece.begin > base ? piece.begin - base : 0;
  }

 private:
  struct Place {
    std::uint32_t space;
    std::uint64_t begin, end;
  };
  Place place_of(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) const;

  const Trace& trace_;
  std::vector<std::uint32_t> space_of_buffer_;
  std::vector<std::vector<MemoryPiece>> spaces_;  // by begin
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, BarrierChains::Range> ranges_;
  std::vector<BarrierChains::Range> covering_;
};

}  // namespace reel::analysis
