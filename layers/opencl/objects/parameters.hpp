// parameters.hpp - what a kernel takes: as the driver tells, or else as its source does.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "layers/opencl/objects/objects.hpp"
#include "reel/parameter.hpp"

namespace reel::layer {

// Once a kernel; `reflected` tells whether anything could be learned.
void reflect(Kernel& kernel);

// The parameters of `kernel` as its definition in OpenCL C says, without running the preprocessor.
// None where that isn't certain: conditions, macros, several definitions, included files, names of
// types that may stand for a pointer (base/opencl_source.hpp).
std::optional<std::vector<Parameter>> parameters_in_source(std::string_view source,
                                                           std::string_view options,
                                                           std::string_view kernel);

}  // namespace reel::layer
