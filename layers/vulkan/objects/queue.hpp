// queue.hpp - queues of the program, what was submitted to them, and what the host waits for.
//
// A Done is a point in a queue: all that was submitted before it is done when its fence is. The
// fence is ours, given with an empty submission behind the program's own.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "layers/vulkan/copy_run.hpp"
#include "layers/vulkan/device.hpp"
#include "layers/vulkan/stamps/batch_stamps.hpp"
#include "recording/calls/call_queue.hpp"
#include "recording/calls/tracked.hpp"

namespace reel::layer::vk {

class KeptResults;

// Counted by hand, since recordings keep it as a handle (ApiAdapter::retain).
struct Done {
  explicit Done(std::shared_ptr<Device> of) : device(std::move(of)) {}
  ~Done();
  Done(const Done&) = delete;
  Done& operator=(const Done&) = delete;

  std::atomic<std::uint32_t> references{1};
  const std::shared_ptr<Device> device;
  std::mutex mutex;  // of what follows
  enum class State : std::uint8_t { open, submitted, over } state = State::open;
  VkFence fence = VK_NULL_HANDLE;
  int result = 0;                                    // once it is over: below 0, why it failed
  std::vector<std::unique_ptr<CopyRun>> runs;        // of ours, that are done with it
  std::vector<std::unique_ptr<BatchStamps>> stamps;  // of batches that are timed
  std::vector<std::shared_ptr<KeptResults>> kept;    // that bytes were asked of
  std::uint64_t seen_ns = 0;                         // when it was seen to be over, on the host

  // Above 0: under way; 0: done; below: failed. Once it is done the bytes that were read are where
  // they belong.
  int status() noexcept;
  void wait(std::uint64_t timeout_ns) noexcept;
  void over(int why) noexcept;  // with the lock held

  void retain() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

struct Queue final : Object, capture::TrackedQueue {
  explicit Queue(Device& of);
  std::shared_ptr<TrackedQueue> share() override {
    return std::static_pointer_cast<Queue>(Object::shared_from_this());
  }
  void* driver_handle() const noexcept override { return const_cast<Queue*>(this); }

  const std::shared_ptr<Device> owner;
  VkQueue handle = VK_NULL_HANDLE;
  capture::Submission submission;   // of the call that is under way, reused
  std::vector<std::string> labels;  // that are open: of queue labels

  // Under the queue's lock.
  Done* last = nullptr;       // behind the last that we saw submitted; null: none, or it is done
  std::uint32_t lost_in = 0;  // the capture that was told of submissions that are missing
  bool has_unseen = false;    // work may be under way that nothing of ours stands behind
  Done* held = nullptr;       // behind what may wait for the host; null: nothing does
  void set_last(Done* done) noexcept;
  void set_held(Done* done) noexcept;
  bool is_idle() noexcept;

  std::mutex held_mutex;  // of what follows
  std::uint32_t holds = 0;
  std::shared_ptr<Object> kept;
};

// What a fence or a value of a semaphore stands for.
struct Signal {
  capture::RecordedEvent event;
  // Stands right behind the same work: it is done a moment later. Empty: other work is in between.
  capture::Completion behind;
};

struct Fence final : Object {
  std::mutex mutex;  // of what follows
  Signal signal;
};

struct Semaphore final : Object {
  bool is_timeline = false;
  std::mutex mutex;                   // of what follows
  bool is_signalled_by_us = false;    // a submission of this process signals it, or has
  std::uint64_t submitted_value = 0;  // of a timeline: the largest that a submission signals
  // What it stands for; of a timeline with the values.
  std::deque<std::pair<std::uint64_t, Signal>> recorded;

  void signal(std::uint64_t value, const Signal& what);
  // What a wait for this value comes after, merged.
  capture::RecordedEvent waited(std::uint64_t value) const;
};

std::shared_ptr<Queue> queue_of(VkQueue handle);

// The program destroys the device: whatever of ours it has is given back.
void device_goes(Device& device);

// At the beginning of exit(): for what the program left under way, some seconds at most.
void wait_at_exit(bool others);

// With its fence, to be submitted by mark(); null: the driver has no memory for it. To be had
// before anything of ours is submitted, since that can't be let go of without one. The caller has a
// reference.
Done* make_done(Queue& queue) noexcept;
// Behind all that the queue was given, with the queue's lock held; null: the driver can't.
Done* mark(Queue& queue, Done* done = nullptr) noexcept;

}  // namespace reel::layer::vk
