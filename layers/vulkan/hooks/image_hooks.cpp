// Images, views, samplers, and what draws to them.
#include <algorithm>
#include <cstring>

#include "layers/session/recording_use.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/command_buffer.hpp"
#include "layers/vulkan/objects/image.hpp"
#include "vulkan/formats.hpp"
#include "vulkan/samplers.hpp"

namespace reel::layer::vk {

namespace {

// --- images -------------------------------------------------------------------------------------

// So that we can read it; what can't be copied from stays as it is.
VkImageCreateInfo readable(const VkImageCreateInfo& info) {
  VkImageCreateInfo changed = info;
  if (!(info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT))
    changed.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  return changed;
}

const char* why_strange(const VkImageCreateInfo& info) {
  if (!vulkan::is_plain(info.format)) return "an image has blocks, planes, depth or stencil";
  if (info.mipLevels > 1) return "an image has several levels";
  if (info.samples != VK_SAMPLE_COUNT_1_BIT) return "an image has several samples a pixel";
  if (info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) return "an image is sparse";
  if (info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) return "an image is protected";
  return nullptr;
}

ImageShape shape_of(const VkImageCreateInfo& info) {
  ImageShape shape;
  const vulkan::PixelFormat format = vulkan::to_pixels(info.format);
  shape.channel_order = format.order;
  shape.channel_type = format.type;
  shape.pixel_bytes = format.pixel_bytes;
  shape.width = info.extent.width;
  shape.height = info.extent.height;
  shape.depth = info.extent.depth;
  shape.layers = info.arrayLayers;
  const bool is_array = info.arrayLayers > 1;
  if (info.imageType == VK_IMAGE_TYPE_1D)
    shape.type = is_array ? ImageType::d1_array : ImageType::d1;
  else if (info.imageType == VK_IMAGE_TYPE_2D)
    shape.type = is_array ? ImageType::d2_array : ImageType::d2;
  else
    shape.type = ImageType::d3;
  return shape;
}

void note_image(Device& device, const VkImageCreateInfo& info, VkImage handle) {
  auto made = std::make_shared<Image>();
  made->handle = handle;
  made->format = info.format;
  made->type = info.imageType;
  made->levels = info.mipLevels;
  auto storage = std::make_shared<Storage>(device);
  storage->image_handle = handle;
  storage->kind = BufferKind::image;
  storage->extent = info.extent;
  storage->layers = info.arrayLayers;
  storage->layout = info.initialLayout;
  storage->placed.usage = info.usage;
  storage->parts = 1;
  storage->is_lent = true;
  storage->why_strange = why_strange(info);
  storage->can_be_copied = !(info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
  ImageShape shape = shape_of(info);
  if (shape.pixel_bytes == 0) {  // so that a document can tell of it at all
    shape.pixel_bytes = 1;
    if (!storage->why_strange) storage->why_strange = "an image has a format without a size";
  }
  storage->image = shape;
  storage->size_bytes = shape.size_bytes();
  storage->is_strange = storage->why_strange != nullptr;
  made->storage = std::move(storage);
  device.has_images = true;
  device.images.add(handle, std::move(made));
}

VkResult VKAPI_CALL create_image(VkDevice handle, const VkImageCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkImage* image) {
  Device& device = *device_of(handle);
  const VkImageCreateInfo changed = readable(*info);
  VkResult result = device.next.CreateImage(handle, &changed, allocator, image);
  // A format may be one that nothing copies from.
  if (result != VK_SUCCESS && changed.usage != info->usage)
    result = device.next.CreateImage(handle, info, allocator, image);
  if (result == VK_SUCCESS) quietly([&] { note_image(device, *info, *image); });
  return result;
}

void VKAPI_CALL destroy_image(VkDevice handle, VkImage image,
                              const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  if (const auto known = device.images.remove(image)) let_go(known->storage);
  device.settle_copies();
  device.next.DestroyImage(handle, image, allocator);
}

void bound(Device& device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset) {
  quietly([&] {
    const Image* known = device.images.find(image);
    const auto holds = memory ? device.memories.share(memory) : nullptr;
    if (!known || !holds) return;
    VkMemoryRequirements needs{};
    device.next.GetImageMemoryRequirements(device.handle, image, &needs);
    put_into(known->storage, holds, offset, needs.size);
  });
}

VkResult VKAPI_CALL bind_image(VkDevice handle, VkImage image, VkDeviceMemory memory,
                               VkDeviceSize offset) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.BindImageMemory(handle, image, memory, offset);
  if (result == VK_SUCCESS) bound(device, image, memory, offset);
  return result;
}

VkResult VKAPI_CALL bind_images(VkDevice handle, std::uint32_t count,
                                const VkBindImageMemoryInfo* infos) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.BindImageMemory2(handle, count, infos);
  if (result == VK_SUCCESS)
    for (std::uint32_t i = 0; i < count; ++i)
      bound(device, infos[i].image, infos[i].memory, infos[i].memoryOffset);
  return result;
}

void VKAPI_CALL requirements_of_image(VkDevice handle, const VkDeviceImageMemoryRequirements* info,
                                      VkMemoryRequirements2* requirements) {
  const VkImageCreateInfo changed = readable(*info->pCreateInfo);
  VkDeviceImageMemoryRequirements asked = *info;
  asked.pCreateInfo = &changed;
  device_of(handle)->next.GetDeviceImageMemoryRequirements(handle, &asked, requirements);
}

// --- views and samplers -------------------------------------------------------------------------

bool is_itself(VkComponentSwizzle swizzle, VkComponentSwizzle own) {
  return swizzle == VK_COMPONENT_SWIZZLE_IDENTITY || swizzle == own;
}

const char* why_not(const Image* image, const VkImageViewCreateInfo& info) {
  if (!image) return "a view is of an image that the layer did not see made";
  if (info.format != image->format) return "a view shows an image in another format";
  const VkComponentMapping& map = info.components;
  if (!is_itself(map.r, VK_COMPONENT_SWIZZLE_R) || !is_itself(map.g, VK_COMPONENT_SWIZZLE_G) ||
      !is_itself(map.b, VK_COMPONENT_SWIZZLE_B) || !is_itself(map.a, VK_COMPONENT_SWIZZLE_A))
    return "a view shows the channels of an image in another order";
  const VkImageSubresourceRange& range = info.subresourceRange;
  const std::uint32_t layers = range.layerCount == VK_REMAINING_ARRAY_LAYERS
                                   ? image->storage->layers - range.baseArrayLayer
                                   : range.layerCount;
  if (range.baseMipLevel != 0 || range.baseArrayLayer != 0 ||
      (layers != image->storage->layers && image->type != VK_IMAGE_TYPE_3D))
    return "a view shows a part of an image";
  if (info.viewType == VK_IMAGE_VIEW_TYPE_CUBE || info.viewType == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY)
    return "a view shows an image as a cube";
  return nullptr;
}

VkResult VKAPI_CALL create_view(VkDevice handle, const VkImageViewCreateInfo* info,
                                const VkAllocationCallbacks* allocator, VkImageView* view) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.CreateImageView(handle, info, allocator, view);
  if (result == VK_SUCCESS)
    quietly([&] {
      auto made = std::make_shared<ImageView>();
      made->image = info->image;
      made->why_not = why_not(device.images.find(info->image), *info);
      device.image_views.add(*view, std::move(made));
    });
  return result;
}

void VKAPI_CALL destroy_view(VkDevice handle, VkImageView view,
                             const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  device.image_views.remove(view);
  device.next.DestroyImageView(handle, view, allocator);
}

VkResult VKAPI_CALL create_sampler(VkDevice handle, const VkSamplerCreateInfo* info,
                                   const VkAllocationCallbacks* allocator, VkSampler* sampler) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.CreateSampler(handle, info, allocator, sampler);
  if (result == VK_SUCCESS)
    quietly([&] {
      auto made = std::make_shared<Sampler>();
      if (const auto state = vulkan::to_state(*info)) {
        const auto bytes = std::as_bytes(std::span(&*state, 1));
        made->value.assign(bytes.begin(), bytes.end());
      }
      device.samplers.add(*sampler, std::move(made));
    });
  return result;
}

void VKAPI_CALL destroy_sampler(VkDevice handle, VkSampler sampler,
                                const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  device.samplers.remove(sampler);
  device.next.DestroySampler(handle, sampler, allocator);
}

// --- drawing ------------------------------------------------------------------------------------

VkResult VKAPI_CALL create_framebuffer(VkDevice handle, const VkFramebufferCreateInfo* info,
                                       const VkAllocationCallbacks* allocator,
                                       VkFramebuffer* framebuffer) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.CreateFramebuffer(handle, info, allocator, framebuffer);
  if (result == VK_SUCCESS)
    quietly([&] {
      auto made = std::make_shared<Framebuffer>();
      if (!(info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT))
        made->views.assign(info->pAttachments, info->pAttachments + info->attachmentCount);
      device.framebuffers.add(*framebuffer, std::move(made));
    });
  return result;
}

void VKAPI_CALL destroy_framebuffer(VkDevice handle, VkFramebuffer framebuffer,
                                    const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  device.framebuffers.remove(framebuffer);
  device.next.DestroyFramebuffer(handle, framebuffer, allocator);
}

void note_render(CommandBuffer& commands, const char* function,
                 std::span<const VkImageView> views) noexcept {
  auto* op = commands.ops.add<RenderOp>(OpKind::render, views.size_bytes());
  if (!op) return;
  *op = {function, static_cast<std::uint32_t>(views.size())};
  if (!views.empty()) std::memcpy(OpList::behind(op), views.data(), views.size_bytes());
}

void note_pass(CommandBuffer& commands, const char* function,
               const VkRenderPassBeginInfo& info) noexcept {
  const Framebuffer* framebuffer = commands.device->framebuffers.find(info.framebuffer);
  note_render(commands, function,
              framebuffer ? std::span<const VkImageView>(framebuffer->views)
                          : std::span<const VkImageView>());
}

void VKAPI_CALL begin_pass(VkCommandBuffer handle, const VkRenderPassBeginInfo* info,
                           VkSubpassContents contents) {
  CommandBuffer& commands = command_buffer(handle);
  note_pass(commands, "vkCmdBeginRenderPass", *info);
  commands.is_rendering = true;
  commands.next->CmdBeginRenderPass(handle, info, contents);
}

void VKAPI_CALL begin_pass2(VkCommandBuffer handle, const VkRenderPassBeginInfo* info,
                            const VkSubpassBeginInfo* begin) {
  CommandBuffer& commands = command_buffer(handle);
  note_pass(commands, "vkCmdBeginRenderPass2", *info);
  commands.is_rendering = true;
  commands.next->CmdBeginRenderPass2(handle, info, begin);
}

void VKAPI_CALL begin_rendering(VkCommandBuffer handle, const VkRenderingInfo* info) {
  CommandBuffer& commands = command_buffer(handle);
  quietly([&] {
    std::vector<VkImageView> views;
    const auto add = [&](const VkRenderingAttachmentInfo* one) {
      if (one && one->imageView) views.push_back(one->imageView);
      if (one && one->resolveImageView) views.push_back(one->resolveImageView);
    };
    for (std::uint32_t i = 0; i < info->colorAttachmentCount; ++i) add(&info->pColorAttachments[i]);
    add(info->pDepthAttachment);
    add(info->pStencilAttachment);
    note_render(commands, "vkCmdBeginRendering", views);
  });
  commands.is_rendering = true;
  if (info->flags & (VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT))
    commands.has_split_rendering = true;
  commands.next->CmdBeginRendering(handle, info);
}

void VKAPI_CALL end_pass(VkCommandBuffer handle) {
  CommandBuffer& commands = *command_buffers().find(handle);
  commands.is_rendering = false;
  commands.next->CmdEndRenderPass(handle);
}

void VKAPI_CALL end_pass2(VkCommandBuffer handle, const VkSubpassEndInfo* end) {
  CommandBuffer& commands = *command_buffers().find(handle);
  commands.is_rendering = false;
  commands.next->CmdEndRenderPass2(handle, end);
}

void VKAPI_CALL end_rendering(VkCommandBuffer handle) {
  CommandBuffer& commands = *command_buffers().find(handle);
  commands.is_rendering = false;
  commands.next->CmdEndRendering(handle);
}

}  // namespace

std::span<const Hook> image_hooks() {
  static const Hook hooks[] = {
      {"vkCreateImage", create_image},
      {"vkDestroyImage", destroy_image},
      {"vkBindImageMemory", bind_image},
      {"vkBindImageMemory2", bind_images},
      {"vkBindImageMemory2KHR", bind_images},
      {"vkGetDeviceImageMemoryRequirements", requirements_of_image},
      {"vkGetDeviceImageMemoryRequirementsKHR", requirements_of_image},
      {"vkCreateImageView", create_view},
      {"vkDestroyImageView", destroy_view},
      {"vkCreateSampler", create_sampler},
      {"vkDestroySampler", destroy_sampler},
      {"vkCreateFramebuffer", create_framebuffer},
      {"vkDestroyFramebuffer", destroy_framebuffer},
      {"vkCmdBeginRenderPass", begin_pass},
      {"vkCmdBeginRenderPass2", begin_pass2},
      {"vkCmdBeginRenderPass2KHR", begin_pass2},
      {"vkCmdBeginRendering", begin_rendering},
      {"vkCmdBeginRenderingKHR", begin_rendering},
      {"vkCmdEndRenderPass", end_pass},
      {"vkCmdEndRenderPass2", end_pass2},
      {"vkCmdEndRenderPass2KHR", end_pass2},
      {"vkCmdEndRendering", end_rendering},
      {"vkCmdEndRenderingKHR", end_rendering},
  };
  return hooks;
}

}  // namespace reel::layer::vk
