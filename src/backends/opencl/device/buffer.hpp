// buffer.hpp - a cl_mem, be it a buffer or an image, and the sub-buffers made of it. Any thread.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "backends/opencl/device/context.hpp"
#include "backends/opencl/device/sub_buffers.hpp"
#include "graph/commands/resource.hpp"
#include "reel/buffer.hpp"
#include "runtime/driver.hpp"

namespace reel::opencl {

struct DeviceBuffer : BufferResource {
  DeviceBuffer(std::shared_ptr<DeviceContext> context, const MemoryRequest& request);
  DeviceBuffer(std::shared_ptr<DeviceContext> context, std::uint64_t size, std::string_view name)
      : DeviceBuffer(std::move(context), MemoryRequest{.size_bytes = size, .label = name}) {}
  ~DeviceBuffer() override;

  cl_mem memory() const noexcept { return memory_.get(); }
  // Of its first byte, where the device's memory is the host's; otherwise null.
  std::byte* address() const noexcept { return address_; }
  bool is_whole(const BufferRange& range) const noexcept {
    return range.offset_bytes == 0 && range.size_bytes == size_bytes;
  }
  // Of a byte of shared virtual memory; null where it is none.
  void* shared_address(std::uint64_t offset_bytes) const noexcept {
    return is_shared_virtual ? shared_ + offset_bytes : nullptr;
  }
  // What a kernel is given for a range, if that lasts as long as the buffer; null otherwise.
  cl_mem find_lasting(const BufferRange& range) const noexcept {
    return is_whole(range) ? memory()
                           : sub_buffers_.find_lasting({range.offset_bytes, range.size_bytes});
  }
  // A reference to the sub-buffer of a range that is not the whole.
  MemoryHandle sub_buffer(const BufferRange& range) {
    return sub_buffers_.get(memory(), {range.offset_bytes, range.size_bytes}, label);
  }
  std::size_t sub_buffer_count() const { return sub_buffers_.count(); }

  // Differs from that of any other buffer, also of one that later gets the same address.
  std::uint64_t serial() const noexcept { return serial_; }

 private:
  DeviceContext::Memory make(const MemoryRequest& request, std::uint64_t bytes);

  std::shared_ptr<DeviceContext> context_;
  std::uint64_t reserved_bytes_ = 0;
  MemoryHandle memory_;
  MemoryHandle storage_;  // the range that an image is made on, where it is not a whole buffer
  std::byte* address_ = nullptr;
  std::byte* shared_ = nullptr;
  const std::uint64_t serial_;
  SubBuffers sub_buffers_;
};

inline DeviceBuffer& device_buffer(const BufferRange& range) {
  return static_cast<DeviceBuffer&>(*range.buffer);
}

}  // namespace reel::opencl
