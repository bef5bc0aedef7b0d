// memory_pool.hpp - temporary memory, out of buffers that are kept.
//
//   reel::MemoryPool pool(device);
//   const reel::Temporary tile = pool.take(n * sizeof(float));
//   stream.dispatch(norm, {.items = {n}}, in(x), out(tile), n);   // a range, as any other
//
// Taking and giving back asks the device for nothing while there is room. What is given back is
// taken again at once, though commands may still use it: that is right where their order is known,
// so give the ranges of one pool to one stream, or to one session or graph. Contents are whatever
// was there. A pool is a cheap handle; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "reel/buffer.hpp"
#include "reel/device.hpp"

namespace reel {

struct MemoryPoolOptions {                  // of a pool
  std::string label = "pool";               // of its buffers
  std::uint64_t block_bytes = 64ull << 20;  // of each of them; what is larger gets one of its own
};

class MemoryPoolState;

// A range that goes back to its pool with this object.
class Temporary {
 public:
  Temporary() = default;
  ~Temporary() { give_back(); }
  Temporary(Temporary&& other) noexcept { *this = std::move(other); }
  Temporary& operator=(Temporary&& other) noexcept;

  std::uint64_t size_bytes() const noexcept { return range_.size_bytes; }  // as asked for
  BufferRange range() const noexcept { return range_; }     // what to give to commands
  operator BufferRange() const noexcept { return range_; }  // NOLINT: it stands for its range
  explicit operator bool() const noexcept { return pool_ != nullptr; }

 private:
  friend class MemoryPoolState;
  void give_back() noexcept;
  std::shared_ptr<MemoryPoolState> pool_;  // keeps the buffer as well
  BufferRange range_;
};

class MemoryPool {
 public:
  explicit MemoryPool(const Device& device, const MemoryPoolOptions& options = {});

  // Aligned for every use; at least one byte.
  Temporary take(std::uint64_t size_bytes) const;
  template <class T>
  Temporary take(std::uint64_t count) const {
    return take(detail::bytes_of<T>(count));
  }

  std::uint64_t used_bytes() const;  // taken, and not given back
  std::uint64_t held_bytes() const;  // of its buffers
  void trim() const;                 // gives buffers back to the device that nothing is taken of

 private:
  std::shared_ptr<MemoryPoolState> state_;
};

}  // namespace reel
