#include "recording/writing/command_log.hpp"

#include <algorithm>

#include "base/process/own_memory.hpp"

namespace reel::capture {

namespace {
// Some thousand small commands.
constexpr std::uint32_t block_bytes = 256u << 10;
// Kept for reuse; a burst gives back the rest.
constexpr std::size_t most_spare = 8;
}  // namespace

struct CommandLog::Block {
  explicit Block(std::uint32_t capacity_bytes) : capacity(capacity_bytes), bytes(capacity_bytes) {}
  const std::uint32_t capacity;
  const OwnBytes bytes;
  std::atomic<std::uint32_t> used{0};
  std::atomic<Block*> next{nullptr};  // owned: set when this one is full
};

CommandLog::CommandLog() : tail_(new Block(block_bytes)), last_(tail_), head_(tail_) {
  blocks_ = 1;
}

CommandLog::~CommandLog() {
  while (head_) {
    const std::unique_ptr<Block> block(head_);
    head_ = block->next.load(std::memory_order_acquire);
  }
}

std::byte* CommandLog::reserve(std::uint32_t size_bytes) {
  const std::uint32_t used = tail_->used.load(std::memory_order_relaxed);
  if (size_bytes > tail_->capacity - used) {
    std::unique_ptr<Block> block;
    if (size_bytes <= block_bytes) {
      const std::lock_guard lock(spare_mutex_);
      if (!spare_.empty()) {
        block = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    if (!block) {
      block = std::make_unique<Block>(std::max(size_bytes, block_bytes));
      blocks_.fetch_add(1, std::memory_order_relaxed);
    }
    Block* next = block.release();
    tail_->next.store(next, std::memory_order_release);
    tail_ = next;
    last_.store(next, std::memory_order_release);
    pending_ = size_bytes;
    return next->bytes.get();
  }
  pending_ = size_bytes;
  return tail_->bytes.get() + used;
}

void CommandLog::commit() {
  tail_->used.store(tail_->used.load(std::memory_order_relaxed) + pending_,
                    std::memory_order_release);
}

CommandLog::Position CommandLog::end() const {
  const Block* block = last_.load(std::memory_order_acquire);
  return {block, block->used.load(std::memory_order_acquire)};
}

std::uint32_t CommandLog::head_used() const { return head_->used.load(std::memory_order_acquire); }
std::byte* CommandLog::head_bytes() const { return head_->bytes.get(); }

bool CommandLog::is_read() const {
  const Position last = end();
  return head_ == last.block && read_ == last.used;
}

void CommandLog::next_block() {
  auto* last = reinterpret_cast<std::byte*>(last_command);
  if (last && last != kept_.data()) {
    kept_.assign(last, last + last_command->header.size_bytes);
    last_command = reinterpret_cast<PackedCommand*>(kept_.data());
  }
  std::unique_ptr<Block> done(head_);
  head_ = head_->next.load(std::memory_order_acquire);
  read_ = 0;
  const std::lock_guard lock(spare_mutex_);
  if (done->capacity != block_bytes || spare_.size() >= most_spare) {
    blocks_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  done->used.store(0, std::memory_order_relaxed);
  done->next.store(nullptr, std::memory_order_relaxed);
  spare_.push_back(std::move(done));
}

}  // namespace reel::capture
