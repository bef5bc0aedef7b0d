#include "document/mcap/chunks_ahead.hpp"

#include <system_error>

namespace reel::mcap {
namespace {

constexpr std::size_t slots = 4;
constexpr std::size_t least_chunks = 8;  // some 8 MB: 5 ms of work, and a thread takes 50 µs
constexpr std::uint64_t most_chunk_bytes = 16u << 20;

}  // namespace

ChunksAhead::ChunksAhead(FileBytes file, std::span<const ChunkRef> chunks)
    : file_(file), chunks_(chunks) {
  if (chunks.size() < least_chunks) return;
  slots_.resize(slots);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    slots_.clear();  // no thread to be had: everything is opened by who reads
  }
}

ChunksAhead::~ChunksAhead() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ChunksAhead::is_for_thread(const ChunkRef& chunk) const {
  return chunk.uncompressed_bytes <= most_chunk_bytes && chunk.data_bytes <= most_chunk_bytes;
}

void ChunksAhead::run() noexcept {
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_ending_ || i < released_ + slots; });
      if (is_ending_) return;
    }
    Slot& slot = slots_[i % slots];
    try {
      if (is_for_thread(chunks_[i])) slot.reader.open(file_, chunks_[i]);
    } catch (...) {
      slot.failure = std::current_exception();
    }
    {
      const std::scoped_lock lock(mutex_);
      opened_ = i + 1;
    }
    changed_.notify_all();
  }
}

ChunkReader& ChunksAhead::next() {
  const std::size_t i = next_++;
  if (!thread_.joinable()) {
    own_.open(file_, chunks_[i]);
    return own_;
  }
  {
    std::unique_lock lock(mutex_);
    released_ = i;  // the one before is read
    changed_.notify_all();
    changed_.wait(lock, [&] { return opened_ > i; });
  }
  Slot& slot = slots_[i % slots];
  if (slot.failure) std::rethrow_exception(slot.failure);
  if (is_for_thread(chunks_[i])) return slot.reader;
  own_.open(file_, chunks_[i]);
  return own_;
}

}  // namespace reel::mcap
