#include "opencl/driver_words.hpp"

#include "opencl/types.hpp"

namespace reel::opencl {
namespace {

// "OpenCL 3.0 PoCL HSTR: …" -> "OpenCL 3.0": the rest is the driver's own.
std::string first_two_words(const std::string& text) {
  const auto first = text.find(' ');
  return first == std::string::npos ? text : text.substr(0, text.find(' ', first + 1));
}

Access image_access(cl_kernel_arg_access_qualifier qualifier) {
  if (qualifier == CL_KERNEL_ARG_ACCESS_READ_ONLY) return Access::read;
  // A kernel may leave pixels as they are, but never sees them.
  if (qualifier == CL_KERNEL_ARG_ACCESS_WRITE_ONLY) return Access::write;
  return Access::read_write;
}

}  // namespace

DeviceWords describe_device(decltype(&::clGetDeviceInfo) get_device_info,
                            decltype(&::clGetPlatformInfo) get_platform_info, cl_device_id device) {
  const auto text = [&](cl_device_info what) { return ask_text(get_device_info, device, what); };
  const auto value = [&]<class T>(T, cl_device_info what) {
    return ask<T>(get_device_info, device, what);
  };
  DeviceWords words;
  words.name = text(CL_DEVICE_NAME);
  const auto type = value(cl_device_type{}, CL_DEVICE_TYPE);
  if (type & CL_DEVICE_TYPE_GPU)
    words.type =
        value(cl_bool{}, CL_DEVICE_HOST_UNIFIED_MEMORY) ? "integrated gpu" : "discrete gpu";
  else if (type & CL_DEVICE_TYPE_CPU)
    words.type = "cpu";
  else
    words.type = type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator" : "other";
  words.driver = ask_text(get_platform_info, value(cl_platform_id{}, CL_DEVICE_PLATFORM),
                          cl_platform_info{CL_PLATFORM_NAME});
  words.driver_version = text(CL_DRIVER_VERSION);
  words.api_version = first_two_words(text(CL_DEVICE_VERSION));
  words.memory_bytes = value(cl_ulong{}, CL_DEVICE_GLOBAL_MEM_SIZE);
  words.compute_units = value(cl_uint{}, CL_DEVICE_MAX_COMPUTE_UNITS);
  words.can_stamp_time = (value(cl_command_queue_properties{}, CL_DEVICE_QUEUE_PROPERTIES) &
                          CL_QUEUE_PROFILING_ENABLE) != 0;
  words.stamp_resolution_ns =
      static_cast<double>(value(std::size_t{}, CL_DEVICE_PROFILING_TIMER_RESOLUTION));
  return words;
}

bool describe_parameter(decltype(&::clGetKernelArgInfo) get_kernel_arg_info, cl_kernel kernel,
                        cl_uint index, Parameter& parameter) {
  const auto get = [&](cl_kernel of, cl_kernel_arg_info what, std::size_t size, void* value,
                       std::size_t* size_back) {
    return get_kernel_arg_info(of, index, what, size, value, size_back);
  };
  bool told = true;
  const auto value = [&]<class T>(T answer, cl_kernel_arg_info what) {
    told &= get(kernel, what, sizeof answer, &answer, nullptr) == CL_SUCCESS;
    return answer;
  };
  const auto text = [&](cl_kernel_arg_info what) {
    std::size_t size = 0;
    if (get(kernel, what, 0, nullptr, &size) != CL_SUCCESS || size == 0 || size > 65536)
      return std::string();
    std::string found(size + 1, '\0');
    if (get(kernel, what, size, found.data(), nullptr) != CL_SUCCESS) return std::string();
    found.resize(found.find('\0'));  // drivers count the zero at its end
    return found;
  };
  const std::string type = text(CL_KERNEL_ARG_TYPE_NAME);
  const auto address = value(cl_kernel_arg_address_qualifier{}, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
  const auto qualifiers = value(cl_kernel_arg_type_qualifier{}, CL_KERNEL_ARG_TYPE_QUALIFIER);
  const auto access = value(cl_kernel_arg_access_qualifier{}, CL_KERNEL_ARG_ACCESS_QUALIFIER);
  if (!told || type.empty()) return false;
  parameter.name = text(CL_KERNEL_ARG_NAME);
  if (type == "queue_t" || type.starts_with("pipe") || (qualifiers & CL_KERNEL_ARG_TYPE_PIPE)) {
    parameter.kind = ArgumentKind::opaque;
  } else if (type == "sampler_t") {
    parameter.kind = ArgumentKind::sampler;
    parameter.access = Access::read;
  } else if (access != CL_KERNEL_ARG_ACCESS_NONE) {
    parameter.kind = ArgumentKind::image;
    parameter.access = image_access(access);
  } else if (address == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
    parameter.kind = ArgumentKind::value;
    parameter.access = Access::read;
    parameter.size_bytes = builtin_type_bytes(type);
    parameter.element = builtin_element(type);
  } else if (address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
    parameter.kind = ArgumentKind::shared;
  } else {
    parameter.element = pointed_element(type);
    if (address == CL_KERNEL_ARG_ADDRESS_CONSTANT || (qualifiers & CL_KERNEL_ARG_TYPE_CONST))
      parameter.access = Access::read;
  }
  return true;
}

namespace {

struct Status {
  cl_int code;
  const char* name;
};

// A macro, since the name and the number are the same word.
#define REEL_STATUS(name) \
  Status { name, #name }
constexpr Status statuses[] = {
    REEL_STATUS(CL_SUCCESS),
    REEL_STATUS(CL_DEVICE_NOT_FOUND),
    REEL_STATUS(CL_DEVICE_NOT_AVAILABLE),
    REEL_STATUS(CL_COMPILER_NOT_AVAILABLE),
    REEL_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    REEL_STATUS(CL_OUT_OF_RESOURCES),
    REEL_STATUS(CL_OUT_OF_HOST_MEMORY),
    REEL_STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
    REEL_STATUS(CL_MEM_COPY_OVERLAP),
    REEL_STATUS(CL_IMAGE_FORMAT_MISMATCH),
    REEL_STATUS(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    REEL_STATUS(CL_BUILD_PROGRAM_FAILURE),
    REEL_STATUS(CL_MAP_FAILURE),
    REEL_STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    REEL_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    REEL_STATUS(CL_COMPILE_PROGRAM_FAILURE),
    REEL_STATUS(CL_LINKER_NOT_AVAILABLE),
    REEL_STATUS(CL_LINK_PROGRAM_FAILURE),
    REEL_STATUS(CL_DEVICE_PARTITION_FAILED),
    REEL_STATUS(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    REEL_STATUS(CL_INVALID_VALUE),
    REEL_STATUS(CL_INVALID_DEVICE_TYPE),
    REEL_STATUS(CL_INVALID_PLATFORM),
    REEL_STATUS(CL_INVALID_DEVICE),
    REEL_STATUS(CL_INVALID_CONTEXT),
    REEL_STATUS(CL_INVALID_QUEUE_PROPERTIES),
    REEL_STATUS(CL_INVALID_COMMAND_QUEUE),
    REEL_STATUS(CL_INVALID_HOST_PTR),
    REEL_STATUS(CL_INVALID_MEM_OBJECT),
    REEL_STATUS(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    REEL_STATUS(CL_INVALID_IMAGE_SIZE),
    REEL_STATUS(CL_INVALID_SAMPLER),
    REEL_STATUS(CL_INVALID_BINARY),
    REEL_STATUS(CL_INVALID_BUILD_OPTIONS),
    REEL_STATUS(CL_INVALID_PROGRAM),
    REEL_STATUS(CL_INVALID_PROGRAM_EXECUTABLE),
    REEL_STATUS(CL_INVALID_KERNEL_NAME),
    REEL_STATUS(CL_INVALID_KERNEL_DEFINITION),
    REEL_STATUS(CL_INVALID_KERNEL),
    REEL_STATUS(CL_INVALID_ARG_INDEX),
    REEL_STATUS(CL_INVALID_ARG_VALUE),
    REEL_STATUS(CL_INVALID_ARG_SIZE),
    REEL_STATUS(CL_INVALID_KERNEL_ARGS),
    REEL_STATUS(CL_INVALID_WORK_DIMENSION),
    REEL_STATUS(CL_INVALID_WORK_GROUP_SIZE),
    REEL_STATUS(CL_INVALID_WORK_ITEM_SIZE),
    REEL_STATUS(CL_INVALID_GLOBAL_OFFSET),
    REEL_STATUS(CL_INVALID_EVENT_WAIT_LIST),
    REEL_STATUS(CL_INVALID_EVENT),
    REEL_STATUS(CL_INVALID_OPERATION),
    REEL_STATUS(CL_INVALID_GL_OBJECT),
    REEL_STATUS(CL_INVALID_BUFFER_SIZE),
    REEL_STATUS(CL_INVALID_MIP_LEVEL),
    REEL_STATUS(CL_INVALID_GLOBAL_WORK_SIZE),
    REEL_STATUS(CL_INVALID_PROPERTY),
    REEL_STATUS(CL_INVALID_IMAGE_DESCRIPTOR),
    REEL_STATUS(CL_INVALID_COMPILER_OPTIONS),
    REEL_STATUS(CL_INVALID_LINKER_OPTIONS),
    REEL_STATUS(CL_INVALID_DEVICE_PARTITION_COUNT),
    REEL_STATUS(CL_INVALID_PIPE_SIZE),
    REEL_STATUS(CL_INVALID_DEVICE_QUEUE),
    REEL_STATUS(CL_INVALID_SPEC_ID),
    REEL_STATUS(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef REEL_STATUS

}  // namespace

const char* status_name(cl_int status) noexcept {
  for (const Status& known : statuses)
    if (known.code == status) return known.name;
  return "an error without a name";
}

}  // namespace reel::opencl
