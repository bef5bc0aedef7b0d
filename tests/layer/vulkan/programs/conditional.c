// conditional.c - dispatches that a word of memory skips: one that the host wrote, a fill, an
// update or a kernel; inverted; of a size in memory; in secondary buffers; given again when the
// word is another one. Copies and fills run whatever the word is.
//
//   conditional [changed]   changed: the word is written within its own section
#include "advance.h"
#include "machine.h"
#include "scale.h"

enum { size = 1024 * 4, words = 64 };
enum { zero = 0, seven = 1, filled = 2, updated = 3, copied = 4, made = 16, sizes = 32 };

static PFN_vkCmdBeginConditionalRenderingEXT begin_section;
static PFN_vkCmdEndConditionalRenderingEXT end_section;

static void begin_at(VkCommandBuffer commands, const Buffer* flags, uint32_t word, int inverted) {
  const VkConditionalRenderingBeginInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
      .buffer = flags->buffer,
      .offset = word * 4,
      .flags = inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0};
  begin_section(commands, &info);
}

// What is written before it may be a word, and the other way round.
static void order_words(VkCommandBuffer commands) {
  const VkPipelineStageFlags stages = shader_stage | transfer_stage |
                                      VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT |
                                      VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  order(commands, stages, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, stages,
        shader_access | transfer_access | VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT |
            VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

typedef struct Work {
  Machine machine;
  Buffer flags, values, others;
  Kernel advanced, scaled;
  VkDescriptorSet on_values, on_flags, there;
} Work;

// One dispatch in a section of its own.
static void advance_if(Work* work, VkCommandBuffer commands, uint32_t word, int inverted,
                       uint32_t number) {
  use(commands, &work->advanced, work->on_values);
  push_two(commands, &work->advanced, 5, number);
  begin_at(commands, &work->flags, word, inverted);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  end_section(commands);
  order_words(commands);
}

static void both_ways(Work* work, VkCommandBuffer commands, uint32_t word, uint32_t number) {
  advance_if(work, commands, word, 0, number);
  advance_if(work, commands, word, 1, number + 1);
}

static VkCommandBuffer inner(Work* work, uint32_t word, int inverted) {
  VkCommandBuffer commands = make_commands(&work->machine, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const VkCommandBufferInheritanceInfo inherited = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .pInheritanceInfo = &inherited};
  CHECK(vkBeginCommandBuffer(commands, &info));
  advance_if(work, commands, word, inverted, 50 + word);
  CHECK(vkEndCommandBuffer(commands));
  return commands;
}

// 2 dispatches for each of 6 words, 1 that makes words, 3 of sizes and sections of several.
static void all_ways(Work* work, VkCommandBuffer commands) {
  const VkBuffer flags = work->flags.buffer;
  both_ways(work, commands, zero, 10);
  both_ways(work, commands, seven, 20);
  vkCmdFillBuffer(commands, flags, filled * 4, 4, 0);
  vkCmdUpdateBuffer(commands, flags, updated * 4, 4, (const uint32_t[]){0x80000000});
  order_words(commands);
  vkCmdCopyBuffer(commands, flags, flags, 1, &(VkBufferCopy){filled * 4, copied * 4, 4});
  order_words(commands);
  both_ways(work, commands, filled, 30);
  both_ways(work, commands, updated, 40);
  both_ways(work, commands, copied, 50);
  // The words from `made` on are set by a kernel: the first of them to 0, others to their places.
  vkCmdFillBuffer(commands, flags, made * 4, 64, 0);
  order_words(commands);
  use(commands, &work->advanced, work->on_flags);
  push_two(commands, &work->advanced, 1, 0);
  vkCmdDispatch(commands, 1, 1, 1);
  order_words(commands);
  both_ways(work, commands, made, 60);
  advance_if(work, commands, made + 1, 0, 70);
  // Of a section that is skipped, copies and fills stay.
  use(commands, &work->scaled, work->there);
  push_two(commands, &work->scaled, 3, 1);
  begin_at(commands, &work->flags, zero, 0);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_words(commands);
  vkCmdCopyBuffer(commands, work->values.buffer, work->others.buffer, 1,
                  &(VkBufferCopy){0, 1024, 512});
  vkCmdFillBuffer(commands, work->others.buffer, 0, 256, 0x12345678);
  order_words(commands);
  vkCmdDispatchIndirect(commands, flags, sizes * 4);
  end_section(commands);
  order_words(commands);
  begin_at(commands, &work->flags, seven, 0);
  vkCmdDispatchIndirect(commands, flags, sizes * 4);
  end_section(commands);
  order_words(commands);
}

// Where the word is read then is the driver's choice, and nobody can say what comes of it.
static void changed_within(Work* work, VkCommandBuffer commands) {
  begin_at(commands, &work->flags, seven, 0);
  use(commands, &work->advanced, work->on_values);
  push_two(commands, &work->advanced, 5, 1);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  order_words(commands);
  vkCmdFillBuffer(commands, work->flags.buffer, seven * 4, 4, 0);
  order_words(commands);
  push_two(commands, &work->advanced, 7, 3);
  vkCmdDispatch(commands, groups_of(size), 1, 1);
  end_section(commands);
  order_words(commands);
}

int main(int count, char** options) {
  const int changes = count > 1 && strcmp(options[1], "changed") == 0;
  const char* const extensions[] = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
  const VkPhysicalDeviceConditionalRenderingFeaturesEXT features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
      .conditionalRendering = VK_TRUE};
  const Wanted wanted = {.extensions = extensions, .extension_count = 1, .features = &features};
  Work work = {.machine = open_machine_with(&wanted)};
  Machine* machine = &work.machine;
  begin_section = (PFN_vkCmdBeginConditionalRenderingEXT)vkGetDeviceProcAddr(
      machine->device, "vkCmdBeginConditionalRenderingEXT");
  end_section = (PFN_vkCmdEndConditionalRenderingEXT)vkGetDeviceProcAddr(
      machine->device, "vkCmdEndConditionalRenderingEXT");
  const VkBufferUsageFlags moved = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  work.flags = make_buffer(
      machine, words * 4,
      moved | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  work.values = make_buffer(machine, size, moved);
  work.others = make_buffer(machine, size, moved);
  memset(work.flags.bytes, 0, words * 4);
  ((uint32_t*)work.flags.bytes)[seven] = 7;
  memcpy((uint32_t*)work.flags.bytes + sizes, (const uint32_t[]){3, 1, 1}, 12);
  fill_scrambled(work.values.bytes, size, 1);
  fill_scrambled(work.others.bytes, size, 2);
  work.advanced = make_kernel(machine, SHADER(advance), 1, 8);
  work.scaled = make_kernel(machine, SHADER(scale), 2, 8);
  work.on_values = BIND(machine, &work.advanced, &work.values);
  work.there = BIND(machine, &work.scaled, &work.values, &work.others);
  work.on_flags = make_set(machine, work.advanced.set_layout);
  write_range(machine, work.on_flags, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, work.flags.buffer,
              made * 4, 64);
  if (changes) {
    VkCommandBuffer commands = begin_once(machine);
    changed_within(&work, commands);
    order_for_host(commands);
    end_and_run(machine, commands);
    digest_buffer("flags", &work.flags);
  } else {
    const VkCommandBuffer inside[2] = {inner(&work, seven, 0), inner(&work, seven, 1)};
    VkCommandBuffer commands = begin_many(machine);
    all_ways(&work, commands);
    vkCmdExecuteCommands(commands, 2, inside);
    order_for_host(commands);
    CHECK(vkEndCommandBuffer(commands));
    for (int round = 0; round < 3; ++round) {
      run(machine, commands);
      digest_buffer("flags", &work.flags);
      digest_buffer("values", &work.values);
      digest_buffer("others", &work.others);
      // The next round decides otherwise.
      ((uint32_t*)work.flags.bytes)[zero] = round == 0 ? 3 : 0;
      ((uint32_t*)work.flags.bytes)[seven] = round == 0 ? 0 : 0x100;
    }
  }
  FREE_KERNELS(machine, &work.advanced, &work.scaled);
  FREE_BUFFERS(machine, &work.flags, &work.values, &work.others);
  close_machine(machine);
  return 0;
}
