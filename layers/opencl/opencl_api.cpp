#include "layers/opencl/opencl_api.hpp"

#include <fmt/format.h>

#include "layers/opencl/driver_reads.hpp"
#include "layers/opencl/objects/device_row.hpp"
#include "layers/opencl/objects/kernel_row.hpp"
#include "recording/calls/call_recording.hpp"

namespace reel::layer {

namespace {

using capture::CallRecording;
using capture::Completion;
using capture::HandleKind;

cl_event event_of(void* completion) noexcept { return static_cast<cl_event>(completion); }
cl_command_queue queue_of(void* queue) noexcept { return static_cast<cl_command_queue>(queue); }
cl_device_id device_at(const void* device) noexcept {
  return static_cast<cl_device_id>(const_cast<void*>(device));
}
const Storage& storage_of(const BufferResource& buffer) noexcept {
  return static_cast<const Storage&>(buffer);
}

void CL_CALLBACK read_ended(cl_event, cl_int status, void* read) {
  CallRecording::read_done(static_cast<capture::ReadUnderWay*>(read), status);
}

class OpenClApi final : public capture::ApiAdapter {
 public:
  std::string_view name() const noexcept override { return "opencl"; }

  // --- handles
  void retain(HandleKind kind, void* handle) noexcept override {
    if (kind == HandleKind::completion)
      next().clRetainEvent(event_of(handle));
    else
      next().clRetainCommandQueue(queue_of(handle));
  }
  void release(HandleKind kind, void* handle) noexcept override {
    if (kind == HandleKind::completion)
      next().clReleaseEvent(event_of(handle));
    else
      next().clReleaseCommandQueue(queue_of(handle));
  }
  int status(void* completion) noexcept override {
    cl_int state = CL_COMPLETE;
    if (next().clGetEventInfo(event_of(completion), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                              &state, nullptr) != CL_SUCCESS)
      return CL_COMPLETE;  // a driver that can't tell would keep it for ever
    return state;
  }
  void wait(std::span<void* const> completions) noexcept override {
    try {
      std::vector<cl_event> events;
      for (void* one : completions) events.push_back(event_of(one));
      next().clWaitForEvents(static_cast<cl_uint>(events.size()), events.data());
    } catch (const std::bad_alloc&) {
      for (void* one : completions) {
        const cl_event event = event_of(one);
        next().clWaitForEvents(1, &event);
      }
    }
  }
  void flush(void* queue) noexcept override { next().clFlush(queue_of(queue)); }
  void finish(void* queue) noexcept override { next().clFinish(queue_of(queue)); }

  // --- what is done
  std::string words(int status) const override {
    return fmt::format("{} ({})", status_name(status), status);
  }
  bool stamps_reads() const noexcept override { return true; }
  void times(void*, std::uint32_t, capture::SubmissionTimes&) noexcept override {}
  bool stamps(void* completion, document::StampRow& row) noexcept override {
    const auto get = [&](cl_profiling_info what) {
      cl_ulong ns = 0;
      return next().clGetEventProfilingInfo(event_of(completion), what, sizeof ns, &ns, nullptr) ==
                     CL_SUCCESS
                 ? ns
                 : 0;
    };
    row.ended_ns = get(CL_PROFILING_COMMAND_END);
    if (row.ended_ns == 0) return false;
    row.queued_ns = get(CL_PROFILING_COMMAND_QUEUED);
    row.submitted_ns = get(CL_PROFILING_COMMAND_SUBMIT);
    row.started_ns = get(CL_PROFILING_COMMAND_START);
    return true;
  }
  bool tell_when_done(void* completion, capture::ReadUnderWay* read) noexcept override {
    return driver_has(completion, &cl_icd_dispatch::clSetEventCallback) &&
           next().clSetEventCallback(event_of(completion), CL_COMPLETE, read_ended, read) ==
               CL_SUCCESS;
  }
  const capture::RecordedEvent* waited_for(const capture::Ticket& ticket,
                                           std::uint32_t index) noexcept override {
    return find<Event>(static_cast<const Ticket&>(ticket).waits[index]);
  }

  // --- bytes
  bool may_use(const capture::TrackedQueue& queue,
               const capture::TrackedBuffer& buffer) const noexcept override {
    return static_cast<const Queue&>(queue).context == storage_of(buffer).context;
  }
  // OpenCL reads boxes of pixels, not ranges of bytes.
  bool is_read_whole(const capture::TrackedBuffer& buffer) const noexcept override {
    return buffer.image.has_value();
  }
  std::string read(void* queue, const BufferRange& range, std::span<std::byte> target,
                   const capture::ReadOrder& order, Completion& done,
                   std::shared_ptr<void>& scratch) override {
    std::vector<cl_event> events;
    WaitList waits;
    if (order.ahead_of) {
      auto& ticket = static_cast<Ticket&>(*order.ahead_of);
      ticket.add_own_waits();
      waits = {ticket.wait_count, ticket.waits};
    } else if (!order.completions.empty()) {
      for (void* one : order.completions) events.push_back(event_of(one));
      waits = {static_cast<cl_uint>(events.size()), events.data()};
    }
    cl_event event = nullptr;
    const cl_int status = enqueue_read(queue_of(queue), storage_of(*range.buffer),
                                       range.offset_bytes, target, waits, &event, scratch);
    if (event) done = Completion(*this, event);
    return status == CL_SUCCESS ? std::string() : answered(status);
  }
  std::unique_ptr<capture::DirectReader> open_reader() override { return open_direct_reader(); }

  // --- what documents tell of things
  // Memory belongs to a context; its first device stands for it.
  const void* device_of(const capture::TrackedBuffer& buffer) override {
    const auto devices = devices_of(storage_of(buffer).context);
    return devices.empty() ? nullptr : devices[0];
  }
  document::DeviceRow device_row(const void* device, std::uint32_t number) override {
    return layer::device_row(device_at(device), number);
  }
  std::optional<std::uint64_t> now_ns(const void*) noexcept override { return std::nullopt; }
  std::shared_ptr<KernelIdentity> identity_of(const capture::TrackedKernel& kernel) override {
    return layer::identity_of(static_cast<const Kernel&>(kernel));
  }
  document::KernelRow kernel_row(capture::TrackedKernel& kernel, const void* device,
                                 std::uint32_t number) override {
    return layer::kernel_row(static_cast<Kernel&>(kernel), device_at(device), number);
  }

  // --- the process
  bool label(const void* handle, std::string_view name) override {
    Object* object = handles().find(handle);
    if (!object) {
      const auto svm = svm_at(handle);
      if (svm) svm->storage->label = name;
      return svm.has_value();
    }
    if (object->kind == ObjectKind::memory)
      static_cast<Memory*>(object)->storage->label = name;
    else if (object->kind == ObjectKind::kernel)
      static_cast<Kernel*>(object)->label = name;
    else if (object->kind == ObjectKind::queue)
      static_cast<Queue*>(object)->label = name;
    else
      return false;
    return true;
  }
  void before_fork() noexcept override { handles().mutex().lock(); }
  void after_fork() noexcept override { handles().mutex().unlock(); }
};

}  // namespace

capture::ApiAdapter& opencl_api() noexcept { return forever<OpenClApi>(); }

}  // namespace reel::layer
