// Images, views, samplers, and what draws to them.
#include <algorithm>
#include <cstring>

#include "layers/session/recording_use.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/hooks/plain_objects.hpp"
#include "layers/vulkan/objects/command_buffer.hpp"
#include "layers/vulkan/objects/image.hpp"
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

VkResult VKAPI_CALL create_image(VkDevice handle, const VkImageCreateInfo* info,
                                 const VkAllocationCallbacks* allocator, VkImage* image) {
  Device& device = *device_of(handle);
  const VkImageCreateInfo changed = readable(*info);
  VkResult result = device.next.CreateImage(handle, &changed, allocator, image);
  // A format may be one that nothing copies from.
  if (result != VK_SUCCESS && changed.usage != info->usage)
    result = device.next.CreateImage(handle, info, allocator, image);
  if (result == VK_SUCCESS)
    device.note([&] {
      device.has_images = true;
      device.images.add(*image, note_image(device, *info, *image));
    });
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
  device.note([&] {
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

std::shared_ptr<Sampler> note_sampler(Device&, const VkSamplerCreateInfo& info) {
  auto made = std::make_shared<Sampler>();
  if (const auto state = vulkan::to_state(info)) {
    const auto bytes = std::as_bytes(std::span(&*state, 1));
    made->value.assign(bytes.begin(), bytes.end());
  }
  return made;
}

// --- drawing ------------------------------------------------------------------------------------

std::shared_ptr<Framebuffer> note_framebuffer(Device&, const VkFramebufferCreateInfo& info) {
  auto made = std::make_shared<Framebuffer>();
  if (!(info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT))
    made->views.assign(info.pAttachments, info.pAttachments + info.attachmentCount);
  return made;
}

template <class Info>
std::shared_ptr<RenderPass> note_pass(Device&, const Info& info) {
  auto made = std::make_shared<RenderPass>();
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i)
    made->final_layouts.push_back(info.pAttachments[i].finalLayout);
  return made;
}

void note_render(CommandBuffer& commands, const char* function,
                 std::span<const RenderTarget> targets) noexcept {
  auto* op = commands.ops.add<RenderOp>(OpKind::render, targets.size_bytes());
  if (!op) return;
  *op = {function, static_cast<std::uint32_t>(targets.size())};
  if (!targets.empty()) std::memcpy(OpList::behind(op), targets.data(), targets.size_bytes());
}

void note_begin(CommandBuffer& commands, const char* function, const VkRenderPassBeginInfo& info) {
  commands.note([&] {
    const Framebuffer* framebuffer = commands.device->framebuffers.find(info.framebuffer);
    const RenderPass* pass = commands.device->render_passes.find(info.renderPass);
    std::vector<VkImageView> views;
    if (framebuffer) views = framebuffer->views;
    if (const auto* given = find_in<VkRenderPassAttachmentBeginInfo>(
            info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
        given && given->attachmentCount)
      views.assign(given->pAttachments, given->pAttachments + given->attachmentCount);
    std::vector<RenderTarget> targets;
    for (std::size_t i = 0; i < views.size(); ++i)
      targets.push_back({views[i], pass && i < pass->final_layouts.size()
                                       ? pass->final_layouts[i]
                                       : VK_IMAGE_LAYOUT_MAX_ENUM});
    note_render(commands, function, targets);
    if (!commands.keeps_results) return;
    commands.targets.clear();
    for (const RenderTarget& target : targets)
      if (target.final_layout != VK_IMAGE_LAYOUT_MAX_ENUM)
        commands.targets.push_back({target.view, target.final_layout});
  });
}

void VKAPI_CALL begin_pass(VkCommandBuffer handle, const VkRenderPassBeginInfo* info,
                           VkSubpassContents contents) {
  CommandBuffer& commands = command_buffer(handle);
  note_begin(commands, "vkCmdBeginRenderPass", *info);
  commands.is_rendering = true;
  commands.next->CmdBeginRenderPass(handle, info, contents);
}

void VKAPI_CALL begin_pass2(VkCommandBuffer handle, const VkRenderPassBeginInfo* info,
                            const VkSubpassBeginInfo* begin) {
  CommandBuffer& commands = command_buffer(handle);
  note_begin(commands, "vkCmdBeginRenderPass2", *info);
  commands.is_rendering = true;
  commands.next->CmdBeginRenderPass2(handle, info, begin);
}

void VKAPI_CALL begin_rendering(VkCommandBuffer handle, const VkRenderingInfo* info) {
  CommandBuffer& commands = command_buffer(handle);
  commands.note([&] {
    std::vector<RenderTarget> views;
    // What goes on in another command buffer has nothing of ours in between.
    const bool keeps = commands.keeps_results && !(info->flags & VK_RENDERING_SUSPENDING_BIT);
    commands.targets.clear();
    const auto add = [&](const VkRenderingAttachmentInfo* one) {
      const auto add_view = [&](VkImageView view, VkImageLayout layout) {
        if (!view) return;
        views.push_back({view, VK_IMAGE_LAYOUT_MAX_ENUM});
        if (keeps) commands.targets.push_back({view, layout});
      };
      if (!one) return;
      add_view(one->imageView, one->imageLayout);
      add_view(one->resolveImageView, one->resolveImageLayout);
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
  CommandBuffer& commands = command_buffer(handle);
  commands.is_rendering = false;
  commands.next->CmdEndRenderPass(handle);
  commands.keep_targets();
}

void VKAPI_CALL end_pass2(VkCommandBuffer handle, const VkSubpassEndInfo* end) {
  CommandBuffer& commands = command_buffer(handle);
  commands.is_rendering = false;
  commands.next->CmdEndRenderPass2(handle, end);
  commands.keep_targets();
}

void VKAPI_CALL end_rendering(VkCommandBuffer handle) {
  CommandBuffer& commands = command_buffer(handle);
  commands.is_rendering = false;
  commands.next->CmdEndRendering(handle);
  commands.keep_targets();
}

}  // namespace

std::span<const Hook> image_hooks() {
  constexpr auto create_pass2 = Create<&DeviceFunctions::CreateRenderPass2, &Device::render_passes,
                                       note_pass<VkRenderPassCreateInfo2>>::call;
  static const Hook hooks[] = {
      {"vkCreateImage", create_image},
      {"vkDestroyImage", destroy_image},
      {"vkBindImageMemory", bind_image},
      {"vkBindImageMemory2", bind_images},
      {"vkBindImageMemory2KHR", bind_images},
      {"vkGetDeviceImageMemoryRequirements", requirements_of_image},
      {"vkGetDeviceImageMemoryRequirementsKHR", requirements_of_image},
      {"vkCreateImageView",
       Create<&DeviceFunctions::CreateImageView, &Device::image_views, note_view>::call},
      {"vkDestroyImageView",
       Destroy<&DeviceFunctions::DestroyImageView, &Device::image_views>::call},
      {"vkCreateSampler",
       Create<&DeviceFunctions::CreateSampler, &Device::samplers, note_sampler>::call},
      {"vkDestroySampler", Destroy<&DeviceFunctions::DestroySampler, &Device::samplers>::call},
      {"vkCreateFramebuffer",
       Create<&DeviceFunctions::CreateFramebuffer, &Device::framebuffers, note_framebuffer>::call},
      {"vkDestroyFramebuffer",
       Destroy<&DeviceFunctions::DestroyFramebuffer, &Device::framebuffers>::call},
      {"vkCreateRenderPass", Create<&DeviceFunctions::CreateRenderPass, &Device::render_passes,
                                    note_pass<VkRenderPassCreateInfo>>::call},
      {"vkCreateRenderPass2", create_pass2},
      {"vkCreateRenderPass2KHR", create_pass2},
      {"vkDestroyRenderPass",
       Destroy<&DeviceFunctions::DestroyRenderPass, &Device::render_passes>::call},
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
