// transfer.hpp - copies, fills and writes as OpenCL takes them. Empty ranges do nothing.
#pragma once

#include <functional>
#include <span>

#include "backends/opencl/device/api.hpp"
#include "reel/command.hpp"

namespace reel::opencl {

void enqueue_copy(cl_command_queue queue, const Copy& copy, cl_event* event);

// OpenCL wants offset and size in whole patterns. A fill that starts between two becomes single
// bytes, then the pattern turned, then single bytes.
struct FillPart {
  std::uint32_t pattern, pattern_bytes;
  std::uint64_t offset_bytes, size_bytes;
};
void for_each_fill_part(const Fill& fill, const std::function<void(const FillPart&)>& visit);

// True when a write can go as a fill, whose data the driver copies itself: 1, 2, 4, ... 128 bytes
// at a multiple of their size. Such a write needs no memory of ours and no event to free it.
bool is_fill_sized(const Write& write) noexcept;
void enqueue_write_as_fill(cl_command_queue queue, const Write& write, cl_event* event);

// `data` must live until the event.
void enqueue_write(cl_command_queue queue, const Write& write, const std::byte* data,
                   cl_event* event);
void enqueue_read(cl_command_queue queue, const Read& read, cl_event* event);

}  // namespace reel::opencl
