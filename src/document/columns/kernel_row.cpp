#include "document/columns/kernel_row.hpp"

#include <span>

#include "base/bytes/hash128.hpp"

namespace reel::document {

namespace {

template <class Range>
std::vector<std::byte> bytes_of(const Range& text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

KernelRow kernel_row(const KernelResource& kernel, std::uint32_t device, KernelForm built_form) {
  const KernelSource& source = kernel.source;
  KernelRow row{};
  row.id = static_cast<std::uint32_t>(kernel.id);
  row.device = device;
  row.name = source.name;
  row.entry = source.entry;
  row.built_form = built_form;
  if (!source.opencl_c.empty())
    row.variants.push_back({KernelForm::opencl_c, bytes_of(source.opencl_c)});
  if (!source.glsl.empty()) row.variants.push_back({KernelForm::glsl, bytes_of(source.glsl)});
  if (!source.spirv.empty()) row.variants.push_back({KernelForm::spirv, bytes_of(source.spirv)});
  if (!source.opencl_binary.empty())
    row.variants.push_back({KernelForm::opencl_binary, source.opencl_binary});
  if (!source.opencl_il.empty()) row.variants.push_back({KernelForm::opencl_il, source.opencl_il});
  if (!source.opencl_parts.empty())
    row.variants.push_back({KernelForm::opencl_parts, bytes_of(source.opencl_parts)});
  if (source.opencl_builtin) row.variants.push_back({KernelForm::opencl_builtin, {}});
  if (source.host) row.variants.push_back({KernelForm::host, {}});
  for (const Define& define : source.defines) row.defines.emplace_back(define.name, define.value);
  for (const SpecConstant& constant : source.constants)
    row.constants.emplace_back(constant.id, constant.value);
  row.options = source.options;
  row.group_size = kernel.group_size;
  row.parameters = kernel.parameters;
  row.build_log = kernel.build_log;
  if (const auto binary = kernel.binary(); !binary.empty())
    row.binary_hash = to_hex(hash128(binary));
  row.declared_layout = source.declared_layout;
  row.array_counts = source.array_counts;
  row.subgroup_size = source.subgroup_size;
  row.full_subgroups = source.full_subgroups;
  return row;
}

}  // namespace reel::document
