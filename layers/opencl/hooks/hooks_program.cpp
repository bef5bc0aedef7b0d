// Programs, kernels and their arguments.
#include <cstring>

#include "layers/opencl/given.hpp"
#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/objects/parameters.hpp"
#include "layers/opencl/objects/references.hpp"

namespace reel::layer {

namespace {

// --- programs -----------------------------------------------------------------------------------

void program_made(cl_program handle, cl_context context, Program::From from, std::string text) {
  auto program = std::make_shared<Program>();
  program->context = context;
  program->from = from;
  program->text = std::move(text);
  add(handle, std::move(program));
}

cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char** strings,
                                          const size_t* lengths, cl_int* status_ret) {
  const Call call("clCreateProgramWithSource");
  cl_int status = CL_SUCCESS;
  cl_program program = next().clCreateProgramWithSource(context, count, strings, lengths, &status);
  if (program && status == CL_SUCCESS)
    quietly([&] {
      std::string text;
      for (cl_uint i = 0; i < count; ++i)
        text.append(strings[i], lengths && lengths[i] ? lengths[i] : std::strlen(strings[i]));
      program_made(program, context, Program::From::source, std::move(text));
    });
  if (status_ret) *status_ret = status;
  return program;
}

cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count,
                                          const cl_device_id* devices, const size_t* lengths,
                                          const unsigned char** binaries, cl_int* states,
                                          cl_int* status_ret) {
  const Call call("clCreateProgramWithBinary");
  cl_int status = CL_SUCCESS;
  cl_program program =
      next().clCreateProgramWithBinary(context, count, devices, lengths, binaries, states, &status);
  if (program && status == CL_SUCCESS)
    quietly([&] {
      std::string text;
      if (count > 0 && binaries && lengths && binaries[0])
        text.assign(reinterpret_cast<const char*>(binaries[0]), lengths[0]);
      program_made(program, context, Program::From::binary, std::move(text));
    });
  if (status_ret) *status_ret = status;
  return program;
}

cl_program CL_API_CALL create_with_il(cl_context context, const void* il, size_t length,
                                      cl_int* status_ret) {
  const Call call("clCreateProgramWithIL");
  cl_int status = CL_SUCCESS;
  cl_program program = next().clCreateProgramWithIL(context, il, length, &status);
  if (program && status == CL_SUCCESS)
    quietly([&] {
      program_made(program, context, Program::From::il,
                   std::string(static_cast<const char*>(il), length));
    });
  if (status_ret) *status_ret = status;
  return program;
}

cl_program CL_API_CALL create_built_in(cl_context context, cl_uint count,
                                       const cl_device_id* devices, const char* names,
                                       cl_int* status_ret) {
  const Call call("clCreateProgramWithBuiltInKernels");
  cl_int status = CL_SUCCESS;
  cl_program program =
      next().clCreateProgramWithBuiltInKernels(context, count, devices, names, &status);
  if (program && status == CL_SUCCESS)
    quietly([&] { program_made(program, context, Program::From::built_in, names ? names : ""); });
  if (status_ret) *status_ret = status;
  return program;
}

void options_given(cl_program program, const char* options) noexcept {
  quietly([&] {
    if (auto* known = find<Program>(program)) {
      const std::lock_guard lock(known->mutex);
      known->options = options ? options : "";
    }
  });
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices,
                         const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                         void* data) {
  const Call call("clBuildProgram");
  options_given(program, options);
  return next().clBuildProgram(program, count, devices, options, notify, data);
}

cl_int CL_API_CALL compile(cl_program program, cl_uint count, const cl_device_id* devices,
                           const char* options, cl_uint header_count, const cl_program* headers,
                           const char** names, void(CL_CALLBACK* notify)(cl_program, void*),
                           void* data) {
  const Call call("clCompileProgram");
  options_given(program, options);
  quietly([&] {
    auto* known = find<Program>(program);
    if (!known) return;
    std::vector<std::pair<std::string, std::string>> texts;
    for (cl_uint i = 0; headers && names && i < header_count; ++i)
      if (auto* header = find<Program>(headers[i])) {
        const std::lock_guard lock(header->mutex);
        texts.emplace_back(names[i], header->text);
      }
    const std::lock_guard lock(known->mutex);
    known->headers = std::move(texts);
  });
  return next().clCompileProgram(program, count, devices, options, header_count, headers, names,
                                 notify, data);
}

cl_program CL_API_CALL link(cl_context context, cl_uint count, const cl_device_id* devices,
                            const char* options, cl_uint input_count, const cl_program* inputs,
                            void(CL_CALLBACK* notify)(cl_program, void*), void* data,
                            cl_int* status_ret) {
  const Call call("clLinkProgram");
  cl_int status = CL_SUCCESS;
  cl_program program = next().clLinkProgram(context, count, devices, options, input_count, inputs,
                                            notify, data, &status);
  if (program)
    quietly([&] {
      auto linked = std::make_shared<Program>();
      linked->context = context;
      linked->from = Program::From::linked;
      linked->options = options ? options : "";
      for (cl_uint i = 0; inputs && i < input_count; ++i) {
        auto* part = find<Program>(inputs[i]);
        if (!part) continue;
        const std::lock_guard lock(part->mutex);
        // A library that was linked before brings the parts it was made of.
        if (part->from == Program::From::linked)
          linked->parts.insert(linked->parts.end(), part->parts.begin(), part->parts.end());
        else
          linked->parts.push_back(
              {part->from != Program::From::source, part->text, part->options, part->headers});
      }
      for (const Program::Part& part : linked->parts) linked->text += part.text;
      add(program, std::move(linked));
    });
  if (status_ret) *status_ret = status;
  return program;
}

cl_int CL_API_CALL retain_program(cl_program program) {
  return retain(program, next().clRetainProgram);
}

cl_int CL_API_CALL release_program(cl_program program) {
  return release(program, next().clReleaseProgram);
}

// --- kernels ------------------------------------------------------------------------------------

void kernel_made(cl_kernel handle) noexcept {
  quietly([&] {
    handles().remove(handle);  // what had this handle before ended without our seeing it
    kernel_of(handle);
  });
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* status_ret) {
  const Call call("clCreateKernel");
  cl_int status = CL_SUCCESS;
  cl_kernel kernel = next().clCreateKernel(program, name, &status);
  if (kernel && status == CL_SUCCESS) kernel_made(kernel);
  if (status_ret) *status_ret = status;
  return kernel;
}

cl_int CL_API_CALL create_kernels(cl_program program, cl_uint count, cl_kernel* kernels,
                                  cl_uint* count_ret) {
  const Call call("clCreateKernelsInProgram");
  cl_uint made = 0;
  const cl_int status = next().clCreateKernelsInProgram(program, count, kernels, &made);
  if (status == CL_SUCCESS && kernels)
    for (cl_uint i = 0; i < made && i < count; ++i) kernel_made(kernels[i]);
  if (count_ret) *count_ret = made;
  return status;
}

cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int* status_ret) {
  const Call call("clCloneKernel");
  cl_int status = CL_SUCCESS;
  cl_kernel kernel = next().clCloneKernel(source, &status);
  if (kernel && status == CL_SUCCESS) {
    kernel_made(kernel);
    quietly([&] {
      const auto* from = find<Kernel>(source);
      auto* to = find<Kernel>(kernel);
      if (!from || !to) return;
      to->arguments = from->arguments;
      to->svm_pointers = from->svm_pointers;
      to->uses_any_svm = from->uses_any_svm;
      to->program = from->program;
    });
  }
  if (status_ret) *status_ret = status;
  return kernel;
}

cl_int CL_API_CALL retain_kernel(cl_kernel kernel) { return retain(kernel, next().clRetainKernel); }

cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  return release(kernel, next().clReleaseKernel);
}

// --- arguments ----------------------------------------------------------------------------------

// All of these say whether the argument is another one now. Many programs set all arguments before
// each command, most of them to what they are: then the command is what the last one was.

bool copy_value(std::byte* to, const void* value, size_t size) noexcept {
  if (std::memcmp(to, value, size) == 0) return false;
  std::memcpy(to, value, size);
  return true;
}

bool set_value(KernelArgument& argument, const void* value, size_t size) {
  const bool is_other_kind = argument.kind != ArgumentKind::value ||
                             argument.size_bytes != static_cast<std::uint32_t>(size);
  argument.kind = ArgumentKind::value;
  argument.size_bytes = static_cast<std::uint32_t>(size);
  if (size <= argument.bytes.size()) {
    if (!argument.more.empty()) argument.more.clear();
    return copy_value(argument.bytes.data(), value, size) || is_other_kind;
  }
  argument.more.resize(size);
  return copy_value(argument.more.data(), value, size) || is_other_kind;
}

bool set_memory(KernelArgument& argument, std::shared_ptr<Memory> memory) {
  argument.kind = ArgumentKind::buffer;
  argument.memory = std::move(memory);
  argument.pointer = nullptr;
  return true;
}

// What a pointer-sized value is, the driver tells; where it doesn't, whether we know the handle.
bool remember(Kernel& kernel, cl_uint index, size_t size, const void* value) {
  KernelArgument& argument = kernel.arguments[index];
  if (!kernel.reflected) reflect(kernel);
  const Parameter* parameter =
      index < kernel.parameters.size() ? &kernel.parameters[index] : nullptr;
  const void* handle = nullptr;
  if (value && size == sizeof handle) std::memcpy(&handle, value, sizeof handle);
  // A handle that we know is one, whatever the text of the kernel seems to say.
  Memory* memory = handle ? find<Memory>(handle) : nullptr;
  argument.is_plain = parameter && parameter->kind == ArgumentKind::value && value &&
                      size <= argument.bytes.size() &&
                      (kernel.told_by_driver || size != sizeof handle);
  if (parameter && parameter->kind == ArgumentKind::value && value &&
      (kernel.told_by_driver || !memory))
    return set_value(argument, value, size);
  argument.size_bytes = 0;
  if (!value) {
    // Without a value it is local memory, or a pointer to nothing.
    const bool is_pointer = parameter && parameter->kind == ArgumentKind::buffer;
    const ArgumentKind kind = is_pointer ? ArgumentKind::null : ArgumentKind::shared;
    const bool is_other = argument.kind != kind || argument.local_bytes != size;
    argument.kind = kind;
    argument.local_bytes = size;
    return is_other;
  }
  if (parameter && parameter->kind == ArgumentKind::opaque) {
    argument.kind = ArgumentKind::opaque;
    return true;
  }
  if (memory) {
    if (argument.kind == ArgumentKind::buffer && !argument.pointer &&
        argument.memory.get() == memory)
      return false;
    return set_memory(argument, shared(memory));
  }
  if (auto* sampler = find<Sampler>(handle)) {
    if (argument.kind == ArgumentKind::sampler && argument.sampler.get() == sampler) return false;
    argument.kind = ArgumentKind::sampler;
    argument.sampler = shared(sampler);
    return true;
  }
  if (!parameter) return set_value(argument, value, size);
  if (!handle) {
    argument.kind = ArgumentKind::null;
    return true;
  }
  if (auto adopted = memory_of(static_cast<cl_mem>(const_cast<void*>(handle))))
    return set_memory(argument, std::move(adopted));
  argument.kind = ArgumentKind::opaque;
  return true;
}

// The driver took an argument; `remember` notes it.
template <class Remember>
void note_argument(cl_kernel kernel, cl_uint index, Remember&& remember) noexcept {
  const Beside beside;
  Kernel* known = nullptr;
  const bool is_noted = quietly([&] {
    known = kernel_of(kernel);
    if (known && index < known->arguments.size() && remember(*known)) known->change();
  });
  if (!is_noted && known) known->change();
}

// A value where one of this size was before: that is what most calls set, and all that there is to
// do for it. False: nothing was done.
bool set_value_again(cl_kernel kernel, cl_uint index, size_t size, const void* value) noexcept {
  auto* known = find<Kernel>(kernel);
  if (!known || index >= known->arguments.size()) return false;
  KernelArgument& argument = known->arguments[index];
  if (!argument.is_plain || argument.size_bytes != size || !value) return false;
  std::byte* bytes = argument.bytes.data();
  // Of a size that is known the compiler makes a few instructions, and no calls.
  const bool is_other = size == 4   ? copy_value(bytes, value, 4)
                        : size == 8 ? copy_value(bytes, value, 8)
                                    : copy_value(bytes, value, size);
  if (is_other) known->change_value();
  return true;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  const cl_int status = next().clSetKernelArg(kernel, index, size, value);
  if (status != CL_SUCCESS) return status;
  if (!(session::mode() & session::recording) && set_value_again(kernel, index, size, value))
      [[likely]]
    return CL_SUCCESS;
  note_argument(kernel, index, [&](Kernel& known) {
    return !set_value_again(kernel, index, size, value) && remember(known, index, size, value);
  });
  return CL_SUCCESS;
}

cl_int CL_API_CALL set_svm_argument(cl_kernel kernel, cl_uint index, const void* pointer) {
  const cl_int status = next().clSetKernelArgSVMPointer(kernel, index, pointer);
  if (status != CL_SUCCESS) return status;
  note_argument(kernel, index, [&](Kernel& known) {
    KernelArgument& argument = known.arguments[index];
    argument.is_plain = false;
    argument.kind = pointer ? ArgumentKind::buffer : ArgumentKind::null;
    argument.pointer = pointer;
    return true;
  });
  return CL_SUCCESS;
}

cl_int CL_API_CALL set_exec_info(cl_kernel kernel, cl_kernel_exec_info what, size_t size,
                                 const void* value) {
  const cl_int status = next().clSetKernelExecInfo(kernel, what, size, value);
  if (status != CL_SUCCESS || !value) return status;
  quietly([&] {
    Kernel* known = kernel_of(kernel);
    if (!known) return;
    known->change();
    if (what == CL_KERNEL_EXEC_INFO_SVM_PTRS) {
      const auto* pointers = static_cast<const void* const*>(value);
      known->svm_pointers.assign(pointers, pointers + size / sizeof(void*));
    } else if (what == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM && size >= sizeof(cl_bool)) {
      cl_bool any = CL_FALSE;
      std::memcpy(&any, value, sizeof any);
      known->uses_any_svm = any != CL_FALSE;
    }
  });
  return status;
}

}  // namespace

void add_program_hooks(cl_icd_dispatch& table) {
  table.clCreateProgramWithSource = create_with_source;
  table.clCreateProgramWithBinary = create_with_binary;
  table.clCreateProgramWithIL = create_with_il;
  table.clCreateProgramWithBuiltInKernels = create_built_in;
  table.clBuildProgram = build;
  table.clCompileProgram = compile;
  table.clLinkProgram = link;
  table.clRetainProgram = retain_program;
  table.clReleaseProgram = release_program;
  table.clCreateKernel = create_kernel;
  table.clCreateKernelsInProgram = create_kernels;
  table.clCloneKernel = clone_kernel;
  table.clRetainKernel = retain_kernel;
  table.clReleaseKernel = release_kernel;
  table.clSetKernelArg = set_argument;
  table.clSetKernelArgSVMPointer = set_svm_argument;
  table.clSetKernelExecInfo = set_exec_info;
}

}  // namespace reel::layer
