// Kernels, tasks and native kernels.
#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "layers/opencl/given.hpp"
#include "layers/opencl/hooks/dispatch.hpp"
#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/objects/parameters.hpp"
#include "layers/opencl/objects/svm_pointers.hpp"
#include "recording/calls/held_back.hpp"

namespace reel::layer {

namespace {

constexpr const char* follows_pointers =
    "it may follow pointers that are stored in shared virtual memory";
constexpr std::size_t most_u32 = std::numeric_limits<std::uint32_t>::max();

void fill_grid(Work& work, cl_uint dimensions, const size_t* offset, const size_t* global,
               const size_t* local) {
  bool fits = true;
  const auto number = [&](const size_t* list, cl_uint i, std::uint32_t if_none) {
    if (!list || i >= dimensions) return if_none;
    fits = fits && list[i] <= most_u32;
    return static_cast<std::uint32_t>(list[i]);
  };
  TraceWork& row = work.row;
  bool is_uneven = !local;  // without a local size, groups are the driver's choice
  const auto fill_dimension = [&](cl_uint i, std::uint32_t Dim3::*axis) {
    // No global size at all is a size of 0 since OpenCL 2.1.
    const std::uint32_t items = number(global, i, i < dimensions ? 0 : 1);
    const std::uint32_t size = local ? number(local, i, 1) : 0;
    row.offset.*axis = number(offset, i, 0);
    row.group_size.*axis = size;
    row.groups.*axis = size ? items / size + (items % size != 0) : 0;
    row.items.*axis = items;
    is_uneven = is_uneven || (size && items % size != 0);
  };
  fill_dimension(0, &Dim3::x);
  fill_dimension(1, &Dim3::y);
  fill_dimension(2, &Dim3::z);
  if (!is_uneven) row.items = unset_dim;
  row.dimensions = dimensions;
  if (!fits) work.why_not_again = "its grid has more than 2^32 items in a dimension";
}

void add_argument(Work& work, const Kernel& kernel, std::size_t index) {
  const KernelArgument& argument = kernel.arguments[index];
  const bool is_told =
      index < kernel.parameters.size() && (kernel.parameters[index].kind == ArgumentKind::buffer ||
                                           kernel.parameters[index].kind == ArgumentKind::image);
  const Access access = is_told ? kernel.parameters[index].access : Access::read_write;
  switch (argument.kind) {
    case ArgumentKind::value:
      work.add_value(argument.kind, argument.more.empty()
                                        ? std::span(argument.bytes).first(argument.size_bytes)
                                        : std::span<const std::byte>(argument.more));
      return;
    case ArgumentKind::sampler:
      work.add_value(argument.kind, std::as_bytes(std::span(&argument.sampler->shape, 1)));
      return;
    case ArgumentKind::shared:
      work.arguments.push_back({argument.kind, Access::read, {}, argument.local_bytes, nullptr});
      return;
    case ArgumentKind::buffer: {
      if (argument.pointer) {
        if (const auto block = svm_at(argument.pointer)) {
          const auto offset = static_cast<std::uint64_t>(
              static_cast<const std::byte*>(argument.pointer) - block->begin);
          work.add({block->storage.get(), offset, block->size_bytes - offset}, access);
          return;
        }
        work.why_not_again = "a pointer leads to memory that OpenCL did not allocate";
        work.arguments.push_back({ArgumentKind::null, Access::read, {}, 0, nullptr});
        return;
      }
      const Memory& memory = *argument.memory;
      if (memory.storage->is_strange || memory.size_bytes == 0) break;
      // Some drivers keep what a kernel was given; we may not touch a handle that may be gone.
      if (memory.storage->parts.load(std::memory_order_relaxed) == 0) break;
      work.add({memory.storage.get(), memory.offset_bytes, memory.size_bytes}, access,
               memory.view.get());
      return;
    }
    case ArgumentKind::null:
      work.arguments.push_back({argument.kind, Access::read, {}, 0, nullptr});
      return;
    default:
      break;
  }
  work.why_not_again = "an argument is something that can't be made again";
  work.arguments.push_back({ArgumentKind::opaque, Access::read, {}, 0, nullptr});
}

// The kernel was given other values since; all else, and their sizes, are as they were.
void refill_values(Work& work, const Kernel& kernel) noexcept {
  std::byte* place = work.values.data();
  for (const KernelArgument& argument : kernel.arguments) {
    if (argument.kind == ArgumentKind::sampler) place += sizeof argument.sampler->shape;
    if (argument.kind != ArgumentKind::value) continue;
    const std::byte* bytes = argument.more.empty() ? argument.bytes.data() : argument.more.data();
    std::memcpy(place, bytes, argument.size_bytes);
    place += argument.size_bytes;
  }
  work.kernel_version = kernel.version;
  work.has_other_values = true;
}

}  // namespace

void fill_dispatch(Work& work, Kernel& kernel, const char* function, cl_uint dimensions,
                   const size_t* offset, const size_t* global, const size_t* local) {
  // A loop gives the same kernel with the same arguments again; memory that was released since
  // is not the same any more.
  const bool is_same =
      work.kernel == &kernel && work.kernel_shape == kernel.shape &&
      work.svm_version == svm_version() && !work.why_not_again &&
      std::none_of(work.arguments.begin(), work.arguments.end(), [](const WorkArgument& argument) {
        return argument.kind == ArgumentKind::buffer &&
               argument.range.storage->parts.load(std::memory_order_relaxed) == 0;
      });
  if (is_same) {
    if (work.kernel_version != kernel.version) refill_values(work, kernel);
    fill_grid(work, dimensions, offset, global, local);
    if (is_given_svm_pointers(work)) work.why_not_again = follows_pointers;
    return;
  }
  work.clear();
  reflect(kernel);
  work.row.kind = WorkKind::dispatch;
  work.label = function;
  work.kernel = &kernel;
  work.kernel_version = kernel.version;
  work.kernel_shape = kernel.shape;
  work.svm_version = svm_version();
  fill_grid(work, dimensions, offset, global, local);
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) add_argument(work, kernel, i);
  if (!kernel.svm_pointers.empty() || kernel.uses_any_svm || is_given_svm_pointers(work))
    work.why_not_again = follows_pointers;
}

namespace {

[[gnu::noinline]] cl_int record_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                       const size_t* offset, const size_t* global,
                                       const size_t* local, cl_uint wait_count,
                                       const cl_event* waits, cl_event* event) noexcept {
  Given given(queue, wait_count, waits, event);
  if (given) {
    Kernel* known = find<Kernel>(kernel);
    quietly([&] {
      if (!known) known = kernel_of(kernel);
      if (known && dimensions <= 3)
        fill_dispatch(given.work(), *known, "clEnqueueNDRangeKernel", dimensions, offset, global,
                      local);
      else
        known = nullptr;
    });
    if (known)
      given.ready();
    else
      given.give_up();
  }
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, n, w, e);
  });
}

// Alone, so that where nothing is captured it is two jumps, and no frame.
cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t* offset, const size_t* global, const size_t* local,
                                  cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (!session::mode()) [[likely]]
    return next().clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                         wait_count, waits, event);
  return record_kernel(queue, kernel, dimensions, offset, global, local, wait_count, waits, event);
}

cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                                const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  if (given) {
    Kernel* known = nullptr;
    quietly([&] {
      constexpr size_t one = 1;
      known = kernel_of(kernel);
      if (known) fill_dispatch(given.work(), *known, "clEnqueueTask", 1, nullptr, &one, &one);
    });
    if (known)
      given.ready();
    else
      given.give_up();
  }
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueTask(queue, kernel, n, w, e);
  });
}

// A function of the program, which nobody else can run.
cl_int CL_API_CALL enqueue_native(cl_command_queue queue, void(CL_CALLBACK* function)(void*),
                                  void* arguments, size_t size, cl_uint memory_count,
                                  const cl_mem* memories, const void** places, cl_uint wait_count,
                                  const cl_event* waits, cl_event* event) {
  capture::held_back::native_given();
  Given given(queue, wait_count, waits, event);
  if (given) {
    quietly([&] {
      Work& work = given.work();
      work.clear();
      work.row.kind = WorkKind::host_call;
      work.label = "clEnqueueNativeKernel";
      work.why_not_again = "it is a function of the program";
      for (cl_uint i = 0; memories && i < memory_count; ++i)
        if (const auto memory = memory_of(memories[i]))
          work.add({memory->storage.get(), memory->offset_bytes, memory->size_bytes},
                   Access::read_write);
    });
    given.ready();
  }
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueNativeKernel(queue, function, arguments, size, memory_count, memories,
                                        places, n, w, e);
  });
}

}  // namespace

void add_dispatch_hooks(cl_icd_dispatch& table) {
  table.clEnqueueNDRangeKernel = enqueue_kernel;
  table.clEnqueueTask = enqueue_task;
  table.clEnqueueNativeKernel = enqueue_native;
}

}  // namespace reel::layer
