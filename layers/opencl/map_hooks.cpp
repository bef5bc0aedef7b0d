#include "layers/opencl/map_hooks.hpp"

#include <algorithm>

namespace reel::layer {

namespace {

constexpr cl_map_flags writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

std::uint64_t total(const std::vector<Range>& ranges) {
  std::uint64_t bytes = 0;
  for (const Range& range : ranges) bytes += range.size_bytes;
  return bytes;
}

// Bytes [offset, offset + size) of the mapped ones, as ranges of the storage.
void add_part(Work& work, const std::vector<Range>& ranges, std::uint64_t offset,
              std::uint64_t size) {
  std::uint64_t at = 0;
  for (const Range& range : ranges) {
    const std::uint64_t begin = std::max(offset, at);
    const std::uint64_t end = std::min(offset + size, at + range.size_bytes);
    if (begin < end) work.write({range.storage, range.offset_bytes + begin - at, end - begin});
    at += range.size_bytes;
  }
}

// Of the bytes that a source has, only some parts.
class PartSource final : public ByteSource {
 public:
  PartSource(std::span<const std::byte> bytes,
             const std::vector<std::pair<std::uint64_t, std::uint64_t>>& parts)
      : bytes_(bytes), parts_(parts) {}
  void take(std::span<std::byte> target) override {
    while (!target.empty() && part_ < parts_.size()) {
      const auto& [offset, size] = parts_[part_];
      const auto step = std::min<std::uint64_t>(target.size(), size - at_);
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset + at_), step, target.begin());
      target = target.subspan(step);
      if ((at_ += step) < size) continue;
      at_ = 0;
      ++part_;
    }
  }

 private:
  std::span<const std::byte> bytes_;
  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& parts_;
  std::size_t part_ = 0;
  std::uint64_t at_ = 0;
};

// While it is mapped, the host may write and give commands all the same: on a CPU both see it.
void open_window(const Map& map, void* pointer) {
  if (!map.is_for_writing || map.ranges.size() != 1 || map.storage->image || map.storage->address)
    return;
  Storage& storage = *map.storage;
  const std::lock_guard lock(storage.window_mutex);
  if (storage.mapped.read) next().clReleaseEvent(storage.mapped.read);
  if (map.read) next().clRetainEvent(map.read);
  storage.mapped = {static_cast<std::byte*>(pointer), map.ranges[0].offset_bytes,
                    map.ranges[0].size_bytes, map.before, map.read};
  storage.is_mapped.store(true, std::memory_order_release);
}

void close_window(const Map& map, const void* pointer) {
  Storage& storage = *map.storage;
  const std::lock_guard lock(storage.window_mutex);
  if (storage.mapped.address != pointer) return;
  if (storage.mapped.read) next().clReleaseEvent(storage.mapped.read);
  storage.mapped = {};
  storage.is_mapped.store(false, std::memory_order_release);
}

}  // namespace

MapInProgress::MapInProgress(Given& given, cl_map_flags flags) noexcept : given_(given) {
  if (!given) return;
  quietly([&] {
    for (const WorkArgument& argument : given.work().arguments)
      map_.ranges.push_back(argument.range);
    if (map_.ranges.empty()) return;
    map_.storage = std::static_pointer_cast<Storage>(map_.ranges[0].storage->shared_from_this());
    map_.is_for_writing = (flags & writing) != 0;
    map_.is_discarding = (flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    is_wanted_ = given.wants_contents();
    if (is_wanted_ && !map_.is_discarding && given.is_device_written()) given.check_before();
    // In the order of the queue, just before the map: what the host will see.
    if (is_wanted_ && map_.is_for_writing && !map_.is_discarding)
      map_.before = given.copy_before(map_.ranges, map_.read);
  });
}

void MapInProgress::done(void* pointer, const Box& host) noexcept {
  if (!pointer || !map_.storage) {
    if (map_.read) next().clReleaseEvent(map_.read);
    return;
  }
  quietly([&] {
    map_.host = host;
    map_.capture = given_.capture();
    open_window(map_, pointer);
    add_map(pointer, std::move(map_));
  });
}

void fill_unmap(Given& given, const char* function, std::optional<Map>& map,
                const void* pointer) noexcept {
  if (map)
    quietly([&] {
      close_window(*map, pointer);
      given.unmapped(*map->storage);
    });
  std::vector<std::byte> now;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
  fill(given, WorkKind::write, function, [&](Work& work) {
    if (!map || !map->is_for_writing || map->capture != given.capture() || !given.wants_contents())
      return;
    now.resize(total(map->ranges));
    BoxSource(pointer, map->host).take(now);
    if (map->is_discarding) {
      parts.emplace_back(0, now.size());
    } else if (map->before) {
      // The program waited for the map, and so for the read before it.
      if (map->read) next().clWaitForEvents(1, &map->read);
      parts = differences(*map->before, now);
    }
    for (const auto& [offset, size] : parts) add_part(work, map->ranges, offset, size);
  });
  if (map && map->read) next().clReleaseEvent(std::exchange(map->read, nullptr));
  if (!parts.empty()) {
    PartSource source(now, parts);
    given.written(source);
  }
}

}  // namespace reel::layer
