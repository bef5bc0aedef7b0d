// buffer.hpp - a cl_mem, and the sub-buffers made of it.
//
// OpenCL binds whole memory objects; a range of a buffer is a sub-buffer of its own. Those are
// kept with the buffer, so binding the same range again costs a look-up. Any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "backends/opencl/context.hpp"
#include "graph/resource.hpp"
#include "reel/buffer.hpp"

namespace reel::opencl {

struct DeviceBuffer : BufferResource {
  DeviceBuffer(std::shared_ptr<DeviceContext> context, std::uint64_t size_bytes,
               std::string_view label);
  ~DeviceBuffer() override;

  cl_mem memory() const noexcept { return memory_.get(); }
  // Of its first byte, where the device's memory is the host's; otherwise null.
  std::byte* address() const noexcept { return address_; }
  bool is_whole(const BufferRange& range) const noexcept {
    return range.offset_bytes == 0 && range.size_bytes == size_bytes;
  }
  // A reference to the sub-buffer of a range that is not the whole.
  MemoryHandle sub_buffer(const BufferRange& range);
  std::size_t sub_buffer_count() const;

  // Differs from that of any other buffer, also of one that later gets the same address; changes
  // when the sub-buffers kept so far are let go.
  std::uint64_t serial() const noexcept { return serial_.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<DeviceContext> context_;
  std::uint64_t reserved_bytes_ = 0;
  MemoryHandle memory_;
  std::byte* address_ = nullptr;
  std::atomic<std::uint64_t> serial_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, MemoryHandle> sub_buffers_;
};

inline DeviceBuffer& device_buffer(const BufferRange& range) {
  return static_cast<DeviceBuffer&>(*range.buffer);
}

}  // namespace reel::opencl
