#include "layers/opencl/driver_reads.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "layers/opencl/objects/device_row.hpp"
#include "layers/opencl/objects/image_shape.hpp"
#include "recording/calls/call_recording.hpp"
#include "recording/calls/held_back.hpp"

namespace reel::layer {

namespace held_back = capture::held_back;

namespace {

struct Release {
  void operator()(cl_mem memory) const noexcept { next().clReleaseMemObject(memory); }
  void operator()(cl_command_queue queue) const noexcept { next().clReleaseCommandQueue(queue); }
};
using HeldMemory = std::unique_ptr<_cl_mem, Release>;
using HeldQueue = std::unique_ptr<_cl_command_queue, Release>;

// Of an image, the memory that the program lent for it; a driver reads that without asking.
bool is_lent_memory_there(const Storage& storage) {
  if (!storage.image || !storage.is_lent) return true;
  auto* address = ask<std::byte*>(next().clGetMemObjectInfo, storage.memory, CL_MEM_HOST_PTR);
  std::byte one[1];
  return capture::copy_if_there(address, one) &&
         capture::copy_if_there(address + storage.size_bytes - 1, one);
}

// By a queue of our own in each context.
class BesideQueues final : public capture::DirectReader {
 public:
  bool hold(capture::TrackedBuffer& buffer) override {
    held_.emplace(static_cast<Storage&>(buffer));
    return held_->is_there();
  }

  std::string read(const BufferRange& range, std::span<std::byte> target) override {
    const auto& storage = static_cast<const Storage&>(*range.buffer);
    const cl_command_queue queue = queue_on(storage.context);
    if (!queue) return "no queue could be had to read them";
    if (!is_lent_memory_there(storage)) return "its memory was the program's, and is gone";
    std::shared_ptr<void> scratch;
    cl_event event = nullptr;
    cl_int status = enqueue_read(queue, storage, range.offset_bytes, target, {}, &event, scratch);
    if (status == CL_SUCCESS) status = next().clWaitForEvents(1, &event);
    if (event) next().clReleaseEvent(event);
    return status == CL_SUCCESS ? std::string() : answered(status);
  }

 private:
  // An object of the program that its threads may release at any moment, kept by a reference of
  // ours; where the driver reads memory that the program lent, the release waits for us.
  class Held {
   public:
    explicit Held(Storage& storage) : lock_(storage.life_mutex) {
      if (storage.is_gone) return;
      const bool is_lent = storage.image && storage.is_lent;
      if (is_lent && !held_back::is_free(held_back::now())) return;  // it might wait for long
      if (next().clRetainMemObject(storage.memory) == CL_SUCCESS) memory_.reset(storage.memory);
      if (!is_lent) lock_.unlock();
    }
    bool is_there() const noexcept { return memory_ != nullptr; }

   private:
    std::unique_lock<std::mutex> lock_;
    HeldMemory memory_;
  };

  cl_command_queue queue_on(cl_context context) {
    HeldQueue& queue = queues_[context];
    const auto devices = devices_of(context);
    cl_int status = CL_SUCCESS;
    if (!queue && !devices.empty())
      queue.reset(next().clCreateCommandQueue(context, devices[0], 0, &status));
    if (status != CL_SUCCESS) static_cast<void>(queue.release());
    return queue.get();
  }

  std::map<cl_context, HeldQueue> queues_;
  std::optional<Held> held_;
};

}  // namespace

std::unique_ptr<capture::DirectReader> open_direct_reader() {
  return std::make_unique<BesideQueues>();
}

std::string answered(cl_int status) {
  return fmt::format("the driver answered {} ({})", status_name(status), status);
}

// Memory that the host may not read is copied to some that it may.
cl_int enqueue_read(cl_command_queue queue, const Storage& storage, std::uint64_t offset,
                    std::span<std::byte> target, WaitList waits, cl_event* event,
                    std::shared_ptr<void>& scratch) {
  if (storage.kind == BufferKind::svm)
    return next().clEnqueueSVMMemcpy(queue, CL_FALSE, target.data(), storage.address + offset,
                                     target.size(), waits.count, waits.events, event);
  const bool hidden = (storage.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) != 0;
  cl_mem source = storage.memory;
  cl_event copied = nullptr;
  if (hidden) {
    cl_int status = CL_SUCCESS;
    source =
        next().clCreateBuffer(storage.context, CL_MEM_READ_WRITE, target.size(), nullptr, &status);
    if (status != CL_SUCCESS) return status;
    scratch = HeldMemory(source);
    if (storage.image) {
      const std::size_t origin[3] = {0, 0, 0};
      const auto region = whole_region(*storage.image);
      status =
          next().clEnqueueCopyImageToBuffer(queue, storage.memory, source, origin, region.data(), 0,
                                            waits.count, waits.events, &copied);
    } else {
      status = next().clEnqueueCopyBuffer(queue, storage.memory, source, offset, 0, target.size(),
                                          waits.count, waits.events, &copied);
    }
    if (status != CL_SUCCESS) return status;
    waits = {1, &copied};
    offset = 0;
  }
  cl_int status = CL_SUCCESS;
  if (storage.image && !hidden) {
    const std::size_t origin[3] = {0, 0, 0};
    const auto region = whole_region(*storage.image);
    status = next().clEnqueueReadImage(queue, source, CL_FALSE, origin, region.data(), 0, 0,
                                       target.data(), waits.count, waits.events, event);
  } else {
    status = next().clEnqueueReadBuffer(queue, source, CL_FALSE, offset, target.size(),
                                        target.data(), waits.count, waits.events, event);
  }
  if (copied) next().clReleaseEvent(copied);
  return status;
}

}  // namespace reel::layer
