// shader_reflection.cpp - what a shader takes, and whether a kernel can be
// given it.
#include "backends/vulkan/kernels/shader.hpp"
#include "base/fail.hpp"

namespace reel::vulkan {
namespace {

// Buffers in argument order and values in argument order: nothing else has a
// place among them.
void check_positions(const spirv::Interface& interface, const std::string& kernel) {
  for (const spirv::Descriptor& descriptor : interface.descriptors) {
    if (descriptor.kind != DescriptorKind::storage_buffer)
      fail(Code::build_failed,
           "Kernel '{}' takes {} '{}'; only storage buffers (set 0) and one push_constant block "
           "can be given to it, unless it is built with a declared layout "
           "(KernelSource::declared_layout).",
           kernel, to_string(descriptor.kind), descriptor.name);
    if (descriptor.set != 0)
      fail(Code::build_failed,
           "Kernel '{}' has buffer '{}' in set {}; it must be in set 0, unless it is built with a "
           "declared layout.",
           kernel, descriptor.name, descriptor.set);
    if (descriptor.is_array)
      fail(Code::build_failed,
           "Kernel '{}' has '{}', an array of buffers; each buffer needs a binding of its own, "
           "unless it is built with a declared layout.",
           kernel, descriptor.name);
  }
}

}  // namespace

spirv::Interface reflect(const Shader& shader, const KernelSource& source) {
  try {
    spirv::Interface interface =
        spirv::interface_of(shader.words_to_reflect, shader.entry, source.constants);
    if (!source.declared_layout) check_positions(interface, source.name);
    return interface;
  } catch (const Error& error) {
    const std::string_view words = error.what();
    if (words.starts_with("Kernel ")) throw;
    fail(error.code(), "Kernel '{}' has {}.", source.name, words);
  }
}

}  // namespace reel::vulkan
