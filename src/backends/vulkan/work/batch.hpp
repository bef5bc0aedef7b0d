// batch.hpp - what is given to the device in one piece, or to the host in between.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/vulkan/work/staging.hpp"
#include "backends/vulkan/work/stamp.hpp"
#include "reel/command.hpp"
#include "runtime/driver.hpp"

namespace reel::vulkan {

class Line;

// A point of another line that must be reached first.
struct Dependency {
  std::shared_ptr<Line> line;
  std::uint64_t value;
};

// Something recorded that batches run; counts the batches that are not done.
struct InFlight {
  std::atomic<std::uint32_t> batches = 0;
  virtual ~InFlight() = default;
};

// The call as a host step: what it throws becomes host_call_failed with the label.
std::function<void()> named_call(const HostCall& call, std::string_view label,
                                 const DeviceInfo& device);

// A command of a batch whose stamps somebody wants.
struct StampedCommand {
  std::uint64_t ticket, queued_ns;
  std::uint32_t begin, end;  // in the batch's StampBlock
};

struct Batch {
  explicit Batch(Context& context) : staging(context) {}

  bool is_host_step() const noexcept { return host != nullptr; }
  // Gives back all it holds, so that it can be filled again; its command buffer stays.
  void clear();
  // Of all its stamped commands. Only when it is done, and before it is cleared.
  void append_stamps(StampList& into) const;

  std::uint64_t value = 0;                // its place in the line
  VkCommandBuffer own = VK_NULL_HANDLE;   // of the queue's pool; used again with the batch
  std::vector<VkCommandBuffer> commands;  // to submit, in order
  std::vector<Dependency> waits;
  std::vector<ReadBack> read_backs;
  std::vector<std::shared_ptr<const void>> held;  // alive until the batch is done
  std::vector<std::shared_ptr<InFlight>> runs;
  StagingArena staging;
  std::function<void()> host;   // a step of the host, in place of commands
  bool waiter_may_run = false;  // that: it calls nothing of the program

  std::vector<StampedCommand> stamped;
  std::unique_ptr<StampBlock> stamps;  // made when first needed; null where the device can't stamp
  std::uint32_t queries = 0;           // of it, in use
  std::uint64_t submitted_ns = 0;      // where anything is stamped, on the device's clock
  std::uint64_t host_begin_ns = 0, host_end_ns = 0;  // the same, of a host step
};

}  // namespace reel::vulkan
