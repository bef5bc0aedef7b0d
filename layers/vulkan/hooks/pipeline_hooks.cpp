// Shader modules and compute pipelines.
#include <fmt/format.h>

#include <cstring>

#include "base/bytes/hash128.hpp"
#include "layers/vulkan/hooks/call_note.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/hooks/plain_objects.hpp"
#include "layers/vulkan/objects/pipeline.hpp"

namespace reel::layer::vk {

namespace {

std::shared_ptr<const Words> words_of(const VkShaderModuleCreateInfo& info) {
  return std::make_shared<const Words>(info.pCode, info.pCode + info.codeSize / 4);
}

std::shared_ptr<ShaderModule> note_module(Device&, const VkShaderModuleCreateInfo& info) {
  auto made = std::make_shared<ShaderModule>();
  made->code = words_of(info);
  return made;
}

void specialize(Pipeline& pipeline, const VkSpecializationInfo& info) {
  for (std::uint32_t i = 0; i < info.mapEntryCount; ++i) {
    const VkSpecializationMapEntry& entry = info.pMapEntries[i];
    if (entry.size > sizeof(std::uint64_t) || entry.offset + entry.size > info.dataSize) {
      pipeline.has_wide_constant = true;
      continue;
    }
    SpecConstant constant;
    constant.id = entry.constantID;
    std::memcpy(&constant.value, static_cast<const std::byte*>(info.pData) + entry.offset,
                entry.size);
    pipeline.constants.push_back(constant);
  }
}

std::shared_ptr<Pipeline> pipeline_of(Device& device, const VkComputePipelineCreateInfo& info) {
  auto made = std::make_shared<Pipeline>();
  const VkPipelineShaderStageCreateInfo& stage = info.stage;
  const ShaderModule* module = stage.module ? device.shader_modules.find(stage.module) : nullptr;
  if (module)
    made->code = module->code;
  else if (const auto* code = find_in<VkShaderModuleCreateInfo>(
               stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO))
    made->code = words_of(*code);
  made->entry = stage.pName ? stage.pName : "main";
  if (stage.pSpecializationInfo) specialize(*made, *stage.pSpecializationInfo);
  if (const auto* size = find_in<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
          stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
    made->subgroup_size = size->requiredSubgroupSize;
  made->full_subgroups = stage.flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  made->layout = device.pipeline_layouts.share(info.layout);
  // Most entry points are called main: some of the hash tells them apart.
  if (module && !module->given_name.empty())
    made->name = module->given_name;
  else if (made->code && made->entry == "main")
    made->name =
        fmt::format("{}:{:08x}", made->entry,
                    static_cast<std::uint32_t>(hash128(std::as_bytes(std::span(*made->code))).low));
  else
    made->name = made->entry;
  made->label = made->name;
  return made;
}

VkResult VKAPI_CALL create_pipelines(VkDevice handle, VkPipelineCache cache, std::uint32_t count,
                                     const VkComputePipelineCreateInfo* infos,
                                     const VkAllocationCallbacks* allocator,
                                     VkPipeline* pipelines) {
  Device& device = *device_of(handle);
  const CallNote call("vkCreateComputePipelines");
  const VkResult result =
      device.next.CreateComputePipelines(handle, cache, count, infos, allocator, pipelines);
  // Some of them may be there even where others failed.
  for (std::uint32_t i = 0; i < count; ++i)
    if (result >= 0 && pipelines[i])
      device.note([&] { device.pipelines.add(pipelines[i], pipeline_of(device, infos[i])); });
  return result;
}

}  // namespace

std::span<const Hook> pipeline_hooks() {
  static const Hook hooks[] = {
      {"vkCreateShaderModule",
       Create<&DeviceFunctions::CreateShaderModule, &Device::shader_modules, note_module>::call},
      {"vkDestroyShaderModule",
       Destroy<&DeviceFunctions::DestroyShaderModule, &Device::shader_modules>::call},
      {"vkCreateComputePipelines", create_pipelines},
      {"vkDestroyPipeline", Destroy<&DeviceFunctions::DestroyPipeline, &Device::pipelines>::call},
  };
  return hooks;
}

}  // namespace reel::layer::vk
