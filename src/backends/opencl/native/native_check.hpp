// native_check.hpp - may this plan be replayed natively, and with which functions?
//
// A kernel is trusted once it has run both ways in some plan with equal bytes: by plain enqueues
// and natively, each on copies of what the plan may write. Buffers that no kernel can write
// (const in its source) are read where they are. Later plans of trusted kernels cost nothing.
#pragma once

#include <memory>
#include <string>

#include "backends/opencl/native/native_program.hpp"

namespace reel::opencl {

struct NativeCheck {
  std::shared_ptr<const NativeProgram::Functions> functions;  // null: not natively
  std::string why_not;
};

// One thread at a time per device.
NativeCheck check_native(const std::shared_ptr<DeviceContext>& context,
                         const std::shared_ptr<const Plan>& plan);

}  // namespace reel::opencl
