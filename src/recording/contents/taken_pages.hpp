// taken_pages.hpp - pages of a buffer that lies in the host's memory, taken where they lie.
//
// A thread of the driver takes them, in the order of a stream: it keeps the hash of each, and a
// copy of those that nobody has yet. So equal pages are copied once, and hashed once, while they
// are in the processor's cache. The thread that writes the document looks at them when they are
// there, and may be gone by then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/bytes/hash128.hpp"
#include "recording/contents/memory_budget.hpp"

namespace reel::capture {

// Large pages that a document has. Any thread.
class StoredPages {
 public:
  bool contains(const Hash128& page) {
    const std::lock_guard lock(mutex_);
    return pages_.contains(page);
  }
  void insert(const Hash128& page) {
    const std::lock_guard lock(mutex_);
    pages_.insert(page);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<Hash128> pages_;
};

// What was copied in the order of one stream, and so gets to the document before what comes later
// on it. Only take() looks at it.
struct CopiedPages {
  std::unordered_set<Hash128> pages;
  bool expects_known = false;  // the last page was
};

class TakenPages {
 public:
  // Smaller inputs are read by the driver before a thread of it has woken up.
  static constexpr std::size_t least_taken_bytes = std::size_t{256} << 10;
  // Smaller pages are copied before anybody has looked whether they are known.
  static constexpr std::size_t least_bytes = std::size_t{64} << 10;

  // `source` is there as long as take() runs. `keeps`: bytes too, not only hashes.
  TakenPages(std::span<const std::byte> source, Block memory, bool keeps,
             std::shared_ptr<StoredPages> stored, std::shared_ptr<CopiedPages> copied);

  void take() noexcept;

  std::size_t size_bytes() const noexcept { return source_.size(); }
  // False: there was no memory, or the driver never called it.
  bool are_there() const noexcept { return are_there_.load(std::memory_order_acquire); }
  // From then on:
  const Hash128& hash(std::size_t page) const { return pages_[page].hash; }
  // None: nobody wants them, or the document gets them from somebody else before.
  std::span<const std::byte> bytes(std::size_t page) const;

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  struct Page {
    Hash128 hash;
    std::size_t copied_to;
  };
  Page take(std::span<const std::byte> page, std::size_t end);
  bool is_known(const Hash128& page) const;

  const std::span<const std::byte> source_;
  Block memory_;
  const bool keeps_;
  const std::shared_ptr<StoredPages> stored_;
  const std::shared_ptr<CopiedPages> copied_;
  std::vector<Page> pages_;
  std::atomic<bool> are_there_{false};
};

}  // namespace reel::capture
