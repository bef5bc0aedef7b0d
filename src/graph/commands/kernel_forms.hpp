// kernel_forms.hpp - in which forms a kernel's source is given.
#pragma once

#include <algorithm>
#include <vector>

#include "reel/kernel.hpp"

namespace reel {

inline std::vector<KernelForm> forms_given(const KernelSource& source) {
  std::vector<KernelForm> forms;
  if (!source.opencl_c.empty()) forms.push_back(KernelForm::opencl_c);
  if (!source.glsl.empty()) forms.push_back(KernelForm::glsl);
  if (!source.spirv.empty()) forms.push_back(KernelForm::spirv);
  if (!source.opencl_binary.empty()) forms.push_back(KernelForm::opencl_binary);
  if (!source.opencl_il.empty()) forms.push_back(KernelForm::opencl_il);
  if (!source.opencl_parts.empty()) forms.push_back(KernelForm::opencl_parts);
  if (source.opencl_builtin) forms.push_back(KernelForm::opencl_builtin);
  if (source.host) forms.push_back(KernelForm::host);
  return forms;
}

// The first that the device takes is the one it builds; none where it takes none of them.
inline KernelForm built_form(const KernelSource& source, const std::vector<KernelForm>& taken) {
  const std::vector<KernelForm> given = forms_given(source);
  const auto built = std::find_first_of(taken.begin(), taken.end(), given.begin(), given.end());
  return built == taken.end() ? KernelForm::none : *built;
}

}  // namespace reel
