// Layouts, pools, sets and templates of descriptors.
#include <algorithm>

#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/hooks/plain_objects.hpp"
#include "layers/vulkan/objects/descriptors.hpp"

namespace reel::layer::vk {

namespace {

bool has_sampler(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

// --- layouts ------------------------------------------------------------------------------------

std::shared_ptr<SetLayout> note_set_layout(Device&, const VkDescriptorSetLayoutCreateInfo& info) {
  auto made = std::make_shared<SetLayout>();
  made->is_pushed = info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  const auto* flags = find_in<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& given = info.pBindings[i];
    SetLayout::Binding binding;
    binding.number = given.binding;
    binding.count = given.descriptorCount;
    binding.type = given.descriptorType;
    // Of other kinds the pointer may be anything.
    if (has_sampler(given.descriptorType) && given.pImmutableSamplers)
      binding.immutable.assign(given.pImmutableSamplers,
                               given.pImmutableSamplers + given.descriptorCount);
    if (flags && i < flags->bindingCount)
      made->has_variable_count =
          made->has_variable_count ||
          flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    made->bindings.push_back(std::move(binding));
  }
  std::ranges::sort(made->bindings, {}, &SetLayout::Binding::number);
  for (SetLayout::Binding& binding : made->bindings) {
    binding.first = made->elements;
    made->elements += binding.count;
  }
  return made;
}

std::shared_ptr<PipelineLayout> note_pipeline_layout(Device& device,
                                                     const VkPipelineLayoutCreateInfo& info) {
  auto made = std::make_shared<PipelineLayout>();
  for (std::uint32_t i = 0; i < info.setLayoutCount; ++i)
    made->sets.push_back(info.pSetLayouts[i] ? device.set_layouts.share(info.pSetLayouts[i])
                                             : nullptr);
  for (std::uint32_t i = 0; i < info.pushConstantRangeCount; ++i)
    if (info.pPushConstantRanges[i].stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
      made->push_bytes = std::max(
          made->push_bytes, info.pPushConstantRanges[i].offset + info.pPushConstantRanges[i].size);
  return made;
}

// --- pools and sets -----------------------------------------------------------------------------

std::shared_ptr<DescriptorPool> note_pool(Device&, const VkDescriptorPoolCreateInfo&) {
  return std::make_shared<DescriptorPool>();
}

void empty(Device& device, DescriptorPool& pool) noexcept {
  std::vector<VkDescriptorSet> sets;
  {
    const std::lock_guard lock(pool.mutex);
    sets.swap(pool.sets);
  }
  for (const VkDescriptorSet set : sets) device.descriptor_sets.remove(set);
}

void VKAPI_CALL destroy_pool(VkDevice handle, VkDescriptorPool pool,
                             const VkAllocationCallbacks* allocator) {
  Device& device = *device_of(handle);
  if (const auto known = device.descriptor_pools.remove(pool)) empty(device, *known);
  device.next.DestroyDescriptorPool(handle, pool, allocator);
}

VkResult VKAPI_CALL reset_pool(VkDevice handle, VkDescriptorPool pool,
                               VkDescriptorPoolResetFlags flags) {
  Device& device = *device_of(handle);
  if (DescriptorPool* known = device.descriptor_pools.find(pool)) empty(device, *known);
  return device.next.ResetDescriptorPool(handle, pool, flags);
}

VkResult VKAPI_CALL allocate(VkDevice handle, const VkDescriptorSetAllocateInfo* info,
                             VkDescriptorSet* sets) {
  Device& device = *device_of(handle);
  const VkResult result = device.next.AllocateDescriptorSets(handle, info, sets);
  if (result != VK_SUCCESS) return result;
  device.note([&] {
    const auto* counts = find_in<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
    DescriptorPool* pool = device.descriptor_pools.find(info->descriptorPool);
    for (std::uint32_t i = 0; i < info->descriptorSetCount; ++i) {
      auto made = std::make_shared<DescriptorSet>();
      made->layout = device.set_layouts.share(info->pSetLayouts[i]);
      made->pool = info->descriptorPool;
      if (made->layout) {
        made->elements.resize(made->layout->elements);
        if (made->layout->has_variable_count)
          made->last_count =
              counts && i < counts->descriptorSetCount ? counts->pDescriptorCounts[i] : 0;
      }
      device.descriptor_sets.add(sets[i], std::move(made));
      if (!pool) continue;
      const std::lock_guard lock(pool->mutex);
      pool->sets.push_back(sets[i]);
    }
  });
  return result;
}

VkResult VKAPI_CALL free_sets(VkDevice handle, VkDescriptorPool pool, std::uint32_t count,
                              const VkDescriptorSet* sets) {
  Device& device = *device_of(handle);
  DescriptorPool* known = device.descriptor_pools.find(pool);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!sets[i]) continue;
    device.descriptor_sets.remove(sets[i]);
    if (!known) continue;
    const std::lock_guard lock(known->mutex);
    std::erase(known->sets, sets[i]);
  }
  return device.next.FreeDescriptorSets(handle, pool, count, sets);
}

// --- what they hold -----------------------------------------------------------------------------

auto writer_of(DescriptorSet& set) {
  return [&set](std::uint32_t binding, std::uint32_t element, const Descriptor& value) {
    const auto count = static_cast<std::uint32_t>(set.elements.size());
    if (const auto place = place_of(*set.layout, binding, element, count))
      set.elements[*place] = value;
  };
}

void VKAPI_CALL update(VkDevice handle, std::uint32_t write_count,
                       const VkWriteDescriptorSet* writes, std::uint32_t copy_count,
                       const VkCopyDescriptorSet* copies) {
  Device& device = *device_of(handle);
  for (std::uint32_t i = 0; i < write_count; ++i)
    if (DescriptorSet* set = device.descriptor_sets.find(writes[i].dstSet); set && set->layout)
      for_each_written(writes[i], writer_of(*set));
  for (std::uint32_t i = 0; i < copy_count; ++i) {
    const VkCopyDescriptorSet& copy = copies[i];
    const DescriptorSet* from = device.descriptor_sets.find(copy.srcSet);
    DescriptorSet* to = device.descriptor_sets.find(copy.dstSet);
    if (!from || !to || !from->layout || !to->layout) continue;
    for (std::uint32_t j = 0; j < copy.descriptorCount; ++j) {
      const auto source = place_of(*from->layout, copy.srcBinding, copy.srcArrayElement + j,
                                   static_cast<std::uint32_t>(from->elements.size()));
      if (source)
        writer_of (*to)(copy.dstBinding, copy.dstArrayElement + j, from->elements[*source]);
    }
  }
  device.next.UpdateDescriptorSets(handle, write_count, writes, copy_count, copies);
}

std::shared_ptr<UpdateTemplate> note_template(Device&,
                                              const VkDescriptorUpdateTemplateCreateInfo& info) {
  auto made = std::make_shared<UpdateTemplate>();
  made->entries.assign(info.pDescriptorUpdateEntries,
                       info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount);
  made->is_pushed = info.templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
  made->point = info.pipelineBindPoint;
  made->layout = info.pipelineLayout;
  made->set = info.set;
  return made;
}

void VKAPI_CALL update_by_template(VkDevice handle, VkDescriptorSet set,
                                   VkDescriptorUpdateTemplate plan, const void* data) {
  Device& device = *device_of(handle);
  DescriptorSet* known = device.descriptor_sets.find(set);
  const UpdateTemplate* how = device.update_templates.find(plan);
  if (known && known->layout && how) for_each_written(*how, data, writer_of(*known));
  device.next.UpdateDescriptorSetWithTemplate(handle, set, plan, data);
}

}  // namespace

std::span<const Hook> descriptor_hooks() {
  constexpr auto create_template = Create<&DeviceFunctions::CreateDescriptorUpdateTemplate,
                                          &Device::update_templates, note_template>::call;
  constexpr auto destroy_template =
      Destroy<&DeviceFunctions::DestroyDescriptorUpdateTemplate, &Device::update_templates>::call;
  static const Hook hooks[] = {
      {"vkCreateDescriptorSetLayout", Create<&DeviceFunctions::CreateDescriptorSetLayout,
                                             &Device::set_layouts, note_set_layout>::call},
      {"vkDestroyDescriptorSetLayout",
       Destroy<&DeviceFunctions::DestroyDescriptorSetLayout, &Device::set_layouts>::call},
      {"vkCreatePipelineLayout", Create<&DeviceFunctions::CreatePipelineLayout,
                                        &Device::pipeline_layouts, note_pipeline_layout>::call},
      {"vkDestroyPipelineLayout",
       Destroy<&DeviceFunctions::DestroyPipelineLayout, &Device::pipeline_layouts>::call},
      {"vkCreateDescriptorPool",
       Create<&DeviceFunctions::CreateDescriptorPool, &Device::descriptor_pools, note_pool>::call},
      {"vkDestroyDescriptorPool", destroy_pool},
      {"vkResetDescriptorPool", reset_pool},
      {"vkAllocateDescriptorSets", allocate},
      {"vkFreeDescriptorSets", free_sets},
      {"vkUpdateDescriptorSets", update},
      {"vkCreateDescriptorUpdateTemplate", create_template},
      {"vkCreateDescriptorUpdateTemplateKHR", create_template},
      {"vkDestroyDescriptorUpdateTemplate", destroy_template},
      {"vkDestroyDescriptorUpdateTemplateKHR", destroy_template},
      {"vkUpdateDescriptorSetWithTemplate", update_by_template},
      {"vkUpdateDescriptorSetWithTemplateKHR", update_by_template},
  };
  return hooks;
}

}  // namespace reel::layer::vk
