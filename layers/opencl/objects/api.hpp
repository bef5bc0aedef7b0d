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

#include "opencl/driver_words.hpp"

namespace reel::layer {

extern const cl_icd_dispatch* next_table;
inline const cl_icd_dispatch& next() noexcept { return *next_table; }

using opencl::ask;
using opencl::ask_list;
using opencl::ask_text;
using opencl::status_name;

// Whether the driver of a handle has a function at all. The loader jumps wherever the driver's
// table points, and one of OpenCL 1.0 has nothing where later functions stand. Every handle begins
// with the table of its driver.
template <class F>
bool driver_has(const void* handle, F cl_icd_dispatch::*function) noexcept {
  const auto* table = *static_cast<const cl_icd_dispatch* const*>(handle);
  return table && table->*function != nullptr;
}

}  // namespace reel::layer
