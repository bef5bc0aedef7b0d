#include "layers/opencl/maps.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace reel::layer {

namespace {

struct Maps {
  std::mutex mutex;
  std::multimap<const void*, Map> by_pointer;
};

Maps& maps() {
  static Maps& one = *new Maps;  // never destroyed: programs unmap from their last destructors
  return one;
}

}  // namespace

void add_map(const void* pointer, Map map) {
  const std::lock_guard lock(maps().mutex);
  maps().by_pointer.emplace(pointer, std::move(map));
}

std::optional<Map> take_map(const Storage* storage, const void* pointer) {
  const std::lock_guard lock(maps().mutex);
  const auto [begin, end] = maps().by_pointer.equal_range(pointer);
  for (auto it = end; it != begin;) {
    --it;
    if (it->second.storage.get() != storage) continue;
    Map map = std::move(it->second);
    maps().by_pointer.erase(it);
    return map;
  }
  return std::nullopt;
}

std::vector<MappedRun> runs_of(const Map& map, const void* pointer) {
  std::vector<MappedRun> runs;
  const auto* host = static_cast<const std::byte*>(pointer);
  const std::byte* before = map.before ? map.before->bytes().data() : nullptr;
  const bool is_image = map.storage->image.has_value();
  std::size_t next = 0;
  std::uint64_t at = 0, passed = 0;  // within the range; in the ranges before it
  map.host.for_each_run([&](std::uint64_t offset, std::uint64_t size) {
    while (size > 0 && next < map.ranges.size()) {
      const Range& range = map.ranges[next];
      const std::uint64_t step = std::min(size, range.size_bytes - at);
      const std::uint64_t copied = is_image ? range.offset_bytes + at : passed + at;
      runs.push_back({host + offset,
                      before ? before + copied : nullptr,
                      {range.storage, range.offset_bytes + at, step}});
      offset += step;
      size -= step;
      if ((at += step) < range.size_bytes) continue;
      passed += range.size_bytes;
      at = 0;
      ++next;
    }
  });
  return runs;
}

namespace {

using Pieces = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

constexpr std::size_t most_pieces = 1024;
constexpr std::size_t block_bytes = 4096;
// Of more than this only the ends are looked at byte by byte.
constexpr std::size_t fine_bytes = std::size_t{1} << 20;

// From the first to the last byte that differs.
std::pair<std::uint64_t, std::uint64_t> trimmed(std::span<const std::byte> before,
                                                std::span<const std::byte> now, std::size_t begin,
                                                std::size_t end) {
  while (begin < end && before[begin] == now[begin]) ++begin;
  while (end > begin && before[end - 1] == now[end - 1]) --end;
  return {begin, end - begin};
}

void join_neighbours(Pieces& blocks) {
  while (blocks.size() > most_pieces) {
    Pieces joined;
    for (std::size_t i = 0; i < blocks.size(); i += 2) {
      const auto& last = blocks[std::min(i + 1, blocks.size() - 1)];
      joined.emplace_back(blocks[i].first, last.first + last.second - blocks[i].first);
    }
    blocks = std::move(joined);
  }
}

}  // namespace

Pieces differences(std::span<const std::byte> before, std::span<const std::byte> now) {
  const std::size_t size = std::min(before.size(), now.size());
  Pieces blocks;  // runs of blocks that differ
  std::size_t total = 0;
  for (std::size_t at = 0; at < size; at += block_bytes) {
    const std::size_t step = std::min(block_bytes, size - at);
    if (std::memcmp(&before[at], &now[at], step) == 0) continue;
    total += step;
    if (!blocks.empty() && blocks.back().first + blocks.back().second == at)
      blocks.back().second += step;
    else
      blocks.emplace_back(at, step);
  }
  if (total > fine_bytes || blocks.size() > most_pieces) {
    join_neighbours(blocks);
    for (auto& block : blocks)
      block = trimmed(before, now, block.first, block.first + block.second);
    return blocks;
  }
  // Bytes that happen to be unchanged would cut what was written into many small pieces.
  for (std::size_t join = 1;; join *= 8) {
    Pieces pieces;
    for (const auto& [offset, length] : blocks)
      for (std::size_t at = offset, end = offset + length; at < end;) {
        if (before[at] == now[at]) {
          ++at;
          continue;
        }
        const std::size_t begin = at;
        while (at < end && before[at] != now[at]) ++at;
        if (!pieces.empty() && begin - (pieces.back().first + pieces.back().second) < join)
          pieces.back().second = at - pieces.back().first;
        else
          pieces.emplace_back(begin, at - begin);
        if (pieces.size() > most_pieces) break;
      }
    if (pieces.size() <= most_pieces || join >= size) return pieces;
  }
}

std::vector<MappedRun> written_by_host(const Map& map, const void* pointer) {
  std::vector<MappedRun> runs = runs_of(map, pointer);
  if (map.is_discarding) return runs;
  const std::uint64_t unit = map.storage->image ? map.storage->image->pixel_bytes : 1;
  std::vector<MappedRun> written;
  const auto add = [&](const MappedRun& run, std::uint64_t begin, std::uint64_t size) {
    if (size == 0) return;
    const std::uint64_t end =
        std::min((begin + size + unit - 1) / unit * unit, run.range.size_bytes);
    begin = begin / unit * unit;
    MappedRun part = run;
    part.host += begin;
    part.range.offset_bytes += begin;
    part.range.size_bytes = end - begin;
    // Pieces of one pixel each would be as many as there are channels that changed.
    if (!written.empty() &&
        part.range.offset_bytes <=
            written.back().range.offset_bytes + written.back().range.size_bytes &&
        part.range.offset_bytes >= written.back().range.offset_bytes && unit > 1 &&
        part.host - written.back().host ==
            static_cast<std::ptrdiff_t>(part.range.offset_bytes -
                                        written.back().range.offset_bytes)) {
      written.back().range.size_bytes =
          part.range.offset_bytes + part.range.size_bytes - written.back().range.offset_bytes;
      return;
    }
    written.push_back(part);
  };
  for (const bool is_fine : {true, false}) {
    written.clear();
    for (const MappedRun& run : runs) {
      if (!run.before) continue;
      const auto pieces =
          differences({run.before, run.range.size_bytes}, {run.host, run.range.size_bytes});
      if (is_fine)
        for (const auto& [begin, size] : pieces) add(run, begin, size);
      else if (!pieces.empty())
        add(run, pieces.front().first,
            pieces.back().first + pieces.back().second - pieces.front().first);
    }
    if (written.size() <= most_pieces) break;
  }
  return written;
}

std::vector<MappedRun> written_by_host(const Map& map, const void* pointer,
                                       const capture::PageHashes& now) {
  const Range& range = map.ranges[0];
  Pieces pieces = capture::HostPages::differences(*map.hashes, now, range.size_bytes);
  join_neighbours(pieces);
  std::vector<MappedRun> runs;
  for (const auto& [at, size] : pieces)
    runs.push_back({static_cast<const std::byte*>(pointer) + at,
                    nullptr,
                    {range.storage, range.offset_bytes + at, size}});
  return runs;
}

}  // namespace reel::layer
