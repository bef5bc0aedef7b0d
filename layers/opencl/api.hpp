// api.hpp - OpenCL as the loader hands it to a layer.
//
// next() is the loader's table of what comes after us; it is kept by pointer, since the loader may
// fill it later. Hooks are collected in one table of the same type (hooks.hpp).
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_layer.h>

#include <string>
#include <vector>

namespace reel::layer {

extern const cl_icd_dispatch* next_table;
inline const cl_icd_dispatch& next() noexcept { return *next_table; }

// Answers of the driver's clGet…Info functions; T{} or empty where it has none.
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

// Whether the driver of a handle has a function at all. The loader jumps wherever the driver's
// table points, and one of OpenCL 1.0 has nothing where later functions stand. Every handle begins
// with the table of its driver.
template <class F>
bool driver_has(const void* handle, F cl_icd_dispatch::*function) noexcept {
  const auto* table = *static_cast<const cl_icd_dispatch* const*>(handle);
  return table && table->*function != nullptr;
}

const char* status_name(cl_int status) noexcept;  // "CL_INVALID_VALUE"

}  // namespace reel::layer
