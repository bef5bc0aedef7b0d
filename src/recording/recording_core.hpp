// recording_core.hpp - what every recording has and does, whatever API the work comes from.
//
// The recorder of an API derives from it. It says how bytes are read in the order of its queues,
// how it learns what is done and when that ran, and describes its devices, kernels and buffers;
// numbers, contents on their way to the document, what they cost and the document's end are here.
//
// Any thread, but for close_document().
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "recording/buffer_ledger.hpp"
#include "recording/byte_source.hpp"
#include "recording/document_thread.hpp"
#include "recording/host_waits.hpp"
#include "recording/memory_budget.hpp"
#include "reel/capture_report.hpp"

namespace reel::capture {

// Contents are taken in pieces of so many bytes: a multiple of a page.
inline constexpr std::uint64_t piece_bytes = 8 * page_bytes;

class RecordingCore {
 public:
  // Tells captures of this process apart, from 1.
  const std::uint32_t number;
  const Contents contents;
  const std::string path;
  std::uint32_t commands() const noexcept { return next_command_.load(std::memory_order_relaxed); }

  void note(std::string kind, std::string text) noexcept;
  void called(std::string_view name, std::uint64_t begin_ns) noexcept;
  void region(TraceRegion::Kind kind, std::uint32_t region, std::string_view name,
              std::uint64_t begin_ns) noexcept;
  // The time since then went into finding what the host gave.
  void spent(std::uint64_t begin_ns, std::uint64_t bytes) noexcept;
  // So much of the program's time went into giving commands.
  void add_command_time(std::uint64_t ns) noexcept;

 protected:
  RecordingCore(std::uint32_t capture_number, std::string document_path,
                std::unique_ptr<DocumentThread> document, Contents which);
  ~RecordingCore();
  RecordingCore(const RecordingCore&) = delete;
  RecordingCore& operator=(const RecordingCore&) = delete;

  // What goes wrong with the recording ends it, and nothing else.
  template <class F>
  void quietly(F&& function) noexcept {
    if (document_.is_lost()) return;
    try {
      function();
    } catch (const std::exception& error) {
      document_.lose(error);
    } catch (...) {
      document_.lose("Recording failed.");
    }
  }

  // Are bytes of this role kept, or only their hashes?
  bool stores(ContentRole role) const noexcept {
    return contents == Contents::all ||
           (contents == Contents::inputs && role != ContentRole::check);
  }
  void missing(const BufferResource& buffer, std::string_view why);
  // From `begin_ns` until now.
  void overhead(OverheadKind kind, std::uint64_t begin_ns, std::uint64_t bytes);
  // Devices were busy with reads of ours; `now`: whatever there is, else in some larger rows.
  void add_read_time(std::uint64_t ns, std::uint64_t bytes, bool now = false);

  // Memory for contents on their way to the document. Where there is none it waits, as long as
  // keep_waiting() says so, which is asked every two milliseconds and may get on what frees some.
  template <class F>
  std::optional<Block> take_memory(std::uint64_t size_bytes, std::chrono::milliseconds patience,
                                   F&& keep_waiting) {
    auto block = memory_->try_take(size_bytes);
    if (block) out_of_patience_.store(false, std::memory_order_relaxed);
    // Who waited in vain before doesn't wait again until something was freed: a program may hold
    // the device up until it gets on itself, and must not pay for each of its commands.
    if (block || out_of_patience_.load(std::memory_order_relaxed)) return block;
    const std::uint64_t begin_ns = monotonic_ns();
    const auto begin = std::chrono::steady_clock::now();
    while (!block && !document_.is_lost() && std::chrono::steady_clock::now() - begin < patience) {
      if (!keep_waiting()) break;
      memory_->wait_for_room(std::chrono::milliseconds(2));
      block = memory_->try_take(size_bytes);
    }
    if (!block) out_of_patience_.store(true, std::memory_order_relaxed);
    overhead(OverheadKind::waiting, begin_ns, size_bytes);
    return block;
  }

  // Bytes of the host's, as contents of a range: hashed where they lie when nobody wants to keep
  // them or the document has them, else copied to memory that take() gives. False: there was none,
  // and the source stands somewhere in between.
  template <class Take>
  bool push_bytes(ContentRole role, std::uint32_t command, const BufferRange& range,
                  ByteSource& bytes, Take&& take) {
    for (std::uint64_t at = 0; at < range.size_bytes; at += piece_bytes) {
      const std::uint64_t size = std::min(piece_bytes, range.size_bytes - at);
      const std::byte* lent = bytes.lend(size);
      if (lent && push_hashes(role, command, range, at, {lent, size})) continue;
      auto block = take(size);
      if (!block) {
        missing(*range.buffer, "no memory was free in time to copy them");
        return false;
      }
      if (lent)
        std::memcpy(block->bytes().data(), lent, size);
      else
        bytes.take(block->bytes());
      push_block(role, command, range, at, std::move(*block));
    }
    return true;
  }
  // `at`: within the range.
  void push_block(ContentRole role, std::uint32_t command, const BufferRange& range,
                  std::uint64_t at, Block block);

  // After all else: closes the document.
  CaptureReport close_document();

  std::shared_ptr<MemoryBudget> memory_;
  BufferLedger ledger_;
  HostWaits host_waits_;
  std::atomic<std::uint32_t> next_command_{0}, next_graph_{0};

 private:
  // False: the bytes are to be copied.
  bool push_hashes(ContentRole role, std::uint32_t command, const BufferRange& range,
                   std::uint64_t at, std::span<const std::byte> bytes);
  void tell_command_time(std::uint64_t ns);

  std::atomic<bool> out_of_patience_{false};  // nothing was freed the last time somebody waited
  std::atomic<std::uint64_t> read_ns_{0}, read_bytes_{0};  // by devices, not in the document yet
  std::atomic<std::uint64_t> command_ns_{0};               // of giving commands, likewise
  std::unique_ptr<DocumentThread> owned_document_;

 protected:
  DocumentThread& document_;
};

}  // namespace reel::capture
