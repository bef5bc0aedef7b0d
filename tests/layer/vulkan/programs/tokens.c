// tokens.c - a language-model runtime: hundreds of small dispatches with sets of offsets, a push
// block of 128 bytes, sets taken from pools that are reset, work given in parts and polled for.
#include "machine.h"
#include "scale.h"
#include "sum.h"

enum { tensors = 12, tensor = 4096, tokens = 8, nodes = 30 };

int main(void) {
  Machine machine = open_machine();
  Buffer weights = make_storage(&machine, tensors * tensor, 1);
  Buffer state = make_storage(&machine, tensors * tensor, 2);
  Kernel summed = make_kernel(&machine, SHADER(sum), 3, 128);
  Kernel scaled = make_kernel(&machine, SHADER(scale), 2, 128);
  const VkDescriptorPoolSize sizes = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3 * nodes};
  const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                           .maxSets = nodes,
                                           .poolSizeCount = 1,
                                           .pPoolSizes = &sizes};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(machine.device, &info, NULL, &pool));
  Machine pooled = machine;
  pooled.sets = pool;
  VkFence fence = make_fence(&machine);
  for (uint32_t token = 0; token < tokens; ++token) {
    VkCommandBuffer parts[3];
    ((uint32_t*)state.bytes)[token] = token * 77;  // the token itself
    for (uint32_t part = 0; part < 3; ++part) {
      parts[part] = begin_once(&machine);
      for (uint32_t i = 0; i < nodes / 3; ++i) {
        const uint32_t node = part * (nodes / 3) + i;
        const Kernel* kernel = node % 3 == 2 ? &scaled : &summed;
        VkDescriptorSet set = make_set(&pooled, kernel->set_layout);
        const VkDeviceSize from = node % (tensors - 1) * tensor, to = (node + 1) % tensors * tensor;
        const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write_range(&machine, set, 0, type, state.buffer, from, tensor);
        if (kernel == &summed)
          write_range(&machine, set, 1, type, weights.buffer, node % tensors * tensor, tensor / 2);
        write_range(&machine, set, kernel == &summed ? 2 : 1, type, state.buffer, to, tensor / 2);
        uint32_t block[32] = {node + 3, token};
        block[31] = node;
        use(parts[part], kernel, set);
        push(parts[part], kernel, sizeof block, block);
        vkCmdDispatch(parts[part], groups_of(tensor / 2), 1, 1);
        order_kernels(parts[part]);
      }
      order_for_host(parts[part]);
      CHECK(vkEndCommandBuffer(parts[part]));
      submit(&machine, 1, &parts[part], part == 2 ? fence : VK_NULL_HANDLE);
    }
    while (vkGetFenceStatus(machine.device, fence) == VK_NOT_READY) {
    }
    CHECK(vkResetFences(machine.device, 1, &fence));
    digest_buffer("token", &state);
    CHECK(vkResetDescriptorPool(machine.device, pool, 0));
    vkFreeCommandBuffers(machine.device, machine.commands, 3, parts);
  }
  vkDestroyFence(machine.device, fence, NULL);
  vkDestroyDescriptorPool(machine.device, pool, NULL);
  FREE_KERNELS(&machine, &summed, &scaled);
  FREE_BUFFERS(&machine, &weights, &state);
  close_machine(&machine);
  return 0;
}
