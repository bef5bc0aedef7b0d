#include "backends/vulkan/kernels/layout.hpp"

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/device/result.hpp"

namespace reel::vulkan {

LayoutCache::~LayoutCache() {
  for (const auto& [key, layout] : layouts_) destroy(*layout);
}

const Layout& LayoutCache::get(const std::vector<std::uint32_t>& bindings,
                               std::uint32_t value_bytes) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Layout>& slot = layouts_[{bindings, value_bytes}];
  if (!slot) {
    auto layout = std::make_unique<Layout>();
    layout->bindings = bindings;
    layout->value_bytes = value_bytes;
    try {
      create(*layout);
    } catch (...) {
      destroy(*layout);
      layouts_.erase({bindings, value_bytes});
      throw;
    }
    slot = std::move(layout);
  }
  return *slot;
}

void LayoutCache::create(Layout& layout) const {
  const VolkDeviceTable& vk = context_.vk;
  const auto count = static_cast<std::uint32_t>(layout.bindings.size());
  if (count) {
    std::vector<VkDescriptorSetLayoutBinding> slots(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      slots[i].binding = layout.bindings[i];
      slots[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      slots[i].descriptorCount = 1;
      slots[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = count;
    info.pBindings = slots.data();
    check(vk.vkCreateDescriptorSetLayout(context_.device, &info, nullptr, &layout.set),
          "vkCreateDescriptorSetLayout");

    std::vector<VkDescriptorUpdateTemplateEntry> entries(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      entries[i].dstBinding = layout.bindings[i];
      entries[i].descriptorCount = 1;
      entries[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      entries[i].offset = i * sizeof(VkDescriptorBufferInfo);
      entries[i].stride = sizeof(VkDescriptorBufferInfo);
    }
    VkDescriptorUpdateTemplateCreateInfo update{};
    update.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO;
    update.descriptorUpdateEntryCount = count;
    update.pDescriptorUpdateEntries = entries.data();
    update.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    update.descriptorSetLayout = layout.set;
    check(vk.vkCreateDescriptorUpdateTemplate(context_.device, &update, nullptr, &layout.update),
          "vkCreateDescriptorUpdateTemplate");
  }
  VkPushConstantRange values{};
  values.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  values.size = layout.value_bytes;
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = count ? 1 : 0;
  info.pSetLayouts = &layout.set;
  info.pushConstantRangeCount = layout.value_bytes ? 1 : 0;
  info.pPushConstantRanges = &values;
  check(vk.vkCreatePipelineLayout(context_.device, &info, nullptr, &layout.pipeline),
        "vkCreatePipelineLayout");
}

void LayoutCache::destroy(Layout& layout) const noexcept {
  context_.vk.vkDestroyPipelineLayout(context_.device, layout.pipeline, nullptr);
  context_.vk.vkDestroyDescriptorUpdateTemplate(context_.device, layout.update, nullptr);
  context_.vk.vkDestroyDescriptorSetLayout(context_.device, layout.set, nullptr);
}

}  // namespace reel::vulkan
