#include "recording/calls/tracked.hpp"

#include "recording/calls/call_queue.hpp"

namespace reel::capture {

namespace {
std::atomic<std::uint32_t> buffers{0}, kernels{0}, streams{0};
}

BufferId next_buffer_id() noexcept {
  return BufferId{buffers.fetch_add(1, std::memory_order_relaxed)};
}
KernelId next_kernel_id() noexcept {
  return KernelId{kernels.fetch_add(1, std::memory_order_relaxed)};
}
StreamId next_stream_id() noexcept {
  return StreamId{streams.fetch_add(1, std::memory_order_relaxed)};
}

TrackedQueue::TrackedQueue(ApiAdapter& of) : api(of) {}
TrackedQueue::~TrackedQueue() = default;

}  // namespace reel::capture
