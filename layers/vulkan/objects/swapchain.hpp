// swapchain.hpp - images that a program shows: made by the driver, and lent to the program between
// vkAcquireNextImageKHR and vkQueuePresentKHR.
//
// Nothing of ours may read one while it is not lent. So what devices left in it is read ahead of
// the call that gives it back: by a submission that waits for what presenting would have waited
// for, and signals a semaphore of ours that presenting waits for in its place.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "layers/vulkan/device.hpp"
#include "recording/order/queue_log.hpp"

namespace reel::layer::vk {

struct Swapchain final : Object {
  std::shared_ptr<Device> device;
  VkImageCreateInfo likeness{};  // what vkCreateImage would make such images of
  bool can_be_copied = false;    // by commands of ours

  std::mutex mutex;  // of what follows
  struct Shown {
    VkImage image = VK_NULL_HANDLE;
    VkSemaphore gate = VK_NULL_HANDLE;  // of ours; null: none yet
    capture::RecordedEvent last;        // the command that showed it
  };
  std::vector<Shown> images;         // by number, those that the program knows
  std::vector<VkSemaphore> spoiled;  // signalled, and nobody waits for them

  // Ours, for who presents this image: whoever was lent it again knows the last use to be over.
  // Null: the driver has none.
  VkSemaphore gate(std::uint32_t number);
  // Presenting failed, so that nothing has waited for it.
  void spoil_gate(std::uint32_t number);
};

}  // namespace reel::layer::vk
