// presented.c - a window on a screen of X: each frame a kernel goes on with its pixels, which are
// copied (`presented`), or blitted at twice their size (`presented blit`), to an image of the
// swapchain and shown; two frames are under way. Then the kernel once more, and what is on the
// screen is compared with what was shown last.
#define VK_USE_PLATFORM_XCB_KHR  // so vulkan.h has xcb.h, too
#include <time.h>

#include "advance.h"
#include "image_stir.h"
#include "images.h"

enum { width = 64, height = 48, bytes = width * height * 4, frames = 6, under_way = 2 };

typedef struct Window {
  xcb_connection_t* display;
  xcb_window_t window;
  VkSurfaceKHR surface;
  VkSwapchainKHR swapchain;
  uint32_t count;
  VkImage images[8];
  VkSemaphore shown[8];  // by image: what presenting it waits for
} Window;

static VkSemaphore make_semaphore(const Machine* machine) {
  const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  VkSemaphore made;
  CHECK(vkCreateSemaphore(machine->device, &info, NULL, &made));
  return made;
}

static Window open_window(const Machine* machine) {
  Window made = {.display = xcb_connect(NULL, NULL)};
  EXPECT(!xcb_connection_has_error(made.display));
  const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(made.display)).data;
  made.window = xcb_generate_id(made.display);
  const uint32_t values[2] = {0, 1};  // black behind it; a window manager has no say
  xcb_create_window(made.display, XCB_COPY_FROM_PARENT, made.window, screen->root, 0, 0, width,
                    height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual,
                    XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT, values);
  xcb_map_window(made.display, made.window);
  xcb_flush(made.display);
  const VkXcbSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
                                          .connection = made.display,
                                          .window = made.window};
  CHECK(vkCreateXcbSurfaceKHR(machine->instance, &info, NULL, &made.surface));
  VkBool32 is_shown = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(machine->physical, machine->family, made.surface,
                                             &is_shown));
  EXPECT(is_shown);
  VkSurfaceCapabilitiesKHR able;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(machine->physical, made.surface, &able));
  const VkSwapchainCreateInfoKHR swapchain = {
      .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
      .surface = made.surface,
      .minImageCount = able.minImageCount > 3 ? able.minImageCount : 3,
      .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
      .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
      .imageExtent = {width, height},
      .imageArrayLayers = 1,
      .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
      .preTransform = able.currentTransform,
      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
      .clipped = VK_FALSE};
  CHECK(vkCreateSwapchainKHR(machine->device, &swapchain, NULL, &made.swapchain));
  CHECK(vkGetSwapchainImagesKHR(machine->device, made.swapchain, &made.count, NULL));
  EXPECT(made.count <= COUNT(made.images));
  CHECK(vkGetSwapchainImagesKHR(machine->device, made.swapchain, &made.count, made.images));
  for (uint32_t i = 0; i < made.count; ++i) made.shown[i] = make_semaphore(machine);
  return made;
}

static void close_window(const Machine* machine, Window* window) {
  for (uint32_t i = 0; i < window->count; ++i)
    vkDestroySemaphore(machine->device, window->shown[i], NULL);
  vkDestroySwapchainKHR(machine->device, window->swapchain, NULL);
  vkDestroySurfaceKHR(machine->instance, window->surface, NULL);
  xcb_disconnect(window->display);
}

// What is shown comes to the screen some time after: asked for until it is there.
static int is_on_screen(const Window* window, const uint8_t* pixels) {
  for (int tries = 0; tries < 500; ++tries) {
    xcb_get_image_reply_t* got =
        xcb_get_image_reply(window->display,
                            xcb_get_image(window->display, XCB_IMAGE_FORMAT_Z_PIXMAP,
                                          window->window, 0, 0, width, height, ~0U),
                            NULL);
    EXPECT(got && xcb_get_image_data_length(got) == bytes);
    int same = 1;
    for (int i = 0; i < bytes; ++i)
      same = same && (i % 4 == 3 || xcb_get_image_data(got)[i] == pixels[i]);  // without alpha
    free(got);
    if (same) return 1;
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  return 0;
}

// Pixels of a kernel: a buffer that is copied, or an image that is blitted.
typedef struct Picture {
  int is_blitted;
  Buffer buffer, shown;  // what the host sees of what was shown
  Image image;
  Kernel kernel;
  VkDescriptorSet set;
} Picture;

static const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;

static Picture make_picture(const Machine* machine, int is_blitted) {
  Picture made = {.is_blitted = is_blitted};
  const VkBufferUsageFlags transfers =
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  made.buffer = make_buffer(machine, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | transfers);
  fill_scrambled(made.buffer.bytes, bytes, 1);
  made.shown = make_buffer(machine, bytes, transfers);
  if (!is_blitted) {
    made.kernel = make_kernel(machine, SHADER(advance), 1, 8);
    made.set = BIND(machine, &made.kernel, &made.buffer);
    return made;
  }
  made.image = make_image(
      machine, &(ImageWish){.extent = {width / 2, height / 2, 1},
                            .format = VK_FORMAT_B8G8R8A8_UNORM,
                            .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                     VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                            .flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT});
  vkDestroyImageView(machine->device, made.image.view, NULL);
  made.image.view =
      make_view(machine, &made.image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, 0, 1);
  const VkDescriptorSetLayoutBinding shape = binding(0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1);
  made.kernel.set_layout = make_set_layout(machine, 1, &shape, 0);
  made.kernel.layout = make_layout(machine, 1, &made.kernel.set_layout, 4);
  made.kernel.pipeline =
      make_pipeline(machine, SHADER(image_stir), made.kernel.layout, &(PipelineWish){0});
  made.set = make_set(machine, made.kernel.set_layout);
  write_image(machine, made.set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, made.image.view, general,
              VK_NULL_HANDLE);
  VkCommandBuffer commands = begin_once(machine);
  change_layout(commands, &made.image, VK_IMAGE_LAYOUT_UNDEFINED, general);
  const VkBufferImageCopy region = whole(&made.image, 0);
  vkCmdCopyBufferToImage(commands, made.buffer.buffer, made.image.image, general, 1, &region);
  end_and_run(machine, commands);
  return made;
}

static void advance_picture(VkCommandBuffer commands, const Picture* picture, uint32_t frame) {
  use(commands, &picture->kernel, picture->set);
  if (picture->is_blitted) {
    push(commands, &picture->kernel, 4, &frame);
    vkCmdDispatch(commands, (width / 2 + 7) / 8, (height / 2 + 7) / 8, 1);
  } else {
    push_two(commands, &picture->kernel, 2 * frame + 3, frame);
    vkCmdDispatch(commands, groups_of(bytes), 1, 1);
  }
  order_all(commands);
}

static void put_picture(VkCommandBuffer commands, const Picture* picture, VkImage target) {
  const Image image = {.image = target,
                       .extent = {width, height, 1},
                       .layers = 1,
                       .levels = 1,
                       .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
  const VkImageLayout written = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  change_layout(commands, &image, VK_IMAGE_LAYOUT_UNDEFINED, written);
  if (picture->is_blitted) {
    const VkImageSubresourceLayers color = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageBlit bigger = {.srcSubresource = color,
                                .srcOffsets = {{0, 0, 0}, {width / 2, height / 2, 1}},
                                .dstSubresource = color,
                                .dstOffsets = {{0, 0, 0}, {width, height, 1}}};
    vkCmdBlitImage(commands, picture->image.image, general, target, written, 1, &bigger,
                   VK_FILTER_NEAREST);
  } else {
    const VkBufferImageCopy region = whole(&image, 0);
    vkCmdCopyBufferToImage(commands, picture->buffer.buffer, target, written, 1, &region);
  }
  change_layout(commands, &image, written, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

// The host's own idea of what is shown.
static void find_shown(const Machine* machine, const Picture* picture) {
  VkCommandBuffer commands = begin_once(machine);
  if (picture->is_blitted) {
    const VkBufferImageCopy region = whole(&picture->image, 0);
    vkCmdCopyImageToBuffer(commands, picture->image.image, general, picture->shown.buffer, 1,
                           &region);
  } else {
    vkCmdCopyBuffer(commands, picture->buffer.buffer, picture->shown.buffer, 1,
                    &(VkBufferCopy){0, 0, bytes});
  }
  order_for_host(commands);
  end_and_run(machine, commands);
  if (!picture->is_blitted) return;
  uint32_t* pixels = picture->shown.bytes;
  for (int y = height; y-- > 0;)
    for (int x = width; x-- > 0;) pixels[y * width + x] = pixels[y / 2 * (width / 2) + x / 2];
}

static void free_picture(const Machine* machine, Picture* picture) {
  free_kernel(machine, &picture->kernel);
  FREE_BUFFERS(machine, &picture->buffer, &picture->shown);
  if (picture->is_blitted) free_image(machine, &picture->image);
}

int main(int argc, char** argv) {
  const char* const of_instance[] = {VK_KHR_SURFACE_EXTENSION_NAME,
                                     VK_KHR_XCB_SURFACE_EXTENSION_NAME};
  const char* const of_device[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  Machine machine = open_machine_with(&(Wanted){.extensions = of_device,
                                                .extension_count = 1,
                                                .instance_extensions = of_instance,
                                                .instance_extension_count = 2});
  Window window = open_window(&machine);
  Picture picture = make_picture(&machine, argc > 1 && !strcmp(argv[1], "blit"));
  VkSemaphore lent[under_way];
  VkFence done[under_way];
  VkCommandBuffer commands[under_way];
  for (int i = 0; i < under_way; ++i) {
    lent[i] = make_semaphore(&machine);
    done[i] = make_fence(&machine);
    commands[i] = make_commands(&machine, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  }
  for (uint32_t frame = 0; frame < frames; ++frame) {
    const uint32_t slot = frame % under_way;
    if (frame >= under_way) {
      wait_fence(&machine, done[slot]);
      CHECK(vkResetFences(machine.device, 1, &done[slot]));
    }
    uint32_t number;
    CHECK(vkAcquireNextImageKHR(machine.device, window.swapchain, UINT64_MAX, lent[slot],
                                VK_NULL_HANDLE, &number));
    begin(commands[slot], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    order_all(commands[slot]);
    advance_picture(commands[slot], &picture, frame);
    put_picture(commands[slot], &picture, window.images[number]);
    CHECK(vkEndCommandBuffer(commands[slot]));
    const VkPipelineStageFlags waiting = VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &lent[slot],
                               .pWaitDstStageMask = &waiting,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands[slot],
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &window.shown[number]};
    CHECK(vkQueueSubmit(machine.queue, 1, &info, done[slot]));
    const VkPresentInfoKHR shown = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                    .waitSemaphoreCount = 1,
                                    .pWaitSemaphores = &window.shown[number],
                                    .swapchainCount = 1,
                                    .pSwapchains = &window.swapchain,
                                    .pImageIndices = &number};
    CHECK(vkQueuePresentKHR(machine.queue, &shown));
  }
  find_shown(&machine, &picture);
  digest_buffer("shown", &picture.shown);
  printf("%s\n",
         is_on_screen(&window, picture.shown.bytes) ? "on the screen" : "not on the screen");
  VkCommandBuffer last = begin_once(&machine);
  order_all(last);
  advance_picture(last, &picture, frames);
  order_for_host(last);
  end_and_run(&machine, last);
  find_shown(&machine, &picture);
  digest_buffer("last", &picture.shown);
  CHECK(vkDeviceWaitIdle(machine.device));
  for (int i = 0; i < under_way; ++i) {
    vkDestroySemaphore(machine.device, lent[i], NULL);
    vkDestroyFence(machine.device, done[i], NULL);
  }
  free_picture(&machine, &picture);
  close_window(&machine, &window);
  close_machine(&machine);
  return 0;
}
