// final_checks.hpp - results that are read when a capture ends, and whether somebody overwrote them
// before that.
//
// The program goes on while they are read. A command that is not recorded any more and writes such
// bytes spoils the check before it is given to the device, unless it goes to the stream on which
// the bytes are read: that one keeps its order. Who has read asks afterwards, so a check is either
// what the last recorded command left, or not in the document.
//
// Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "recording/contents/buffer_ledger.hpp"
#include "reel/ids.hpp"

namespace reel::capture {

class FinalChecks {
 public:
  struct Check {
    Piece piece;
    std::shared_ptr<BufferResource> buffer;  // held until all is read
    std::optional<StreamId> reader;          // none: read beside all streams
    bool is_spoiled = false;
    bool is_given = false;  // somebody reads it, or has
  };

  // All that a device wrote, as the ledger knows it now. Who overwrites such bytes forgets them in
  // the ledger first and comes here then: it is too early for the ledger, or late enough for us.
  void watch(BufferLedger& ledger) {
    is_watching_.store(true, std::memory_order_seq_cst);
    const std::lock_guard lock(mutex_);
    for (auto& [piece, buffer] : ledger.device_written())
      checks_.push_back({piece, std::move(buffer), {}});
  }

  // Of those that nobody reads yet and `wanted` takes: they are the caller's now.
  template <class F>
  std::vector<std::uint32_t> take(std::optional<StreamId> reader, F&& wanted) {
    std::vector<std::uint32_t> taken;
    const std::lock_guard lock(mutex_);
    for (std::uint32_t i = 0; i < checks_.size(); ++i) {
      Check& check = checks_[i];
      if (check.is_given || !wanted(check)) continue;
      check.is_given = true;
      check.reader = reader;
      taken.push_back(i);
    }
    return taken;
  }

  Piece piece(std::uint32_t index) const {
    const std::lock_guard lock(mutex_);
    return checks_[index].piece;
  }
  std::vector<Piece> pieces(const std::vector<std::uint32_t>& indices) const {
    std::vector<Piece> pieces;
    const std::lock_guard lock(mutex_);
    for (const std::uint32_t index : indices) pieces.push_back(checks_[index].piece);
    return pieces;
  }
  bool is_spoiled(std::uint32_t index) const {
    const std::lock_guard lock(mutex_);
    return checks_[index].is_spoiled;
  }

  void overwritten(const BufferRange& range, StreamId by) {
    if (!is_watching_.load(std::memory_order_seq_cst)) return;
    const std::lock_guard lock(mutex_);
    for (Check& check : checks_)
      if (check.piece.buffer == range.buffer && check.reader != by &&
          range.offset_bytes < check.piece.offset_bytes + check.piece.size_bytes &&
          check.piece.offset_bytes < range.offset_bytes + range.size_bytes)
        check.is_spoiled = true;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Check> checks_;
  std::atomic<bool> is_watching_{false};
};

}  // namespace reel::capture
