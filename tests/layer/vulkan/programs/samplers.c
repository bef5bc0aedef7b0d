// samplers.c - sampled images: with a sampler of their own, of the set and of the layout; and
// layouts whose pImmutableSamplers are garbage where no sampler can be, which Vulkan allows.
#include "images.h"
#include "sampled.h"

enum { width = 32, height = 24, bytes = width * height * 4 };

int main(void) {
  Machine machine = open_machine();
  const VkExtent3D flat = {width, height, 1};
  const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  Image joined = make_flat(&machine, flat, VK_FORMAT_R8G8B8A8_UNORM, usage);
  Image plain = make_flat(&machine, flat, VK_FORMAT_B8G8R8A8_UNORM, usage);
  Buffer staging = make_staging(&machine, 2 * bytes, 1), to = make_storage(&machine, bytes, 2);
  VkSampler linear = make_sampler(&machine, VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT);
  VkSampler near =
      make_sampler(&machine, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER);
  VkSampler mirror =
      make_sampler(&machine, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT);
  const VkImageLayout readable = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  VkCommandBuffer commands = begin_once(&machine);
  Image* const both[] = {&joined, &plain};
  for (int i = 0; i < 2; ++i) {
    change_layout(commands, both[i], VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkBufferImageCopy region = whole(both[i], (VkDeviceSize)i * bytes);
    vkCmdCopyBufferToImage(commands, staging.buffer, both[i]->image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    change_layout(commands, both[i], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, readable);
  }
  end_and_run(&machine, commands);
  for (int immutable = 0; immutable < 2; ++immutable) {
    VkDescriptorSetLayoutBinding shapes[4] = {
        binding(0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1),
        binding(1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1), binding(2, VK_DESCRIPTOR_TYPE_SAMPLER, 1),
        binding(3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)};
    shapes[1].pImmutableSamplers = (const VkSampler*)(uintptr_t)0xdeadbeef;
    shapes[3].pImmutableSamplers = (const VkSampler*)(uintptr_t)0x1;
    if (immutable) {
      shapes[0].pImmutableSamplers = &mirror;
      shapes[2].pImmutableSamplers = &near;
    }
    Kernel kernel = {.set_layout = make_set_layout(&machine, 4, shapes, 0)};
    kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 8);
    kernel.pipeline = make_pipeline(&machine, SHADER(sampled), kernel.layout, &(PipelineWish){0});
    VkDescriptorSet set = make_set(&machine, kernel.set_layout);
    write_image(&machine, set, 0, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, joined.view,
                readable, immutable ? VK_NULL_HANDLE : linear);
    write_image(&machine, set, 1, 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, plain.view, readable,
                VK_NULL_HANDLE);
    if (!immutable)
      write_image(&machine, set, 2, 0, VK_DESCRIPTOR_TYPE_SAMPLER, VK_NULL_HANDLE,
                  VK_IMAGE_LAYOUT_UNDEFINED, near);
    write_storage(&machine, set, 3, &to);
    commands = begin_once(&machine);
    use(commands, &kernel, set);
    push_two(commands, &kernel, width, height);
    vkCmdDispatch(commands, width / 8, height / 8, 1);
    order_for_host(commands);
    end_and_run(&machine, commands);
    digest_buffer(immutable ? "immutable" : "written", &to);
    free_kernel(&machine, &kernel);
  }
  vkDestroySampler(machine.device, linear, NULL);
  vkDestroySampler(machine.device, near, NULL);
  vkDestroySampler(machine.device, mirror, NULL);
  free_image(&machine, &joined);
  free_image(&machine, &plain);
  FREE_BUFFERS(&machine, &staging, &to);
  close_machine(&machine);
  return 0;
}
