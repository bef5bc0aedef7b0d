// message_list.hpp - messages on their way to the writer, in blocks that stay where they are.
//
// A vector that grows moves all that it has: of 16,384 messages that took 2.5 ms, in the middle of
// a call of the program. Blocks are used again once they have been read, so that their memory is
// faulted in once.
//
// One thread at a time; the lock of DocumentThread is around it.
#pragma once

#include <cstddef>
#include <utility>

#include "base/process/own_memory.hpp"
#include "recording/writing/messages.hpp"

namespace reel::capture {

class MessageList {
 public:
  MessageList() { spare_.reserve(most_spare); }

  // Good until take().
  Message& add(Message&& message) {
    if (blocks_.empty() || blocks_.back().size() == block_size) add_block();
    ++size_;
    return blocks_.back().emplace_back(std::move(message));
  }
  std::size_t size() const noexcept { return size_; }

  // All that are here, in the order in which they came; nothing is left.
  using Block = OwnVector<Message>;
  OwnVector<Block> take() noexcept {
    size_ = 0;
    return std::exchange(blocks_, {});
  }
  // Blocks of take(), read.
  void give_back(OwnVector<Block>&& blocks) noexcept {
    for (Block& block : blocks) {
      if (spare_.size() == most_spare) return;
      block.clear();
      spare_.push_back(std::move(block));
    }
  }

 private:
  static constexpr std::size_t block_size = 256;
  static constexpr std::size_t most_spare = 64;  // some 16,384 messages

  void add_block() {
    if (spare_.empty()) {
      Block block;
      block.reserve(block_size);
      blocks_.push_back(std::move(block));
    } else {
      blocks_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
  }

  OwnVector<Block> blocks_, spare_;
  std::size_t size_ = 0;
};

}  // namespace reel::capture
