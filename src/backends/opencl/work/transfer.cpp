#include "backends/opencl/work/transfer.hpp"

#include <algorithm>
#include <bit>

#include "backends/opencl/device/buffer.hpp"
#include "base/fail.hpp"

namespace reel::opencl {
namespace {

void check_range(cl_int status, const char* call, const BufferRange& range) {
  if (status != CL_SUCCESS) [[unlikely]]
    fail_status(status, call,
                fmt::format("bytes {} to {} of buffer '{}'", range.offset_bytes,
                            range.offset_bytes + range.size_bytes, range.buffer->label));
}

// The pattern as it looks `bytes` further on.
std::uint32_t turned(std::uint32_t pattern, std::uint32_t pattern_bytes, std::uint64_t bytes) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < pattern_bytes; ++i) {
    const std::uint64_t from = (i + bytes) % pattern_bytes;
    result |= ((pattern >> (8 * from)) & 0xff) << (8 * i);
  }
  return result;
}

}  // namespace

void enqueue_copy(cl_command_queue queue, const Copy& copy, cl_event* event) {
  const cl_int status = api().enqueue_copy_buffer(
      queue, device_buffer(copy.source).memory(), device_buffer(copy.target).memory(),
      copy.source.offset_bytes, copy.target.offset_bytes, copy.target.size_bytes, 0, nullptr,
      event);
  check_range(status, "clEnqueueCopyBuffer", copy.target);
}

void for_each_fill_part(const Fill& fill, const std::function<void(const FillPart&)>& visit) {
  const std::uint64_t begin = fill.target.offset_bytes, end = begin + fill.target.size_bytes;
  const std::uint32_t width = fill.pattern_bytes;
  if (begin == end) return;
  const auto single = [&](std::uint64_t at) {
    visit({turned(fill.pattern, width, at - begin) & 0xff, 1, at, 1});
  };
  const std::uint64_t body = std::min(end, (begin + width - 1) / width * width);
  const std::uint64_t tail = std::max(body, end / width * width);
  for (std::uint64_t at = begin; at < body; ++at) single(at);
  if (tail > body) visit({turned(fill.pattern, width, body - begin), width, body, tail - body});
  for (std::uint64_t at = tail; at < end; ++at) single(at);
}

bool is_fill_sized(const Write& write) noexcept {
  const std::uint64_t size = write.data.size();
  return size <= 128 && std::has_single_bit(size) && write.target.offset_bytes % size == 0;
}

void enqueue_write_as_fill(cl_command_queue queue, const Write& write, cl_event* event) {
  const std::size_t size = write.data.size();
  const cl_int status =
      api().enqueue_fill_buffer(queue, device_buffer(write.target).memory(), write.data.data(),
                                size, write.target.offset_bytes, size, 0, nullptr, event);
  check_range(status, "clEnqueueFillBuffer", write.target);
}

void enqueue_write(cl_command_queue queue, const Write& write, const std::byte* data,
                   cl_event* event) {
  const cl_int status = api().enqueue_write_buffer(queue, device_buffer(write.target).memory(),
                                                   CL_FALSE, write.target.offset_bytes,
                                                   write.data.size(), data, 0, nullptr, event);
  check_range(status, "clEnqueueWriteBuffer", write.target);
}

void enqueue_read(cl_command_queue queue, const Read& read, cl_event* event) {
  const cl_int status = api().enqueue_read_buffer(
      queue, device_buffer(read.source).memory(), CL_FALSE, read.source.offset_bytes,
      read.source.size_bytes, read.target.data(), 0, nullptr, event);
  check_range(status, "clEnqueueReadBuffer", read.source);
}

}  // namespace reel::opencl
