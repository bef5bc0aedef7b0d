#include "layers/opencl/recording/driver_reads.hpp"

#include <fmt/format.h>

#include "layers/opencl/held_back.hpp"
#include "layers/opencl/objects/device_row.hpp"
#include "layers/opencl/objects/image_shape.hpp"
#include "recording/call_recording.hpp"

namespace reel::layer {

namespace {

// Of an image, the memory that the program lent for it; a driver reads that without asking.
bool is_lent_memory_there(const Storage& storage) {
  if (!storage.image || !(storage.flags & CL_MEM_USE_HOST_PTR)) return true;
  auto* address = ask<std::byte*>(next().clGetMemObjectInfo, storage.memory, CL_MEM_HOST_PTR);
  std::byte one[1];
  return capture::copy_if_there(address, one) &&
         capture::copy_if_there(address + storage.size_bytes - 1, one);
}

cl_command_queue queue_on(OwnQueues& queues, cl_context context) {
  HeldQueue& queue = queues[context];
  const auto devices = devices_of(context);
  cl_int status = CL_SUCCESS;
  if (!queue && !devices.empty())
    queue.reset(next().clCreateCommandQueue(context, devices[0], 0, &status));
  if (status != CL_SUCCESS) static_cast<void>(queue.release());
  return queue.get();
}

}  // namespace

Kept::Kept(Storage& storage) : lock_(storage.life_mutex) {
  if (storage.is_gone) return;
  const bool is_lent = storage.image && (storage.flags & CL_MEM_USE_HOST_PTR);
  if (is_lent && !held_back::is_free(held_back::now())) return;  // it might wait for long
  if (next().clRetainMemObject(storage.memory) == CL_SUCCESS) memory_.reset(storage.memory);
  if (!is_lent) lock_.unlock();
}

std::string answered(cl_int status) {
  return fmt::format("the driver answered {} ({})", status_name(status), status);
}

// Memory that the host may not read is copied to some that it may.
cl_int enqueue_read(cl_command_queue queue, const Storage& storage, std::uint64_t offset,
                    std::span<std::byte> target, cl_uint wait_count, const cl_event* waits,
                    cl_event* event, std::vector<HeldMemory>& scratch) {
  if (storage.kind == BufferKind::svm)
    return next().clEnqueueSVMMemcpy(queue, CL_FALSE, target.data(), storage.address + offset,
                                     target.size(), wait_count, waits, event);
  const bool hidden = (storage.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) != 0;
  cl_mem source = storage.memory;
  cl_event copied = nullptr;
  if (hidden) {
    cl_int status = CL_SUCCESS;
    source =
        next().clCreateBuffer(storage.context, CL_MEM_READ_WRITE, target.size(), nullptr, &status);
    if (status != CL_SUCCESS) return status;
    scratch.emplace_back(source);
    if (storage.image) {
      const std::size_t origin[3] = {0, 0, 0};
      const auto region = whole_region(*storage.image);
      status = next().clEnqueueCopyImageToBuffer(queue, storage.memory, source, origin,
                                                 region.data(), 0, wait_count, waits, &copied);
    } else {
      status = next().clEnqueueCopyBuffer(queue, storage.memory, source, offset, 0, target.size(),
                                          wait_count, waits, &copied);
    }
    if (status != CL_SUCCESS) return status;
    wait_count = 1;
    waits = &copied;
    offset = 0;
  }
  cl_int status = CL_SUCCESS;
  if (storage.image && !hidden) {
    const std::size_t origin[3] = {0, 0, 0};
    const auto region = whole_region(*storage.image);
    status = next().clEnqueueReadImage(queue, source, CL_FALSE, origin, region.data(), 0, 0,
                                       target.data(), wait_count, waits, event);
  } else {
    status = next().clEnqueueReadBuffer(queue, source, CL_FALSE, offset, target.size(),
                                        target.data(), wait_count, waits, event);
  }
  if (copied) next().clReleaseEvent(copied);
  return status;
}

std::string read_beside(OwnQueues& queues, const BufferRange& range, std::span<std::byte> target) {
  const auto& storage = static_cast<const Storage&>(*range.buffer);
  const cl_command_queue queue = queue_on(queues, storage.context);
  if (!queue) return "no queue could be had to read them";
  if (!is_lent_memory_there(storage)) return "its memory was the program's, and is gone";
  std::vector<HeldMemory> scratch;
  cl_event event = nullptr;
  cl_int status =
      enqueue_read(queue, storage, range.offset_bytes, target, 0, nullptr, &event, scratch);
  if (status == CL_SUCCESS) status = next().clWaitForEvents(1, &event);
  if (event) next().clReleaseEvent(event);
  return status == CL_SUCCESS ? std::string() : answered(status);
}

}  // namespace reel::layer
