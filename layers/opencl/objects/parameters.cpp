#include "layers/opencl/objects/parameters.hpp"

namespace reel::layer {

void reflect(Kernel& kernel) {
  if (kernel.reflected) return;
  kernel.reflected = true;
  auto* handle = static_cast<cl_kernel>(const_cast<void*>(kernel.handle));
  std::vector<Parameter> parameters(kernel.arguments.size());
  bool told = driver_has(handle, &cl_icd_dispatch::clGetKernelArgInfo);
  for (cl_uint i = 0; told && i < parameters.size(); ++i)
    told = opencl::describe_parameter(next().clGetKernelArgInfo, handle, i, parameters[i]);
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
