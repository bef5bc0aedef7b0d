// written_pages.hpp - asks the kernel which pages of the program's memory were written, by anybody.
//
// Linux 6.7 and later: watched pages are write-protected; the kernel itself takes the first write
// to each, and a scan tells which were written and protects them again. There is no signal handler
// and no thread, and no call of the program fails: 64 MiB are asked about in 0.05 ms, where hashing
// them takes 20. Elsewhere, and for memory that can't be watched (a GPU's), watch() says no, and
// whoever asks has to look at the bytes.
//
// Two watchers may share a page: a scan dates what it finds, and each watcher compares that with
// the date of its own last look. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace reel::capture {

class WrittenPages {
 public:
  static constexpr std::uint64_t page_bytes = 4096;
  // Below this, hashing costs less than what watching does to the memory map of the program.
  static constexpr std::uint64_t worth_bytes = 256 << 10;
  using Date = std::uint64_t;  // of a scan, from 1

  WrittenPages();
  ~WrittenPages();
  WrittenPages(const WrittenPages&) = delete;
  WrittenPages& operator=(const WrittenPages&) = delete;

  // The whole pages of these bytes are watched from now on. False: they can't be.
  bool watch(const std::byte* bytes, std::uint64_t size_bytes);
  void unwatch(const std::byte* bytes, std::uint64_t size_bytes) noexcept;
  // When each piece of page_bytes, counted from `bytes` on, was last written; 0: never since it is
  // watched. Pieces that are not on watched pages alone are always of now. Returns the date of now;
  // none: nobody knows, and they are not watched.
  std::optional<Date> scan(const std::byte* bytes, std::uint64_t size_bytes,
                           std::vector<Date>& written);
  // A device is about to write these: without protection, which costs a fault a page; the next scan
  // finds them written.
  void let_write(const std::byte* bytes, std::uint64_t size_bytes) noexcept;

 private:
  static constexpr std::uint64_t chunk_pages = 512;
  using Chunk = std::array<Date, chunk_pages>;

  bool is_open() noexcept;
  void close_descriptor() noexcept;
  void date(std::uintptr_t begin, std::uintptr_t end);

  std::mutex mutex_;     // of what follows
  int descriptor_ = -1;  // a userfaultfd
  int process_ = 0;      // whose memory it is of
  bool is_impossible_ = false;
  Date now_ = 0;
  std::unordered_map<std::uintptr_t, Chunk> chunks_;  // by address / bytes of a chunk
};

}  // namespace reel::capture
