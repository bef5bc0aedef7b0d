// kernel_row.hpp - what a document tells of a kernel: its program in the form that was given, how
// it was built, what it takes.
#pragma once

#include <cstdint>

#include "document/columns/rows.hpp"
#include "layers/opencl/objects/objects.hpp"

namespace reel::layer {

document::KernelRow kernel_row(Kernel& kernel, cl_device_id device, std::uint32_t device_number);

}  // namespace reel::layer
