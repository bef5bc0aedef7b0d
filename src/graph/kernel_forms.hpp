// kernel_forms.hpp - in which forms a kernel's source is given, by the names that devices use.
#pragma once

#include <string>
#include <vector>

#include "reel/kernel.hpp"

namespace reel {

inline std::vector<std::string> forms_given(const KernelSource& source) {
  std::vector<std::string> forms;
  if (!source.opencl_c.empty()) forms.emplace_back("opencl_c");
  if (!source.glsl.empty()) forms.emplace_back("glsl");
  if (!source.spirv.empty()) forms.emplace_back("spirv");
  if (!source.opencl_binary.empty()) forms.emplace_back("opencl_binary");
  if (!source.opencl_il.empty()) forms.emplace_back("opencl_il");
  if (!source.opencl_parts.empty()) forms.emplace_back("opencl_parts");
  if (source.opencl_builtin) forms.emplace_back("opencl_builtin");
  if (source.host) forms.emplace_back("host");
  return forms;
}

}  // namespace reel
