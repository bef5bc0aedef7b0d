// command_log.hpp - what one stream did, on its way to the writer.
//
// One thread at a time appends (it has the stream's lock), one other reads; neither waits for the
// other and, once blocks go round, nothing is allocated. Entries are whole or not there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "recording/packed_command.hpp"

namespace reel::capture {

class CommandLog {
 public:
  CommandLog();
  ~CommandLog();
  CommandLog(const CommandLog&) = delete;
  CommandLog& operator=(const CommandLog&) = delete;

  // --- the appending side ------------------------------------------------------------------------
  // Room for an entry of `size_bytes` (a multiple of 8), to be filled before commit().
  std::byte* reserve(std::uint32_t size_bytes);
  void commit();

  // --- the reading side
  // ---------------------------------------------------------------------------- How far entries
  // are there now.
  struct Position {
    const void* block = nullptr;
    std::uint32_t used = 0;
  };
  Position end() const;
  // visit(const EntryHeader&) for each entry up to `end`, once.
  template <class F>
  void read_until(const Position& end, F&& visit) {
    for (;;) {
      const std::uint32_t used = head_ == end.block ? end.used : head_used();
      while (read_ < used) {
        const auto* entry = reinterpret_cast<const EntryHeader*>(head_bytes() + read_);
        read_ += entry->size_bytes;
        visit(*entry);
      }
      if (head_ == end.block) return;
      next_block();
    }
  }

  bool is_read() const;  // nothing is there that was not visited
  std::size_t blocks() const noexcept { return blocks_.load(std::memory_order_relaxed); }

 private:
  struct Block;
  std::uint32_t head_used() const;
  const std::byte* head_bytes() const;
  void next_block();

  Block* tail_ = nullptr;      // appended to
  std::uint32_t pending_ = 0;  // reserved, not committed
  std::atomic<Block*> last_;   // tail_, for the reader
  Block* head_ = nullptr;      // read from
  std::uint32_t read_ = 0;
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<Block>> spare_;
  std::atomic<std::size_t> blocks_{0};
};

}  // namespace reel::capture
