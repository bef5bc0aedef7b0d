#include "backends/vulkan/kernels/layout.hpp"

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/device/result.hpp"

namespace reel::vulkan {

LayoutCache::~LayoutCache() {
  for (const auto& [key, layout] : layouts_) destroy(*layout);
}

const Layout& LayoutCache::get(const std::vector<BindingSlot>& slots, std::uint32_t value_bytes) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Layout>& kept = layouts_[{slots, value_bytes}];
  if (!kept) {
    auto layout = std::make_unique<Layout>();
    for (const BindingSlot& slot : slots) {
      if (layout->sets.size() <= slot.set) layout->sets.resize(slot.set + 1);
      SetLayout& set = layout->sets[slot.set];
      set.slots.push_back(slot);
      set.descriptors += slot.count;
    }
    for (std::uint32_t i = 0; i < layout->sets.size(); ++i) layout->sets[i].number = i;
    layout->value_bytes = value_bytes;
    try {
      create(*layout);
    } catch (...) {
      destroy(*layout);
      layouts_.erase({slots, value_bytes});
      throw;
    }
    kept = std::move(layout);
  }
  return *kept;
}

void LayoutCache::create(SetLayout& set) const {
  const VolkDeviceTable& vk = context_.vk;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  std::size_t offset = 0;
  for (const BindingSlot& slot : set.slots) {
    VkDescriptorSetLayoutBinding& binding = bindings.emplace_back();
    binding.binding = slot.binding;
    binding.descriptorType = slot.type;
    binding.descriptorCount = slot.count;
    binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    VkDescriptorUpdateTemplateEntry& entry = entries.emplace_back();
    entry.dstBinding = slot.binding;
    entry.descriptorCount = slot.count;
    entry.descriptorType = slot.type;
    entry.offset = offset;
    entry.stride = sizeof(DescriptorInfo);
    offset += slot.count * sizeof(DescriptorInfo);
  }
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  check(vk.vkCreateDescriptorSetLayout(context_.device, &info, nullptr, &set.handle),
        "vkCreateDescriptorSetLayout");
  if (entries.empty()) return;
  VkDescriptorUpdateTemplateCreateInfo update{};
  update.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO;
  update.descriptorUpdateEntryCount = static_cast<std::uint32_t>(entries.size());
  update.pDescriptorUpdateEntries = entries.data();
  update.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  update.descriptorSetLayout = set.handle;
  check(vk.vkCreateDescriptorUpdateTemplate(context_.device, &update, nullptr, &set.update),
        "vkCreateDescriptorUpdateTemplate");
}

void LayoutCache::create(Layout& layout) const {
  std::vector<VkDescriptorSetLayout> sets;
  for (SetLayout& set : layout.sets) {
    create(set);
    sets.push_back(set.handle);
  }
  VkPushConstantRange values{};
  values.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  values.size = layout.value_bytes;
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<std::uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = layout.value_bytes ? 1 : 0;
  info.pPushConstantRanges = &values;
  check(context_.vk.vkCreatePipelineLayout(context_.device, &info, nullptr, &layout.pipeline),
        "vkCreatePipelineLayout");
}

void LayoutCache::destroy(Layout& layout) const noexcept {
  const VolkDeviceTable& vk = context_.vk;
  vk.vkDestroyPipelineLayout(context_.device, layout.pipeline, nullptr);
  for (const SetLayout& set : layout.sets) {
    vk.vkDestroyDescriptorUpdateTemplate(context_.device, set.update, nullptr);
    vk.vkDestroyDescriptorSetLayout(context_.device, set.handle, nullptr);
  }
}

}  // namespace reel::vulkan
