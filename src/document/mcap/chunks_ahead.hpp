// chunks_ahead.hpp - the chunks of a file one after another, the next ones uncompressed meanwhile.
//
// A thread of its own stays a few chunks ahead of who reads them, where there are enough to be
// worth it. Chunks that are larger than a writer makes them are opened by the reader, one at a
// time, so that a file can't make us keep several. One thread reads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "document/mcap/mcap_reader.hpp"

namespace reel::mcap {

class ChunksAhead {
 public:
  // Borrows both.
  ChunksAhead(FileBytes file, std::span<const ChunkRef> chunks);
  ChunksAhead(const ChunksAhead&) = delete;
  ChunksAhead& operator=(const ChunksAhead&) = delete;
  ~ChunksAhead();

  // The next chunk, open or with the damage that open() found; good until the next call. As many
  // calls as there are chunks. Throws what open() throws.
  ChunkReader& next();

 private:
  struct Slot {
    ChunkReader reader;
    std::exception_ptr failure;
  };

  bool is_for_thread(const ChunkRef& chunk) const;
  void run() noexcept;

  FileBytes file_;
  std::span<const ChunkRef> chunks_;
  std::size_t next_ = 0;
  ChunkReader own_;
  std::vector<Slot> slots_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t opened_ = 0, released_ = 0;  // chunks
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace reel::mcap
