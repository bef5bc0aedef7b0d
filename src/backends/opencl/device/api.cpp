#include "backends/opencl/device/api.hpp"

#include <dlfcn.h>

#include <array>
#include <string_view>

#include "base/fail.hpp"
#include "base/os/libraries.hpp"
#include "base/process/environment_variable.hpp"
#include "base/process/forks.hpp"

namespace reel::opencl {
namespace {

// The name of the first function that the library lacks; null when it has them all.
const char* find_functions(void* library, Api& api) {
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function && !missing) missing = name;
  };
  find(api.get_platform_ids, "clGetPlatformIDs");
  find(api.get_platform_info, "clGetPlatformInfo");
  find(api.get_device_ids, "clGetDeviceIDs");
  find(api.get_device_info, "clGetDeviceInfo");
  find(api.create_context, "clCreateContext");
  find(api.release_context, "clReleaseContext");
  find(api.create_command_queue, "clCreateCommandQueue");
  find(api.release_command_queue, "clReleaseCommandQueue");
  find(api.flush, "clFlush");
  find(api.finish, "clFinish");
  find(api.create_buffer, "clCreateBuffer");
  find(api.create_sub_buffer, "clCreateSubBuffer");
  find(api.retain_mem_object, "clRetainMemObject");
  find(api.release_mem_object, "clReleaseMemObject");
  find(api.set_mem_object_destructor_callback, "clSetMemObjectDestructorCallback");
  find(api.create_image, "clCreateImage");
  find(api.create_sampler, "clCreateSampler");
  find(api.release_sampler, "clReleaseSampler");
  find(api.create_program_with_binary, "clCreateProgramWithBinary");
  find(api.create_program_with_built_in_kernels, "clCreateProgramWithBuiltInKernels");
  find(api.compile_program, "clCompileProgram");
  find(api.link_program, "clLinkProgram");
  find(api.enqueue_read_image, "clEnqueueReadImage");
  find(api.enqueue_write_image, "clEnqueueWriteImage");
  find(api.enqueue_copy_image_to_buffer, "clEnqueueCopyImageToBuffer");
  find(api.enqueue_copy_buffer_to_image, "clEnqueueCopyBufferToImage");
  find(api.create_program_with_source, "clCreateProgramWithSource");
  find(api.build_program, "clBuildProgram");
  find(api.get_program_info, "clGetProgramInfo");
  find(api.get_program_build_info, "clGetProgramBuildInfo");
  find(api.release_program, "clReleaseProgram");
  find(api.create_kernel, "clCreateKernel");
  find(api.release_kernel, "clReleaseKernel");
  find(api.set_kernel_arg, "clSetKernelArg");
  find(api.get_kernel_info, "clGetKernelInfo");
  find(api.get_kernel_arg_info, "clGetKernelArgInfo");
  find(api.get_kernel_work_group_info, "clGetKernelWorkGroupInfo");
  find(api.enqueue_nd_range_kernel, "clEnqueueNDRangeKernel");
  find(api.enqueue_native_kernel, "clEnqueueNativeKernel");
  find(api.enqueue_copy_buffer, "clEnqueueCopyBuffer");
  find(api.enqueue_fill_buffer, "clEnqueueFillBuffer");
  find(api.enqueue_write_buffer, "clEnqueueWriteBuffer");
  find(api.enqueue_read_buffer, "clEnqueueReadBuffer");
  find(api.enqueue_marker, "clEnqueueMarkerWithWaitList");
  find(api.enqueue_barrier, "clEnqueueBarrierWithWaitList");
  find(api.create_user_event, "clCreateUserEvent");
  find(api.set_user_event_status, "clSetUserEventStatus");
  find(api.set_event_callback, "clSetEventCallback");
  find(api.get_event_info, "clGetEventInfo");
  find(api.get_event_profiling_info, "clGetEventProfilingInfo");
  find(api.wait_for_events, "clWaitForEvents");
  find(api.retain_event, "clRetainEvent");
  find(api.release_event, "clReleaseEvent");
  find(api.get_extension_function, "clGetExtensionFunctionAddressForPlatform");
  const char* needed = missing;
  find(api.get_device_and_host_timer, "clGetDeviceAndHostTimer");
  find(api.create_program_with_il, "clCreateProgramWithIL");
  find(api.create_command_queue_with_properties, "clCreateCommandQueueWithProperties");
  find(api.svm_alloc, "clSVMAlloc");
  find(api.svm_free, "clSVMFree");
  find(api.set_kernel_arg_svm_pointer, "clSetKernelArgSVMPointer");
  return needed;
}

LoadedApi load() {
  LoadedApi result;
  const std::string_view chosen = environment_variable("REEL_OPENCL_LIBRARY");
  const auto candidates =
      chosen.empty() ? os::opencl_libraries() : std::vector{std::string(chosen)};
  std::string path, problem;
  void* library = os::load_first(candidates, path, problem);
  if (!library) {
    result.problem =
        fmt::format("The OpenCL library '{}' can't be loaded: {}.", candidates.front(), problem);
    return result;
  }
  if (const char* missing = find_functions(library, result.api))
    result.problem =
        fmt::format("The OpenCL library '{}' has no {}; OpenCL 1.2 is needed.", path, missing);
  return result;
}

Code code_of(cl_int status) {
  switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
      return Code::out_of_memory;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_COMMAND_QUEUE:
      return Code::device_lost;
    default:
      return Code::driver_failed;
  }
}

}  // namespace

namespace {

// In the child of a fork(), where nothing of a driver that was loaded before may be called. Only
// objects that go come here, and they are leaked.
LoadedApi make_inherited() {
  LoadedApi result;
  result.problem =
      "The OpenCL library was loaded before fork(), in the parent process, and drivers don't "
      "survive that; look for OpenCL devices in the child alone.";
  Api& api = result.api;
  const auto do_nothing = [](auto*& release) {
    release = [](auto*) -> cl_int { return CL_SUCCESS; };
  };
  do_nothing(api.release_context);
  do_nothing(api.release_command_queue);
  do_nothing(api.release_mem_object);
  do_nothing(api.release_sampler);
  do_nothing(api.release_program);
  do_nothing(api.release_kernel);
  do_nothing(api.release_event);
  do_nothing(api.finish);
  return result;
}

}  // namespace

const LoadedApi& loaded_api() {
  static const Birth birth;
  static const LoadedApi& loaded = *new LoadedApi(load());  // threads of the driver may outlive us
  if (!birth.is_inherited()) [[likely]]
    return loaded;
  static const LoadedApi& inherited = *new LoadedApi(make_inherited());
  return inherited;
}

void fail_status(cl_int status, const char* call, const std::string& about) {
  fail(code_of(status), "The OpenCL driver answered {} ({}) to {}{}{}.", status_name(status),
       status, call, about.empty() ? "" : " for ", about);
}

}  // namespace reel::opencl
