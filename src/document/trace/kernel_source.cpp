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
  for (const TraceVariant& variant : kernel.variants) {
    if (variant.form == "host") source.host = find_host_kernel(kernel.name);
    if (variant.form == "opencl_builtin") source.opencl_builtin = true;
    if (!variant.blob || !trace.has_blob(*variant.blob)) continue;
    const auto text = trace.blob(*variant.blob);
    if (!text)
      fail(Code::damaged_document, "The {} of kernel {} '{}' in '{}' is damaged.", variant.form,
           name_of(kernel.id), kernel.name, trace.path());
    if (variant.form == "spirv") {
      if (text->size() % sizeof(std::uint32_t) != 0)
        fail(Code::damaged_document, "The spirv of kernel '{}' has {} bytes, no whole words.",
             kernel.name, text->size());
      source.spirv.resize(text->size() / sizeof(std::uint32_t));
      std::memcpy(source.spirv.data(), text->data(), text->size());
    } else if (variant.form == "opencl_binary") {
      source.opencl_binary = *text;
    } else if (variant.form == "opencl_il") {
      source.opencl_il = *text;
    } else if (variant.form == "glsl" || variant.form == "opencl_c" ||
               variant.form == "opencl_parts") {
      std::string& form = variant.form == "glsl"       ? source.glsl
                          : variant.form == "opencl_c" ? source.opencl_c
                                                       : source.opencl_parts;
      form.assign(reinterpret_cast<const char*>(text->data()), text->size());
    }
  }
  return source;
}

}  // namespace reel::document
