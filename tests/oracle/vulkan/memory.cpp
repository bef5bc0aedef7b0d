// memory.cpp - memory, buffers and images, and what the host writes and reads of them.
#include <array>
#include <cstring>

#include "vulkan/world.hpp"

namespace oracle {

void make_memory(const Step& step) {
  Memory& made = world->memories[step.number_at(0)];
  made.bytes = size_at(step, 1) * 4;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, made.bytes,
                            world->type};
  VkImportMemoryHostPointerInfoEXT host{
      VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, nullptr};
  const VkMemoryAllocateFlagsInfo addressed{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                            VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  if (step.has("addressed")) info.pNext = &addressed;
  if (step.has("imported")) {
    host.pHostPointer = made.imported = std::aligned_alloc(4096, made.bytes);
    info.pNext = &host;
  }
  told(step, vkAllocateMemory(world->device, &info, nullptr, &made.memory));
  if (made.imported)
    made.mapped = static_cast<std::uint32_t*>(made.imported);
  else if (step.has("mapped"))
    told(step, vkMapMemory(world->device, made.memory, 0, VK_WHOLE_SIZE, 0,
                           reinterpret_cast<void**>(&made.mapped)));
}

// Words: buffer, memory, first number, count.
void make_buffer(const Step& step) {
  Buffer& made = world->buffers[step.number_at(0)];
  made.bytes = size_at(step, 3) * 4;
  VkBufferUsageFlags usage = 0;
  for (const char one : step.options.at("usage"))
    usage |= one == 's'   ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
             : one == 'u' ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
             : one == 'i' ? VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT
             : one == 'x' ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
             : one == 'a' ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT
             : one == 'p' ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT
                          : VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const Memory& memory = world->memories[step.number_at(1)];
  const VkExternalMemoryBufferCreateInfo external{
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = memory.imported ? &external : nullptr;
  info.size = made.bytes;
  info.usage = usage;
  told(step, vkCreateBuffer(world->device, &info, nullptr, &made.buffer));
  told(step, vkBindBufferMemory(world->device, made.buffer, memory.memory, size_at(step, 2) * 4));
}

void make_view(const Step& step, Image& image) {
  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = image.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = VK_FORMAT_R32_UINT;
  view.subresourceRange = image.range();
  told(step, vkCreateImageView(world->device, &view, nullptr, &image.view));
}

// Words: image, that of which it is a part, level, layer.
void make_part(const Step& step) {
  const Image& whole = world->images[step.number_at(1)];
  Image& made = world->images[step.number_at(0)];
  made.image = whole.image;
  made.level = static_cast<std::uint32_t>(step.number_at(2));
  made.layer = static_cast<std::uint32_t>(step.number_at(3));
  made.extent = {whole.extent.width >> made.level, whole.extent.height >> made.level, 1};
  make_view(step, made);
}

// Words: image, width, height. Options: linear, levels, layers.
void make_image(const Step& step) {
  Image& made = world->images[step.number_at(0)];
  made.extent = {static_cast<std::uint32_t>(step.number_at(1)),
                 static_cast<std::uint32_t>(step.number_at(2)), 1};
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R32_UINT;
  info.extent = made.extent;
  info.mipLevels = static_cast<std::uint32_t>(step.option("levels", 1));
  info.arrayLayers = static_cast<std::uint32_t>(step.option("layers", 1));
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = step.has("linear") ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
               VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  told(step, vkCreateImage(world->device, &info, nullptr, &made.image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(world->device, made.image, &needs);
  const VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size,
                                    world->type};
  told(step, vkAllocateMemory(world->device, &memory, nullptr, &made.memory));
  told(step, vkBindImageMemory(world->device, made.image, made.memory, 0));
  make_view(step, made);
}

// The host looks at memory: where it isn't mapped for ever, through a map of all or of a part.
class Seen {
 public:
  explicit Seen(const Step& step) : step_(step), memory_(world->memories[step.number_at(0)]) {
    const std::size_t first = size_at(step, 1);
    at = memory_.mapped ? memory_.mapped + first : nullptr;
    if (at) return;
    const bool part = step.has("part");
    void* mapped = nullptr;
    told(step, vkMapMemory(world->device, memory_.memory, part ? first * 4 : 0,
                           part ? size_at(step, 2) * 4 : VK_WHOLE_SIZE, 0, &mapped));
    at = static_cast<std::uint32_t*>(mapped) + (part ? 0 : first);
    maps_ = true;
  }
  ~Seen() {
    if (maps_) vkUnmapMemory(world->device, memory_.memory);
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  void flush(bool is_read) const {
    if (!step_.has("flush") || memory_.imported) return;
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_.memory,
                                    size_at(step_, 1) * 4, size_at(step_, 2) * 4};
    told(step_, is_read ? vkInvalidateMappedMemoryRanges(world->device, 1, &range)
                        : vkFlushMappedMemoryRanges(world->device, 1, &range));
  }

  std::uint32_t* at = nullptr;

 private:
  const Step& step_;
  const Memory& memory_;
  bool maps_ = false;
};

// Words: memory, first number, count.
void poke(const Step& step) {
  const Seen seen(step);
  const std::vector<std::uint32_t> numbers = patterns(seed_of(step), size_at(step, 2));
  std::memcpy(seen.at, numbers.data(), numbers.size() * 4);
  seen.flush(false);
}

// Words: memory, first number, count (3), groups: the size of a dispatch that comes later.
void poke_size(const Step& step) {
  const Seen seen(step);
  const std::uint32_t size[3] = {static_cast<std::uint32_t>(step.number_at(3)), 1, 1};
  std::memcpy(seen.at, size, sizeof size);
}

VkDeviceAddress address_at(const std::string& place) {
  const std::vector<std::string> parts = split(place, ':');
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = world->buffers[std::stoul(parts[0])].buffer;
  return vkGetBufferDeviceAddress(world->device, &info) + std::stoull(parts[1]) * 4;
}

// Words: memory, first number, count, then addresses.
void poke_table(const Step& step) {
  const Seen seen(step);
  for (std::size_t i = 3; i < step.words.size(); ++i) {
    const VkDeviceAddress address = address_at(step.words[i]);
    std::memcpy(seen.at + (i - 3) * 2, &address, sizeof address);
  }
}

void peek(const Step& step) {
  const Seen seen(step);
  seen.flush(true);
  world->said.say(step, digest(seen.at, size_at(step, 2) * 4));
}

}  // namespace oracle
