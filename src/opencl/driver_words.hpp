// driver_words.hpp - what OpenCL drivers answer, in our words: for the backend and for the layer.
//
// Each has a table of the driver's functions of its own, so these are given with every question.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reel/parameter.hpp"

namespace reel::opencl {

// Answers of clGet…Info functions; T{} or empty where the driver has none.
template <class T, class Get, class Handle, class What>
T ask(Get get, Handle handle, What what) noexcept {
  T value{};
  if (!get || get(handle, what, sizeof value, &value, nullptr) != CL_SUCCESS) return T{};
  return value;
}

template <class T, class Get, class Handle, class What>
std::vector<T> ask_list(Get get, Handle handle, What what) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26;  // no honest answer is larger
  std::size_t size = 0;
  if (!get || get(handle, what, 0, nullptr, &size) != CL_SUCCESS || size > most_bytes) return {};
  std::vector<T> list(size / sizeof(T));
  if (list.empty() ||
      get(handle, what, list.size() * sizeof(T), list.data(), nullptr) != CL_SUCCESS)
    return {};
  return list;
}

template <class Get, class Handle, class What>
std::string ask_text(Get get, Handle handle, What what) {
  std::vector<char> text = ask_list<char>(get, handle, what);
  text.push_back('\0');
  return text.data();
}

struct DeviceWords {
  std::string name;
  std::string type;  // "cpu", "integrated gpu", "discrete gpu", "accelerator", "other"
  std::string driver, driver_version;  // the platform's name, and the driver's version
  std::string api_version;             // "OpenCL 3.0"
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_units = 0;
  bool can_stamp_time = false;
  double stamp_resolution_ns = 0;
};
DeviceWords describe_device(decltype(&::clGetDeviceInfo) get_device_info,
                            decltype(&::clGetPlatformInfo) get_platform_info, cl_device_id device);

// What a kernel takes at `index`; false where the driver doesn't tell. A name may be missing.
bool describe_parameter(decltype(&::clGetKernelArgInfo) get_kernel_arg_info, cl_kernel kernel,
                        cl_uint index, Parameter& parameter);

const char* status_name(cl_int status) noexcept;  // "CL_INVALID_VALUE"

}  // namespace reel::opencl
