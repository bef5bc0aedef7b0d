// backends.hpp - every way to reach a device.
#pragma once

#include "runtime/backend_list.hpp"

namespace reel {

extern const Backend host_backend;
extern const Backend opencl_backend;
extern const Backend vulkan_backend;

}  // namespace reel
