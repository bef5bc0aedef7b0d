// tracked.hpp - queues, memory and kernels of a program that calls an API other than ours.
//
// In: what the hooks of that API learn of them. Out: what a recording asks for when a command uses
// them. Layers derive from these and add their handles. Numbers are of the process, whatever the
// API. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "document/columns/rows.hpp"
#include "graph/commands/resource.hpp"
#include "recording/calls/held_handle.hpp"
#include "recording/contents/host_pages.hpp"
#include "recording/contents/memory_budget.hpp"

namespace reel::capture {

class ApiAdapter;
struct CallQueue;

using PageHashes = HostPages::Hashes;

BufferId next_buffer_id() noexcept;
KernelId next_kernel_id() noexcept;
StreamId next_stream_id() noexcept;

// Bytes of a buffer that the host can change without a call.
struct HostWindow {
  std::byte* address = nullptr;
  std::uint64_t offset_bytes = 0, size_bytes = 0;  // none: 0
  // What was there when the host got it, once `read` is done; null: it threw that away, or nobody
  // kept it.
  std::shared_ptr<Block> before = nullptr;
  Completion read = {};
  bool is_discarding = false;
  std::shared_ptr<const PageHashes> hashes = nullptr;  // in place of `before`
};

// What a map left behind, as long as nothing was written since.
struct LastMap {
  std::uint32_t capture = 0;
  std::uint64_t changes = 0, offset_bytes = 0, size_bytes = 0;
  std::shared_ptr<const PageHashes> hashes;
};

struct TrackedBuffer : BufferResource {
  explicit TrackedBuffer(ApiAdapter& of) : api(of) { id = next_buffer_id(); }

  ApiAdapter& api;
  BufferKind kind = BufferKind::buffer;
  bool is_strange = false;  // can't be read back: multisampled, mipmapped, of another API
  bool is_foreign = false;  // others than this process may write it
  bool is_lent = false;     // its bytes are memory of the program, which may take them back
  std::atomic<std::byte*> address{nullptr};  // what the host sees without a call; null: nothing
  bool may_be_mapped =
      false;            // the host may come to see its bytes at any time, in order with nothing
  BufferMemory placed;  // for the document
  // A map for writing that is not undone yet, the latest; under `window_mutex`.
  std::mutex window_mutex;
  HostWindow window;
  LastMap last_map;
  std::atomic<bool> is_mapped{false};
  // Counts what is given that may write it, while a capture runs.
  std::atomic<std::uint64_t> changes{0};
  std::atomic<std::uint32_t> parts{0};  // objects of the program on these bytes
  CaptureNumber noted_in = 0;           // the capture that has its row
  CaptureNumber made_in = 0;            // the capture in which it was made, before it has one
  std::uint64_t made_ns = 0;
  // The capture in which a command that isn't recorded writes it, nobody knows until when.
  CaptureNumber written_unseen_in = 0;
  // The last command that may have written it, for who has to wait.
  std::atomic<std::uint32_t> writer_stream{0}, writer_command{0};
};

// It has bytes that the host can change without a call.
inline bool is_seen_by_host(const TrackedBuffer& buffer) noexcept {
  return buffer.address || buffer.is_mapped.load(std::memory_order_acquire);
}
inline HostWindow window_of(TrackedBuffer& buffer) {
  if (std::byte* address = buffer.address) return {address, 0, buffer.size_bytes};
  if (!buffer.is_mapped.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(buffer.window_mutex);
  return buffer.window;
}

// A kernel of documents: however often a program makes the same one of the same text, it is one.
struct KernelIdentity {
  const KernelId id = next_kernel_id();
  CaptureNumber recorded_in = 0;
};

struct TrackedKernel {
  std::shared_ptr<KernelIdentity> identity;  // once it was recorded
  std::string name, label;
};

struct TrackedQueue {
  explicit TrackedQueue(ApiAdapter& of);
  virtual ~TrackedQueue();
  virtual std::shared_ptr<TrackedQueue> share() = 0;
  virtual void* driver_handle() const noexcept = 0;

  ApiAdapter& api;
  const void* device = nullptr;
  bool in_order = true;    // replays may count on it
  bool is_ordered = true;  // … and so did the program: else it had barriers for that
  std::uint32_t family = no_index;
  bool can_stamp = false;  // its completions have times
  const char* why_no_stamps =
      "A queue was made before anybody wanted to capture, so its commands have no times.";
  std::string label;
  std::recursive_mutex mutex;  // of what follows, and around commands while they are recorded:
                               // a driver may run a callback in the middle that enqueues more
  std::unique_ptr<CallQueue> record;
};

}  // namespace reel::capture
