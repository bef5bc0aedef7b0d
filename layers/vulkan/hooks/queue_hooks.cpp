// Queues, and what is submitted to them.
#include "layers/session/exit_watch.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/device_row.hpp"
#include "layers/vulkan/stamps/ticks.hpp"
#include "layers/vulkan/submitting.hpp"
#include "recording/writing/call_meter.hpp"

namespace reel::layer::vk {

namespace {

// --- queues -------------------------------------------------------------------------------------

void note_queue(Device& device, VkQueue handle, std::uint32_t family) {
  if (!handle || queues().find(handle)) return;
  auto made = std::make_shared<Queue>(device);
  made->handle = handle;
  made->family = family;
  made->device = identity_of_device(device);
  const char* why = why_no_stamps(device, family);
  if (!why && control::stamps() == StampDetail::none) why = "No timestamps were asked for.";
  if (why)
    made->why_no_stamps = why;
  else
    made->can_stamp = true;
  {
    const std::lock_guard lock(device.mutex);
    device.queues.push_back(made);
  }
  queues().add(handle, std::move(made));
}

void VKAPI_CALL get_queue(VkDevice handle, std::uint32_t family, std::uint32_t index,
                          VkQueue* queue) {
  Device& device = *device_of(handle);
  device.next.GetDeviceQueue(handle, family, index, queue);
  quietly([&] { note_queue(device, *queue, family); });
}

void VKAPI_CALL get_queue2(VkDevice handle, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  Device& device = *device_of(handle);
  device.next.GetDeviceQueue2(handle, info, queue);
  quietly([&] { note_queue(device, *queue, info->queueFamilyIndex); });
}

// --- submissions ---------------------------------------------------------------------------------

// How many commands a document would have of it, for windows of commands.
std::uint64_t count_commands(const CommandBuffer& commands) {
  std::uint64_t count = 0;
  commands.ops.for_each([&](const OpHeader& header, const void* op) {
    switch (header.kind) {
      case OpKind::bind_pipeline:
      case OpKind::bind_sets:
      case OpKind::push_constants:
      case OpKind::push_set:
      case OpKind::begin_condition:
      case OpKind::end_condition:
      case OpKind::begin_label:
      case OpKind::end_label:
      case OpKind::stamp:
      case OpKind::kept:
        return;
      case OpKind::execute: {
        const auto& execute = *static_cast<const ExecuteOp*>(op);
        for (const VkCommandBuffer handle : list_behind<VkCommandBuffer>(&execute, execute.count))
          if (const CommandBuffer* secondary = command_buffers().find(handle))
            if (secondary->is_secondary) count += count_commands(*secondary);
        return;
      }
      default:
        ++count;
    }
  });
  return count;
}

// Nothing is recorded: what has to be known later is noted all the same.
void note_unrecorded(Queue& queue, const BatchView& view) {
  if (!view.commands.empty()) queue.has_unseen = queue.owner->had_unseen = true;
  for (const SemaphoreUse& signal : view.signals)
    if (Semaphore* known = queue.owner->semaphores.find(signal.handle))
      known->signal(signal.value, Signal{});
  if (!queue.owner->has_images) return;
  for (const VkCommandBuffer handle : view.commands)
    if (const CommandBuffer* commands = command_buffers().find(handle))
      follow_layouts(*queue.owner, *commands);
}

template <class Info, class Call>
VkResult submit(VkQueue handle, std::uint32_t count, const Info* infos, VkFence fence,
                const char* function, Call&& call) {
  const std::shared_ptr<Queue> queue = queue_of(handle);
  if (!queue) {
    Device& device = *device_of(handle);
    device.has_unknown_orders = true;
    const RecordingUse use;
    if (use) lose_track(use, device);
    return call(infos);
  }
  const std::uint32_t mode = session::mode();
  capture::CallMeter meter;
  if (mode & session::recording) meter.begin();
  if (mode & session::attention)
    quietly([&] {
      std::uint64_t given = 0;
      for (std::uint32_t i = 0; i < count; ++i)
        for (const VkCommandBuffer commands : view_of(infos[i]).commands)
          if (const CommandBuffer* known = command_buffers().find(commands))
            given += count_commands(*known);
      control::before_submission(given);
    });
  const RecordingUse use;
  if (!use && session::mode() & session::ending) session::stray_command();
  const std::lock_guard lock(queue->mutex);
  if (!use) {
    for (std::uint32_t i = 0; i < count; ++i)
      if (!quietly([&] { note_unrecorded(*queue, view_of(infos[i])); }))
        queue->owner->has_unknown_orders = true;
    return call(infos);
  }
  watch_exit();
  Submitting submitting(*queue, function);
  std::vector<Info> changed;
  const bool is_prepared = quietly([&] {
    for (std::uint32_t i = 0; i < count; ++i) submitting.prepare(use, view_of(infos[i]));
    changed.assign(infos, infos + count);
    for (std::uint32_t i = 0; i < count; ++i)
      if (const Ours ours = submitting.ours(i); ours.are_any())
        put_around(changed[i], ours, submitting.lists(i));
  });
  if (!is_prepared) {
    submitting.forget_stamps();
    use->out_of_memory();  // what was to be read goes with nothing
  }
  meter.driver_begins();
  const VkResult result = call(is_prepared ? changed.data() : infos);
  meter.driver_ends();
  if (result == VK_ERROR_DEVICE_LOST) queue->owner->is_lost = true;
  if (!quietly([&] { submitting.finish(use, result, fence); })) use->out_of_memory();
  if (const std::uint64_t ns = meter.end()) use->add_command_time(ns);
  return result;
}

VkResult VKAPI_CALL queue_submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos,
                                 VkFence fence) {
  return submit(queue, count, infos, fence, "vkQueueSubmit", [&](const VkSubmitInfo* given) {
    return device_of(queue)->next.QueueSubmit(queue, count, given, fence);
  });
}

VkResult VKAPI_CALL queue_submit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos,
                                  VkFence fence) {
  return submit(queue, count, infos, fence, "vkQueueSubmit2", [&](const VkSubmitInfo2* given) {
    return device_of(queue)->next.QueueSubmit2(queue, count, given, fence);
  });
}

VkResult VKAPI_CALL bind_sparse(VkQueue handle, std::uint32_t count, const VkBindSparseInfo* infos,
                                VkFence fence) {
  const auto queue = queue_of(handle);
  device_of(handle)->has_unknown_orders = true;  // it waits and signals as submissions do
  if (!queue) return device_of(handle)->next.QueueBindSparse(handle, count, infos, fence);
  const std::lock_guard lock(queue->mutex);
  queue->has_unseen = true;
  return queue->owner->next.QueueBindSparse(handle, count, infos, fence);
}

}  // namespace

std::span<const Hook> queue_hooks() {
  static const Hook hooks[] = {
      {"vkGetDeviceQueue", get_queue},      {"vkGetDeviceQueue2", get_queue2},
      {"vkQueueSubmit", queue_submit},      {"vkQueueSubmit2", queue_submit2},
      {"vkQueueSubmit2KHR", queue_submit2}, {"vkQueueBindSparse", bind_sparse},
  };
  return hooks;
}

}  // namespace reel::layer::vk
