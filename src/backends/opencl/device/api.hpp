// api.hpp - the OpenCL functions we call, found in the driver's library at run time.
//
// One struct of function pointers for the life of the process: the library is never unloaded,
// since drivers start threads that outlive any handle. Reading it is safe from any thread.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // clCreateCommandQueue: the one that 1.2 drivers have
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>
#include <utility>

#include "opencl/driver_words.hpp"

namespace reel::opencl {

struct Api {
  decltype(&::clGetPlatformIDs) get_platform_ids;
  decltype(&::clGetPlatformInfo) get_platform_info;
  decltype(&::clGetDeviceIDs) get_device_ids;
  decltype(&::clGetDeviceInfo) get_device_info;
  decltype(&::clCreateContext) create_context;
  decltype(&::clReleaseContext) release_context;
  decltype(&::clCreateCommandQueue) create_command_queue;
  decltype(&::clReleaseCommandQueue) release_command_queue;
  decltype(&::clFlush) flush;
  decltype(&::clFinish) finish;

  decltype(&::clCreateBuffer) create_buffer;
  decltype(&::clCreateSubBuffer) create_sub_buffer;
  decltype(&::clRetainMemObject) retain_mem_object;
  decltype(&::clReleaseMemObject) release_mem_object;
  decltype(&::clSetMemObjectDestructorCallback) set_mem_object_destructor_callback;

  decltype(&::clCreateImage) create_image;
  decltype(&::clCreateSampler) create_sampler;
  decltype(&::clReleaseSampler) release_sampler;

  decltype(&::clCreateProgramWithSource) create_program_with_source;
  decltype(&::clCreateProgramWithBinary) create_program_with_binary;
  decltype(&::clCreateProgramWithBuiltInKernels) create_program_with_built_in_kernels;
  decltype(&::clCompileProgram) compile_program;
  decltype(&::clLinkProgram) link_program;
  decltype(&::clBuildProgram) build_program;
  decltype(&::clGetProgramInfo) get_program_info;
  decltype(&::clGetProgramBuildInfo) get_program_build_info;
  decltype(&::clReleaseProgram) release_program;
  decltype(&::clCreateKernel) create_kernel;
  decltype(&::clReleaseKernel) release_kernel;
  decltype(&::clSetKernelArg) set_kernel_arg;
  decltype(&::clGetKernelInfo) get_kernel_info;
  decltype(&::clGetKernelArgInfo) get_kernel_arg_info;
  decltype(&::clGetKernelWorkGroupInfo) get_kernel_work_group_info;

  decltype(&::clEnqueueNDRangeKernel) enqueue_nd_range_kernel;
  decltype(&::clEnqueueNativeKernel) enqueue_native_kernel;
  decltype(&::clEnqueueCopyBuffer) enqueue_copy_buffer;
  decltype(&::clEnqueueFillBuffer) enqueue_fill_buffer;
  decltype(&::clEnqueueWriteBuffer) enqueue_write_buffer;
  decltype(&::clEnqueueReadBuffer) enqueue_read_buffer;
  decltype(&::clEnqueueReadImage) enqueue_read_image;
  decltype(&::clEnqueueWriteImage) enqueue_write_image;
  decltype(&::clEnqueueCopyImageToBuffer) enqueue_copy_image_to_buffer;
  decltype(&::clEnqueueCopyBufferToImage) enqueue_copy_buffer_to_image;
  decltype(&::clEnqueueMarkerWithWaitList) enqueue_marker;
  decltype(&::clEnqueueBarrierWithWaitList) enqueue_barrier;

  decltype(&::clCreateUserEvent) create_user_event;
  decltype(&::clSetUserEventStatus) set_user_event_status;
  decltype(&::clSetEventCallback) set_event_callback;
  decltype(&::clGetEventInfo) get_event_info;
  decltype(&::clGetEventProfilingInfo) get_event_profiling_info;
  decltype(&::clWaitForEvents) wait_for_events;
  decltype(&::clRetainEvent) retain_event;
  decltype(&::clReleaseEvent) release_event;

  decltype(&::clGetExtensionFunctionAddressForPlatform) get_extension_function;
  decltype(&::clGetDeviceAndHostTimer) get_device_and_host_timer;  // may be null: OpenCL 2.1
  decltype(&::clCreateProgramWithIL) create_program_with_il;       // may be null: OpenCL 2.1
  decltype(&::clCreateCommandQueueWithProperties)
      create_command_queue_with_properties;                          // may be null: OpenCL 2.0
  decltype(&::clSVMAlloc) svm_alloc;                                 // may be null: OpenCL 2.0
  decltype(&::clSVMFree) svm_free;                                   // may be null: OpenCL 2.0
  decltype(&::clSetKernelArgSVMPointer) set_kernel_arg_svm_pointer;  // may be null: OpenCL 2.0
};

struct LoadedApi {
  Api api{};
  std::string problem;  // why there is none; empty when there is
};

// Loads $REEL_OPENCL_LIBRARY, or libOpenCL.so.1, at the first call.
const LoadedApi& loaded_api();
// Only once loaded_api() is known to have no problem.
inline const Api& api() { return loaded_api().api; }

// Throws out_of_memory, device_lost or driver_failed, naming the call and what it was about.
[[noreturn]] void fail_status(cl_int status, const char* call, const std::string& about = {});
inline void check(cl_int status, const char* call) {
  if (status != CL_SUCCESS) [[unlikely]]
    fail_status(status, call);
}

// Owns one reference to a driver object.
template <class T, auto Api::*release>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T raw) : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() { reset(); }

  T get() const noexcept { return raw_; }
  explicit operator bool() const noexcept { return raw_ != nullptr; }
  // For calls that give a new object through a pointer.
  T* out() {
    reset();
    return &raw_;
  }
  void reset() noexcept {
    if (raw_) (api().*release)(raw_);
    raw_ = nullptr;
  }

 private:
  T raw_ = nullptr;
};
using ContextHandle = Handle<cl_context, &Api::release_context>;
using QueueHandle = Handle<cl_command_queue, &Api::release_command_queue>;
using MemoryHandle = Handle<cl_mem, &Api::release_mem_object>;
using ProgramHandle = Handle<cl_program, &Api::release_program>;
using KernelHandle = Handle<cl_kernel, &Api::release_kernel>;
using SamplerHandle = Handle<cl_sampler, &Api::release_sampler>;
using EventHandle = Handle<cl_event, &Api::release_event>;

}  // namespace reel::opencl
