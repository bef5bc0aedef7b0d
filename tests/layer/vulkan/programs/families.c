// families.c - two queue families, where there are two: a buffer and an image go from the one to
// the other and back, round after round, with barriers that hand them over.
#include "advance.h"
#include "image_stir.h"
#include "images.h"
#include "scale.h"

enum { width = 32, height = 32, bytes = width * height * 4, rounds = 3 };

static uint32_t count_families(VkPhysicalDevice physical) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, NULL);
  return count;
}

static VkDevice open_with_families(VkPhysicalDevice physical, uint32_t count) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queues[2];
  for (uint32_t i = 0; i < count; ++i)
    queues[i] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueFamilyIndex = i,
                                          .queueCount = 1,
                                          .pQueuePriorities = &priority};
  const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   .queueCreateInfoCount = count,
                                   .pQueueCreateInfos = queues};
  VkDevice device;
  CHECK(vkCreateDevice(physical, &info, NULL, &device));
  return device;
}

static VkSemaphore make_semaphore(const Machine* machine) {
  const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  VkSemaphore made;
  CHECK(vkCreateSemaphore(machine->device, &info, NULL, &made));
  return made;
}

// One family, seen from one of its queues.
typedef struct Side {
  uint32_t family;
  VkQueue queue;
  VkCommandPool pool;
  VkSemaphore done;  // what it gives is, and the other may go on
} Side;

static VkCommandBuffer begin_on(const Machine* machine, const Side* side) {
  Machine there = *machine;
  there.commands = side->pool;
  return begin_once(&there);
}

// Half of a hand-over: recorded by the one that gives and by the one that takes, with the same
// layouts and families. Within a family one barrier does.
static void hand_over(VkCommandBuffer commands, const Side* from, const Side* to,
                      const Buffer* buffer, const Image* image, VkImageLayout before,
                      VkImageLayout after, int is_taking) {
  const int is_same = from->family == to->family;
  if (is_same && !is_taking) return;
  const VkAccessFlags left = is_taking && !is_same ? 0 : VK_ACCESS_MEMORY_WRITE_BIT;
  const VkAccessFlags wanted =
      is_taking ? VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT : 0;
  const VkBufferMemoryBarrier of_buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                           .srcAccessMask = left,
                                           .dstAccessMask = wanted,
                                           .srcQueueFamilyIndex = from->family,
                                           .dstQueueFamilyIndex = to->family,
                                           .buffer = buffer->buffer,
                                           .size = VK_WHOLE_SIZE};
  const VkImageMemoryBarrier of_image = {
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = left,
      .dstAccessMask = wanted,
      .oldLayout = before,
      .newLayout = after,
      .srcQueueFamilyIndex = from->family,
      .dstQueueFamilyIndex = to->family,
      .image = image->image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 1, &of_buffer, 1, &of_image);
}

static void give(const Side* side, VkCommandBuffer commands, VkSemaphore after, VkFence fence) {
  CHECK(vkEndCommandBuffer(commands));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .waitSemaphoreCount = after ? 1 : 0,
                             .pWaitSemaphores = &after,
                             .pWaitDstStageMask = &stage,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &side->done};
  CHECK(vkQueueSubmit(side->queue, 1, &info, fence));
}

int main(void) {
  const Wanted nothing = {0};
  Machine machine = {.instance = open_instance(&nothing)};
  machine.physical = first_device(machine.instance);
  machine.memory_type = coherent_type(machine.physical);
  const uint32_t families = count_families(machine.physical) > 1 ? 2 : 1;
  machine.device = open_with_families(machine.physical, families);
  machine.sets = make_set_pool(machine.device);
  Side sides[2];
  for (uint32_t i = 0; i < 2; ++i) {
    sides[i].family = families > 1 ? i : 0;
    vkGetDeviceQueue(machine.device, sides[i].family, 0, &sides[i].queue);
    sides[i].pool = make_command_pool(machine.device, sides[i].family);
    sides[i].done = make_semaphore(&machine);
  }
  machine.queue = sides[0].queue;
  machine.commands = sides[0].pool;
  Buffer values = make_storage(&machine, bytes, 1), copy = make_storage(&machine, bytes, 2);
  Buffer staging = make_staging(&machine, bytes, 3);
  Image image = make_flat(&machine, (VkExtent3D){width, height, 1}, VK_FORMAT_R32_UINT,
                          VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                              VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  Kernel advancing = make_kernel(&machine, SHADER(advance), 1, 8);
  Kernel scaling = make_kernel(&machine, SHADER(scale), 2, 8);
  const VkDescriptorSetLayoutBinding shape = binding(0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1);
  Kernel stirring = {.set_layout = make_set_layout(&machine, 1, &shape, 0)};
  stirring.layout = make_layout(&machine, 1, &stirring.set_layout, 4);
  stirring.pipeline =
      make_pipeline(&machine, SHADER(image_stir), stirring.layout, &(PipelineWish){0});
  VkDescriptorSet pixels = make_set(&machine, stirring.set_layout);
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL,
                      target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  write_image(&machine, pixels, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, image.view, general,
              VK_NULL_HANDLE);
  VkDescriptorSet advanced = BIND(&machine, &advancing, &values);
  VkDescriptorSet scaled = BIND(&machine, &scaling, &values, &copy);
  const VkBufferImageCopy region = whole(&image, 0);
  VkFence fence = make_fence(&machine);
  const Side *first = &sides[0], *second = &sides[1];
  for (uint32_t round = 0; round < rounds; ++round) {
    VkCommandBuffer commands = begin_on(&machine, first);
    if (round > 0) hand_over(commands, second, first, &values, &image, general, source, 1);
    use(commands, &advancing, advanced);
    push_two(commands, &advancing, 3, round);
    vkCmdDispatch(commands, groups_of(bytes), 1, 1);
    if (round == 0) {
      change_layout(commands, &image, VK_IMAGE_LAYOUT_UNDEFINED, target);
      vkCmdCopyBufferToImage(commands, staging.buffer, image.image, target, 1, &region);
    } else {
      vkCmdCopyImageToBuffer(commands, image.image, source, staging.buffer, 1, &region);
    }
    order_for_host(commands);
    hand_over(commands, first, second, &values, &image, round ? source : target, general, 0);
    give(first, commands, round ? second->done : VK_NULL_HANDLE, VK_NULL_HANDLE);
    commands = begin_on(&machine, second);
    hand_over(commands, first, second, &values, &image, round ? source : target, general, 1);
    use(commands, &scaling, scaled);
    push_two(commands, &scaling, 5, round);
    vkCmdDispatch(commands, groups_of(bytes), 1, 1);
    use(commands, &stirring, pixels);
    push(commands, &stirring, 4, &round);
    vkCmdDispatch(commands, width / 8, height / 8, 1);
    order_for_host(commands);
    hand_over(commands, second, first, &values, &image, general, source, 0);
    give(second, commands, first->done, fence);
    wait_fence(&machine, fence);
    CHECK(vkResetFences(machine.device, 1, &fence));
    digest_buffer("copy", &copy);
    if (round > 0) digest_buffer("pixels", &staging);
  }
  CHECK(vkDeviceWaitIdle(machine.device));
  vkDestroyFence(machine.device, fence, NULL);
  FREE_KERNELS(&machine, &advancing, &scaling, &stirring);
  FREE_BUFFERS(&machine, &values, &copy, &staging);
  free_image(&machine, &image);
  for (int i = 0; i < 2; ++i) {
    vkDestroySemaphore(machine.device, sides[i].done, NULL);
    if (i) vkDestroyCommandPool(machine.device, sides[i].pool, NULL);
  }
  close_machine(&machine);
  return 0;
}
