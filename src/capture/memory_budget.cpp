#include "capture/memory_budget.hpp"

#include <utility>

namespace reel::capture {

Block::Block(std::shared_ptr<MemoryBudget> budget, std::size_t size_bytes)
    : budget_(std::move(budget)), bytes_(new std::byte[size_bytes]), size_bytes_(size_bytes) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

Block::~Block() {
  bytes_.reset();
  if (budget_) budget_->give_back(size_bytes_);
}

std::optional<Block> MemoryBudget::try_take(std::size_t size_bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (taken_ != 0 && taken_ + size_bytes > most_bytes_) return std::nullopt;
    taken_ += size_bytes;
  }
  try {
    return Block(shared_from_this(), size_bytes);
  } catch (const std::bad_alloc&) {
    give_back(size_bytes);
    return std::nullopt;
  }
}

void MemoryBudget::wait_for_room(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const std::size_t before = taken_;
  changed_.wait_for(lock, timeout, [&] { return taken_ < before || taken_ == 0; });
}

std::size_t MemoryBudget::taken() {
  const std::lock_guard lock(mutex_);
  return taken_;
}

void MemoryBudget::give_back(std::size_t size_bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    taken_ -= size_bytes;
  }
  changed_.notify_all();
}

}  // namespace reel::capture
