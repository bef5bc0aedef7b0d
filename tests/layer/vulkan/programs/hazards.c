// hazards.c - pairs of commands that touch the same bytes, each with the order between them that a
// letter of the argument asks for: a right one, a wrong one or none. Every pair has bytes of its
// own, so what is wrong with it is known from its letter. Letters after a dash are of two queues.
#include "machine.h"

enum { slice = 4096, most = 64 };

static Machine machine;
static Buffer bytes;     // of the pairs: two slices each
static VkDeviceSize at;  // of the pair on its way
static VkCommandBuffer commands;
static VkQueue queue, second_queue;

static void open(void) { commands = begin_once(&machine); }

static void fill_first(void) {
  vkCmdFillBuffer(commands, bytes.buffer, at, slice, (uint32_t)at + 7);
}
static void copy_first(void) {
  const VkBufferCopy region = {at, at + slice, slice};
  vkCmdCopyBuffer(commands, bytes.buffer, bytes.buffer, 1, &region);
}
static void transfers(VkAccessFlags from, VkAccessFlags to) {
  order(commands, transfer_stage, from, transfer_stage, to);
}
static void after_write(void) {
  transfers(VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
}

// --- submissions: what was recorded so far goes, and more may follow ----------------------------

typedef struct Signals {
  VkSemaphore wait, signal;
  VkPipelineStageFlags stage;
  uint64_t wait_value, signal_value;
  VkFence fence;
} Signals;

static void give(Signals with) {
  CHECK(vkEndCommandBuffer(commands));
  const VkTimelineSemaphoreSubmitInfo values = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = with.wait_value ? 1 : 0,
      .pWaitSemaphoreValues = &with.wait_value,
      .signalSemaphoreValueCount = with.signal_value ? 1 : 0,
      .pSignalSemaphoreValues = &with.signal_value};
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .pNext = with.wait_value || with.signal_value ? &values : NULL,
                             .waitSemaphoreCount = with.wait ? 1 : 0,
                             .pWaitSemaphores = &with.wait,
                             .pWaitDstStageMask = &with.stage,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands,
                             .signalSemaphoreCount = with.signal ? 1 : 0,
                             .pSignalSemaphores = &with.signal};
  CHECK(vkQueueSubmit(queue, 1, &info, with.fence));
  open();
}

static VkSemaphore make_semaphore(int is_timeline) {
  const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                      .pNext = is_timeline ? &type : NULL};
  VkSemaphore semaphore;
  CHECK(vkCreateSemaphore(machine.device, &info, NULL, &semaphore));
  return semaphore;
}

// The first submission signals, the second waits with this stage.
static void by_semaphore(VkPipelineStageFlags stage, int is_timeline, void (*first)(void),
                         void (*between)(void), void (*second)(void)) {
  VkSemaphore semaphore = make_semaphore(is_timeline);
  first();
  give((Signals){.signal = semaphore, .signal_value = is_timeline ? 5 : 0});
  between();
  second();
  give((Signals){.wait = semaphore, .stage = stage, .wait_value = is_timeline ? 5 : 0});
  CHECK(vkQueueWaitIdle(machine.queue));
  vkDestroySemaphore(machine.device, semaphore, NULL);
}

// The host waits, or asks, or neither.
static void by_fence(int waits, int asks, void (*first)(void), void (*between)(void),
                     void (*second)(void)) {
  VkFence fence = make_fence(&machine);
  first();
  give((Signals){.fence = fence});
  if (waits) wait_fence(&machine, fence);
  while (asks && vkGetFenceStatus(machine.device, fence) == VK_NOT_READY) {
  }
  between();
  second();
  give((Signals){0});
  CHECK(vkQueueWaitIdle(machine.queue));
  vkDestroyFence(machine.device, fence, NULL);
}

static void by_value_seen(int asks) {
  VkSemaphore semaphore = make_semaphore(1);
  const uint64_t value = 3;
  fill_first();
  give((Signals){.signal = semaphore, .signal_value = value});
  const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                    .semaphoreCount = 1,
                                    .pSemaphores = &semaphore,
                                    .pValues = &value};
  uint64_t reached = 0;
  if (!asks) CHECK(vkWaitSemaphores(machine.device, &info, UINT64_MAX));
  while (asks && reached < value)
    CHECK(vkGetSemaphoreCounterValue(machine.device, semaphore, &reached));
  copy_first();
  give((Signals){0});
  CHECK(vkQueueWaitIdle(machine.queue));
  vkDestroySemaphore(machine.device, semaphore, NULL);
}

// Two batches of one call.
static void in_one_call(int has_semaphore) {
  VkSemaphore semaphore = make_semaphore(0);
  const VkPipelineStageFlags stage = transfer_stage;
  VkCommandBuffer first = commands;
  fill_first();
  CHECK(vkEndCommandBuffer(first));
  open();
  copy_first();
  CHECK(vkEndCommandBuffer(commands));
  const VkSubmitInfo infos[] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &first,
                                 .signalSemaphoreCount = has_semaphore ? 1 : 0,
                                 .pSignalSemaphores = &semaphore},
                                {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .waitSemaphoreCount = has_semaphore ? 1 : 0,
                                 .pWaitSemaphores = &semaphore,
                                 .pWaitDstStageMask = &stage,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands}};
  CHECK(vkQueueSubmit(machine.queue, 2, infos, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(machine.queue));
  vkDestroySemaphore(machine.device, semaphore, NULL);
  open();
}

// The second submission goes to the other queue.
static void on_two_queues(int has_semaphore, int waits, void (*between)(void)) {
  VkSemaphore semaphore = make_semaphore(0);
  VkFence fence = make_fence(&machine);
  fill_first();
  give((Signals){.signal = has_semaphore ? semaphore : VK_NULL_HANDLE, .fence = fence});
  if (waits) wait_fence(&machine, fence);
  queue = second_queue;
  between();
  copy_first();
  give((Signals){.wait = has_semaphore ? semaphore : VK_NULL_HANDLE, .stage = transfer_stage});
  queue = machine.queue;
  CHECK(vkDeviceWaitIdle(machine.device));
  vkDestroyFence(machine.device, fence, NULL);
  vkDestroySemaphore(machine.device, semaphore, NULL);
}

// --- what may stand in between ------------------------------------------------------------------

static void nothing(void) {}
static void host_changes_it(void) { memset((char*)bytes.bytes + at, (int)(at / slice) + 3, slice); }
static void host_changes_it_before_a_barrier(void) {
  host_changes_it();
  transfers(VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
}
static void from_shaders(void) {
  order(commands, shader_stage, 0, transfer_stage, VK_ACCESS_TRANSFER_READ_BIT);
}

static void pair(char letter) {
  const VkBufferMemoryBarrier elsewhere = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                           .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                           .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                           .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                           .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                           .buffer = bytes.buffer,
                                           .offset = at + slice,
                                           .size = slice};
  switch (letter) {
    case 'b':  // a barrier
      fill_first(), after_write(), copy_first();
      break;
    case 'n':  // nothing
      fill_first(), copy_first();
      break;
    case 'm':  // a barrier that names no write
      fill_first(), transfers(0, VK_ACCESS_TRANSFER_READ_BIT), copy_first();
      break;
    case 'r':  // a barrier for other bytes
      fill_first();
      vkCmdPipelineBarrier(commands, transfer_stage, transfer_stage, 0, 0, NULL, 1, &elsewhere, 0,
                           NULL);
      copy_first();
      break;
    case 'w':  // overwritten while it may be read
      copy_first(), fill_first();
      break;
    case 'e':  // overwritten afterwards: no memory has to be seen
      copy_first(), transfers(0, 0), fill_first();
      break;
    case 'N':  // two submissions, and nothing else
      by_fence(0, 0, fill_first, nothing, copy_first);
      break;
    case 'B':  // and a barrier in the second
      by_fence(0, 0, fill_first, after_write, copy_first);
      break;
    case 'C':  // and a barrier in the first
      fill_first(), after_write();
      by_fence(0, 0, nothing, nothing, copy_first);
      break;
    case 'S':
      by_semaphore(transfer_stage, 0, fill_first, nothing, copy_first);
      break;
    case 'T':  // that another stage waits for
      by_semaphore(shader_stage, 0, fill_first, nothing, copy_first);
      break;
    case 'U':  // which a barrier hands on
      by_semaphore(shader_stage, 0, fill_first, from_shaders, copy_first);
      break;
    case 'l':
      by_semaphore(transfer_stage, 1, fill_first, nothing, copy_first);
      break;
    case 'L':
      by_value_seen(0);
      break;
    case 'A':
      by_value_seen(1);
      break;
    case 'F':
      by_fence(1, 0, fill_first, nothing, copy_first);
      break;
    case 'P':
      by_fence(0, 1, fill_first, nothing, copy_first);
      break;
    case 'q':
      in_one_call(0);
      break;
    case 'Q':
      in_one_call(1);
      break;
    case 'h':  // the host writes what is being read
      by_fence(0, 0, copy_first, host_changes_it_before_a_barrier, copy_first);
      break;
    case 'v':  // a semaphore tells the host nothing
      by_semaphore(transfer_stage, 0, copy_first, host_changes_it, copy_first);
      break;
    case 'H':
      by_fence(1, 0, copy_first, host_changes_it, copy_first);
      break;
    case 'p':
      by_fence(0, 1, copy_first, host_changes_it, copy_first);
      break;
    case 'x':  // two queues, and nothing else
      on_two_queues(0, 0, nothing);
      break;
    case 'X':  // a barrier is for its own queue
      on_two_queues(0, 0, after_write);
      break;
    case 'y':
      on_two_queues(1, 0, nothing);
      break;
    case 'z':
      on_two_queues(0, 1, nothing);
      break;
    default:
      EXPECT(!"a letter that has a meaning");
  }
  give((Signals){0});
  // The next one begins on an idle device: what it reads is then there when it is submitted.
  CHECK(vkQueueWaitIdle(machine.queue));
  at += 2 * slice;
}

int main(int count, char** arguments) {
  EXPECT(count == 2 && strlen(arguments[1]) <= most);
  const VkPhysicalDeviceVulkan12Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
  const int has_two_queues = strchr(arguments[1], '-') != NULL;
  const Wanted wanted = {.features = &features, .more_queues = has_two_queues ? 1 : 0};
  machine = open_machine_with(&wanted);
  queue = machine.queue;
  if (has_two_queues) vkGetDeviceQueue(machine.device, machine.family, 1, &second_queue);
  bytes = make_buffer(&machine, 2 * slice * most,
                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  fill_scrambled(bytes.bytes, bytes.size, 3);
  open();
  for (const char* letter = arguments[1]; *letter; ++letter)
    if (*letter != '-') pair(*letter);
  CHECK(vkEndCommandBuffer(commands));
  CHECK(vkDeviceWaitIdle(machine.device));
  printf("%u pairs\n", (unsigned)strlen(arguments[1]));
  free_buffer(&machine, &bytes);
  close_machine(&machine);
  return 0;
}
