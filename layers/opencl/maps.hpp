// maps.hpp - memory that the program has mapped, and what it does to it.
//
// Of a map for writing we keep what the bytes were (of a large one that the program waited for, the
// hashes of its pages; it takes no memory then): at unmap, those that differ were written by the
// host, and the rest is what the device left there. A map that discards the old contents needs no
// copy: all of it counts as the host's. Maps are known outside of captures, too: one may be undone
// within a capture. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "layers/opencl/objects/objects.hpp"
#include "layers/opencl/work.hpp"

namespace reel::layer {

struct Map {
  std::shared_ptr<Storage> storage;
  std::vector<Range> ranges;  // of the storage
  Box host;                   // the same bytes, from the pointer that the program got
  bool is_for_writing = false, is_discarding = false;
  std::uint32_t capture = 0;  // whose copy `before` is
  // Of an image: all of it. Null: discarding, or not captured.
  std::shared_ptr<capture::Block> before;
  capture::Completion read;                           // of the copy
  std::shared_ptr<const capture::PageHashes> hashes;  // in place of a copy
};

// Mapped bytes that lie together both where the host sees them and in the storage.
struct MappedRun {
  const std::byte* host;
  const std::byte* before;  // null: there is no copy
  Range range;
};
std::vector<MappedRun> runs_of(const Map& map, const void* pointer);

void add_map(const void* pointer, Map map);
// The last one that gave this pointer; none: not ours.
std::optional<Map> take_map(const Storage* storage, const void* pointer);

// Pieces of `now` that differ from `before`, few enough to be worth telling apart: at most some
// thousand; neighbours are joined beyond that.
std::vector<std::pair<std::uint64_t, std::uint64_t>> differences(std::span<const std::byte> before,
                                                                 std::span<const std::byte> now);
// What the host wrote, in the order of the ranges. Of images whole pixels.
std::vector<MappedRun> written_by_host(const Map& map, const void* pointer);
// The same of a map that has hashes, by what the hashes are now: whole pages.
std::vector<MappedRun> written_by_host(const Map& map, const void* pointer,
                                       const capture::PageHashes& now);

}  // namespace reel::layer
