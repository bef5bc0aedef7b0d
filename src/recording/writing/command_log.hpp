// command_log.hpp - what one stream did, on its way to the writer.
//
// One thread at a time appends (it has the stream's lock), one other reads; neither waits for the
// other and, once blocks go round, nothing is allocated. Entries are whole or not there.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes/hash128.hpp"
#include "base/clock.hpp"
#include "recording/writing/packed_command.hpp"

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
  void shorten(std::uint32_t size_bytes) noexcept { pending_ = size_bytes; }  // what was reserved
  void commit();

  // --- the reading side --------------------------------------------------------------------------
  // How far entries are there now.
  struct Position {
    const void* block = nullptr;
    std::uint32_t used = 0;
  };
  Position end() const;
  // visit(EntryHeader&) for each entry up to `end`, once.
  template <class F>
  void read_until(const Position& end, F&& visit) {
    for (;;) {
      const std::uint32_t used = head_ == end.block ? end.used : head_used();
      while (read_ < used) {
        auto* entry = reinterpret_cast<EntryHeader*>(head_bytes() + read_);
        read_ += entry->size_bytes;
        visit(*entry);
      }
      if (head_ == end.block) return;
      next_block();
    }
  }

  bool is_read() const;  // nothing is there that was not visited
  // Of the last command that was visited, and of the last bare one: the visitor's.
  std::uint32_t last_work = no_index, last_bare_work = no_index;
  std::array<std::uint32_t, known_places> known_works;  // by place; set before it is named
  // The last one that was there as a whole, which stays for as long as that, and the hash of it
  // without values once it is asked for. Its values are the visitor's to change.
  PackedCommand* last_command = nullptr;
  std::optional<Hash128> last_without_values;
  std::size_t blocks() const noexcept { return blocks_.load(std::memory_order_relaxed); }

 private:
  struct Block;
  std::uint32_t head_used() const;
  std::byte* head_bytes() const;
  void next_block();

  Block* tail_ = nullptr;      // appended to
  std::uint32_t pending_ = 0;  // reserved, not committed
  std::atomic<Block*> last_;   // tail_, for the reader
  Block* head_ = nullptr;      // read from
  std::uint32_t read_ = 0;
  std::vector<std::byte> kept_;  // of last_command, where its block went
  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<Block>> spare_;
  std::atomic<std::size_t> blocks_{0};
};

// --- entries to be filled and committed ---------------------------------------------------------

// `given`: but for its stream, thread and work.
inline document::CommandRow row_of(document::CommandRow given, std::uint32_t stream) {
  given.stream = stream;
  given.thread = thread_number();
  return given;
}

// Its work is empty but for these sizes; `arguments` stand behind it, then values, then the label.
inline PackedCommand* reserve_command(CommandLog& log, std::uint32_t stream,
                                      const document::CommandRow& given,
                                      std::uint32_t arguments = 0, std::uint32_t values = 0,
                                      std::size_t label = 0) {
  const auto bytes = static_cast<std::uint32_t>(sizeof(PackedCommand) +
                                                arguments * sizeof(TraceArgument) + values + label);
  const std::uint32_t size = (bytes + 7) / 8 * 8;
  std::byte* place = log.reserve(size);
  std::memset(place + size - 8, 0, 8);  // what rounds it up is compared too
  auto* entry = reinterpret_cast<PackedCommand*>(place);
  *entry = {{size, EntryType::command},       row_of(given, stream), nullptr, {}, values,
            static_cast<std::uint32_t>(label)};
  entry->work.argument_count = arguments;
  return entry;
}

// One that does what the last one appended here does, or the last bare one, and is no node of a
// launch.
inline void append_again(CommandLog& log, std::uint32_t stream, const document::CommandRow& given,
                         EntryType type = EntryType::again) {
  auto* entry = reinterpret_cast<PackedAgain*>(log.reserve(sizeof(PackedAgain)));
  *entry = {{sizeof(PackedAgain), type}, row_of(given, stream)};
  log.commit();
}

// The same with other values.
inline void append_values(CommandLog& log, std::uint32_t stream, const document::CommandRow& given,
                          std::span<const std::byte> values) {
  const auto size = static_cast<std::uint32_t>(sizeof(PackedValues) + (values.size() + 7) / 8 * 8);
  auto* entry = reinterpret_cast<PackedValues*>(log.reserve(size));
  *entry = {{size, EntryType::other_values}, row_of(given, stream), values.size()};
  std::memcpy(entry + 1, values.data(), values.size());
  log.commit();
}

inline document::StampRow* reserve_stamps(CommandLog& log, std::size_t count) {
  const auto size =
      static_cast<std::uint32_t>(sizeof(PackedStamps) + count * sizeof(document::StampRow));
  auto* entry = reinterpret_cast<PackedStamps*>(log.reserve(size));
  *entry = {{size, EntryType::stamps}, count};
  return reinterpret_cast<document::StampRow*>(entry + 1);
}

}  // namespace reel::capture
