#include "document/trace/kernel_source.hpp"

#include <cstring>

#include "base/fail.hpp"

namespace reel::document {

KernelSource kernel_source(const Trace& trace, const TraceKernel& kernel) {
  KernelSource source{.name = kernel.name};
  source.entry = kernel.entry;
  for (const auto& [name, value] : kernel.defines) source.defines.push_back({name, value});
  for (const auto& [id, value] : kernel.constants) source.constants.push_back({id, value});
  source.options = kernel.options;
  source.group_size = kernel.group_size;
  source.declared_layout = kernel.declared_layout;
  source.array_counts = kernel.array_counts;
  source.subgroup_size = kernel.subgroup_size;
  source.full_subgroups = kernel.full_subgroups;
  for (const TraceVariant& variant : kernel.variants) {
    if (variant.form == KernelForm::host) source.host = find_host_kernel(kernel.name);
    if (variant.form == KernelForm::opencl_builtin) source.opencl_builtin = true;
    if (!variant.blob || !trace.has_blob(*variant.blob)) continue;
    const auto bytes = trace.blob(*variant.blob);
    if (!bytes)
      fail(Code::damaged_document, "The {} of kernel {} '{}' in '{}' is damaged.",
           to_string(variant.form), name_of(kernel.id), kernel.name, trace.path());
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    switch (variant.form) {
      case KernelForm::opencl_c:
        source.opencl_c = text;
        break;
      case KernelForm::glsl:
        source.glsl = text;
        break;
      case KernelForm::spirv:
        if (bytes->size() % sizeof(std::uint32_t) != 0)
          fail(Code::damaged_document, "The spirv of kernel '{}' has {} bytes, no whole words.",
               kernel.name, bytes->size());
        source.spirv.resize(bytes->size() / sizeof(std::uint32_t));
        std::memcpy(source.spirv.data(), bytes->data(), bytes->size());
        break;
      case KernelForm::opencl_binary:
        source.opencl_binary = *bytes;
        break;
      case KernelForm::opencl_il:
        source.opencl_il = *bytes;
        break;
      case KernelForm::opencl_parts:
        source.opencl_parts = text;
        break;
      case KernelForm::opencl_builtin:
      case KernelForm::host:
      case KernelForm::none:
        break;
    }
  }
  return source;
}

}  // namespace reel::document
