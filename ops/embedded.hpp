// embedded.hpp - the files of kernels/, in the program. Generated from them when building.
#pragma once

#include <string_view>

namespace reel::ops {

struct EmbeddedKernel {
  std::string_view name, opencl_c, glsl;
};
// By the name of the file; throws invalid_argument for a name that isn't there.
const EmbeddedKernel& embedded_kernel(std::string_view name);

}  // namespace reel::ops
