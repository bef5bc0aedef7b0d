#include "spirv/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.hpp"

namespace reel::spirv {
namespace {

ArgumentKind kind_of(DescriptorKind descriptor) {
  switch (descriptor) {
    case DescriptorKind::storage_buffer:
    case DescriptorKind::uniform_buffer:
      return ArgumentKind::buffer;
    case DescriptorKind::storage_image:
    case DescriptorKind::sampled_image:
    case DescriptorKind::combined_image_sampler:
    case DescriptorKind::storage_texel_buffer:
    case DescriptorKind::uniform_texel_buffer:
      return ArgumentKind::image;
    case DescriptorKind::sampler:
      return ArgumentKind::sampler;
    case DescriptorKind::push_constants:
      return ArgumentKind::value;
    case DescriptorKind::none:
    case DescriptorKind::other:
      break;
  }
  return ArgumentKind::opaque;
}

}  // namespace

std::uint32_t count_of(const Descriptor& descriptor, std::span<const DescriptorCount> counts) {
  if (descriptor.count) return descriptor.count;
  for (const DescriptorCount& given : counts)
    if (given.set == descriptor.set && given.binding == descriptor.binding) return given.count;
  return 1;
}

std::vector<Parameter> declared_parameters(const Interface& interface,
                                           std::span<const DescriptorCount> counts) {
  std::vector<Parameter> parameters;
  for (const Descriptor& descriptor : interface.descriptors) {
    if (!descriptor.is_used) continue;
    const std::uint32_t count = count_of(descriptor, counts);
    if (count > most_parameters || parameters.size() + count > most_parameters)
      fail(Code::unsupported, "'{}' is an array of {} descriptors; {} can be given to one kernel",
           descriptor.name, count, most_parameters);
    for (std::uint32_t element = 0; element < count; ++element) {
      Parameter parameter{descriptor.name, kind_of(descriptor.kind), 0, descriptor.access,
                          descriptor.element};
      if (descriptor.is_array) parameter.name += fmt::format("[{}]", element);
      parameter.descriptor = descriptor.kind;
      parameter.set = descriptor.set;
      parameter.binding = descriptor.binding;
      parameter.array_element = element;
      parameters.push_back(parameter);
      if (descriptor.kind != DescriptorKind::combined_image_sampler) continue;
      parameter.kind = ArgumentKind::sampler;
      parameter.access = Access::read;
      parameter.name += ".sampler";
      parameters.push_back(std::move(parameter));
    }
  }
  if (interface.value_bytes && interface.values_are_used) {
    Parameter block{"push_constants", ArgumentKind::value, interface.value_bytes, Access::read};
    // Numbers of one type are shown as such.
    const auto& values = interface.values;
    const auto is_same = [&](const Value& v) { return v.element == values[0].element; };
    if (!values.empty() && std::ranges::all_of(values, is_same)) block.element = values[0].element;
    if (values.size() == 1 && !values[0].name.empty()) block.name = values[0].name;
    block.descriptor = DescriptorKind::push_constants;
    parameters.push_back(std::move(block));
  }
  return parameters;
}

}  // namespace reel::spirv
