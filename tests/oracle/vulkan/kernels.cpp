#include "vulkan/kernels.hpp"

#include <stdexcept>

#include "vulkan_shaders.hpp"

namespace oracle {
namespace {

VkDescriptorType type_of(char binding, bool is_dynamic) {
  if (binding == 'i') return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  if (binding == 't') return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  if (binding == 'w') return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  if (binding == 'u')
    return is_dynamic ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                      : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  return is_dynamic ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

}  // namespace

Kernel& kernel_of(const std::string& name, const std::string& how, std::uint32_t constant,
                  std::uint32_t group) {
  Kernel& kernel = world->kernels[name + " " + how + " " + std::to_string(constant) + " " +
                                  std::to_string(group)];
  if (kernel.pipeline) return kernel;
  const OracleShader* shader = nullptr;
  for (const OracleShader& one : oracle_shaders)
    if (name == one.name) shader = &one;
  if (!shader) throw std::runtime_error("There is no kernel " + name + ".");
  kernel.bindings = shader->bindings;
  const bool pushes = how.compare(0, 4, "push") == 0, is_dynamic = how == "dynamic",
             is_late = how == "late" && world->may_be_late;
  // Of kinds that are no samplers, this may be anything.
  const auto* const anything = reinterpret_cast<const VkSampler*>(std::uintptr_t{0x5a5a});
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  for (std::uint32_t i = 0; i < kernel.bindings.size(); ++i) {
    const VkDescriptorType type = type_of(kernel.bindings[i], is_dynamic);
    bindings.push_back({i, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, anything});
    entries.push_back({i, 0, 1, type, i * sizeof(Bound), 0});
  }
  const std::vector<VkDescriptorBindingFlags> late(bindings.size(),
                                                   VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
  const VkDescriptorSetLayoutBindingFlagsCreateInfo flags{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr,
      static_cast<std::uint32_t>(late.size()), late.data()};
  VkDescriptorSetLayoutCreateInfo sets{};
  sets.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  sets.pNext = is_late ? &flags : nullptr;
  sets.flags =
      pushes
          ? VkDescriptorSetLayoutCreateFlags{VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR}
      : is_late
          ? VkDescriptorSetLayoutCreateFlags{VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT}
          : 0;
  sets.bindingCount = static_cast<std::uint32_t>(bindings.size());
  sets.pBindings = bindings.data();
  MUST(vkCreateDescriptorSetLayout(world->device, &sets, nullptr, &kernel.set_layout));
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &kernel.set_layout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  MUST(vkCreatePipelineLayout(world->device, &layout, nullptr, &kernel.layout));
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = shader->bytes;
  code.pCode = shader->words;
  VkShaderModule module;
  MUST(vkCreateShaderModule(world->device, &code, nullptr, &module));
  const std::uint32_t numbers[2] = {constant, group};
  const VkSpecializationMapEntry map[2] = {{0, 0, 4}, {1, 4, 4}};
  const VkSpecializationInfo constants{2, map, sizeof numbers, numbers};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = shader->name;
  info.stage.pSpecializationInfo = &constants;
  info.layout = kernel.layout;
  MUST(
      vkCreateComputePipelines(world->device, VK_NULL_HANDLE, 1, &info, nullptr, &kernel.pipeline));
  vkDestroyShaderModule(world->device, module, nullptr);
  if (how == "template" || how == "pushtemplate") {
    VkDescriptorUpdateTemplateCreateInfo update{};
    update.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO;
    update.descriptorUpdateEntryCount = static_cast<std::uint32_t>(entries.size());
    update.pDescriptorUpdateEntries = entries.data();
    update.templateType = pushes ? VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR
                                 : VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    update.descriptorSetLayout = kernel.set_layout;
    update.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    update.pipelineLayout = kernel.layout;
    MUST(vkCreateDescriptorUpdateTemplate(world->device, &update, nullptr, &kernel.update));
  }
  return kernel;
}

std::vector<VkWriteDescriptorSet> writes_of(const Kernel& kernel, VkDescriptorSet set,
                                            bool is_dynamic, const std::vector<Bound>& bound) {
  std::vector<VkWriteDescriptorSet> writes;
  for (std::uint32_t i = 0; i < bound.size(); ++i) {
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = type_of(kernel.bindings[i], is_dynamic);
    write.pBufferInfo = &bound[i].buffer;
    write.pImageInfo = &bound[i].image;
    write.pTexelBufferView = &bound[i].texels;
    writes.push_back(write);
  }
  return writes;
}

VkDescriptorSet make_set(const Kernel& kernel, bool is_late) {
  const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr,
                                         is_late ? world->late_sets : world->sets, 1,
                                         &kernel.set_layout};
  VkDescriptorSet set;
  MUST(vkAllocateDescriptorSets(world->device, &info, &set));
  return set;
}

}  // namespace oracle
