#include "layers/opencl/parameters.hpp"

#include "opencl/types.hpp"

namespace reel::layer {

namespace {

bool argument_text(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, std::string& text) {
  std::size_t size = 0;
  if (next().clGetKernelArgInfo(kernel, index, what, 0, nullptr, &size) != CL_SUCCESS ||
      size == 0 || size > 65536)
    return false;
  text.assign(size, '\0');
  if (next().clGetKernelArgInfo(kernel, index, what, size, text.data(), nullptr) != CL_SUCCESS)
    return false;
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  return true;
}

template <class T>
bool argument_value(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, T& value) {
  return next().clGetKernelArgInfo(kernel, index, what, sizeof value, &value, nullptr) ==
         CL_SUCCESS;
}

Access image_access(cl_kernel_arg_access_qualifier qualifier) {
  if (qualifier == CL_KERNEL_ARG_ACCESS_READ_ONLY) return Access::read;
  // A kernel may leave pixels as they are, but never sees them.
  if (qualifier == CL_KERNEL_ARG_ACCESS_WRITE_ONLY) return Access::write;
  return Access::read_write;
}

bool ask_driver(cl_kernel kernel, cl_uint index, Parameter& parameter) {
  std::string type;
  cl_kernel_arg_address_qualifier address = 0;
  cl_kernel_arg_type_qualifier qualifiers = 0;
  cl_kernel_arg_access_qualifier access = 0;
  if (!argument_text(kernel, index, CL_KERNEL_ARG_TYPE_NAME, type) ||
      !argument_value(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, address) ||
      !argument_value(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, qualifiers) ||
      !argument_value(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, access))
    return false;
  argument_text(kernel, index, CL_KERNEL_ARG_NAME, parameter.name);  // some have none
  if ((qualifiers & CL_KERNEL_ARG_TYPE_PIPE) || type == "queue_t") {
    parameter.kind = ParameterKind::other;
  } else if (access != CL_KERNEL_ARG_ACCESS_NONE) {
    parameter.kind = ParameterKind::image;
    parameter.access = image_access(access);
  } else if (type == "sampler_t") {
    parameter.kind = ParameterKind::sampler;
    parameter.access = Access::read;
  } else if (address == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
    parameter.kind = ParameterKind::value;
    parameter.access = Access::read;
    parameter.size_bytes = builtin_type_bytes(type);
    parameter.element = builtin_element(type);
  } else if (address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
    parameter.kind = ParameterKind::shared;
  } else {
    parameter.element = pointed_element(type);
    if (address == CL_KERNEL_ARG_ADDRESS_CONSTANT || (qualifiers & CL_KERNEL_ARG_TYPE_CONST))
      parameter.access = Access::read;
  }
  return true;
}

}  // namespace

void reflect(Kernel& kernel) {
  if (kernel.reflected) return;
  kernel.reflected = true;
  auto* handle = static_cast<cl_kernel>(const_cast<void*>(kernel.handle));
  std::vector<Parameter> parameters(kernel.arguments.size());
  bool told = driver_has(handle, &cl_icd_dispatch::clGetKernelArgInfo);
  for (cl_uint i = 0; told && i < parameters.size(); ++i)
    told = ask_driver(handle, i, parameters[i]);
  kernel.told_by_driver = told;
  if (!told && kernel.program) {
    const std::lock_guard lock(kernel.program->mutex);
    const Program& program = *kernel.program;
    if (auto found = program.from == Program::From::source
                         ? parameters_in_source(program.text, program.options, kernel.name)
                         : std::nullopt;
        found && found->size() == kernel.arguments.size()) {
      parameters = std::move(*found);
      told = true;
    }
  }
  if (told) kernel.parameters = std::move(parameters);
}

}  // namespace reel::layer
