#include "backends/opencl/api.hpp"

#include <dlfcn.h>

#include <array>
#include <string_view>

#include "base/environment_variable.hpp"
#include "base/fail.hpp"
#include "base/forks.hpp"

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
  find(api.svm_alloc, "clSVMAlloc");
  find(api.svm_free, "clSVMFree");
  find(api.set_kernel_arg_svm_pointer, "clSetKernelArgSVMPointer");
  return needed;
}

LoadedApi load() {
  LoadedApi result;
  const std::string_view chosen = environment_variable("REEL_OPENCL_LIBRARY");
  const char* path = chosen.empty() ? "libOpenCL.so.1" : chosen.data();
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    result.problem = fmt::format("The OpenCL library '{}' can't be loaded: {}.", path,
                                 reason ? reason : "no reason given");
    return result;
  }
  if (const char* missing = find_functions(library, result.api))
    result.problem =
        fmt::format("The OpenCL library '{}' has no {}; OpenCL 1.2 is needed.", path, missing);
  return result;
}

struct ErrorName {
  cl_int status;
  const char* name;
};
constexpr std::array error_names{
    ErrorName{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    ErrorName{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    ErrorName{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    ErrorName{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    ErrorName{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    ErrorName{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    ErrorName{CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    ErrorName{CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    ErrorName{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    ErrorName{CL_MAP_FAILURE, "CL_MAP_FAILURE"},
    ErrorName{CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    ErrorName{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
              "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    ErrorName{CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE"},
    ErrorName{CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE"},
    ErrorName{CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE"},
    ErrorName{CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    ErrorName{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    ErrorName{CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE"},
    ErrorName{CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    ErrorName{CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    ErrorName{CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    ErrorName{CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    ErrorName{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    ErrorName{CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR"},
    ErrorName{CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    ErrorName{CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    ErrorName{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    ErrorName{CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    ErrorName{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    ErrorName{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    ErrorName{CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
    ErrorName{CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    ErrorName{CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    ErrorName{CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    ErrorName{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    ErrorName{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    ErrorName{CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
    ErrorName{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    ErrorName{CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    ErrorName{CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET"},
    ErrorName{CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST"},
    ErrorName{CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    ErrorName{CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    ErrorName{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    ErrorName{CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    ErrorName{CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY"},
    ErrorName{CL_INVALID_COMPILER_OPTIONS, "CL_INVALID_COMPILER_OPTIONS"},
    ErrorName{CL_INVALID_LINKER_OPTIONS, "CL_INVALID_LINKER_OPTIONS"},
    ErrorName{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

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

const char* error_name(cl_int status) noexcept {
  for (const ErrorName& known : error_names)
    if (known.status == status) return known.name;
  return "an error without a name";
}

void fail_status(cl_int status, const char* call, const std::string& about) {
  fail(code_of(status), "The OpenCL driver answered {} ({}) to {}{}{}.", error_name(status), status,
       call, about.empty() ? "" : " for ", about);
}

}  // namespace reel::opencl
