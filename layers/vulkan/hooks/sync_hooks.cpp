// Order: fences and semaphores, and what the host waits for.
#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "layers/session/exit_watch.hpp"
#include "layers/session/recording_use.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/queue.hpp"

namespace reel::layer::vk {

namespace {

// The host may have learned by it how far commands are; which ones is not known, so the call alone
// is recorded, where it told something.
void learned(const char* function, std::uint64_t begin_ns) noexcept {
  const RecordingUse use;
  if (!use) return;
  use->called(function, begin_ns);
  use->host_may_know();
}

// What the host learns has to be known: else what it writes then would be taken for the device's.
template <class F>
void learn(const RecordingUse& use, F&& function) noexcept {
  if (!quietly(function)) use->out_of_memory();
}

// --- fences -------------------------------------------------------------------------------------

VkResult VKAPI_CALL create_fence(VkDevice handle, const VkFenceCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkFence* fence) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.CreateFence(handle, info, allocator, fence);
  if (result == VK_SUCCESS) {
    quietly([&] { device.fences.add(*fence, std::make_shared<Fence>()); });
    if (!device.fences.find(*fence)) device.has_unknown_orders = true;
  }
  return result;
}

void VKAPI_CALL destroy_fence(VkDevice handle, VkFence fence,
                              const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  device.fences.remove(fence);
  device.next.DestroyFence(handle, fence, allocator);
}

VkResult VKAPI_CALL reset_fences(VkDevice handle, std::uint32_t count, const VkFence* fences) {
  Device& device = *device_of(handle);
  for (std::uint32_t i = 0; i < count; ++i)
    if (Fence* known = device.fences.find(fences[i])) {
      const std::lock_guard lock(known->mutex);
      known->signal = {};
    }
  return device.next.ResetFences(handle, count, fences);
}

// What a submission signals is noted when the driver has it, and the host may see it signalled
// before that: then whoever submits is let finish. A driver may let a submission wait for the host,
// so not for ever.
void let_submissions_finish(Device& device) {
  constexpr int rounds = 200;
  std::vector<std::shared_ptr<Queue>> all;
  {
    const std::lock_guard lock(device.mutex);
    all = device.queues;
  }
  for (const auto& queue : all)
    for (int round = 0; round < rounds; ++round) {
      const std::unique_lock lock(queue->mutex, std::try_to_lock);
      if (lock) break;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

Signal signal_of(const RecordingUse& use, Device& device, VkFence fence) {
  Fence* known = device.fences.find(fence);
  if (!known) return {};
  {
    const std::lock_guard lock(known->mutex);
    if (known->signal.event.capture == use->number) return known->signal;
  }
  let_submissions_finish(device);
  const std::lock_guard lock(known->mutex);
  return known->signal;
}

// The host has seen these done. `waited`: it waited, and did not just ask.
void host_knows(const RecordingUse& use, const Signal& signal, bool waited) {
  if (signal.event.capture != use->number) return;
  // Reads of ours that follow the work are found, and waited for, once what stands behind it is
  // done: that takes no longer than a thread of the driver takes to say so.
  constexpr std::uint64_t patience_ns = 200'000'000;
  if (signal.behind) static_cast<Done*>(signal.behind.get())->wait(patience_ns);
  use->settle_reads();
  if (waited)
    use->host_waited(signal.event);
  else
    use->host_saw(signal.event);
}

void lost(Device& device, VkResult result) noexcept {
  if (result == VK_ERROR_DEVICE_LOST) device.is_lost = true;
}

VkResult VKAPI_CALL fence_status(VkDevice handle, VkFence fence) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.GetFenceStatus(handle, fence);
  if (!session::mode()) [[likely]]
    return result;
  if (result == VK_SUCCESS) {
    const RecordingUse use(or_ending);
    if (use) learn(use, [&] { host_knows(use, signal_of(use, device, fence), false); });
  }
  return result;
}

VkResult VKAPI_CALL wait_for_fences(VkDevice handle, std::uint32_t count, const VkFence* fences,
                                    VkBool32 all, std::uint64_t timeout) {
  Device& device = *device_of(handle);
  if (!session::mode()) [[likely]]
    return device.next.WaitForFences(handle, count, fences, all, timeout);
  watch_exit();
  const std::uint64_t begin_ns = monotonic_ns();
  const VkResult result = device.next.WaitForFences(handle, count, fences, all, timeout);
  lost(device, result);
  const RecordingUse use(or_ending);
  if (!use || result != VK_SUCCESS) return result;
  learn(use, [&] {
    use->called("vkWaitForFences", begin_ns);
    for (std::uint32_t i = 0; i < count; ++i)
      if (all || count == 1 || device.next.GetFenceStatus(handle, fences[i]) == VK_SUCCESS)
        host_knows(use, signal_of(use, device, fences[i]), true);
  });
  return result;
}

// --- semaphores ---------------------------------------------------------------------------------

VkResult VKAPI_CALL create_semaphore(VkDevice handle, const VkSemaphoreCreateInfo* info,
                                     const VkAllocationCallbacks* allocator,
                                     VkSemaphore* semaphore) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.CreateSemaphore(handle, info, allocator, semaphore);
  if (result == VK_SUCCESS)
    quietly([&] {
      auto made = std::make_shared<Semaphore>();
      for (auto* one = static_cast<const VkBaseInStructure*>(info->pNext); one; one = one->pNext)
        if (one->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO) {
          const auto& type = reinterpret_cast<const VkSemaphoreTypeCreateInfo&>(*one);
          made->is_timeline = type.semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
          made->submitted_value = type.initialValue;
        }
      device.semaphores.add(*semaphore, std::move(made));
    });
  if (result == VK_SUCCESS && !device.semaphores.find(*semaphore)) device.has_unknown_orders = true;
  return result;
}

void VKAPI_CALL destroy_semaphore(VkDevice handle, VkSemaphore semaphore,
                                  const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  device.semaphores.remove(semaphore);
  device.next.DestroySemaphore(handle, semaphore, allocator);
}

void semaphore_reached(const RecordingUse& use, Device& device, VkSemaphore semaphore,
                       std::uint64_t value, bool waited) {
  Semaphore* known = device.semaphores.find(semaphore);
  if (!known) return;
  std::vector<Signal> reached;
  bool is_noted = false;
  {
    const std::lock_guard lock(known->mutex);
    is_noted = known->submitted_value >= value;
  }
  if (!is_noted) let_submissions_finish(device);
  {
    const std::lock_guard lock(known->mutex);
    for (const auto& [signalled, what] : known->recorded)
      if (signalled <= value) reached.push_back(what);
    // Whoever waits for less from now on waits for nothing.
    while (known->recorded.size() > 1 && known->recorded[1].first <= value)
      known->recorded.pop_front();
  }
  for (const Signal& signal : reached) host_knows(use, signal, waited);
}

VkResult VKAPI_CALL counter_value(VkDevice handle, VkSemaphore semaphore, std::uint64_t* value) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.GetSemaphoreCounterValue(handle, semaphore, value);
  if (!session::mode() || result != VK_SUCCESS) [[likely]]
    return result;
  const RecordingUse use(or_ending);
  if (use) learn(use, [&] { semaphore_reached(use, device, semaphore, *value, false); });
  return result;
}

VkResult VKAPI_CALL wait_semaphores(VkDevice handle, const VkSemaphoreWaitInfo* info,
                                    std::uint64_t timeout) {
  Device& device = *device_of(handle);
  if (!session::mode()) [[likely]]
    return device.next.WaitSemaphores(handle, info, timeout);
  watch_exit();
  const std::uint64_t begin_ns = monotonic_ns();
  const VkResult result = device.next.WaitSemaphores(handle, info, timeout);
  lost(device, result);
  const RecordingUse use(or_ending);
  if (!use || result != VK_SUCCESS) return result;
  learn(use, [&] {
    use->called("vkWaitSemaphores", begin_ns);
    const bool any = info->flags & VK_SEMAPHORE_WAIT_ANY_BIT && info->semaphoreCount > 1;
    for (std::uint32_t i = 0; i < info->semaphoreCount; ++i) {
      std::uint64_t value = info->pValues[i];
      if (any && (device.next.GetSemaphoreCounterValue(handle, info->pSemaphores[i], &value) !=
                      VK_SUCCESS ||
                  value < info->pValues[i]))
        continue;
      semaphore_reached(use, device, info->pSemaphores[i], value, true);
    }
  });
  return result;
}

VkResult VKAPI_CALL signal_semaphore(VkDevice handle, const VkSemaphoreSignalInfo* info) {
  Device& device = *device_of(handle);
  const std::uint64_t begin_ns = session::mode() ? monotonic_ns() : 0;
  const VkResult result = device.next.SignalSemaphore(handle, info);
  if (result == VK_SUCCESS && begin_ns) learned("vkSignalSemaphore", begin_ns);
  if (result == VK_SUCCESS)
    if (Semaphore* known = device.semaphores.find(info->semaphore)) {
      const std::lock_guard lock(known->mutex);
      known->submitted_value = std::max(known->submitted_value, info->value);
    }
  return result;
}

// --- what is shared with others -----------------------------------------------------------------

// A function that hands a fence or a semaphore to others, or takes one from them.
template <auto next>
struct Shared;
template <class... Arguments, VkResult (VKAPI_PTR* DeviceFunctions::*next)(VkDevice, Arguments...)>
struct Shared<next> {
  static VkResult VKAPI_CALL call(VkDevice handle, Arguments... arguments) {
    Device& device = *device_of(handle);
    device.has_unknown_orders = true;
    return (device.next.*next)(handle, arguments...);
  }
};

// --- what tells the host something, and orders no memory ----------------------------------------

VkResult VKAPI_CALL event_status(VkDevice handle, VkEvent event) {
  Device& device = *device_of(handle);
  if (!session::mode()) [[likely]]
    return device.next.GetEventStatus(handle, event);
  const std::uint64_t begin_ns = monotonic_ns();
  const VkResult result = device.next.GetEventStatus(handle, event);
  if (result == VK_EVENT_SET) learned("vkGetEventStatus", begin_ns);
  return result;
}

VkResult VKAPI_CALL set_event(VkDevice handle, VkEvent event) {
  Device& device = *device_of(handle);
  if (!session::mode()) [[likely]]
    return device.next.SetEvent(handle, event);
  const std::uint64_t begin_ns = monotonic_ns();
  const VkResult result = device.next.SetEvent(handle, event);
  if (result == VK_SUCCESS) learned("vkSetEvent", begin_ns);
  return result;
}

VkResult VKAPI_CALL query_results(VkDevice handle, VkQueryPool pool, std::uint32_t first,
                                  std::uint32_t count, std::size_t size, void* data,
                                  VkDeviceSize stride, VkQueryResultFlags flags) {
  Device& device = *device_of(handle);
  if (!session::mode()) [[likely]]
    return device.next.GetQueryPoolResults(handle, pool, first, count, size, data, stride, flags);
  const std::uint64_t begin_ns = monotonic_ns();
  const VkResult result =
      device.next.GetQueryPoolResults(handle, pool, first, count, size, data, stride, flags);
  if (result == VK_SUCCESS) learned("vkGetQueryPoolResults", begin_ns);
  return result;
}

// --- whole queues -------------------------------------------------------------------------------

using Queues = std::span<const std::shared_ptr<Queue>>;

// What the host is about to wait for. The recording is let go while it does; 0: there is none.
std::uint32_t given_until_now(Queues queues, std::span<std::vector<capture::Point>> given) {
  const RecordingUse use;
  if (!use) return 0;
  for (std::size_t i = 0; i < queues.size(); ++i) given[i] = use->given_to(*queues[i]);
  return use->number;
}

void all_done(const char* function, std::uint64_t begin_ns, std::uint32_t capture, Queues queues,
              std::span<std::vector<capture::Point>> given) {
  const RecordingUse use(or_ending);
  if (!use) return;
  if (use->number == capture) use->called(function, begin_ns);
  use->settle_reads();
  for (std::size_t i = 0; i < queues.size(); ++i) {
    if (use->number != capture) given[i].clear();
    use->finished(*queues[i], given[i]);
  }
}

VkResult VKAPI_CALL queue_wait_idle(VkQueue handle) {
  Device& device = *device_of(handle);
  const std::shared_ptr<Queue> queue = queue_of(handle);
  if (!session::mode() || !queue) {
    if (!queue) return device.next.QueueWaitIdle(handle);
    const VkResult result = device.next.QueueWaitIdle(handle);
    const std::lock_guard lock(queue->mutex);
    if (result == VK_SUCCESS) queue->has_unseen = false;
    return result;
  }
  watch_exit();
  std::vector<capture::Point> given;
  const std::uint32_t capture = given_until_now({&queue, 1}, {&given, 1});
  const std::uint64_t begin_ns = monotonic_ns();
  const VkResult result = device.next.QueueWaitIdle(handle);
  lost(device, result);
  if (result != VK_SUCCESS) return result;
  {
    const std::lock_guard lock(queue->mutex);
    queue->has_unseen = false;
  }
  all_done("vkQueueWaitIdle", begin_ns, capture, {&queue, 1}, {&given, 1});
  return result;
}

VkResult VKAPI_CALL device_wait_idle(VkDevice handle) {
  Device& device = *device_of(handle);
  std::vector<std::shared_ptr<Queue>> all;
  quietly([&] {
    const std::lock_guard lock(device.mutex);
    all = device.queues;
  });
  std::vector<std::vector<capture::Point>> given(all.size());
  const std::uint32_t capture = given_until_now(all, given);
  const std::uint64_t begin_ns = session::mode() ? monotonic_ns() : 0;
  if (session::mode()) watch_exit();
  const VkResult result = device.next.DeviceWaitIdle(handle);
  lost(device, result);
  if (result != VK_SUCCESS) return result;
  for (const auto& queue : all) {
    const std::lock_guard lock(queue->mutex);
    queue->has_unseen = false;
  }
  all_done("vkDeviceWaitIdle", begin_ns, capture, all, given);
  return result;
}

}  // namespace

std::span<const Hook> sync_hooks() {
  static const Hook hooks[] = {
      {"vkCreateFence", create_fence},
      {"vkDestroyFence", destroy_fence},
      {"vkResetFences", reset_fences},
      {"vkGetFenceStatus", fence_status},
      {"vkWaitForFences", wait_for_fences},
      {"vkCreateSemaphore", create_semaphore},
      {"vkDestroySemaphore", destroy_semaphore},
      {"vkGetSemaphoreCounterValue", counter_value},
      {"vkGetSemaphoreCounterValueKHR", counter_value},
      {"vkWaitSemaphores", wait_semaphores},
      {"vkWaitSemaphoresKHR", wait_semaphores},
      {"vkSignalSemaphore", signal_semaphore},
      {"vkSignalSemaphoreKHR", signal_semaphore},
      {"vkGetSemaphoreFdKHR", Shared<&DeviceFunctions::GetSemaphoreFdKHR>::call},
      {"vkImportSemaphoreFdKHR", Shared<&DeviceFunctions::ImportSemaphoreFdKHR>::call},
      {"vkGetFenceFdKHR", Shared<&DeviceFunctions::GetFenceFdKHR>::call},
      {"vkImportFenceFdKHR", Shared<&DeviceFunctions::ImportFenceFdKHR>::call},
      {"vkGetEventStatus", event_status},
      {"vkSetEvent", set_event},
      {"vkGetQueryPoolResults", query_results},
      {"vkQueueWaitIdle", queue_wait_idle},
      {"vkDeviceWaitIdle", device_wait_idle},
  };
  return hooks;
}

}  // namespace reel::layer::vk
