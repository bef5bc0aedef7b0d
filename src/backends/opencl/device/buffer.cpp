#include "backends/opencl/device/buffer.hpp"

#include <algorithm>

#include "backends/opencl/device/image.hpp"
#include "base/fail.hpp"

namespace reel::opencl {
namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

[[noreturn]] void out_of_memory(const DeviceContext& context, std::uint64_t size_bytes,
                                std::string_view label, const std::string& why) {
  fail(Code::out_of_memory, "Buffer '{}' of {} bytes can't be allocated on {} ('{}'): {}.", label,
       size_bytes, context.info().id, context.info().name, why);
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::shared_ptr<DeviceContext> context, const MemoryRequest& request)
    : context_(std::move(context)), serial_(next_serial()) {
  size_bytes = request.size_bytes;
  // OpenCL has no empty ones.
  const std::uint64_t bytes = std::max<std::uint64_t>(request.size_bytes, 1);
  const DeviceInfo& info = context_->info();
  if (bytes > info.max_buffer_bytes)
    out_of_memory(*context_, size_bytes, request.label,
                  fmt::format("its largest buffer is {} bytes", info.max_buffer_bytes));
  const std::uint64_t allocated_bytes = request.storage.buffer ? 0 : bytes;
  if (!context_->reserve(allocated_bytes))
    out_of_memory(
        *context_, size_bytes, request.label,
        fmt::format("of its {} bytes {} are in use", info.memory_bytes, context_->in_use_bytes()));
  reserved_bytes_ = allocated_bytes;
  try {
    DeviceContext::Memory memory = make(request, bytes);
    memory_ = std::move(memory.handle);
    address_ = memory.address;
    host_bytes = address_;
    shared_ = memory.shared;
    is_shared_virtual = shared_ != nullptr;
    if (request.host_visible) mapped = address_ ? address_ : shared_;
  } catch (const Error& error) {
    context_->release(reserved_bytes_);
    if (error.code() != Code::out_of_memory) throw;
    out_of_memory(*context_, size_bytes, request.label, error.what());
  }
}

DeviceContext::Memory DeviceBuffer::make(const MemoryRequest& request, std::uint64_t bytes) {
  if (!request.image) {
    // Where graphs are replayed natively all memory is the host's.
    if (request.host_visible && !context_->why_not_native().empty())
      return context_->allocate_shared(bytes, CL_MEM_SVM_FINE_GRAIN_BUFFER);
    return request.shared_virtual ? context_->allocate_shared(bytes)
                                  : context_->allocate_zeroed(bytes);
  }
  cl_mem on = nullptr;
  if (request.storage.buffer) {
    DeviceBuffer& parent = device_buffer(request.storage);
    on = parent.memory();
    // An image ends where its sizes say; some drivers (PoCL) make none on sub-buffers.
    if (request.storage.offset_bytes != 0) {
      storage_ = parent.sub_buffer(request.storage);
      on = storage_.get();
    }
  }
  DeviceContext::Memory memory;
  memory.handle = make_image(*context_, *request.image, on, request.label);
  return memory;
}

DeviceBuffer::~DeviceBuffer() {
  sub_buffers_.clear();
  memory_.reset();
  storage_.reset();
  context_->release(reserved_bytes_);
}

}  // namespace reel::opencl
