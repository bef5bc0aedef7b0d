#include "layers/opencl/objects/device_row.hpp"

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

}  // namespace

std::vector<cl_device_id> devices_of(cl_context context) {
  if (!context || !driver_has(context, &cl_icd_dispatch::clGetContextInfo)) return {};
  return ask_list<cl_device_id>(next().clGetContextInfo, context, CL_CONTEXT_DEVICES);
}

document::DeviceRow device_row(cl_device_id device, std::uint32_t id) {
  opencl::DeviceWords words =
      opencl::describe_device(next().clGetDeviceInfo, next().clGetPlatformInfo, device);
  return {id,
          selector_of(device),
          "opencl",
          std::move(words.name),
          std::move(words.type),
          std::move(words.driver),
          std::move(words.driver_version),
          std::move(words.api_version),
          words.memory_bytes,
          words.compute_units,
          words.can_stamp_time,
          words.stamp_resolution_ns};
}

}  // namespace reel::layer
