// memory_budget.hpp - memory for contents on their way to the document, and no more than allowed.
//
// Large pieces are kept for the next who wants as much: pages that a process gets anew cost more
// than copying into them. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/process/own_memory.hpp"

namespace reel::capture {

class MemoryBudget;

// Bytes taken from a budget; given back when destroyed.
class Block {
 public:
  Block(std::shared_ptr<MemoryBudget> budget, OwnBytes piece, std::size_t size_bytes);
  ~Block();
  Block(Block&& other) noexcept = default;
  Block& operator=(Block&& other) noexcept;

  std::span<std::byte> bytes() { return {piece_.get(), size_bytes_}; }
  std::span<const std::byte> bytes() const { return {piece_.get(), size_bytes_}; }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  OwnBytes piece_;
  std::size_t size_bytes_;
};

class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  // Keeps up to `kept_bytes` of what was given back.
  explicit MemoryBudget(std::size_t most_bytes, std::size_t kept_bytes = std::size_t{64} << 20)
      : most_bytes_(most_bytes), most_kept_bytes_(kept_bytes) {}

  // None when there is no room now. One block always fits in an empty budget.
  std::optional<Block> try_take(std::size_t size_bytes);
  // Until something was given back, or `timeout`.
  void wait_for_room(std::chrono::milliseconds timeout);
  std::size_t taken();

 private:
  friend class Block;
  void give_back(std::size_t size_bytes, OwnBytes piece) noexcept;
  OwnBytes piece_of(std::size_t size_bytes);  // empty: there is no memory

  const std::size_t most_bytes_, most_kept_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t taken_ = 0, kept_bytes_ = 0;
  std::vector<OwnBytes> kept_;
};

}  // namespace reel::capture
