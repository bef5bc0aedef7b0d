// memory_budget.hpp - memory for contents on their way to the document, and no more than allowed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace reel::capture {

class MemoryBudget;

// Bytes taken from a budget; given back when destroyed.
class Block {
 public:
  Block(std::shared_ptr<MemoryBudget> budget, std::size_t size_bytes);
  ~Block();
  Block(Block&& other) noexcept = default;
  Block& operator=(Block&& other) noexcept;

  std::span<std::byte> bytes() { return {bytes_.get(), size_bytes_}; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_bytes_}; }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_bytes_;
};

class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  explicit MemoryBudget(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // None when there is no room now. One block always fits in an empty budget.
  std::optional<Block> try_take(std::size_t size_bytes);
  // Until something was given back, or `timeout`.
  void wait_for_room(std::chrono::milliseconds timeout);
  std::size_t taken();

 private:
  friend class Block;
  void give_back(std::size_t size_bytes) noexcept;

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t taken_ = 0;
};

}  // namespace reel::capture
