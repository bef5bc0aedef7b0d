#include "backends/opencl/reflection.hpp"

#include <array>
#include <optional>

#include "base/fail.hpp"
#include "opencl/types.hpp"

namespace reel::opencl {
namespace {

template <class T>
T argument_value(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, cl_int& status) {
  T value{};
  if (status == CL_SUCCESS)
    status = api().get_kernel_arg_info(kernel, index, what, sizeof value, &value, nullptr);
  return value;
}

std::string argument_string(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what,
                            cl_int& status) {
  std::array<char, 512> text{};
  if (status == CL_SUCCESS)
    status = api().get_kernel_arg_info(kernel, index, what, text.size() - 1, text.data(), nullptr);
  return text.data();
}

// CL_KERNEL_ARG_INFO_NOT_AVAILABLE and the like through `status`: then nothing is known.
Parameter parameter_at(cl_kernel kernel, cl_uint index, cl_int& status) {
  Parameter parameter;
  parameter.name = argument_string(kernel, index, CL_KERNEL_ARG_NAME, status);
  const std::string type = argument_string(kernel, index, CL_KERNEL_ARG_TYPE_NAME, status);
  const auto address = argument_value<cl_kernel_arg_address_qualifier>(
      kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, status);
  const auto qualifiers = argument_value<cl_kernel_arg_type_qualifier>(
      kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, status);
  const auto image = argument_value<cl_kernel_arg_access_qualifier>(
      kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, status);
  if (status != CL_SUCCESS) return parameter;
  if (type == "sampler_t") {
    parameter.kind = ParameterKind::sampler;
    parameter.access = Access::read;
    return parameter;
  }
  if (type == "queue_t" || type.starts_with("pipe") || (qualifiers & CL_KERNEL_ARG_TYPE_PIPE)) {
    parameter.kind = ParameterKind::other;
    return parameter;
  }
  if (image != CL_KERNEL_ARG_ACCESS_NONE) {
    parameter.kind = ParameterKind::image;
    parameter.access = image == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? Access::read
                       : image == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? Access::write
                                                                  : Access::read_write;
    return parameter;
  }
  switch (address) {
    case CL_KERNEL_ARG_ADDRESS_PRIVATE:
      parameter.kind = ParameterKind::value;
      parameter.size_bytes = builtin_type_bytes(type);
      parameter.access = Access::read;
      parameter.element = builtin_element(type);
      break;
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
      parameter.kind = ParameterKind::shared;
      break;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
      parameter.access = Access::read;
      parameter.element = pointed_element(type);
      break;
    default:
      if (qualifiers & CL_KERNEL_ARG_TYPE_CONST) parameter.access = Access::read;
      parameter.element = pointed_element(type);
  }
  return parameter;
}

}  // namespace

void reflect(cl_kernel kernel, cl_device_id device, const KernelSource& source,
             KernelResource& result) {
  cl_uint count = 0;
  check(api().get_kernel_info(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
        "clGetKernelInfo");
  cl_int status = CL_SUCCESS;
  for (cl_uint i = 0; i < count && status == CL_SUCCESS; ++i)
    result.parameters.push_back(parameter_at(kernel, i, status));
  result.reflected = status == CL_SUCCESS;
  if (!result.reflected) result.parameters.clear();

  std::array<std::size_t, 3> fixed{};
  std::size_t most_items = 0;
  const auto ask = [&](cl_kernel_work_group_info what, std::size_t size, void* answer) {
    check(api().get_kernel_work_group_info(kernel, device, what, size, answer, nullptr),
          "clGetKernelWorkGroupInfo");
  };
  ask(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed, fixed.data());
  ask(CL_KERNEL_WORK_GROUP_SIZE, sizeof most_items, &most_items);
  result.max_group_items = most_items;
  result.group_size_fixed = fixed[0] != 0;
  result.group_size =
      result.group_size_fixed ? Dim3(fixed[0], fixed[1], fixed[2]) : source.group_size;
}

}  // namespace reel::opencl
