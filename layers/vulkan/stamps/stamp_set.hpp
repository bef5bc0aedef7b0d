// stamp_set.hpp - timestamps within what a program records into a command buffer.
//
// Queries of ours, which the command buffer resets itself whenever it runs. It belongs to one
// recording of the buffer; a submission that is recorded shares it until its times were read. When
// the buffer is submitted again, the queries hold the times of that later submission: whoever comes
// too late gets none.
//
// One thread at a time, as Vulkan asks of command buffers, but for read() and the destructor.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "layers/vulkan/device.hpp"
#include "layers/vulkan/stamps/query_pools.hpp"

namespace reel::layer::vk {

class StampSet {
 public:
  explicit StampSet(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  ~StampSet();
  StampSet(const StampSet&) = delete;
  StampSet& operator=(const StampSet&) = delete;

  // Records one into the command buffer, outside of a render pass; none: the driver can't.
  std::optional<std::uint32_t> write(VkCommandBuffer commands,
                                     VkPipelineStageFlagBits stage) noexcept;
  std::uint32_t count() const noexcept { return count_; }

  // A submission that is about to be given: its number.
  std::uint64_t take(Done* done) noexcept;
  // Ticks of that submission, which is done, by number; empty: they are not there any more, none of
  // one: the device did not get to it.
  std::vector<std::optional<std::uint64_t>> read(std::uint64_t submission) const;

 private:
  const std::shared_ptr<Device> device_;
  std::vector<QueryPool> pools_;
  std::uint32_t count_ = 0;  // of timestamps
  std::uint32_t free_ = 0;   // queries of the last pool
  std::atomic<std::uint64_t> submission_{0};
  Done* last_ = nullptr;  // behind the last submission; with a reference
};

}  // namespace reel::layer::vk
