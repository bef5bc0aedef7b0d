// platform.hpp - which OpenCL devices there are, and what each can do.
#pragma once

#include <string>
#include <vector>

#include "backends/opencl/device/api.hpp"
#include "reel/device.hpp"

namespace reel::opencl {

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;  // null where something stands in the way: see info.unavailable
  DeviceInfo info;
};

// All devices of all platforms, numbered through; never empty: with no device there is one entry
// that says why.
std::vector<FoundDevice> find_devices();

// An info that is a string; empty when the driver has none.
std::string device_string(cl_device_id device, cl_device_info what);
// An info that is a number or a fixed struct; zero when the driver has none.
template <class T>
T device_value(cl_device_id device, cl_device_info what) {
  return ask<T>(api().get_device_info, device, what);
}

}  // namespace reel::opencl
