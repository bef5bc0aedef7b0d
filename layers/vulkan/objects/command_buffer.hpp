// command_buffer.hpp - command pools and buffers of the program.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "layers/vulkan/device.hpp"
#include "layers/vulkan/objects/op_list.hpp"

namespace reel::layer::vk {

class KeptResults;
class StampSet;

struct CommandBuffer final : Object {
  // Of a hook that records: the device's own functions, at hand without a second look-up.
  const DeviceFunctions* next = nullptr;
  std::shared_ptr<Device> device;
  VkCommandBuffer handle = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  bool is_secondary = false;
  bool can_stamp = false;  // its queue family
  // Of what is being recorded: timestamps of ours go to barriers, and around each command.
  bool stamps_barriers = false, stamps_commands = false;
  bool weighs = false;             // … to barriers that enough lies before
  WorkCost* bound_cost = nullptr;  // then: of the pipeline that is bound; null: of none
  // Work behind its last timestamp, as far as it can be guessed.
  float since_stamp_ns = WorkCosts::unknown_ns;
  bool is_rendering = false;
  bool has_split_rendering = false;  // goes on in another buffer, with nothing in between
  // Results that nobody can replay are kept, where it can be done, and while it is recorded so.
  bool may_keep = false, keeps_results = false;
  struct Target {
    VkImageView view;
    VkImageLayout layout;  // once it is drawn to
  };
  std::vector<Target> targets;  // of the render pass that is being recorded, where it keeps results
  OpList ops;
  std::shared_ptr<StampSet> stamps;   // null: none yet
  std::shared_ptr<KeptResults> kept;  // likewise

  // What the list needs memory for besides its own; without it an op is missing.
  template <class F>
  void note(F&& function) noexcept {
    if (!quietly(function)) ops.lose();
  }
  // What was recorded is thrown away.
  void clear() noexcept;
  // Recording begins: decides whether it gets timestamps.
  void begin_stamps(VkCommandBufferUsageFlags usage) noexcept;
  void stamp(StampPlace place) noexcept;
  // Likewise: decides whether results are kept.
  void begin_keeping(VkCommandBufferUsageFlags usage) noexcept;
  // What the last command left in these pixels.
  void keep(VkImage image, const VkImageSubresourceLayers& layers, VkImageLayout layout) noexcept;
  void keep_targets() noexcept;
  void stamp_barrier() noexcept {
    if (is_rendering) return;
    if (weighs && !(since_stamp_ns > 0 && since_stamp_ns >= device->costs.enough_ns())) return;
    stamp(StampPlace::barrier);
    since_stamp_ns = 0;
  }
  // Where it weighs: a command of this size is recorded.
  void weigh(WorkCost& cost, float size) noexcept {
    since_stamp_ns += cost.guess_ns(size, device->costs.enough_ns());
  }
};

// Around the call that records one command: where each is stamped, and where it is weighed.
class OwnStamps {
 public:
  explicit OwnStamps(CommandBuffer& commands) noexcept : commands_(commands) {
    if (commands.weighs) [[unlikely]]
      commands.weigh(commands.device->costs.others(), 1);
    begin();
  }
  // Of a dispatch of so many groups.
  OwnStamps(CommandBuffer& commands, std::uint32_t x, std::uint32_t y, std::uint32_t z) noexcept
      : commands_(commands) {
    if (commands.weighs) [[unlikely]]
      commands.weigh(commands.bound_cost ? *commands.bound_cost : commands.device->costs.others(),
                     group_count(x, y, z));
    begin();
  }
  static float group_count(std::uint32_t x, std::uint32_t y, std::uint32_t z) noexcept {
    return static_cast<float>(x) * static_cast<float>(y) * static_cast<float>(z);
  }
  ~OwnStamps() {
    if (commands_.stamps_commands) [[unlikely]]
      commands_.stamp(StampPlace::after);
  }
  OwnStamps(const OwnStamps&) = delete;
  OwnStamps& operator=(const OwnStamps&) = delete;

 private:
  void begin() noexcept {
    if (commands_.stamps_commands) [[unlikely]]
      commands_.stamp(StampPlace::before);
  }

  CommandBuffer& commands_;
};

// The one with this handle; where no memory was left to note it, one that stands for all such of
// its device and takes no commands.
inline CommandBuffer& command_buffer(VkCommandBuffer handle) noexcept {
  if (CommandBuffer* known = command_buffers().find(handle)) [[likely]]
    return *known;
  return *device_of(handle)->unnoted_commands;
}

struct CommandPool final : Object {
  VkCommandPool handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  bool is_protected = false;
  std::vector<VkCommandBuffer> buffers;  // pools are for one thread at a time
};

}  // namespace reel::layer::vk
