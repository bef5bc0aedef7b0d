#include "layers/opencl/objects/kernel_row.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "base/bytes/base64.hpp"
#include "layers/opencl/objects/parameters.hpp"

namespace reel::layer {

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

// A program that was compiled in parts and linked; sources may hold anything, also no UTF-8.
std::string parts_json(const Program& program) {
  using nlohmann::json;
  json parts = json::array();
  for (const Program::Part& part : program.parts) {
    json one;
    if (part.is_binary)
      one["binary_base64"] = base64(part.text);
    else
      one["source"] = part.text;
    one["options"] = part.options;
    one["headers"] = json::array();
    for (const auto& [name, source] : part.headers)
      one["headers"].push_back({{"name", name}, {"source", source}});
    parts.push_back(std::move(one));
  }
  return json{{"link_options", program.options}, {"parts", parts}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

KernelForm form_of(Program::From from) {
  switch (from) {
    case Program::From::source:
      return KernelForm::opencl_c;
    case Program::From::binary:
      return KernelForm::opencl_binary;
    case Program::From::il:
      return KernelForm::opencl_il;
    case Program::From::built_in:
      return KernelForm::opencl_builtin;
    case Program::From::linked:
      return KernelForm::opencl_parts;
    case Program::From::unknown:
      break;
  }
  return KernelForm::none;
}

// A program that we did not see being made: the driver may still have its text.
void ask_driver(cl_program handle, Program& program) {
  if (!handle || !driver_has(handle, &cl_icd_dispatch::clGetProgramInfo)) return;
  program.text = ask_text(next().clGetProgramInfo, handle, CL_PROGRAM_SOURCE);
  if (!program.text.empty()) program.from = Program::From::source;
}

std::string build_text(cl_program program, cl_device_id device, cl_program_build_info what) {
  std::size_t size = 0;
  if (!program || !driver_has(program, &cl_icd_dispatch::clGetProgramBuildInfo) ||
      next().clGetProgramBuildInfo(program, device, what, 0, nullptr, &size) != CL_SUCCESS ||
      size == 0 || size > (std::size_t{1} << 24))
    return {};
  std::string text(size, '\0');
  if (next().clGetProgramBuildInfo(program, device, what, size, text.data(), nullptr) != CL_SUCCESS)
    return {};
  text.resize(std::strlen(text.c_str()));  // drivers count the zero at its end
  return text;
}

}  // namespace

document::KernelRow kernel_row(Kernel& kernel, cl_device_id device, std::uint32_t device_number) {
  document::KernelRow row{};
  row.id = static_cast<std::uint32_t>(kernel.identity->id);
  row.device = device_number;
  row.name = kernel.label.empty() ? kernel.name : kernel.label;
  row.entry = kernel.name;
  Program unseen;
  Program& program = kernel.program ? *kernel.program : unseen;
  {
    const std::lock_guard lock(program.mutex);
    if (program.from == Program::From::unknown) ask_driver(kernel.program_handle, program);
    row.built_form = form_of(program.from);
    row.options = program.options;
    if (program.from == Program::From::linked)
      row.variants.push_back({row.built_form, bytes_of(parts_json(program))});
    else if (program.from != Program::From::unknown)
      row.variants.push_back({row.built_form, bytes_of(program.text)});
  }
  row.build_log = build_text(kernel.program_handle, device, CL_PROGRAM_BUILD_LOG);
  if (!kernel.program)
    row.options = build_text(kernel.program_handle, device, CL_PROGRAM_BUILD_OPTIONS);
  reflect(kernel);
  row.parameters = kernel.parameters;
  row.group_size = unset_dim;
  std::size_t fixed[3] = {0, 0, 0};
  auto* handle = static_cast<cl_kernel>(const_cast<void*>(kernel.handle));
  if (driver_has(handle, &cl_icd_dispatch::clGetKernelWorkGroupInfo) &&
      next().clGetKernelWorkGroupInfo(handle, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                      sizeof fixed, fixed, nullptr) == CL_SUCCESS &&
      fixed[0] != 0)
    row.group_size =
        Dim3(static_cast<std::uint32_t>(fixed[0]), static_cast<std::uint32_t>(fixed[1]),
             static_cast<std::uint32_t>(fixed[2]));
  return row;
}

}  // namespace reel::layer
