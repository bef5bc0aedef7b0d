#include "backends/vulkan/device/buffer.hpp"

#include <cstring>
#include <utility>

#include "backends/vulkan/device/result.hpp"
#include "base/fail.hpp"
#include "vulkan/formats.hpp"

namespace reel::vulkan {
namespace {

std::atomic<std::uint64_t> next_serial = 1, next_holder = 1;

// Rounded up, so that whole words and vectors at the end of a buffer may be filled and read, and
// never nothing, which Vulkan does not allow.
std::uint64_t padded(std::uint64_t size_bytes) {
  return size_bytes == 0 ? 16 : (size_bytes + 15) / 16 * 16;
}

void create(Context& context, std::uint64_t size_bytes, VkBufferUsageFlags usage, MemoryUse use,
            VkBuffer& handle, Memory& memory) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size_bytes;
  info.usage = usage;
  check(context.vk.vkCreateBuffer(context.device, &info, nullptr, &handle), "vkCreateBuffer");
  try {
    VkMemoryRequirements wanted{};
    context.vk.vkGetBufferMemoryRequirements(context.device, handle, &wanted);
    memory = context.memory->allocate(wanted, use);
    check(context.vk.vkBindBufferMemory(context.device, handle, memory.handle, memory.offset),
          "vkBindBufferMemory");
  } catch (...) {
    context.vk.vkDestroyBuffer(context.device, handle, nullptr);
    context.memory->free(memory);
    handle = VK_NULL_HANDLE;
    memory = {};
    throw;
  }
}

}  // namespace

std::uint64_t new_serial() noexcept { return next_serial.fetch_add(1, std::memory_order_relaxed); }
std::uint64_t new_holder() noexcept { return next_holder.fetch_add(1, std::memory_order_relaxed); }

VulkanBuffer::VulkanBuffer(std::shared_ptr<Context> context_, const MemoryRequest& request)
    : context(std::move(context_)), serial(next_serial.fetch_add(1)) {
  const std::uint64_t allowed = context->physical.info.max_buffer_bytes;
  if (request.size_bytes > allowed || padded(request.size_bytes) > allowed)
    fail(Code::out_of_memory, "Buffer '{}' of {} bytes is too large: '{}' allows {} bytes.",
         request.label, request.size_bytes, context->physical.info.name, allowed);
  size_bytes = request.size_bytes;
  const bool is_texels = request.image && request.image->type == ImageType::d1_buffer;
  if (request.storage.buffer && !is_texels && !buffer_of(request.storage).picture)
    fail(Code::unsupported,
         "Image '{}' is made on a buffer; Vulkan makes 1d_buffer images of buffers, and no others.",
         request.label);
  try {
    if (request.image && !is_texels) {
      if (request.storage.buffer)
        show_part(request);
      else
        picture = std::make_shared<VulkanImage>(*context, *request.image, request.label);
      views = std::make_unique<ImageViews>(*context, *picture, *request.image, request.label);
      return;
    }
    if (!request.storage.buffer) make_storage(request);
    if (is_texels) make_texels(request);
  } catch (const Error& error) {
    destroy();
    if (error.code() != Code::out_of_memory) throw;
    fail(Code::out_of_memory, "No room for buffer '{}' of {} bytes on '{}': {}", request.label,
         request.size_bytes, context->physical.info.name, error.what());
  }
}

void VulkanBuffer::show_part(const MemoryRequest& request) {
  const ImageShape& part = *request.image;
  picture = buffer_of(request.storage).picture;
  const ImageShape& whole = picture->shape();
  if (part.first_level + part.levels > whole.levels ||
      part.first_layer + part.layers > whole.layers || part.pixel_bytes != whole.pixel_bytes)
    fail(Code::unsupported,
         "Image '{}' ({}, {}, from level {} and layer {} on) shows what image '{}' ({}, {}) "
         "doesn't have.",
         request.label, format_name(part), extent_text(part), part.first_level, part.first_layer,
         request.storage.buffer->label, format_name(whole), extent_text(whole));
}

void VulkanBuffer::make_storage(const MemoryRequest& request) {
  const std::uint64_t size = padded(request.size_bytes);
  const bool is_addressed = request.addressed && context->features.addresses.bufferDeviceAddress;
  create(*context, size,
         VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
             VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
             VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
             VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
             (context->features.conditional.conditionalRendering
                  ? VkBufferUsageFlags{VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT}
                  : 0u) |
             (is_addressed ? VkBufferUsageFlags{VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT} : 0u),
         request.host_visible ? MemoryUse::staging
         : is_addressed       ? MemoryUse::addressed
                              : MemoryUse::storage,
         handle, memory);
  if (is_addressed) {
    VkBufferDeviceAddressInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = handle;
    const auto address_of = context->physical.api_version >= VK_API_VERSION_1_2
                                ? context->vk.vkGetBufferDeviceAddress
                                : context->vk.vkGetBufferDeviceAddressKHR;
    device_address = address_of(context->device, &info);
  }
  if (context->memory->storage_is_host_memory()) host = memory.mapped;
  if (request.host_visible) mapped = memory.mapped;
  if (memory.mapped) {
    std::memset(memory.mapped, 0, size);
    return;
  }
  context->run_now([&](VkCommandBuffer commands) {
    context->vk.vkCmdFillBuffer(commands, handle, 0, VK_WHOLE_SIZE, 0);
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    context->vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, nullptr,
                                     0, nullptr);
  });
}

void VulkanBuffer::make_texels(const MemoryRequest& request) {
  const ImageShape& shape = *request.image;
  const VkPhysicalDeviceLimits& limits = context->physical.limits;
  const VkBuffer target = request.storage.buffer ? buffer_of(request.storage).handle : handle;
  const VkFormat format = to_format(shape);
  VkFormatProperties properties{};
  vkGetPhysicalDeviceFormatProperties(context->physical.handle, format, &properties);
  if (format == VK_FORMAT_UNDEFINED ||
      !(properties.bufferFeatures &
        (VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT)))
    fail(Code::unsupported, "Image '{}' can't be made: '{}' has no texel buffers of {}.",
         request.label, context->physical.info.name, format_name(shape));
  if (shape.width > limits.maxTexelBufferElements)
    fail(Code::unsupported, "Image '{}' has {} texels; '{}' allows {}.", request.label, shape.width,
         context->physical.info.name, limits.maxTexelBufferElements);
  if (request.storage.offset_bytes % limits.minTexelBufferOffsetAlignment != 0)
    fail(Code::unsupported,
         "Image '{}' begins at byte {} of its buffer; '{}' needs a multiple of {}.", request.label,
         request.storage.offset_bytes, context->physical.info.name,
         limits.minTexelBufferOffsetAlignment);
  VkBufferViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = target;
  info.format = format;
  info.offset = request.storage.buffer ? request.storage.offset_bytes : 0;
  info.range = shape.size_bytes();
  check(context->vk.vkCreateBufferView(context->device, &info, nullptr, &texels),
        "vkCreateBufferView");
}

void VulkanBuffer::destroy() noexcept {
  views.reset();
  picture.reset();
  context->vk.vkDestroyBufferView(context->device, texels, nullptr);
  context->vk.vkDestroyBuffer(context->device, handle, nullptr);
  context->memory->free(memory);
}

VulkanBuffer::~VulkanBuffer() { destroy(); }

StagingBuffer::StagingBuffer(Context& of, std::uint64_t bytes) : context(&of), size_bytes(bytes) {
  create(of, bytes,
         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
         MemoryUse::staging, handle, memory);
}

StagingBuffer::~StagingBuffer() {
  if (!context) return;
  context->vk.vkDestroyBuffer(context->device, handle, nullptr);
  context->memory->free(memory);
}

StagingBuffer& StagingBuffer::operator=(StagingBuffer&& other) noexcept {
  std::swap(context, other.context);
  std::swap(handle, other.handle);
  std::swap(memory, other.memory);
  std::swap(size_bytes, other.size_bytes);
  return *this;
}

}  // namespace reel::vulkan
