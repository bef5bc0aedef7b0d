#include "layers/opencl/hooks/map_hooks.hpp"

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"

namespace reel::layer {

namespace {

constexpr cl_map_flags writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

// What the host wrote, one run after the other.
class RunSource final : public ByteSource {
 public:
  explicit RunSource(const std::vector<MappedRun>& runs) : runs_(runs) {}
  void take(std::span<std::byte> target) override {
    while (!target.empty() && run_ < runs_.size()) {
      const MappedRun& run = runs_[run_];
      const auto step = std::min<std::uint64_t>(target.size(), run.range.size_bytes - at_);
      std::memcpy(target.data(), run.host + at_, step);
      target = target.subspan(step);
      if ((at_ += step) < run.range.size_bytes) continue;
      at_ = 0;
      ++run_;
    }
  }

  const std::byte* lend(std::uint64_t size_bytes) override {
    if (run_ >= runs_.size() || size_bytes > runs_[run_].range.size_bytes - at_) return nullptr;
    const std::byte* lent = runs_[run_].host + at_;
    if ((at_ += size_bytes) < runs_[run_].range.size_bytes) return lent;
    at_ = 0;
    ++run_;
    return lent;
  }

 private:
  const std::vector<MappedRun>& runs_;
  std::size_t run_ = 0;
  std::uint64_t at_ = 0;
};

// While it is mapped, the host may write and give commands all the same: on a CPU both see it.
void open_window(const Map& map, void* pointer) {
  if (!map.is_for_writing || map.ranges.size() != 1 || map.storage->image || map.storage->address)
    return;
  Storage& storage = *map.storage;
  const std::lock_guard lock(storage.window_mutex);
  storage.window = {static_cast<std::byte*>(pointer),
                    map.ranges[0].offset_bytes,
                    map.ranges[0].size_bytes,
                    map.before,
                    map.read,
                    map.is_discarding,
                    map.hashes};
  storage.is_mapped.store(true, std::memory_order_release);
}

void close_window(const Map& map, const void* pointer) {
  Storage& storage = *map.storage;
  const std::lock_guard lock(storage.window_mutex);
  if (storage.window.address != pointer) return;
  storage.window = {};
  storage.is_mapped.store(false, std::memory_order_release);
}

// From here on two looks at it are cheaper than a copy; and of larger changes than this nobody
// tells bytes apart (differences() in maps.cpp).
constexpr std::uint64_t hashed_from_bytes = std::uint64_t{1} << 20;

bool can_be_hashed(const Map& map) {
  return map.is_for_writing && !map.is_discarding && map.ranges.size() == 1 &&
         map.ranges[0].size_bytes >= hashed_from_bytes && !map.storage->image &&
         !map.storage->address;
}

}  // namespace

MapInProgress::MapInProgress(Given& given, std::span<const WorkArgument> mapped, cl_map_flags flags,
                             bool blocking) noexcept
    : given_(given) {
  quietly([&] {
    for (const WorkArgument& argument : mapped) map_.ranges.push_back(argument.range);
    if (map_.ranges.empty()) return;
    map_.storage = std::static_pointer_cast<Storage>(map_.ranges[0].storage->shared_from_this());
    map_.is_for_writing = (flags & writing) != 0;
    map_.is_discarding = (flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    Ticket& ticket = given.ticket();
    if (map_.is_for_writing && ticket.place)
      given.recording().before_host_writes(ticket, map_.ranges);
    if (!given.wants_contents()) return;
    if (!map_.is_discarding && given.is_device_written()) given.recording().check_before(ticket);
    // In the order of the queue, just before the map: what the host will see.
    is_hashed_ = blocking && can_be_hashed(map_);
    if (map_.is_for_writing && !map_.is_discarding && !is_hashed_)
      map_.before = given.recording().copy_before(ticket, map_.ranges, map_.read);
    // From here on the bytes are the host's to change, whoever asks for them before the unmap.
    if (map_.is_for_writing) given.recording().host_has(map_.ranges, map_.is_discarding);
  });
}

void MapInProgress::done(void* pointer, const Box& host) noexcept {
  if (!pointer || !map_.storage) return;
  quietly([&] {
    map_.host = host;
    map_.capture = given_.capture();
    if (!is_hashed_) enter(pointer);
  });
}

void MapInProgress::enter(void* pointer) {
  open_window(map_, pointer);
  add_map(pointer, map_);
}

void MapInProgress::waited(void* pointer, cl_int status) noexcept {
  if (!is_hashed_ || !pointer || !map_.storage) return;
  quietly([&] {
    const RecordingUse use;
    if (use && use->number == map_.capture && status == CL_SUCCESS)
      map_.hashes = use->hashes_of_mapped(*map_.storage, map_.ranges[0], pointer);
    enter(pointer);
  });
}

void fill_unmap(Given& given, const char* function, std::optional<Map>& map,
                const void* pointer) noexcept {
  std::vector<MappedRun> runs;
  bool is_known = false;
  const std::uint64_t begin_ns = monotonic_ns();
  capture::LastMap left;
  fill(given, WorkKind::write, function, [&](Work& work) {
    is_known = map && !map->is_for_writing;
    if (!map || !map->is_for_writing || map->capture != given.capture() || !given.wants_contents())
      return;
    // A map that isn't done yet gave the host nothing to write to; one that is, is after the read.
    is_known = map->is_discarding || map->before || map->hashes;
    if (map->is_discarding || (map->before && map->read.is_done()))
      runs = written_by_host(*map, pointer);
    if (map->hashes) {
      const Range& range = map->ranges[0];
      left = {map->capture, map->storage->changes.load(), range.offset_bytes, range.size_bytes,
              std::make_shared<capture::PageHashes>(capture::HostPages::of(
                  {static_cast<const std::byte*>(pointer), range.size_bytes}))};
      runs = written_by_host(*map, pointer, *left.hashes);
      left.changes += runs.size();  // this one will be counted, too
      given.recording().spent(begin_ns, range.size_bytes);
    }
    if (map->before) given.recording().spent(begin_ns, map->before->bytes().size());
    for (const MappedRun& run : runs) work.write(run.range);
    if (is_known) given.recording().unmapped(*map->storage, map->ranges);
  });
  if (!runs.empty()) {
    RunSource source(runs);
    given.written(source);
  }
  if (left.hashes) {
    const std::lock_guard lock(map->storage->window_mutex);
    map->storage->last_map = std::move(left);
  }
  // What the host did with it before the capture, or without our having a copy, is not known.
  if (map && !is_known && given.ticket().place) given.recording().forget(map->ranges);
}

void map_ends(const std::optional<Map>& map, const void* pointer) noexcept {
  if (map) quietly([&] { close_window(*map, pointer); });
}

}  // namespace reel::layer
