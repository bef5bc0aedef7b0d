#include "backends/opencl/device/sub_buffers.hpp"

#include <utility>

#include "base/fail.hpp"

namespace reel::opencl {
namespace {

MemoryHandle make_sub_buffer(cl_mem parent, const SubBuffers::Place& place,
                             std::string_view label) {
  const cl_buffer_region region{place.offset_bytes, place.size_bytes};
  cl_int status = CL_SUCCESS;
  MemoryHandle made(api().create_sub_buffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                            &region, &status));
  if (status != CL_SUCCESS)
    fail_status(status, "clCreateSubBuffer",
                fmt::format("bytes {} to {} of buffer '{}'", place.offset_bytes,
                            place.offset_bytes + place.size_bytes, label));
  return made;
}

MemoryHandle another_reference(cl_mem memory) {
  check(api().retain_mem_object(memory), "clRetainMemObject");
  return MemoryHandle(memory);
}

}  // namespace

MemoryHandle SubBuffers::get(cl_mem parent, const Place& place, std::string_view label) {
  const std::lock_guard lock(mutex_);
  if (const cl_mem found = find_lasting(place)) return another_reference(found);
  if (lasting_.size() < most_lasting) {
    MemoryHandle made = make_sub_buffer(parent, place, label);
    const cl_mem memory = made.get();
    add_lasting(place, std::move(made));
    return another_reference(memory);
  }
  const auto found = passing_.find(place);
  if (found != passing_.end()) return another_reference(found->second.get());
  MemoryHandle made = make_sub_buffer(parent, place, label);
  if (passing_.size() >= most_passing) passing_.clear();
  const cl_mem memory = passing_.emplace(place, std::move(made)).first->second.get();
  return another_reference(memory);
}

void SubBuffers::add_lasting(const Place& place, MemoryHandle memory) {
  if (tables_.empty() || tables_.back()->is_full()) enlarge();
  lasting_.push_back(std::move(memory));
  tables_.back()->add(place, lasting_.back().get());
}

void SubBuffers::enlarge() {
  constexpr unsigned first_bits = 4;
  const bool is_first = tables_.empty();
  auto larger = std::make_unique<Table>(is_first ? first_bits : 64 - tables_.back()->shift + 1);
  if (!is_first)
    for (const Table::Entry& entry : tables_.back()->entries)
      larger->add(entry.place, entry.memory);
  tables_.push_back(std::move(larger));
  table_.store(tables_.back().get(), std::memory_order_release);
}

SubBuffers::Table::Table(unsigned bits)
    : shift(64 - bits), entries(std::size_t{1} << (bits - 1)), slots(std::size_t{1} << bits) {}

void SubBuffers::Table::add(const Place& place, cl_mem memory) noexcept {
  const std::uint32_t index = count.load(std::memory_order_relaxed);
  entries[index] = {place, memory};
  count.store(index + 1, std::memory_order_release);
  std::size_t at = hash_of(place) >> shift;
  while (slots[at].load(std::memory_order_relaxed)) at = (at + 1) & (slots.size() - 1);
  slots[at].store(index + 1, std::memory_order_release);
}

cl_mem SubBuffers::Table::find_by_hash(const Place& place, Guess& next) const noexcept {
  for (std::size_t at = hash_of(place) >> shift;; at = (at + 1) & (slots.size() - 1)) {
    const std::uint32_t index = slots[at].load(std::memory_order_acquire);
    if (index == 0) return nullptr;
    if (entries[index - 1].place == place) return take(index - 1, next);
  }
}

std::size_t SubBuffers::count() const {
  const std::lock_guard lock(mutex_);
  return lasting_.size() + passing_.size();
}

void SubBuffers::clear() {
  const std::lock_guard lock(mutex_);
  table_.store(nullptr, std::memory_order_relaxed);
  tables_.clear();
  lasting_.clear();
  passing_.clear();
}

}  // namespace reel::opencl
