// linear_images.c - a linear image that the host writes and reads through a map, before the device
// has it and in between: with rows that follow each other, or with room between (`linear_images
// apart`).
#include "image_stir.h"
#include "images.h"

static void stir(const Machine* machine, const Kernel* kernel, const Image* image,
                 VkImageLayout from, uint32_t salt) {
  VkDescriptorSet set = make_set(machine, kernel->set_layout);
  write_image(machine, set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, image->view,
              VK_IMAGE_LAYOUT_GENERAL, VK_NULL_HANDLE);
  VkCommandBuffer commands = begin_once(machine);
  change_layout(commands, image, from, VK_IMAGE_LAYOUT_GENERAL);
  use(commands, kernel, set);
  push(commands, kernel, 4, &salt);
  vkCmdDispatch(commands, (image->extent.width + 7) / 8, (image->extent.height + 7) / 8, 1);
  order_for_host(commands);
  end_and_run(machine, commands);
}

static void touch(const Machine* machine, const Kernel* kernel, uint32_t width, uint32_t height) {
  Image image = make_image(machine, &(ImageWish){.extent = {width, height, 1},
                                                 .format = VK_FORMAT_R32_UINT,
                                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT,
                                                 .tiling = VK_IMAGE_TILING_LINEAR,
                                                 .layout = VK_IMAGE_LAYOUT_PREINITIALIZED});
  const VkImageSubresource all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout rows;
  vkGetImageSubresourceLayout(machine->device, image.image, &all, &rows);
  char* bytes = (char*)map_memory(machine, image.memory) + rows.offset;
  for (uint32_t y = 0; y < height; ++y) fill_scrambled(bytes + y * rows.rowPitch, 4 * width, y);
  stir(machine, kernel, &image, VK_IMAGE_LAYOUT_PREINITIALIZED, 3);
  for (uint32_t round = 0; round < 3; ++round) {
    // What the host writes between kernels.
    ((uint32_t*)(bytes + round * rows.rowPitch))[round + 1] += 1000 + round;
    stir(machine, kernel, &image, VK_IMAGE_LAYOUT_GENERAL, 5 + round);
    for (uint32_t y = 0; y < height; ++y) digest("row", bytes + y * rows.rowPitch, 4 * width);
  }
  free_image(machine, &image);
}

int main(int argc, char** argv) {
  const int is_apart = argc > 1 && !strcmp(argv[1], "apart");
  Machine machine = open_machine();
  const VkDescriptorSetLayoutBinding shape = binding(0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1);
  Kernel kernel = {.set_layout = make_set_layout(&machine, 1, &shape, 0)};
  kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 4);
  kernel.pipeline = make_pipeline(&machine, SHADER(image_stir), kernel.layout, &(PipelineWish){0});
  touch(&machine, &kernel, is_apart ? 13 : 64, is_apart ? 9 : 16);
  free_kernel(&machine, &kernel);
  close_machine(&machine);
  return 0;
}
