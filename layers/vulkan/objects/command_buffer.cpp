#include "layers/vulkan/objects/command_buffer.hpp"

#include "layers/control/control.hpp"
#include "layers/session/session.hpp"
#include "layers/vulkan/stamps/stamp_set.hpp"

namespace reel::layer::vk {

void CommandBuffer::clear() noexcept {
  ops.clear();
  stamps.reset();
  stamps_barriers = stamps_commands = weighs = is_rendering = has_split_rendering = false;
  bound_cost = nullptr;
  since_stamp_ns = WorkCosts::unknown_ns;
}

void CommandBuffer::begin_stamps(VkCommandBufferUsageFlags usage) noexcept {
  if (!can_stamp || !(session::mode() & session::recording)) return;
  // Where it may be under way twice nobody knows which of the two a time is of.
  if (usage & (VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT |
               VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT))
    return;
  const StampDetail detail = control::stamps();
  stamps_commands = detail == StampDetail::dispatches;
  weighs = detail == StampDetail::enough;
  stamps_barriers = stamps_commands || weighs || detail == StampDetail::barriers;
  if (weighs) since_stamp_ns = 0;
}

void CommandBuffer::stamp(StampPlace place) noexcept {
  if (is_rendering) return;
  quietly([&] {
    if (!stamps) stamps = std::make_shared<StampSet>(device);
    // A command starts once the device comes to it: what still runs then is none of its business.
    const auto number =
        stamps->write(handle, place == StampPlace::before ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT
                                                          : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    if (!number)
      stamps_barriers = stamps_commands = weighs = false;
    else if (auto* op = ops.add<StampOp>(OpKind::stamp))
      *op = {*number, place};
  });
}

}  // namespace reel::layer::vk
