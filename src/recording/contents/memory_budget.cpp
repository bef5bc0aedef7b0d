#include "recording/contents/memory_budget.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace reel::capture {

namespace {

// Smaller ones are kept by whoever they come from.
constexpr std::size_t least_kept_bytes = std::size_t{64} << 10;

OwnBytes new_piece(std::size_t size_bytes) {
  try {
    return OwnBytes(std::max<std::size_t>(size_bytes, 1));
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace

Block::Block(std::shared_ptr<MemoryBudget> budget, OwnBytes piece, std::size_t size_bytes)
    : budget_(std::move(budget)), piece_(std::move(piece)), size_bytes_(size_bytes) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(piece_, other.piece_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

Block::~Block() {
  if (budget_) budget_->give_back(size_bytes_, std::move(piece_));
}

// Not one of twice the size and more: it would be missed by who needs that.
OwnBytes MemoryBudget::piece_of(std::size_t size_bytes) {
  if (size_bytes >= least_kept_bytes) {
    const std::lock_guard lock(mutex_);
    const auto it = std::find_if(kept_.rbegin(), kept_.rend(), [&](const OwnBytes& piece) {
      return piece.size() >= size_bytes && piece.size() / 2 <= size_bytes;
    });
    if (it != kept_.rend()) {
      OwnBytes piece = std::move(*it);
      kept_.erase(std::next(it).base());
      kept_bytes_ -= piece.size();
      return piece;
    }
  }
  return new_piece(size_bytes);
}

std::optional<Block> MemoryBudget::try_take(std::size_t size_bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (taken_ != 0 && taken_ + size_bytes > most_bytes_) return std::nullopt;
    taken_ += size_bytes;
  }
  OwnBytes piece = piece_of(size_bytes);
  if (piece.get()) return Block(shared_from_this(), std::move(piece), size_bytes);
  give_back(size_bytes, {});
  return std::nullopt;
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

void MemoryBudget::give_back(std::size_t size_bytes, OwnBytes piece) noexcept {
  {
    const std::lock_guard lock(mutex_);
    taken_ -= size_bytes;
    if (piece.size() >= least_kept_bytes && piece.size() + kept_bytes_ <= most_kept_bytes_) {
      try {
        const std::size_t kept = piece.size();
        kept_.push_back(std::move(piece));
        kept_bytes_ += kept;
      } catch (...) {  // it is freed instead
      }
    }
  }
  changed_.notify_all();
}

}  // namespace reel::capture
