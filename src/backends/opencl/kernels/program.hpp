// program.hpp - a cl_program from whatever form a kernel's source is given in.
#pragma once

#include <string>

#include "backends/opencl/device/context.hpp"
#include "reel/kernel.hpp"

namespace reel::opencl {

// Shared by its kernels.
struct BuiltProgram {
  ProgramHandle handle;
  std::string log;
};

// Built for the device of `context`; `log` is what the compiler said. Throws build_failed, naming
// the form and the driver's answer.
ProgramHandle build_program(const DeviceContext& context, const KernelSource& source,
                            std::string& log);

}  // namespace reel::opencl
