#include "backends/opencl/device/context.hpp"

#include <cstdlib>

#include "backends/opencl/native/native_function.hpp"
#include "base/fail.hpp"

namespace reel::opencl {
namespace {

ContextHandle make_context(const FoundDevice& found) {
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(found.platform), 0};
  cl_int status = CL_SUCCESS;
  ContextHandle context(
      api().create_context(properties, 1, &found.device, nullptr, nullptr, &status));
  if (status != CL_SUCCESS)
    fail(Code::no_device, "{} ('{}') can't be opened: clCreateContext answered {} ({}).",
         found.info.id, found.info.name, status_name(status), status);
  return context;
}

void CL_CALLBACK free_host_memory(cl_mem, void* base) { std::free(base); }

}  // namespace

DeviceContext::DeviceContext(const FoundDevice& found)
    : info_(found.info),
      platform_(found.platform),
      device_(found.device),
      extensions_(' ' + device_string(found.device, CL_DEVICE_EXTENSIONS) + ' '),
      context_(make_context(found)) {
  why_not_native_ = opencl::why_not_native(*this);
  own_queue_ = make_queue();
  clock_ = Clock::find(own_queue_.get(), device_);
}

bool DeviceContext::has_extension(std::string_view name) const {
  return extensions_.find(fmt::format(" {} ", name)) != std::string::npos;
}

QueueHandle DeviceContext::make_queue(StreamPriority priority, Stamped stamped) const {
  const cl_command_queue_properties properties =
      info_.can_stamp_time && stamped == Stamped::yes ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl_int status = CL_SUCCESS;
  if (priority != StreamPriority::normal && info_.takes_stream_priority) {
    const std::array<cl_queue_properties, 5> wished{
        CL_QUEUE_PROPERTIES, properties, CL_QUEUE_PRIORITY_KHR,
        static_cast<cl_queue_properties>(priority == StreamPriority::high
                                             ? CL_QUEUE_PRIORITY_HIGH_KHR
                                             : CL_QUEUE_PRIORITY_LOW_KHR),
        0};
    QueueHandle queue(api().create_command_queue_with_properties(context_.get(), device_,
                                                                 wished.data(), &status));
    if (status == CL_SUCCESS) return queue;  // else without the wish
  }
  QueueHandle queue(api().create_command_queue(context_.get(), device_, properties, &status));
  if (status != CL_SUCCESS) fail_status(status, "clCreateCommandQueue", info_.name);
  return queue;
}

// Memory of our own for a device that works in the host's: its address is known, fresh pages are
// zero already, and no command has to run (2 us in place of 40).
DeviceContext::Memory DeviceContext::allocate_on_host(std::uint64_t bytes) {
  constexpr std::size_t alignment = 4096;
  void* base = std::calloc(1, bytes + alignment);
  if (!base) fail(Code::out_of_memory, "the host has no {} bytes left", bytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  Memory result;
  result.address = reinterpret_cast<std::byte*>((begin + alignment - 1) / alignment * alignment);
  cl_int status = CL_SUCCESS;
  result.handle = MemoryHandle(api().create_buffer(
      context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, result.address, &status));
  // The driver calls it when the last command that uses the memory is done.
  if (status == CL_SUCCESS)
    status = api().set_mem_object_destructor_callback(result.handle.get(), free_host_memory, base);
  if (status != CL_SUCCESS) {
    result.handle.reset();
    std::free(base);
    fail_status(status, "clCreateBuffer");
  }
  return result;
}

DeviceContext::Memory DeviceContext::allocate_zeroed(std::uint64_t bytes) {
  if (why_not_native_.empty()) return allocate_on_host(bytes);
  // On a CPU this makes the driver allocate here, where it can say that it failed; PoCL would
  // otherwise do so inside the first command and use the null pointer it gets. On a GPU the flag
  // would mean slow memory.
  const cl_mem_flags flags =
      CL_MEM_READ_WRITE | (info_.type == "cpu" ? cl_mem_flags{CL_MEM_ALLOC_HOST_PTR} : 0);
  cl_int status = CL_SUCCESS;
  Memory result;
  result.handle = MemoryHandle(api().create_buffer(context_.get(), flags, bytes, nullptr, &status));
  if (status != CL_SUCCESS) fail_status(status, "clCreateBuffer");
  zero(result.handle.get(), bytes);
  return result;
}

void DeviceContext::zero(cl_mem memory, std::uint64_t bytes) {
  const cl_uchar pattern = 0;
  EventHandle done;
  const std::lock_guard lock(mutex_);
  check(api().enqueue_fill_buffer(own_queue_.get(), memory, &pattern, 1, 0, bytes, 0, nullptr,
                                  done.out()),
        "clEnqueueFillBuffer");
  const cl_event event = done.get();
  check(api().wait_for_events(1, &event), "clWaitForEvents");
}

// A buffer made on shared virtual memory: transfers go by the buffer, kernels get the address.
DeviceContext::Memory DeviceContext::allocate_shared(std::uint64_t bytes, cl_svm_mem_flags flags) {
  const auto abilities =
      device_value<cl_device_svm_capabilities>(device_, CL_DEVICE_SVM_CAPABILITIES);
  if (!(abilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) || !api().svm_alloc || !api().svm_free ||
      !api().set_kernel_arg_svm_pointer)
    return allocate_zeroed(bytes);
  void* base = api().svm_alloc(context_.get(), CL_MEM_READ_WRITE | flags, bytes, 0);
  if (!base) fail(Code::out_of_memory, "clSVMAlloc gave no {} bytes", bytes);
  Memory result;
  result.shared = static_cast<std::byte*>(base);
  cl_int status = CL_SUCCESS;
  result.handle = MemoryHandle(api().create_buffer(
      context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, base, &status));
  struct Owned {
    cl_context context;
    void* base;
  };
  auto owned = std::make_unique<Owned>(Owned{context_.get(), base});
  if (status == CL_SUCCESS)
    status = api().set_mem_object_destructor_callback(
        result.handle.get(),
        [](cl_mem, void* data) {
          const std::unique_ptr<Owned> mine(static_cast<Owned*>(data));
          api().svm_free(mine->context, mine->base);
        },
        owned.get());
  if (status != CL_SUCCESS) {
    result.handle.reset();
    api().svm_free(context_.get(), base);
    fail_status(status, "clCreateBuffer");
  }
  static_cast<void>(owned.release());  // the callback's now
  zero(result.handle.get(), bytes);
  return result;
}

cl_sampler DeviceContext::sampler(const SamplerShape& shape) {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, handle] : samplers_)
    if (known == shape) return handle.get();
  cl_int status = CL_SUCCESS;
  SamplerHandle handle(api().create_sampler(context_.get(), shape.normalized,
                                            static_cast<cl_addressing_mode>(shape.addressing),
                                            static_cast<cl_filter_mode>(shape.filter), &status));
  if (status != CL_SUCCESS) fail_status(status, "clCreateSampler", to_string(shape));
  return samplers_.emplace_back(shape, std::move(handle)).second.get();
}

bool DeviceContext::reserve(std::uint64_t bytes) noexcept {
  if (info_.memory_bytes == 0) {
    in_use_bytes_ += bytes;
    return true;
  }
  std::uint64_t used = in_use_bytes_;
  do {
    if (bytes > info_.memory_bytes || used > info_.memory_bytes - bytes) return false;
  } while (!in_use_bytes_.compare_exchange_weak(used, used + bytes));
  return true;
}

}  // namespace reel::opencl
