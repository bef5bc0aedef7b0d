#include "backends/opencl/kernels/kernel.hpp"

#include <algorithm>
#include <cstring>

#include "backends/opencl/device/buffer.hpp"
#include "backends/opencl/kernels/program.hpp"
#include "backends/opencl/kernels/reflection.hpp"
#include "base/fail.hpp"

namespace reel::opencl {
namespace {

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

Grid make_grid(const Dispatch& dispatch) noexcept {
  Grid grid = make_grid(dispatch.groups, dispatch.group_size);
  grid.dimensions = std::max(grid.dimensions, dispatch.dimensions);
  if (!dispatch.is_free_grid()) return grid;
  if (dispatch.items != unset_dim)
    grid.global = {dispatch.items.x, dispatch.items.y, dispatch.items.z};
  grid.offset = {dispatch.offset.x, dispatch.offset.y, dispatch.offset.z};
  grid.has_offset = dispatch.offset != unset_dim;
  grid.has_local = dispatch.group_size != unset_dim;
  const auto is_used = [&](std::size_t d) { return grid.global[d] != 1 || grid.offset[d] != 0; };
  const cl_uint used = is_used(2) ? 3 : is_used(1) ? 2 : 1;
  grid.dimensions = std::max(used, dispatch.dimensions);
  return grid;
}

namespace {

bool is_shared(const Argument& argument) noexcept {
  return argument.kind == ArgumentKind::buffer && argument.range.buffer->is_shared_virtual;
}

}  // namespace

bool uses_shared(std::span<const Argument> arguments) noexcept {
  return std::ranges::any_of(arguments, is_shared);
}

void hold_shared(std::span<const Argument> arguments, cl_event until) {
  auto held = std::make_unique<std::vector<MemoryHandle>>();
  for (const Argument& argument : arguments) {
    if (!is_shared(argument)) continue;
    const cl_mem memory = device_buffer(argument.range).memory();
    check(api().retain_mem_object(memory), "clRetainMemObject");
    held->emplace_back(memory);
  }
  const auto let_go = [](cl_event, cl_int, void* data) {
    delete static_cast<std::vector<MemoryHandle>*>(data);
  };
  check(api().set_event_callback(until, CL_COMPLETE, let_go, held.get()), "clSetEventCallback");
  static_cast<void>(held.release());  // the callback's now
}

MemoryHandle set_argument(DeviceContext& context, cl_kernel kernel, std::uint32_t index,
                          const Argument& argument) {
  MemoryHandle held;
  cl_int status = CL_SUCCESS;
  switch (argument.kind) {
    case ArgumentKind::buffer: {
      DeviceBuffer& buffer = device_buffer(argument.range);
      if (const void* address = buffer.shared_address(argument.range.offset_bytes)) {
        status = api().set_kernel_arg_svm_pointer(kernel, index, address);
        break;
      }
      cl_mem memory = buffer.memory();
      if (!buffer.is_whole(argument.range)) {
        held = buffer.sub_buffer(argument.range);
        memory = held.get();
      }
      status = api().set_kernel_arg(kernel, index, sizeof(cl_mem), &memory);
      break;
    }
    case ArgumentKind::shared:
      // OpenCL refuses none at all; a kernel that is given none uses none.
      status = api().set_kernel_arg(kernel, index, std::max<std::size_t>(argument.shared_bytes, 1),
                                    nullptr);
      break;
    case ArgumentKind::value:
      status = api().set_kernel_arg(kernel, index, argument.value_bytes, argument.value().data());
      break;
    case ArgumentKind::image: {
      const cl_mem image = device_buffer(argument.range).memory();
      status = api().set_kernel_arg(kernel, index, sizeof(cl_mem), &image);
      break;
    }
    case ArgumentKind::sampler: {
      SamplerShape shape;
      std::memcpy(&shape, argument.bytes, sizeof shape);
      const cl_sampler sampler = context.sampler(shape);
      status = api().set_kernel_arg(kernel, index, sizeof(cl_sampler), &sampler);
      break;
    }
    case ArgumentKind::null:
      status = api().set_kernel_arg(kernel, index, sizeof(cl_mem), nullptr);
      break;
    case ArgumentKind::indirect:
    case ArgumentKind::opaque:
    case ArgumentKind::run_if:
    case ArgumentKind::run_unless:
      break;
  }
  if (status != CL_SUCCESS) [[unlikely]]
    fail_status(status, "clSetKernelArg", fmt::format("argument {}", index));
  return held;
}

BuiltKernel::BuiltKernel(std::shared_ptr<DeviceContext> context,
                         std::shared_ptr<const BuiltProgram> program,
                         const KernelSource& built_source)
    : context_(std::move(context)),
      entry_(built_source.entry.empty() ? built_source.name : built_source.entry),
      program_(std::move(program)),
      api_(api()) {
  build_log = program_->log;
  cl_int status = CL_SUCCESS;
  kernel_ = KernelHandle(api().create_kernel(program_->handle.get(), entry_.c_str(), &status));
  if (status == CL_INVALID_KERNEL_NAME)
    fail(Code::build_failed, "The source of kernel '{}' has no kernel '{}'; it has {}.",
         built_source.name, entry_, kernels_in(program_->handle.get()));
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
  argument_count_ = count;
}

KernelHandle BuiltKernel::make_kernel() const {
  cl_int status = CL_SUCCESS;
  KernelHandle kernel(api().create_kernel(program_->handle.get(), entry_.c_str(), &status));
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
  if (api().get_program_info(program_->handle.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size,
                             nullptr) != CL_SUCCESS)
    return {};
  std::vector<std::byte> result(size);
  std::byte* place = result.data();
  if (api().get_program_info(program_->handle.get(), CL_PROGRAM_BINARIES, sizeof place, &place,
                             nullptr) != CL_SUCCESS)
    return {};
  return result;
}

namespace {

// Most values are of 4 or 8 bytes, for which a call takes longer than the comparison.
inline bool are_same(const std::byte* a, const std::byte* b, std::uint32_t size) noexcept {
  const auto same_as = [&]<class T>(T first) {
    T second;
    std::memcpy(&first, a, sizeof first);
    std::memcpy(&second, b, sizeof second);
    return first == second;
  };
  if (size == 4) return same_as(std::uint32_t{});
  if (size == 8) return same_as(std::uint64_t{});
  return std::memcmp(a, b, size) == 0;
}

struct LettingGo {
  std::vector<MemoryHandle>& held;
  ~LettingGo() {
    if (!held.empty()) [[unlikely]]
      held.clear();
  }
};

}  // namespace

// Nearly all are buffers and values; a jump by kind is guessed wrong as they take turns.
inline bool BuiltKernel::LastArgument::is(const Argument& argument) const noexcept {
  if (kind != argument.kind) return false;
  if (kind == ArgumentKind::buffer || kind == ArgumentKind::image)
    return words[0] == device_buffer(argument.range).serial() &&
           words[1] == argument.range.offset_bytes && words[2] == argument.range.size_bytes;
  if (kind == ArgumentKind::value || kind == ArgumentKind::sampler)
    return value_bytes != 0 && value_bytes == argument.value_bytes &&
           are_same(bytes, argument.bytes, value_bytes);
  return kind != ArgumentKind::shared || words[0] == argument.shared_bytes;
}

inline void BuiltKernel::LastArgument::become_range(const Argument& argument) noexcept {
  kind = argument.kind;
  words[0] = device_buffer(argument.range).serial();
  words[1] = argument.range.offset_bytes;
  words[2] = argument.range.size_bytes;
}

void BuiltKernel::set_slowly(std::uint32_t index, const Argument& argument) {
  last_[index].forget();  // should setting it fail
  MemoryHandle held = set_argument(*context_, kernel_.get(), index, argument);
  if (held)  // it may pass, and is set anew each time
    held_.push_back(std::move(held));
  else
    last_[index].become(argument);
}

inline void BuiltKernel::set_range(std::uint32_t index, const Argument& argument) {
  LastArgument& last = last_[index];
  const cl_mem memory =
      is_shared(argument) ? nullptr : device_buffer(argument.range).find_lasting(argument.range);
  if (memory && api_.set_kernel_arg(kernel_.get(), index, sizeof memory, &memory) == CL_SUCCESS)
      [[likely]]
    last.become_range(argument);
  else
    set_slowly(index, argument);
}

inline cl_int BuiltKernel::enqueue_bound(cl_command_queue queue, const Grid& grid,
                                         cl_event* event) const {
  return api_.enqueue_nd_range_kernel(queue, kernel_.get(), grid.dimensions, grid.offset_or_null(),
                                      grid.global.data(), grid.local_or_null(), 0, nullptr, event);
}

inline void BuiltKernel::check_enqueued(cl_int status) const {
  if (status != CL_SUCCESS) [[unlikely]]
    fail_status(status, "clEnqueueNDRangeKernel", fmt::format("kernel '{}'", source.name));
}

void BuiltKernel::enqueue(cl_command_queue queue, const Grid& grid,
                          std::span<const Argument> arguments, cl_event* event) {
  const BiasedLock lock(mutex_);
  const LettingGo letting_go{held_};
  if (arguments.size() > argument_count_) [[unlikely]]
    fail_status(CL_INVALID_ARG_INDEX, "clSetKernelArg", source.name);
  bool is_sharing = false;
  const LastArgument* last = last_.data();
  for (std::uint32_t i = 0; i < arguments.size(); ++i, ++last) {
    const Argument& argument = arguments[i];
    if (argument.kind == ArgumentKind::buffer) {
      is_sharing |= argument.range.buffer->is_shared_virtual;
      if (!last->is(argument)) set_range(i, argument);
    } else if (!last->is(argument)) {
      set_slowly(i, argument);
    }
  }
  if (is_sharing) [[unlikely]]
    return enqueue_sharing(queue, grid, arguments, event);
  check_enqueued(enqueue_bound(queue, grid, event));
}

void BuiltKernel::enqueue_sharing(cl_command_queue queue, const Grid& grid,
                                  std::span<const Argument> arguments, cl_event* event) {
  EventHandle done;
  if (!event) event = done.out();
  check_enqueued(enqueue_bound(queue, grid, event));
  hold_shared(arguments, *event);
}

void BuiltKernel::LastArgument::become(const Argument& argument) noexcept {
  kind = argument.kind;
  // What doesn't fit is set anew each time.
  value_bytes = argument.is_outside() ? 0 : argument.value_bytes;
  switch (kind) {
    case ArgumentKind::buffer:
    case ArgumentKind::image:
      become_range(argument);
      break;
    case ArgumentKind::shared:
      words[0] = argument.shared_bytes;
      break;
    case ArgumentKind::value:
    case ArgumentKind::sampler:
      std::memcpy(bytes, argument.bytes, value_bytes);
      break;
    case ArgumentKind::null:
    case ArgumentKind::indirect:
    case ArgumentKind::opaque:
    case ArgumentKind::run_if:
    case ArgumentKind::run_unless:
      break;
  }
}

}  // namespace reel::opencl
