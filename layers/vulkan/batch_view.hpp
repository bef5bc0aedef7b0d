// batch_view.hpp - one batch of a submission, of either generation of calls: what it has, and the
// same with commands of ours around the program's.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "layers/vulkan/functions.hpp"
#include "layers/vulkan/stamps/batch_stamps.hpp"

namespace reel::layer::vk {

struct SemaphoreUse {
  VkSemaphore handle;
  std::uint64_t value;
};
struct SemaphoreWait : SemaphoreUse {
  std::uint64_t stages;  // that wait (TraceOrder::stages)
};
struct BatchView {
  std::vector<VkCommandBuffer> commands;
  std::vector<SemaphoreWait> waits;
  std::vector<SemaphoreUse> signals;
  bool may_be_added_to = true;
};

BatchView view_of(const VkSubmitInfo& info);
BatchView view_of(const VkSubmitInfo2& info);

// With commands of ours around the program's. They must not run before what it waits for.
struct Ours {
  std::vector<VkCommandBuffer> ahead;
  std::vector<std::pair<std::size_t, VkCommandBuffer>> between;  // ahead of this one of its own
  const BatchStamps* stamps = nullptr;  // between the program's and behind them; null: none

  bool are_any() const noexcept { return !ahead.empty() || !between.empty(); }
  // add(ours) and give(number of its own), in order.
  template <class Add, class Give>
  void for_each(std::size_t count, Add&& add, Give&& give) const {
    for (const VkCommandBuffer commands : ahead) add(commands);
    for (std::size_t i = 0; i < count; ++i) {
      for (const auto& [place, commands] : between)
        if (place == i) add(commands);
      if (const VkCommandBuffer stamp = stamps && i > 0 ? stamps->before_buffer(i) : VK_NULL_HANDLE)
        add(stamp);
      give(i);
    }
    if (stamps) add(stamps->last());
  }
};
// What the driver is given in place of the program's lists.
struct Extended {
  std::vector<VkCommandBuffer> commands;
  std::vector<VkPipelineStageFlags> stages;
  std::vector<VkCommandBufferSubmitInfo> command_infos;
  std::vector<VkSemaphoreSubmitInfo> wait_infos;
};

void put_around(VkSubmitInfo& info, const Ours& ours, Extended& lists);
void put_around(VkSubmitInfo2& info, const Ours& ours, Extended& lists);

}  // namespace reel::layer::vk
