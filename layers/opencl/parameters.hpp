// parameters.hpp - what a kernel takes: as the driver tells, or else as its source does.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "layers/opencl/objects.hpp"
#include "reel/parameter.hpp"

namespace reel::layer {

// Once a kernel; `reflected` tells whether anything could be learned.
void reflect(Kernel& kernel);

// The parameters in the definition of `kernel` in OpenCL C, without running the preprocessor.
// None where it can't be found, or is made by macros.
std::optional<std::vector<Parameter>> parameters_in_source(std::string_view source,
                                                           std::string_view kernel);

}  // namespace reel::layer
