#include "layers/opencl/device_row.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reel::layer {

namespace {

cl_device_id root_of(cl_device_id device) {
  for (int depth = 0; depth < 16; ++depth) {
    const auto parent = ask<cl_device_id>(next().clGetDeviceInfo, device, CL_DEVICE_PARENT_DEVICE);
    if (!parent) break;
    device = parent;
  }
  return device;
}

// "opencl:1": its number among the devices of all platforms, as `reel devices` counts them.
std::string selector_of(cl_device_id device) {
  device = root_of(device);
  cl_uint count = 0;
  if (next().clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count > 64) return "opencl";
  std::vector<cl_platform_id> platforms(count);
  if (next().clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return "opencl";
  std::size_t number = 0;
  for (const cl_platform_id platform : platforms) {
    cl_uint devices = 0;
    if (next().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS ||
        devices > 256)
      continue;
    std::vector<cl_device_id> all(devices);
    if (next().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices, all.data(), nullptr) !=
        CL_SUCCESS)
      continue;
    const auto it = std::find(all.begin(), all.end(), device);
    if (it != all.end())
      return fmt::format("opencl:{}", number + static_cast<std::size_t>(it - all.begin()));
    number += devices;
  }
  return "opencl";
}

std::string type_of(cl_device_id device) {
  const auto type = ask<cl_device_type>(next().clGetDeviceInfo, device, CL_DEVICE_TYPE);
  if (type & CL_DEVICE_TYPE_GPU) return "gpu";
  if (type & CL_DEVICE_TYPE_CPU) return "cpu";
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return "accelerator";
  return "other";
}

}  // namespace

std::vector<cl_device_id> devices_of(cl_context context) {
  if (!context || !driver_has(context, &cl_icd_dispatch::clGetContextInfo)) return {};
  return ask_list<cl_device_id>(next().clGetContextInfo, context, CL_CONTEXT_DEVICES);
}

document::DeviceRow device_row(cl_device_id device, std::uint32_t id) {
  const auto get = next().clGetDeviceInfo;
  const auto platform = ask<cl_platform_id>(get, device, CL_DEVICE_PLATFORM);
  const auto properties = ask<cl_command_queue_properties>(get, device, CL_DEVICE_QUEUE_PROPERTIES);
  std::string version = ask_text(get, device, CL_DEVICE_VERSION);
  // "OpenCL 3.0 PoCL …": the rest is the driver's own.
  const auto second = version.find(' ', version.find(' ') + 1);
  if (second != std::string::npos) version.resize(second);
  return {id,
          selector_of(device),
          "opencl",
          ask_text(get, device, CL_DEVICE_NAME),
          type_of(device),
          ask_text(next().clGetPlatformInfo, platform, CL_PLATFORM_NAME),
          ask_text(get, device, CL_DRIVER_VERSION),
          version,
          ask<cl_ulong>(get, device, CL_DEVICE_GLOBAL_MEM_SIZE),
          ask<cl_uint>(get, device, CL_DEVICE_MAX_COMPUTE_UNITS),
          (properties & CL_QUEUE_PROFILING_ENABLE) != 0,
          static_cast<double>(ask<std::size_t>(get, device, CL_DEVICE_PROFILING_TIMER_RESOLUTION))};
}

}  // namespace reel::layer
