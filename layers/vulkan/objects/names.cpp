#include "layers/vulkan/objects/names.hpp"

#include <fmt/format.h>

#include "layers/vulkan/device.hpp"
#include "layers/vulkan/objects/image.hpp"
#include "layers/vulkan/objects/memory.hpp"
#include "layers/vulkan/objects/pipeline.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "vulkan/result_name.hpp"

namespace reel::layer::vk {

const char* result_name(int result) noexcept {
  return vulkan::name_of(static_cast<VkResult>(result));
}

std::string answered(int result) {
  return fmt::format("the driver answered {} ({})", result_name(result), result);
}

namespace {

// One that lies within others is no row of its own.
void label_buffer(const Buffer& buffer, std::string_view name) {
  const capture::Range range = buffer.range(0, 0);
  if (range.storage && range.offset_bytes == 0) range.storage->label = name;
}

}  // namespace

void name_object(Device& device, int kind, unsigned long long number, std::string_view name) {
  const auto handle = [&]<class T>(std::type_identity<T>) {
    return reinterpret_cast<T>(static_cast<std::uintptr_t>(number));
  };
  if (kind == VK_OBJECT_TYPE_BUFFER) {
    if (const Buffer* buffer = device.buffers.find(handle(std::type_identity<VkBuffer>())))
      label_buffer(*buffer, name);
  } else if (kind == VK_OBJECT_TYPE_IMAGE) {
    if (const Image* image = device.images.find(handle(std::type_identity<VkImage>())))
      image->storage->label = name;
  } else if (kind == VK_OBJECT_TYPE_PIPELINE) {
    if (Pipeline* pipeline = device.pipelines.find(handle(std::type_identity<VkPipeline>())))
      pipeline->label = pipeline->name = name;
  } else if (kind == VK_OBJECT_TYPE_SHADER_MODULE) {
    if (ShaderModule* module =
            device.shader_modules.find(handle(std::type_identity<VkShaderModule>())))
      module->given_name = name;
  } else if (kind == VK_OBJECT_TYPE_QUEUE) {
    if (Queue* queue = queues().find(handle(std::type_identity<VkQueue>()))) queue->label = name;
  }
}

bool name_any(const void* handle, std::string_view name) {
  if (Queue* queue = queues().find(handle)) {
    queue->label = name;
    return true;
  }
  // Which device it is of reel_app.h doesn't say.
  bool is_known = false;
  devices().for_each([&](Device& device) {
    if (is_known) return;
    if (const Buffer* buffer = device.buffers.find(handle)) {
      label_buffer(*buffer, name);
    } else if (const Image* image = device.images.find(handle)) {
      image->storage->label = name;
    } else if (Pipeline* pipeline = device.pipelines.find(handle)) {
      pipeline->label = pipeline->name = name;
    } else {
      return;
    }
    is_known = true;
  });
  return is_known;
}

}  // namespace reel::layer::vk
