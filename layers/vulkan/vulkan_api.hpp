// vulkan_api.hpp - Vulkan for a recording: what its driver is asked, and what a submission is
// given.
#pragma once

#include <memory>
#include <vector>

#include "layers/vulkan/copy_run.hpp"
#include "layers/vulkan/device.hpp"
#include "layers/vulkan/objects/image.hpp"
#include "recording/calls/api_adapter.hpp"
#include "recording/calls/call_queue.hpp"

namespace reel::layer::vk {

struct Done;
class KeptResults;
struct Queue;

capture::ApiAdapter& vulkan_api() noexcept;

// One batch of a submission on its way.
struct Ticket final : capture::Ticket {
  Queue* at = nullptr;
  std::vector<capture::RecordedEvent> waits;  // of its semaphores
  bool has_open_waits = false;                // it may wait for what nobody has submitted yet
  bool is_behind_others = false;              // of the same call, which the driver has not got yet
  Done* behind = nullptr;                     // stands behind all of the submission
  // Reads of ours that go ahead of it, and of its command buffers by their number; null: none.
  std::vector<std::unique_ptr<CopyRun>> runs;
  // What images go through in it, and how many of these the images have gone through already: a
  // read that goes ahead of a command buffer finds them as the ones before it leave them.
  std::vector<LayoutChange> layouts;
  std::size_t layouts_done = 0;

  // What is kept of results: of which command of the submission, and in which pixels.
  struct Kept {
    std::uint32_t command;  // from 0
    const Storage* image;
    std::shared_ptr<KeptResults> results;
    std::uint32_t number;  // in these
  };
  std::vector<Kept> kept;

  void follow_layouts(std::uint32_t part);  // those of command buffers before this one
};

// The device is idle as far as anybody knows, so that its memory can be looked at. With the lock of
// `queue` held.
bool is_idle(Device& device, Queue& queue) noexcept;

// Reads these bytes by a command of ours, and waits for it. With the lock of `queue` held. Returns
// the end of a sentence that says why it can't; empty: it did.
std::string read_at_once(Queue& queue, const capture::Range& range, std::span<std::byte> target);

}  // namespace reel::layer::vk
