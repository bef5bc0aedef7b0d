// Swapchains: which images they have, when the program has them, and when it shows them.
#include "layers/session/exit_watch.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/image.hpp"
#include "layers/vulkan/objects/swapchain.hpp"
#include "layers/vulkan/submitting.hpp"

namespace reel::layer::vk {

VkSemaphore Swapchain::gate(std::uint32_t number) {
  const std::lock_guard lock(mutex);
  if (number >= images.size()) return VK_NULL_HANDLE;
  VkSemaphore& gate = images[number].gate;
  if (gate) return gate;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  if (device->next.CreateSemaphore(device->handle, &info, nullptr, &gate) != VK_SUCCESS)
    gate = VK_NULL_HANDLE;
  return gate;
}

void Swapchain::spoil_gate(std::uint32_t number) {
  const std::lock_guard lock(mutex);
  spoiled.push_back(images[number].gate);
  images[number].gate = VK_NULL_HANDLE;
}

namespace {

// --- swapchains ---------------------------------------------------------------------------------

VkImageCreateInfo likeness_of(const VkSwapchainCreateInfoKHR& info) {
  VkImageCreateInfo image{};
  image.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  image.imageType = VK_IMAGE_TYPE_2D;
  image.format = info.imageFormat;
  image.extent = {info.imageExtent.width, info.imageExtent.height, 1};
  image.mipLevels = 1;
  image.arrayLayers = info.imageArrayLayers;
  image.samples = VK_SAMPLE_COUNT_1_BIT;
  image.tiling = VK_IMAGE_TILING_OPTIMAL;
  image.usage = info.imageUsage;
  image.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  if (info.flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR)
    image.flags |= VK_IMAGE_CREATE_PROTECTED_BIT;
  return image;
}

// Images that are shown while they are written are never ours to read.
bool is_shared(VkPresentModeKHR mode) {
  return mode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
         mode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR;
}

// Asked first, since a swapchain that can't be made takes the old one along.
bool may_be_copied(const Device& device, const VkSwapchainCreateInfoKHR& info) {
  if (is_shared(info.presentMode)) return false;
  if (info.imageUsage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) return true;
  const auto ask = device.instance->next.GetPhysicalDeviceSurfaceCapabilitiesKHR;
  VkSurfaceCapabilitiesKHR able{};
  return ask && ask(device.physical, info.surface, &able) == VK_SUCCESS &&
         able.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
}

VkResult VKAPI_CALL create_swapchain(VkDevice handle, const VkSwapchainCreateInfoKHR* info,
                                     const VkAllocationCallbacks* allocator,
                                     VkSwapchainKHR* swapchain) {
  Device& device = *device_of(handle);
  VkSwapchainCreateInfoKHR changed = *info;
  const bool can_be_copied = may_be_copied(device, *info);
  if (can_be_copied) changed.imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const VkResult result = device.next.CreateSwapchainKHR(handle, &changed, allocator, swapchain);
  if (result == VK_SUCCESS)
    device.note([&] {
      auto made = std::make_shared<Swapchain>();
      made->device = device.share();
      made->likeness = likeness_of(*info);
      made->can_be_copied = can_be_copied;
      device.swapchains.add(*swapchain, std::move(made));
    });
  return result;
}

void VKAPI_CALL destroy_swapchain(VkDevice handle, VkSwapchainKHR swapchain,
                                  const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  const auto known = device.swapchains.remove(swapchain);
  if (known)
    for (const Swapchain::Shown& one : known->images)
      if (const auto image = device.images.remove(one.image)) let_go(image->storage);
  device.settle_copies();
  device.next.DestroySwapchainKHR(handle, swapchain, allocator);
  if (!known) return;
  for (const Swapchain::Shown& one : known->images)
    if (one.gate) device.next.DestroySemaphore(handle, one.gate, nullptr);
  for (const VkSemaphore gate : known->spoiled) device.next.DestroySemaphore(handle, gate, nullptr);
}

void note_image_of(Device& device, Swapchain& swapchain, VkImage handle) {
  const std::lock_guard lock(swapchain.mutex);
  for (const Swapchain::Shown& one : swapchain.images)
    if (one.image == handle) return;
  std::shared_ptr<Image> image = note_image(device, swapchain.likeness, handle);
  Storage& storage = *image->storage;
  storage.can_be_copied = swapchain.can_be_copied;
  swapchain.images.reserve(swapchain.images.size() + 1);
  device.has_images = true;
  device.images.add(handle, std::move(image));
  swapchain.images.push_back({handle, VK_NULL_HANDLE, {}});
  const RecordingUse use;
  if (use) use->made(storage);
}

VkResult VKAPI_CALL get_images(VkDevice handle, VkSwapchainKHR swapchain, std::uint32_t* count,
                               VkImage* images) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.GetSwapchainImagesKHR(handle, swapchain, count, images);
  if (images && result >= 0)
    device.note([&] {
      if (Swapchain* known = device.swapchains.find(swapchain))
        for (std::uint32_t i = 0; i < *count; ++i) note_image_of(device, *known, images[i]);
    });
  return result;
}

// --- images that are lent -----------------------------------------------------------------------

// They are signalled once nobody shows the image any more: after the command that showed it last.
void acquired(Device& device, VkSwapchainKHR swapchain, std::uint32_t number, VkSemaphore semaphore,
              VkFence fence) {
  const bool is_noted = quietly([&] {
    capture::RecordedEvent last;
    if (Swapchain* known = device.swapchains.find(swapchain)) {
      const std::lock_guard lock(known->mutex);
      if (number < known->images.size()) last = known->images[number].last;
    }
    if (Semaphore* known = semaphore ? device.semaphores.find(semaphore) : nullptr)
      known->signal(0, {last, {}});
    if (Fence* known = fence ? device.fences.find(fence) : nullptr) {
      const std::lock_guard lock(known->mutex);
      known->signal = {last, {}};
    }
  });
  if (!is_noted) device.has_unknown_orders = true;
}

VkResult VKAPI_CALL acquire(VkDevice handle, VkSwapchainKHR swapchain, std::uint64_t timeout,
                            VkSemaphore semaphore, VkFence fence, std::uint32_t* number) {
  Device& device = *device_of(handle);
  const VkResult result =
      device.next.AcquireNextImageKHR(handle, swapchain, timeout, semaphore, fence, number);
  if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR)
    acquired(device, swapchain, *number, semaphore, fence);
  return result;
}

VkResult VKAPI_CALL acquire2(VkDevice handle, const VkAcquireNextImageInfoKHR* info,
                             std::uint32_t* number) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.AcquireNextImage2KHR(handle, info, number);
  if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR)
    acquired(device, info->swapchain, *number, info->semaphore, info->fence);
  return result;
}

// --- presenting ---------------------------------------------------------------------------------

// The images that a call shows, and the swapchains that they are of.
struct Shows {
  std::vector<std::shared_ptr<Swapchain>> swapchains;
  std::vector<std::uint32_t> numbers;
  std::vector<Storage*> images;

  Shows(Device& device, const VkPresentInfoKHR& info) {
    for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
      auto known = device.swapchains.share(info.pSwapchains[i]);
      if (!known) continue;
      const std::uint32_t number = info.pImageIndices[i];
      VkImage handle = VK_NULL_HANDLE;
      {
        const std::lock_guard lock(known->mutex);
        if (number < known->images.size()) handle = known->images[number].image;
      }
      const Image* image = handle ? device.images.find(handle) : nullptr;
      if (!image) continue;
      images.push_back(image->storage.get());
      numbers.push_back(number);
      swapchains.push_back(std::move(known));
    }
  }
  void set_last(const capture::RecordedEvent& event) const {
    for (std::size_t i = 0; i < swapchains.size(); ++i) {
      const std::lock_guard lock(swapchains[i]->mutex);
      swapchains[i]->images[numbers[i]].last = event;
    }
  }
};

// What presenting would wait for is waited for by commands of ours, and it waits for these.
class Gate {
 public:
  explicit Gate(const VkPresentInfoKHR& info)
      : stages_(info.waitSemaphoreCount, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT) {
    batch_.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    batch_.waitSemaphoreCount = info.waitSemaphoreCount;
    batch_.pWaitSemaphores = info.pWaitSemaphores;
    batch_.pWaitDstStageMask = stages_.data();
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  const VkSubmitInfo& batch() const noexcept { return batch_; }
  // False: it was not given, and presenting waits as the program said.
  bool give(Queue& queue, const Ours& ours, Extended& lists, VkSemaphore gate) {
    if (!gate) return false;
    gate_ = gate;
    put_around(batch_, ours, lists);
    batch_.signalSemaphoreCount = 1;
    batch_.pSignalSemaphores = &gate_;
    return queue.owner->next.QueueSubmit(queue.handle, 1, &batch_, VK_NULL_HANDLE) == VK_SUCCESS;
  }
  void stand_before(VkPresentInfoKHR& info) const noexcept {
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &gate_;
  }

 private:
  std::vector<VkPipelineStageFlags> stages_;
  VkSubmitInfo batch_{};
  VkSemaphore gate_ = VK_NULL_HANDLE;
};

// The wait of a call that answers so was done all the same.
bool was_shown(VkResult result) { return result >= 0 || result == VK_ERROR_OUT_OF_DATE_KHR; }

VkResult VKAPI_CALL present(VkQueue handle, const VkPresentInfoKHR* info) {
  Device& device = *device_of(handle);
  const auto queue = queue_of(handle);
  if (!queue) return device.next.QueuePresentKHR(handle, info);
  const RecordingUse use;
  const std::lock_guard lock(queue->mutex);
  if (!use) {
    quietly([&] { Shows(device, *info).set_last({}); });
    return device.next.QueuePresentKHR(handle, info);
  }
  watch_exit();
  Submitting submitting(*queue, "vkQueuePresentKHR");
  VkPresentInfoKHR changed = *info;
  std::optional<Gate> gate;
  std::optional<Shows> shows;
  bool is_reading = false, is_lost = false;
  const bool is_prepared = quietly([&] {
    gate.emplace(*info);
    shows.emplace(device, *info);
    submitting.prepare_present(use, view_of(gate->batch()), shows->images);
    const Ours ours = submitting.ours(0);
    if (!ours.are_any()) return;
    is_reading = gate->give(*queue, ours, submitting.lists(0),
                            shows->swapchains[0]->gate(shows->numbers[0]));
    is_lost = !is_reading;
    if (is_reading) gate->stand_before(changed);
  });
  if (!is_prepared || is_lost) use->out_of_memory();  // what was to be read goes with nothing
  const VkResult result = device.next.QueuePresentKHR(handle, &changed);
  if (result == VK_ERROR_DEVICE_LOST) device.is_lost = true;
  const VkResult told = was_shown(result) ? VK_SUCCESS : result;
  const bool is_finished = quietly([&] {
    if (!submitting.has_batches()) return;
    submitting.finish(use, told, VK_NULL_HANDLE, is_reading);
    if (is_reading && told != VK_SUCCESS) shows->swapchains[0]->spoil_gate(shows->numbers[0]);
    if (shows) shows->set_last(submitting.event(0));
  });
  if (!is_finished) use->out_of_memory();
  return result;
}

}  // namespace

std::span<const Hook> present_hooks() {
  static const Hook hooks[] = {
      {"vkCreateSwapchainKHR", create_swapchain}, {"vkDestroySwapchainKHR", destroy_swapchain},
      {"vkGetSwapchainImagesKHR", get_images},    {"vkAcquireNextImageKHR", acquire},
      {"vkAcquireNextImage2KHR", acquire2},       {"vkQueuePresentKHR", present},
  };
  return hooks;
}

}  // namespace reel::layer::vk
