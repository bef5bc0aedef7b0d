// follows.c - kernels that follow addresses: from the push block into the middle of buffers
// (`middle`), from a uniform block (`uniform`), from an array in memory (`array`), along a list
// (`list`), from a table that the device was given by a copy before it (`staged`) or a kernel
// (`stored`), by arithmetic on an address (`steps`), from uniform blocks of two command buffers in
// memory that the host sees by flushes alone, where there is such (`flushed`). And where no type
// says that an address is one: numbers that become addresses (`numbers`), a table that a kernel
// copied as numbers (`copied`), one that a kernel read as numbers (`read`).
#include "address.h"
#include "address_array.h"
#include "address_block.h"
#include "address_list.h"
#include "address_number.h"
#include "address_pair.h"
#include "address_steps.h"
#include "address_store.h"
#include "machine.h"
#include "scale.h"

enum { size = 1024 * 4, nodes = 5 };

static Machine machine;

static Buffer make_addressed(VkDeviceSize bytes, uint32_t seed) {
  Buffer made = {.size = bytes};
  made.buffer =
      make_bare_buffer(&machine, bytes,
                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                           VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                           .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(machine.device, made.buffer, &needs);
  made.memory = make_memory(&machine, needs.size, &flags);
  CHECK(vkBindBufferMemory(machine.device, made.buffer, made.memory, 0));
  made.bytes = map_memory(&machine, made.memory);
  fill_scrambled(made.bytes, bytes, seed);
  return made;
}

static VkDeviceAddress address_of(const Buffer* buffer) {
  const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = buffer->buffer};
  return vkGetBufferDeviceAddress(machine.device, &info);
}

// Where addresses lie that only a device can read, if there is such memory; without one of its own.
static Buffer make_flushed(VkDeviceSize bytes) {
  Machine other = machine;
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(machine.physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT &&
        !(flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
      other.memory_type = i;
  }
  return make_buffer(&other, bytes, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
}

// A kernel that is given nothing but a push block of at most 32 bytes.
static void follow(VkCommandBuffer commands, VkPipeline pipeline, VkPipelineLayout layout,
                   uint32_t bytes, const void* pushed) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, pushed);
  vkCmdDispatch(commands, groups_of(size / 2), 1, 1);
}

typedef struct Pair {
  VkDeviceAddress from, to;
  uint32_t factor, unused;
} Pair;

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  const VkPhysicalDeviceVulkan12Features addresses = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .bufferDeviceAddress = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                              .pNext = (void*)&addresses,
                                              .features = {.shaderInt64 = VK_TRUE}};
  machine = open_machine_with(&(Wanted){.features = &features});
  Buffer from = make_addressed(size, 1), to = make_addressed(size, 2),
         third = make_addressed(size, 3);
  Buffer table = make_addressed(256, 4), other = make_addressed(256, 5);
  VkPipelineLayout layout = make_layout(&machine, 0, NULL, 32);
  Shader shader = SHADER(address);
  if (!strcmp(way, "middle")) shader = SHADER(address_pair);
  if (!strcmp(way, "list")) shader = SHADER(address_list);
  if (!strcmp(way, "steps")) shader = SHADER(address_steps);
  if (!strcmp(way, "numbers")) shader = SHADER(address_number);
  VkPipeline pipeline = make_pipeline(&machine, shader, layout, &(PipelineWish){0});
  VkPipeline stores = make_pipeline(&machine, SHADER(address_store), layout, &(PipelineWish){0});
  Kernel plain = make_kernel(&machine, SHADER(scale), 2, 8);
  Kernel array = make_kernel(&machine, SHADER(address_array), 2, 8);
  const VkDescriptorSetLayoutBinding uniform = binding(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1);
  Kernel block = {.set_layout = make_set_layout(&machine, 1, &uniform, 0)};
  block.layout = make_layout(&machine, 1, &block.set_layout, 0);
  block.pipeline = make_pipeline(&machine, SHADER(address_block), block.layout, &(PipelineWish){0});

  VkDeviceAddress* places = table.bytes;
  places[0] = address_of(&from);
  places[1] = address_of(&to);
  const struct {
    VkDeviceAddress table;
    uint32_t factor, unused;
  } by_table = {address_of(&table), 7, 0}, by_other = {address_of(&other), 7, 0};
  const Pair pair = {address_of(&from) + size / 2, address_of(&to) + size / 4, 5, 0};
  Buffer flushed = make_flushed(512);
  VkCommandBuffer first = VK_NULL_HANDLE;  // that is given with the last
  VkCommandBuffer commands = begin_once(&machine);
  if (!strcmp(way, "middle") || !strcmp(way, "steps") || !strcmp(way, "numbers")) {
    follow(commands, pipeline, layout, sizeof pair, &pair);
    // What it left is read in the usual way.
    order_kernels(commands);
    use(commands, &plain, BIND(&machine, &plain, &to, &third));
    push_two(commands, &plain, 3, 1);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
  } else if (!strcmp(way, "uniform")) {
    const uint64_t words[5] = {3, address_of(&from), 11, address_of(&third), address_of(&to)};
    memcpy(table.bytes, words, sizeof words);
    VkDescriptorSet set = make_set(&machine, block.set_layout);
    write_range(&machine, set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, table.buffer, 0, 64);
    use(commands, &block, set);
    vkCmdDispatch(commands, groups_of(size / 2), 1, 1);
  } else if (!strcmp(way, "flushed")) {
    const uint64_t words[2][5] = {{3, address_of(&from), 11, address_of(&third), address_of(&to)},
                                  {5, address_of(&to), 7, address_of(&from), address_of(&third)}};
    enum { apart = 256 };
    for (uint32_t i = 0; i < 2; ++i)
      memcpy((char*)flushed.bytes + i * apart, words[i], sizeof words[i]);
    const VkMappedMemoryRange all = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                     .memory = flushed.memory,
                                     .size = VK_WHOLE_SIZE};
    CHECK(vkFlushMappedMemoryRanges(machine.device, 1, &all));
    for (uint32_t i = 0; i < 2; ++i) {
      VkDescriptorSet set = make_set(&machine, block.set_layout);
      write_range(&machine, set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, flushed.buffer, i * apart,
                  64);
      use(commands, &block, set);
      vkCmdDispatch(commands, groups_of(size / 2), 1, 1);
      order_all(commands);
      if (i == 1) break;
      CHECK(vkEndCommandBuffer(commands));
      first = commands;
      commands = begin_once(&machine);
    }
  } else if (!strcmp(way, "array")) {
    const uint64_t words[5] = {4, address_of(&from), 0, address_of(&third) + 256,
                               address_of(&from)};
    memcpy(table.bytes, words, sizeof words);
    VkDescriptorSet set = make_set(&machine, array.set_layout);
    write_range(&machine, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, table.buffer, 0, sizeof words);
    write_range(&machine, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, to.buffer, 0, size);
    use(commands, &array, set);
    vkCmdDispatch(commands, groups_of(size / 2), 1, 1);
  } else if (!strcmp(way, "list")) {
    // Nodes of 24 bytes in two buffers, by turns; twice, since the kernel writes them as well.
    VkDeviceAddress next = 0;
    for (uint32_t i = 0; i < nodes; ++i) {
      const Buffer* within = i % 2 ? &other : &table;
      const uint64_t node[3] = {next, i + 2, address_of(i % 2 ? &from : &third) + 64 * i};
      memcpy((char*)within->bytes + 32 * i, node, sizeof node);
      next = address_of(within) + 32 * i;
    }
    const VkDeviceAddress pushed[2] = {next, address_of(&to)};
    follow(commands, pipeline, layout, sizeof pushed, pushed);
    order_kernels(commands);
    follow(commands, pipeline, layout, sizeof pushed, pushed);
  } else if (!strcmp(way, "staged")) {
    const VkBufferCopy all = {0, 0, 256};
    vkCmdCopyBuffer(commands, table.buffer, other.buffer, 1, &all);
    order_all(commands);
    follow(commands, pipeline, layout, sizeof by_other, &by_other);
  } else if (!strcmp(way, "stored")) {
    const VkDeviceAddress pushed[2] = {address_of(&table), address_of(&third)};
    follow(commands, stores, layout, sizeof pushed, pushed);
    order_for_host(commands);
    end_and_run(&machine, commands);
    commands = begin_once(&machine);
    follow(commands, pipeline, layout, sizeof by_table, &by_table);
  } else if (!strcmp(way, "copied")) {
    use(commands, &plain, BIND(&machine, &plain, &table, &other));
    push_two(commands, &plain, 1, 0);
    vkCmdDispatch(commands, 1, 1, 1);
    order_for_host(commands);
    end_and_run(&machine, commands);
    commands = begin_once(&machine);
    follow(commands, pipeline, layout, sizeof by_other, &by_other);
  } else {  // read
    follow(commands, pipeline, layout, sizeof by_table, &by_table);
    order_kernels(commands);
    use(commands, &plain, BIND(&machine, &plain, &table, &other));
    push_two(commands, &plain, 3, 1);
    vkCmdDispatch(commands, 1, 1, 1);
  }
  order_for_host(commands);
  if (first) {
    CHECK(vkEndCommandBuffer(commands));
    const VkCommandBuffer both[2] = {first, commands};
    submit(&machine, 2, both, VK_NULL_HANDLE);
    CHECK(vkQueueWaitIdle(machine.queue));
    vkFreeCommandBuffers(machine.device, machine.commands, 2, both);
  } else {
    end_and_run(&machine, commands);
  }
  digest_buffer("to", &to);
  digest_buffer("third", &third);
  vkDestroyPipeline(machine.device, pipeline, NULL);
  vkDestroyPipeline(machine.device, stores, NULL);
  vkDestroyPipelineLayout(machine.device, layout, NULL);
  FREE_KERNELS(&machine, &plain, &array, &block);
  FREE_BUFFERS(&machine, &from, &to, &third, &table, &other, &flushed);
  close_machine(&machine);
  return 0;
}
