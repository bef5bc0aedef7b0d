// reflection.hpp - what a built kernel takes, as clGetKernelArgInfo tells.
#pragma once

#include "backends/opencl/device/api.hpp"
#include "graph/commands/resource.hpp"

namespace reel::opencl {

// Fills parameters, reflected, group_size, group_size_fixed and max_group_items.
void reflect(cl_kernel kernel, cl_device_id device, const KernelSource& source,
             KernelResource& result);

}  // namespace reel::opencl
