#include "layers/opencl/transfers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace reel::layer {

void add_box(Work& work, Access access, Storage* storage, std::uint64_t base, std::uint64_t size,
             const Box& box) {
  if (!storage || storage->is_strange || !box.fits(size)) return;
  box.for_each_run([&](std::uint64_t offset, std::uint64_t bytes) {
    work.add({storage, base + offset, bytes}, access);
  });
}

void add_box(Work& work, Access access, const std::shared_ptr<Memory>& memory, const Box& box) {
  if (memory)
    add_box(work, access, memory->storage.get(), memory->offset_bytes, memory->size_bytes, box);
}

void add_range(Work& work, Access access, const std::shared_ptr<Memory>& memory,
               std::uint64_t offset, std::uint64_t size) {
  add_box(work, access, memory, line_at(offset, size));
}

void add_copy(Work& work, const Range& source, const Range& target) {
  work.read(source);
  work.write(target);
}

// Both go through the same bytes in the same order; pieces end where a run of either ends.
void add_copy(Work& work, const std::shared_ptr<Memory>& source, const Box& source_box,
              const std::shared_ptr<Memory>& target, const Box& target_box) {
  if (!source || !target || source->storage->is_strange || target->storage->is_strange ||
      !source_box.fits(source->size_bytes) || !target_box.fits(target->size_bytes))
    return;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> from, to;
  source_box.for_each_run(
      [&](std::uint64_t at, std::uint64_t size) { from.emplace_back(at, size); });
  target_box.for_each_run([&](std::uint64_t at, std::uint64_t size) { to.emplace_back(at, size); });
  std::size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    const std::uint64_t size = std::min(from[i].second, to[j].second);
    add_copy(work, {source->storage.get(), source->offset_bytes + from[i].first, size},
             {target->storage.get(), target->offset_bytes + to[j].first, size});
    from[i].first += size;
    to[j].first += size;
    if ((from[i].second -= size) == 0) ++i;
    if ((to[j].second -= size) == 0) ++j;
  }
}

void set_pattern(Work& work, const void* pattern, std::size_t size) {
  if (!pattern || (size != 1 && size != 2 && size != 4)) {
    work.row.kind = WorkKind::write;
    return;
  }
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, pattern, size);
  work.row.pattern = bytes;
  work.row.pattern_bytes = static_cast<std::uint32_t>(size);
}

void give_pattern(Given& given, const void* pattern, std::size_t size) noexcept {
  if (!given || !pattern || given.work().row.kind != WorkKind::write) return;
  // The driver refuses other sizes; so many bytes need not be there.
  if (!std::has_single_bit(size) || size > 128) return;
  PatternSource source(std::as_bytes(std::span(static_cast<const char*>(pattern), size)));
  given.written(source);
}

bool waits_for_user(cl_uint wait_count, const cl_event* waits) noexcept {
  for (cl_uint i = 0; waits && i < wait_count; ++i) {
    const auto* event = find<Event>(waits[i]);
    if (event && event->is_user) return true;
  }
  return false;
}

}  // namespace reel::layer
