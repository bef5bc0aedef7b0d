#include "backends/vulkan/kernels/kernel.hpp"

#include <fmt/ranges.h>
#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/vulkan/device/buffer.hpp"
#include "backends/vulkan/device/loader.hpp"
#include "backends/vulkan/device/result.hpp"
#include "backends/vulkan/kernels/needs.hpp"
#include "backends/vulkan/kernels/sampler_cache.hpp"
#include "base/fail.hpp"
#include "spirv/parameters.hpp"

namespace reel::vulkan {
namespace {

VkDescriptorType type_of(DescriptorKind kind) {
  switch (kind) {
    case DescriptorKind::uniform_buffer:
      return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case DescriptorKind::storage_image:
      return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case DescriptorKind::sampled_image:
      return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case DescriptorKind::sampler:
      return VK_DESCRIPTOR_TYPE_SAMPLER;
    case DescriptorKind::combined_image_sampler:
      return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case DescriptorKind::storage_texel_buffer:
      return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    case DescriptorKind::uniform_texel_buffer:
      return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case DescriptorKind::none:
    case DescriptorKind::storage_buffer:
    case DescriptorKind::push_constants:
    case DescriptorKind::other:
      break;
  }
  return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

VkImageViewType view_of(const spirv::ImageKind& image) {
  switch (image.dimension) {
    case SpvDim1D:
      return image.is_array ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    case SpvDim3D:
      return VK_IMAGE_VIEW_TYPE_3D;
    case SpvDimCube:
      return image.is_array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
    default:
      return image.is_array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  }
}

const char* name_of(VkImageViewType type) {
  constexpr std::array names{"1d", "2d", "3d", "cube", "1d_array", "2d_array", "cube_array"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace

VulkanKernel::VulkanKernel(std::shared_ptr<Context> context_, const KernelSource& from)
    : context(std::move(context_)), is_declared(from.declared_layout) {
  Shader shader = make_shader(from, context->physical.api_version);
  spirv::Interface interface = reflect(shader, from);
  check_needs(*context, interface, from);
  set_constants(from, interface);
  check_limits(interface, from.name);
  reflected = true;
  group_size_fixed = true;
  build_log = shader.log;
  if (is_declared)
    take_as_declared(interface, from);
  else
    take_by_position(interface);
  create_pipeline(shader, from);
  words = std::move(shader.words);
}

void VulkanKernel::take_by_position(spirv::Interface& interface) {
  std::vector<BindingSlot> slots;
  for (spirv::Descriptor& buffer : interface.descriptors) {
    slots.push_back({0, buffer.binding});
    parameters.push_back(
        {std::move(buffer.name), ArgumentKind::buffer, 0, buffer.access, buffer.element});
  }
  for (const spirv::Value& value : interface.values)
    parameters.push_back(
        {value.name, ArgumentKind::value, value.size_bytes, Access::read, value.element});
  parameters_by_kind = true;
  values = std::move(interface.values);
  layout = &context->layouts->get(slots, interface.value_bytes);
}

void VulkanKernel::take_as_declared(const spirv::Interface& interface, const KernelSource& from) {
  checks_arguments = true;
  takes_group_offsets = true;
  follows_addresses = interface.uses_device_addresses;
  parameters = spirv::declared_parameters(interface, from.array_counts);
  std::vector<BindingSlot> slots;
  std::uint32_t next = 0;  // of the descriptors
  for (const spirv::Descriptor& descriptor : interface.descriptors) {
    if (!descriptor.is_used) continue;
    if (descriptor.kind == DescriptorKind::other)
      fail(Code::unsupported,
           "Kernel '{}' has '{}' at set {}, binding {}, which is no buffer, image or sampler.",
           from.name, descriptor.name, descriptor.set, descriptor.binding);
    if (descriptor.set >= context->physical.limits.maxBoundDescriptorSets)
      fail(Code::build_failed, "Kernel '{}' has '{}' in set {}; '{}' has {} sets.", from.name,
           descriptor.name, descriptor.set, context->physical.info.name,
           context->physical.limits.maxBoundDescriptorSets);
    const std::uint32_t count = spirv::count_of(descriptor, from.array_counts);
    if (count == 0) continue;
    slots.push_back({descriptor.set, descriptor.binding, count, type_of(descriptor.kind)});
    for (std::uint32_t i = 0; i < count; ++i, ++next) {
      const Place place{next, slots.back().type, view_of(descriptor.image)};
      places.push_back(place);
      if (descriptor.kind == DescriptorKind::combined_image_sampler) places.push_back(place);
    }
  }
  const bool has_block = interface.values_are_used && interface.value_bytes;
  if (has_block) places.emplace_back();
  layout = &context->layouts->get(slots, has_block ? interface.value_bytes : 0);
}

std::vector<std::byte> VulkanKernel::binary() const {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

VulkanKernel::~VulkanKernel() {
  if (!is_inherited()) context->vk.vkDestroyPipeline(context->device, pipeline, nullptr);
}

void VulkanKernel::check_arguments(const Dispatch& dispatch) const {
  for (std::size_t i = 0; i < dispatch.arguments.size() && i < places.size(); ++i)
    check_argument(dispatch.arguments[i], parameters[i], places[i], i);
}

void VulkanKernel::check_argument(const Argument& argument, const Parameter& parameter,
                                  const Place& place, std::size_t index) const {
  const VkPhysicalDeviceLimits& limits = context->physical.limits;
  const std::string& device_name = context->physical.info.name;
  const auto refuse = [&](const std::string& why) {
    fail(Code::unsupported, "Argument {} ({}) of kernel '{}' {}.", index, parameter.name,
         source.name, why);
  };
  if (argument.kind == ArgumentKind::null && !context->features.robustness2.nullDescriptor &&
      parameter.kind != ArgumentKind::buffer && parameter.kind != ArgumentKind::sampler)
    refuse(fmt::format("is nothing, and '{}' binds no empty {}", device_name,
                       to_string(parameter.descriptor)));
  if (argument.kind == ArgumentKind::buffer && place.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER) {
    if (argument.range.offset_bytes % limits.minUniformBufferOffsetAlignment)
      refuse(fmt::format("is a uniform buffer at offset {}; '{}' needs a multiple of {}",
                         argument.range.offset_bytes, device_name,
                         limits.minUniformBufferOffsetAlignment));
    if (argument.range.size_bytes > limits.maxUniformBufferRange)
      refuse(fmt::format("is a uniform buffer of {} bytes; '{}' allows {}",
                         argument.range.size_bytes, device_name, limits.maxUniformBufferRange));
  }
  if (argument.kind == ArgumentKind::value && place.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER &&
      argument.value_bytes > limits.maxUniformBufferRange)
    refuse(fmt::format("is a uniform buffer of {} bytes; '{}' allows {}", argument.value_bytes,
                       device_name, limits.maxUniformBufferRange));
  if (argument.kind == ArgumentKind::sampler) context->samplers->get(argument.value());
  if (argument.kind != ArgumentKind::image) return;
  const VulkanBuffer& buffer = buffer_of(argument.range);
  const bool wants_texels = place.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER ||
                            place.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  if (wants_texels != !buffer.picture)
    refuse(fmt::format("is a {}, which image '{}' ({}) is not", to_string(parameter.descriptor),
                       buffer.label, to_string(buffer.image->type)));
  if (!buffer.picture) return;
  if (!buffer.views->can_be(place.type))
    refuse(fmt::format("is a {}, which '{}' can't make of {}", to_string(parameter.descriptor),
                       device_name, format_name(*buffer.image)));
  if (!buffer.views->can_show(place.view))
    refuse(fmt::format("is a {} image in the shader, which image '{}' ({}, {}) is not",
                       name_of(place.view), buffer.label, to_string(buffer.image->type),
                       extent_text(*buffer.image)));
}

void VulkanKernel::set_constants(const KernelSource& from, const spirv::Interface& interface) {
  std::vector<SpecConstant> constants = from.constants;
  // What reflection found is with the constants given.
  std::uint32_t size[3] = {interface.group_size.x, interface.group_size.y, interface.group_size.z};
  const std::uint32_t asked[3] = {from.group_size.x, from.group_size.y, from.group_size.z};
  // A group size left to constants is what they are set to, else what the kernel was asked for.
  for (std::size_t d = 0; d < 3; ++d) {
    const auto number = interface.group_size_constants[d];
    if (!number || from.group_size == unset_dim ||
        std::ranges::any_of(constants, [&](const SpecConstant& c) { return c.id == *number; }))
      continue;
    size[d] = asked[d];
    constants.push_back({*number, asked[d]});
  }
  group_size = Dim3(size[0], size[1], size[2]);
  if (from.group_size != unset_dim && from.group_size != group_size)
    fail(Code::build_failed,
         "Kernel '{}' is asked for groups of {}×{}×{}, but its source fixes {}×{}×{}.", from.name,
         asked[0], asked[1], asked[2], size[0], size[1], size[2]);

  for (const SpecConstant& constant : constants) {
    const auto known = std::ranges::find(interface.constants, constant.id, &spirv::Constant::id);
    if (known == interface.constants.end()) {
      // A program may give more than its shader has; documents keep what it
      // gave.
      if (from.declared_layout) continue;
      std::vector<std::uint32_t> ids;
      for (const spirv::Constant& c : interface.constants) ids.push_back(c.id);
      fail(Code::build_failed, "Kernel '{}' has no constant_id {}; it has {}.", from.name,
           constant.id, ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", ")));
    }
    if (known->size_bytes > sizeof constant.value ||
        (known->size_bytes < sizeof constant.value && constant.value >> (8 * known->size_bytes)))
      fail(Code::build_failed, "Kernel '{}': constant_id {} has {} bits, which {:#x} does not fit.",
           from.name, constant.id, known->size_bytes * 8, constant.value);
    auto& data = specialisation_.data;
    specialisation_.entries.push_back(
        {constant.id, static_cast<std::uint32_t>(data.size()), known->size_bytes});
    data.resize(data.size() + sizeof constant.value);
    // Little end first: low bytes lead.
    std::memcpy(data.data() + data.size() - sizeof constant.value, &constant.value,
                sizeof constant.value);
  }
}

void VulkanKernel::check_limits(const spirv::Interface& interface, const std::string& name) const {
  const VkPhysicalDeviceLimits& limits = context->physical.limits;
  std::uint32_t most =
      std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers);
  if (!is_declared) most = std::min(most, max_buffers);
  const auto buffers = std::ranges::count(interface.descriptors, DescriptorKind::storage_buffer,
                                          &spirv::Descriptor::kind);
  if (buffers > most)
    fail(Code::build_failed, "Kernel '{}' takes {} buffers; '{}' allows {}.", name, buffers,
         context->physical.info.name, most);
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

void VulkanKernel::create_pipeline(const Shader& shader, const KernelSource& from) {
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
  constants.dataSize = specialisation_.data.size();
  constants.pData = specialisation_.data.data();
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  if (takes_group_offsets) info.flags |= VK_PIPELINE_CREATE_DISPATCH_BASE;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = shader.entry.c_str();
  info.stage.pSpecializationInfo = &constants;
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  subgroup.requiredSubgroupSize = from.subgroup_size;
  if (from.subgroup_size) info.stage.pNext = &subgroup;
  if (from.full_subgroups)
    info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  info.layout = layout->pipeline;
  const VkResult result =
      vk.vkCreateComputePipelines(context->device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  vk.vkDestroyShaderModule(context->device, module, nullptr);
  if (result < 0)
    fail(code_of(result) == Code::driver_failed ? Code::build_failed : code_of(result),
         "The driver can't make a pipeline of kernel '{}': vkCreateComputePipelines answered {}.",
         from.name, vulkan::name_of(result));
}

}  // namespace reel::vulkan
