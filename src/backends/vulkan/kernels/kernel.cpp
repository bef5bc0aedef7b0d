#include "backends/vulkan/kernels/kernel.hpp"

#include <fmt/ranges.h>
#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <array>

#include "backends/vulkan/device/loader.hpp"
#include "backends/vulkan/device/result.hpp"
#include "base/fail.hpp"

namespace reel::vulkan {
namespace {

// What a module may ask for that not every device has, and that the driver does not check.
void check_capabilities(const Context& context, const ShaderInterface& interface,
                        const std::string& name) {
  Features has;
  has.query(context.physical.handle, context.physical.float16_int8 && context.physical.storage8);
  const VkPhysicalDeviceFeatures& core = has.core.features;
  struct Need {
    std::uint32_t capability;
    VkBool32 there;
    const char* feature;
  };
  const std::array needs{
      Need{SpvCapabilityFloat64, core.shaderFloat64, "shaderFloat64"},
      Need{SpvCapabilityInt64, core.shaderInt64, "shaderInt64"},
      Need{SpvCapabilityInt16, core.shaderInt16, "shaderInt16"},
      Need{SpvCapabilityFloat16, has.float16_int8.shaderFloat16, "shaderFloat16"},
      Need{SpvCapabilityInt8, has.float16_int8.shaderInt8, "shaderInt8"},
      Need{SpvCapabilityStorageBuffer16BitAccess, has.storage16.storageBuffer16BitAccess,
           "storageBuffer16BitAccess"},
      Need{SpvCapabilityStorageBuffer8BitAccess, has.storage8.storageBuffer8BitAccess,
           "storageBuffer8BitAccess"},
      Need{SpvCapabilityStoragePushConstant16, has.storage16.storagePushConstant16,
           "storagePushConstant16"},
      Need{SpvCapabilityStoragePushConstant8, has.storage8.storagePushConstant8,
           "storagePushConstant8"},
      Need{SpvCapabilityVariablePointers, has.pointers.variablePointers, "variablePointers"},
      Need{SpvCapabilityVariablePointersStorageBuffer, has.pointers.variablePointersStorageBuffer,
           "variablePointersStorageBuffer"},
  };
  for (const Need& need : needs)
    if (!need.there &&
        std::count(interface.capabilities.begin(), interface.capabilities.end(), need.capability))
      fail(Code::build_failed, "Kernel '{}' needs {}, which '{}' doesn't have.", name, need.feature,
           context.physical.info.name);
}

}  // namespace

VulkanKernel::VulkanKernel(std::shared_ptr<Context> context_, const KernelSource& from)
    : context(std::move(context_)) {
  Shader shader = make_shader(from);
  ShaderInterface interface = reflect(shader, from.name);
  check_capabilities(*context, interface, from.name);
  set_constants(from, interface);
  check_limits(interface, from.name);

  std::vector<std::uint32_t> bindings;
  for (ShaderBuffer& buffer : interface.buffers) {
    bindings.push_back(buffer.binding);
    parameters.push_back(
        {std::move(buffer.name), ArgumentKind::buffer, 0, buffer.access, buffer.element});
  }
  for (const ShaderValue& value : interface.values)
    parameters.push_back(
        {value.name, ArgumentKind::value, value.size_bytes, Access::read, value.element});
  reflected = true;
  parameters_by_kind = true;
  group_size_fixed = true;
  build_log = shader.log;
  values = std::move(interface.values);
  layout = &context->layouts->get(bindings, interface.value_bytes);
  create_pipeline(shader, from.name);
  words = std::move(shader.words);
}

std::vector<std::byte> VulkanKernel::binary() const {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

VulkanKernel::~VulkanKernel() {
  if (!is_inherited()) context->vk.vkDestroyPipeline(context->device, pipeline, nullptr);
}

void VulkanKernel::set_constants(const KernelSource& from, const ShaderInterface& interface) {
  std::vector<SpecConstant> constants = from.constants;
  std::uint32_t size[3] = {interface.group_size.x, interface.group_size.y, interface.group_size.z};
  const std::uint32_t asked[3] = {from.group_size.x, from.group_size.y, from.group_size.z};
  const auto given = [&](std::uint32_t constant_id) {
    return std::find_if(constants.begin(), constants.end(),
                        [&](const SpecConstant& c) { return c.id == constant_id; });
  };
  // A group size left to constants is what they are set to, else what the kernel was asked for.
  for (int d = 0; d < 3; ++d) {
    if (interface.group_size_constants[d] == 0) continue;
    const std::uint32_t constant_id = interface.group_size_constants[d] - 1;
    if (const auto constant = given(constant_id); constant != constants.end())
      size[d] = constant->value;
    else if (from.group_size != unset_dim) {
      size[d] = asked[d];
      constants.push_back({constant_id, asked[d]});
    }
  }
  group_size = Dim3(size[0], size[1], size[2]);
  if (from.group_size != unset_dim && from.group_size != group_size)
    fail(Code::build_failed,
         "Kernel '{}' is asked for groups of {}×{}×{}, but its source fixes {}×{}×{}.", from.name,
         asked[0], asked[1], asked[2], size[0], size[1], size[2]);

  for (const SpecConstant& constant : constants) {
    const auto known = std::find_if(interface.constants.begin(), interface.constants.end(),
                                    [&](const ShaderConstant& c) { return c.id == constant.id; });
    if (known == interface.constants.end()) {
      std::vector<std::uint32_t> ids;
      for (const ShaderConstant& c : interface.constants) ids.push_back(c.id);
      std::sort(ids.begin(), ids.end());
      fail(Code::build_failed, "Kernel '{}' has no constant_id {}; it has {}.", from.name,
           constant.id, ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", ")));
    }
    if (known->size_bytes > sizeof(std::uint32_t))
      fail(Code::build_failed, "Kernel '{}': constant_id {} has {} bits; 32 can be set.", from.name,
           constant.id, known->size_bytes * 8);
    specialisation_.entries.push_back({constant.id,
                                       static_cast<std::uint32_t>(specialisation_.data.size() * 4),
                                       known->size_bytes});
    specialisation_.data.push_back(constant.value);  // little end first: low bytes lead
  }
}

void VulkanKernel::check_limits(const ShaderInterface& interface, const std::string& name) const {
  const VkPhysicalDeviceLimits& limits = context->physical.limits;
  const std::uint32_t buffers = std::min({limits.maxPerStageDescriptorStorageBuffers,
                                          limits.maxDescriptorSetStorageBuffers, max_buffers});
  if (interface.buffers.size() > buffers)
    fail(Code::build_failed, "Kernel '{}' takes {} buffers; '{}' allows {}.", name,
         interface.buffers.size(), context->physical.info.name, buffers);
  const std::uint32_t bytes = std::min(limits.maxPushConstantsSize, max_value_block_bytes);
  if (interface.value_bytes > bytes)
    fail(Code::build_failed, "Kernel '{}' takes {} bytes of push constants; '{}' allows {}.", name,
         interface.value_bytes, context->physical.info.name, bytes);
  const DeviceInfo& info = context->physical.info;
  if (group_size.x == 0 || group_size.y == 0 || group_size.z == 0 ||
      group_size.x > info.max_group_size.x || group_size.y > info.max_group_size.y ||
      group_size.z > info.max_group_size.z || group_size.count() > info.max_group_items)
    fail(Code::build_failed,
         "Kernel '{}' has groups of {}×{}×{} items; '{}' allows up to {}×{}×{} and {} in all.",
         name, group_size.x, group_size.y, group_size.z, info.name, info.max_group_size.x,
         info.max_group_size.y, info.max_group_size.z, info.max_group_items);
}

void VulkanKernel::create_pipeline(const Shader& shader, const std::string& name) {
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = shader.words.size() * sizeof(std::uint32_t);
  module_info.pCode = shader.words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  const VolkDeviceTable& vk = context->vk;
  check(vk.vkCreateShaderModule(context->device, &module_info, nullptr, &module),
        "vkCreateShaderModule");
  VkSpecializationInfo constants{};
  constants.mapEntryCount = static_cast<std::uint32_t>(specialisation_.entries.size());
  constants.pMapEntries = specialisation_.entries.data();
  constants.dataSize = specialisation_.data.size() * sizeof(std::uint32_t);
  constants.pData = specialisation_.data.data();
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = shader.entry.c_str();
  info.stage.pSpecializationInfo = &constants;
  info.layout = layout->pipeline;
  const VkResult result =
      vk.vkCreateComputePipelines(context->device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  vk.vkDestroyShaderModule(context->device, module, nullptr);
  if (result < 0)
    fail(code_of(result) == Code::driver_failed ? Code::build_failed : code_of(result),
         "The driver can't make a pipeline of kernel '{}': vkCreateComputePipelines answered {}.",
         name, name_of(result));
}

}  // namespace reel::vulkan
