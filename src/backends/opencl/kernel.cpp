#include "backends/opencl/kernel.hpp"

#include <algorithm>
#include <cstring>

#include "backends/opencl/buffer.hpp"
#include "backends/opencl/reflection.hpp"
#include "base/fail.hpp"

namespace reel::opencl {
namespace {

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (api().get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
      CL_SUCCESS)
    return {};
  std::string log(size + 1, '\0');
  api().get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::strlen(log.c_str()));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

// Defines as lines and not as -D: options are split at spaces, values may have some. The compiler
// counts the lines of the source as its author does.
std::string text_of(const KernelSource& source) {
  std::string text;
  for (const Define& define : source.defines)
    text += fmt::format("#define {} {}\n", define.name, define.value);
  if (!text.empty()) text += "#line 1\n";
  return text + source.opencl_c;
}

ProgramHandle build_program(const DeviceContext& context, const KernelSource& source,
                            std::string& log) {
  const std::string text = text_of(source);
  const char* begin = text.data();
  const std::size_t size = text.size();
  cl_int status = CL_SUCCESS;
  ProgramHandle program(api().create_program_with_source(context.get(), 1, &begin, &size, &status));
  if (status != CL_SUCCESS)
    fail_status(status, "clCreateProgramWithSource", fmt::format("kernel '{}'", source.name));
  const std::string options = "-cl-kernel-arg-info " + source.options;
  const cl_device_id device = context.device();
  status = api().build_program(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  log = build_log(program.get(), device);
  if (status != CL_SUCCESS)
    fail(Code::build_failed,
         "Kernel '{}' doesn't build on {} ('{}'): {} ({}) with options '{}'.\n{}", source.name,
         context.info().id, context.info().name, error_name(status), status, options,
         log.empty() ? "The driver gives no log." : log);
  return program;
}

std::string kernels_in(cl_program program) {
  std::array<char, 4096> names{};
  if (api().get_program_info(program, CL_PROGRAM_KERNEL_NAMES, names.size() - 1, names.data(),
                             nullptr) != CL_SUCCESS)
    return "kernels that the driver doesn't tell";
  std::string result;
  for (const char* c = names.data(); *c; ++c) *c == ';' ? result += "', '" : result += *c;
  return result.empty() ? "no kernel" : '\'' + result + '\'';
}

}  // namespace

Grid make_grid(Dim3 groups, Dim3 size) noexcept {
  Grid grid;
  grid.local = {size.x, size.y, size.z};
  grid.global = {std::size_t{groups.x} * size.x, std::size_t{groups.y} * size.y,
                 std::size_t{groups.z} * size.z};
  grid.dimensions = grid.global[2] != 1 ? 3 : grid.global[1] != 1 ? 2 : 1;
  return grid;
}

MemoryHandle set_argument(cl_kernel kernel, std::uint32_t index, const Argument& argument) {
  MemoryHandle held;
  cl_int status = CL_SUCCESS;
  switch (argument.kind) {
    case ParameterKind::buffer: {
      DeviceBuffer& buffer = device_buffer(argument.range);
      cl_mem memory = buffer.memory();
      if (!buffer.is_whole(argument.range)) {
        held = buffer.sub_buffer(argument.range);
        memory = held.get();
      }
      status = api().set_kernel_arg(kernel, index, sizeof(cl_mem), &memory);
      break;
    }
    case ParameterKind::shared:
      // OpenCL refuses none at all; a kernel that is given none uses none.
      status = api().set_kernel_arg(kernel, index, std::max<std::size_t>(argument.shared_bytes, 1),
                                    nullptr);
      break;
    case ParameterKind::value:
      status = api().set_kernel_arg(kernel, index, argument.value_bytes, argument.bytes);
      break;
  }
  if (status != CL_SUCCESS) [[unlikely]]
    fail_status(status, "clSetKernelArg", fmt::format("argument {}", index));
  return held;
}

BuiltKernel::BuiltKernel(std::shared_ptr<DeviceContext> context, const KernelSource& built_source)
    : context_(std::move(context)),
      entry_(built_source.entry.empty() ? built_source.name : built_source.entry),
      program_(build_program(*context_, built_source, build_log)) {
  cl_int status = CL_SUCCESS;
  kernel_ = KernelHandle(api().create_kernel(program_.get(), entry_.c_str(), &status));
  if (status == CL_INVALID_KERNEL_NAME)
    fail(Code::build_failed, "The source of kernel '{}' has no kernel '{}'; it has {}.",
         built_source.name, entry_, kernels_in(program_.get()));
  if (status != CL_SUCCESS)
    fail_status(status, "clCreateKernel", fmt::format("kernel '{}'", built_source.name));
  reflect(kernel_.get(), context_->device(), built_source, *this);
  std::size_t count = parameters.size();
  if (!reflected) {
    cl_uint arguments = 0;
    check(api().get_kernel_info(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments,
                                nullptr),
          "clGetKernelInfo");
    count = arguments;
  }
  last_.resize(count);
  held_.resize(count);
}

KernelHandle BuiltKernel::make_kernel() const {
  cl_int status = CL_SUCCESS;
  KernelHandle kernel(api().create_kernel(program_.get(), entry_.c_str(), &status));
  if (status != CL_SUCCESS)
    fail_status(status, "clCreateKernel", fmt::format("kernel '{}'", source.name));
  return kernel;
}

// Not from PoCL: it compiles all kernels once more to answer (50 to 150 ms), and while a command
// has one compiled at the same time, 3.1 ends the process by an assertion
// (pocl_release_dlhandle_cache).
std::vector<std::byte> BuiltKernel::binary() const {
  if (context_->info().driver == "Portable Computing Language") return {};
  std::size_t size = 0;  // a program of ours is built for one device
  if (api().get_program_info(program_.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size,
                             nullptr) != CL_SUCCESS)
    return {};
  std::vector<std::byte> result(size);
  std::byte* place = result.data();
  if (api().get_program_info(program_.get(), CL_PROGRAM_BINARIES, sizeof place, &place, nullptr) !=
      CL_SUCCESS)
    return {};
  return result;
}

void BuiltKernel::enqueue(cl_command_queue queue, const Dispatch& dispatch, cl_event* event) {
  const Grid grid = make_grid(dispatch.groups, dispatch.group_size);
  const std::lock_guard lock(mutex_);
  bool holding = false;
  for (std::uint32_t i = 0; i < dispatch.arguments.size(); ++i) {
    const Argument& argument = dispatch.arguments[i];
    if (i >= last_.size()) fail_status(CL_INVALID_ARG_INDEX, "clSetKernelArg", source.name);
    if (last_[i].is(argument)) continue;
    last_[i] = {};  // should setting it fail
    held_[i] = set_argument(kernel_.get(), i, argument);
    if (held_[i]) holding = true;
    last_[i].become(argument);
  }
  const cl_int status =
      api().enqueue_nd_range_kernel(queue, kernel_.get(), grid.dimensions, nullptr,
                                    grid.global.data(), grid.local.data(), 0, nullptr, event);
  if (holding)
    for (MemoryHandle& held : held_) held.reset();
  if (status != CL_SUCCESS) [[unlikely]]
    fail_status(status, "clEnqueueNDRangeKernel", fmt::format("kernel '{}'", source.name));
}

bool BuiltKernel::LastArgument::is(const Argument& argument) const noexcept {
  if (kind != argument.kind) return false;
  switch (kind) {
    case ParameterKind::buffer:
      return words[0] == device_buffer(argument.range).serial() &&
             words[1] == argument.range.offset_bytes && words[2] == argument.range.size_bytes;
    case ParameterKind::shared:
      return words[0] == argument.shared_bytes;
    case ParameterKind::value:
      return value_bytes != 0 && value_bytes == argument.value_bytes &&
             std::memcmp(bytes, argument.bytes, value_bytes) == 0;
  }
  return false;
}

void BuiltKernel::LastArgument::become(const Argument& argument) noexcept {
  kind = argument.kind;
  value_bytes = argument.value_bytes;
  switch (kind) {
    case ParameterKind::buffer:
      words[0] = device_buffer(argument.range).serial();
      words[1] = argument.range.offset_bytes;
      words[2] = argument.range.size_bytes;
      break;
    case ParameterKind::shared:
      words[0] = argument.shared_bytes;
      break;
    case ParameterKind::value:
      std::memcpy(bytes, argument.bytes, value_bytes);
      break;
  }
}

}  // namespace reel::opencl
