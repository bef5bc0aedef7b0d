// recording_core.hpp - what every recording has and does, whatever API the work comes from.
//
// The recorder of an API derives from it. It says how bytes are read in the order of its queues,
// how it learns what is done and when that ran, and describes its devices, kernels and buffers;
// numbers, order, contents on their way to the document, what they cost and the document's end are
// here.
//
// Any thread, but for what ends it.
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
#include "base/process/own_memory.hpp"
#include "recording/contents/buffer_ledger.hpp"
#include "recording/contents/byte_source.hpp"
#include "recording/contents/final_checks.hpp"
#include "recording/contents/memory_budget.hpp"
#include "recording/order/host_waits.hpp"
#include "recording/order/polled_order.hpp"
#include "recording/order/queue_log.hpp"
#include "recording/writing/document_thread.hpp"
#include "recording/writing/ending_document.hpp"
#include "reel/capture_report.hpp"

namespace reel::capture {

// Contents are taken in pieces of so many bytes: a multiple of a page.
inline constexpr std::uint64_t piece_bytes = 8 * page_bytes;

class RecordingCore : public InOwnMemory {
 public:
  // Tells captures of this process apart, from 1.
  const std::uint32_t number;
  const Contents contents;
  const std::string path;
  std::uint32_t commands() const noexcept { return next_command_.load(std::memory_order_relaxed); }

  void note(std::string kind, std::string text) noexcept;
  // Who records had no memory for what has to be known: the recording ends.
  void out_of_memory() noexcept { document_.lose("No memory was left for it."); }
  void called(std::string_view name, std::uint64_t begin_ns) noexcept;
  // Of a library that isn't Reel's: the name must stay where it is until the process ends.
  void foreign_call(const CallMessage& call) noexcept;
  void region(TraceRegion::Kind kind, std::uint32_t region, std::string_view name,
              std::uint64_t begin_ns) noexcept;
  void region(TraceRegion::Kind kind, std::uint32_t region, std::string_view name,
              std::uint64_t begin_ns, std::uint64_t end_ns) noexcept;
  // The time since then went into finding what the host gave.
  void spent(std::uint64_t begin_ns, std::uint64_t bytes) noexcept;
  // So much of the program's time went into giving commands.
  void add_command_time(std::uint64_t ns) noexcept;

 protected:
  // `patience`: how long a call of the program waits for memory at most.
  RecordingCore(std::uint32_t capture_number, std::string document_path,
                std::unique_ptr<DocumentThread> document, Contents which,
                std::chrono::milliseconds patience);
  virtual ~RecordingCore();
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
  // The driver did not take these commands. They wrote nothing: what is known is what was known
  // before they were looked at. `why` ends the sentence.
  void note_refused(const BufferLedger::Changes& changes, std::uint32_t first, std::uint32_t last,
                    std::string_view why);
  // From `begin_ns` until now.
  void overhead(OverheadKind kind, std::uint64_t begin_ns, std::uint64_t bytes);
  // Devices were busy with reads of ours; `now`: whatever there is, else in some larger rows.
  void add_read_time(std::uint64_t ns, std::uint64_t bytes, bool now = false);

  // describe() for what this capture names for the first time.
  template <class F>
  void once(CaptureNumber& named_in, F&& describe) {
    if (named_in.load(std::memory_order_relaxed) == number) [[likely]]
      return;
    if (named_in.exchange(number, std::memory_order_relaxed) != number) describe();
  }
  // The same of a graph; gives it its number. edges(add): add(from, to) for each of them.
  template <class F>
  void once(std::uint32_t& named_in, std::uint32_t& graph, F&& edges) {
    if (std::exchange(named_in, number) == number) return;
    graph = next_graph_.fetch_add(1, std::memory_order_relaxed);
    GraphMessage message;
    edges([&](std::uint32_t from, std::uint32_t to) {
      message.edges.push_back({graph, from, to, 0});
    });
    if (!message.edges.empty()) document_.push(std::move(message));
  }

  // How the clocks of host and device stand: the tightest of a few looks, since what lies between
  // two looks at the host's clock is the error.
  template <class F>
  void note_clock(std::uint32_t device, F&& device_now_ns) {
    document::ClockRow best{device, 0, 0, ~std::uint64_t{0}};
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t first = monotonic_ns();
      const std::uint64_t on_device = device_now_ns();
      const std::uint64_t last = monotonic_ns();
      const std::uint64_t error = (last - first + 1) / 2;
      if (error < best.error_ns) best = {device, first + (last - first) / 2, on_device, error};
    }
    document_.push(best);
  }

  // --- order -------------------------------------------------------------------------------------

  // The command that is next, which waits for those in `queue.after`: says in the document what it
  // comes after, and returns its lane. collect() looks what is done by now, add_lane() makes one
  // more; of a queue in order neither is called.
  template <class Collect, class AddLane>
  std::uint32_t place(QueueLog& queue, const Lanes::Asked& asked, Collect&& collect,
                      AddLane&& add_lane) {
    const auto come_after = [&](const std::vector<Point>& points) {
      for (const Point& point : points) queue.after.push_back(point.command);
    };
    std::uint32_t chosen = 0;
    if (queue.in_order) {
      come_after(queue.carried);
      queue.carried.clear();
    } else {
      come_after(queue.after_barrier);
      if (asked.waits_for_all) come_after(queue.carried);
      const bool was_crowded = queue.lanes.is_crowded;
      chosen = queue.lanes.choose(asked, queue.after, collect, add_lane);
      if (asked.holds_back_later) queue.after_barrier.clear();
      if (queue.lanes.is_crowded && !was_crowded) note_crowded();
    }
    Lane& lane = queue.lanes[chosen];
    if (!queue.after.empty() || host_waits_.has_news(lane.host_waits)) [[unlikely]]
      add_orders(queue, lane, asked.command);
    return chosen;
  }
  // A command that is not recorded was given after these.
  static void carry(QueueLog& queue, const std::vector<Point>& after, bool holds_back_later) {
    add_points(queue.carried, after);
    if (holds_back_later) add_points(queue.after_barrier, after);
  }

  // --- contents ----------------------------------------------------------------------------------

  // Asked every two milliseconds by who waits for memory: may get on what frees some. `queue`: that
  // is being given what the memory is for. False: nobody frees any without the program.
  virtual bool keep_waiting(QueueLog* queue) = 0;
  // An image that can only be read whole.
  virtual bool is_read_whole(const BufferResource& /*buffer*/) const { return false; }

  // Memory for contents on their way to the document, waited for as long as patience lasts.
  std::optional<Block> take_memory(std::uint64_t size_bytes, QueueLog* queue = nullptr);

  // Bytes of the host's, as contents of a range: hashed where they lie when nobody wants to keep
  // them or the document has them, else copied. False: there was no memory for that, and the source
  // stands somewhere in between.
  bool push_bytes(ContentRole role, std::uint32_t command, const BufferRange& range,
                  ByteSource& bytes, CheckMoment moment = CheckMoment::command);

  // The host wrote these bytes, which lie at `bytes`, without a call: inputs of `command`, without
  // which nobody has them.
  void host_wrote(std::uint32_t command, const BufferRange& range, const std::byte* bytes,
                  BufferLedger::Changes& changes);

  // In the order of a queue, block by block: give(i, Reading) tells its driver to read that block
  // of piece `i`; false: it can't, and has said so. arrived() is then for the caller, when it is.
  template <class Give>
  void read_pieces(QueueLog& queue, ContentRole role, std::uint32_t command,
                   std::span<const Piece> pieces, Give&& give) {
    const std::uint64_t begin_ns = monotonic_ns();
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const BufferResource& buffer = *pieces[i].buffer;
      const bool whole = is_read_whole(buffer);
      const auto is_of_it = [&](const Piece& piece) { return piece.buffer == &buffer; };
      if (whole && std::any_of(pieces.begin(), pieces.begin() + i, is_of_it)) continue;
      const std::uint64_t begin = whole ? 0 : pieces[i].offset_bytes;
      const std::uint64_t end = whole ? buffer.size_bytes : begin + pieces[i].size_bytes;
      const std::uint64_t step = whole ? std::max<std::uint64_t>(end, 1) : piece_bytes;
      for (std::uint64_t at = begin; at < end; at += step) {
        const std::uint64_t size = std::min(step, end - at);
        auto block = take_memory(size, &queue);
        if (!block) {
          missing(buffer, no_memory_to_read);
          break;
        }
        Reading reading{role, command, static_cast<std::uint32_t>(buffer.id), at,
                        std::move(*block)};
        for (const Piece& piece : pieces)
          if (whole && is_of_it(piece))
            reading.parts.emplace_back(piece.offset_bytes, piece.size_bytes);
        if (!give(i, std::move(reading))) break;
        total += size;
      }
    }
    overhead(role == ContentRole::input ? OverheadKind::inputs : OverheadKind::checks, begin_ns,
             total);
  }
  // The bytes are there.
  void arrived(Reading& reading);
  void note_spoiled(const Piece& piece);

  // Bytes that nothing under way writes, as results of `command`: read(range, target) reads them
  // now, and returns a sentence's end that says why it can't, else nothing. is_still_ours(), asked
  // after that, says whether they are in the document's interest, and tells why not.
  template <class Read, class Ours>
  std::uint64_t read_now(const Piece& piece, std::uint32_t command, CheckMoment moment, Read&& read,
                         Ours&& is_still_ours) {
    BufferResource& buffer = *piece.buffer;
    std::vector<std::byte> whole(is_read_whole(buffer) ? buffer.size_bytes : 0);
    std::string why_not;
    if (!whole.empty()) why_not = read(range_of(buffer, 0, whole.size()), std::span(whole));
    std::uint64_t total = 0;
    for (std::uint64_t at = 0; at < piece.size_bytes && why_not.empty(); at += piece_bytes) {
      const BufferRange range =
          range_of(buffer, piece.offset_bytes + at, std::min(piece_bytes, piece.size_bytes - at));
      auto block = take_memory(range.size_bytes);
      if (!block)
        why_not = no_memory_to_read;
      else if (whole.empty())
        why_not = read(range, block->bytes());
      else
        std::memcpy(block->bytes().data(), &whole[range.offset_bytes], range.size_bytes);
      if (!why_not.empty() || !is_still_ours()) break;
      push_block(ContentRole::check, command, range, 0, std::move(*block), moment);
      total += range.size_bytes;
    }
    if (!why_not.empty()) missing(buffer, why_not);
    return total;
  }

  // The same of bytes that lie at `bytes`, of which only hashes are kept: nothing is copied.
  template <class Ours>
  std::uint64_t hash_now(const Piece& piece, std::uint32_t command, CheckMoment moment,
                         const std::byte* bytes, Ours&& is_still_ours) {
    std::uint64_t total = 0;
    for (std::uint64_t size; total < piece.size_bytes; total += size) {
      size = std::min(piece_bytes, piece.size_bytes - total);
      std::vector<Hash128> pages = page_hashes({bytes + total, size});
      if (!is_still_ours()) break;
      document_.push(
          HashesMessage{ContentRole::check, command, static_cast<std::uint32_t>(piece.buffer->id),
                        piece.offset_bytes + total, size, false, std::move(pages), moment});
    }
    return total;
  }

  // After all else: closes the document, with what else is known only now.
  CaptureReport close_document(document::Facts end_facts = {});
  // The same without waiting for it: the document outlives the recording, which is over.
  std::shared_ptr<EndingDocument> end_document();

  std::shared_ptr<MemoryBudget> memory_;
  BufferLedger ledger_;
  FinalChecks final_checks_;
  HostWaits host_waits_;
  PolledOrder polled_;
  std::atomic<std::uint32_t> next_command_{0}, next_graph_{0};

 private:
  static constexpr const char* no_memory_to_read = "no memory was free in time to read them";

  static std::vector<Hash128> page_hashes(std::span<const std::byte> bytes);
  void note_crowded();
  void add_orders(QueueLog& queue, Lane& lane, std::uint32_t command);
  // `at`: within the range.
  void push_block(ContentRole role, std::uint32_t command, const BufferRange& range,
                  std::uint64_t at, Block block, CheckMoment moment);
  // False: the bytes are to be copied.
  bool push_hashes(ContentRole role, std::uint32_t command, const BufferRange& range,
                   std::uint64_t at, std::span<const std::byte> bytes, CheckMoment moment);
  void tell_command_time(std::uint64_t ns);
  document::Facts tell_end(document::Facts end_facts);  // what is known only now

  const std::chrono::milliseconds patience_;
  std::atomic<bool> out_of_patience_{false};  // nothing was freed the last time somebody waited
  std::atomic<std::uint64_t> read_ns_{0}, read_bytes_{0};  // by devices, not in the document yet
  std::atomic<std::uint64_t> command_ns_{0};               // of giving commands, likewise
  std::unique_ptr<DocumentThread> owned_document_;

 protected:
  DocumentThread& document_;
};

}  // namespace reel::capture
