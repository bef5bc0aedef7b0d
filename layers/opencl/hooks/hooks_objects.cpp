// Contexts, queues and events: who lives, who goes, and what a queue's owner is told.
#include <cstring>

#include "layers/opencl/given.hpp"
#include "layers/opencl/hooks/event_callback.hpp"
#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/objects/references.hpp"
#include "layers/session/exit_watch.hpp"
#include "recording/calls/held_back.hpp"

namespace reel::layer {

namespace {

cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                      const cl_device_id* devices,
                                      void(CL_CALLBACK* notify)(const char*, const void*, size_t,
                                                                void*),
                                      void* data, cl_int* status) {
  const Call call("clCreateContext");
  cl_context context = next().clCreateContext(properties, count, devices, notify, data, status);
  watch_exit();
  return context;
}

cl_context CL_API_CALL create_context_from_type(const cl_context_properties* properties,
                                                cl_device_type type,
                                                void(CL_CALLBACK* notify)(const char*, const void*,
                                                                          size_t, void*),
                                                void* data, cl_int* status) {
  const Call call("clCreateContextFromType");
  cl_context context = next().clCreateContextFromType(properties, type, notify, data, status);
  watch_exit();
  return context;
}

// --- queues -------------------------------------------------------------------------------------

void queue_made(cl_command_queue handle, cl_context context, cl_device_id device,
                cl_command_queue_properties asked, bool stamps_are_ours) {
  quietly([&] {
    auto queue = std::make_shared<Queue>();
    queue->context = context;
    queue->device = device;
    queue->in_order = (asked & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    queue->on_device = (asked & CL_QUEUE_ON_DEVICE) != 0;
    queue->can_stamp = stamps_are_ours || (asked & CL_QUEUE_PROFILING_ENABLE) != 0;
    queue->stamps_are_ours = stamps_are_ours;
    add(handle, std::move(queue));
  });
}

// Times need a queue that was made for them, so each is while somebody may want to capture.
cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties,
                                          cl_int* status_ret) {
  const Call call("clCreateCommandQueue");
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = nullptr;
  const bool ours = control::is_armed() && !(properties & CL_QUEUE_PROFILING_ENABLE);
  if (ours)
    queue = next().clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE,
                                        &status);
  const bool has_ours = ours && queue && status == CL_SUCCESS;
  if (!has_ours) queue = next().clCreateCommandQueue(context, device, properties, &status);
  if (queue && status == CL_SUCCESS) queue_made(queue, context, device, properties, has_ours);
  if (status_ret) *status_ret = status;
  return queue;
}

cl_command_queue CL_API_CALL create_queue_with_properties(cl_context context, cl_device_id device,
                                                          const cl_queue_properties* properties,
                                                          cl_int* status_ret) {
  const Call call("clCreateCommandQueueWithProperties");
  std::vector<cl_queue_properties> asked, changed;
  cl_command_queue_properties bits = 0;
  bool ours = false;
  quietly([&] {
    for (const cl_queue_properties* p = properties; p && *p; p += 2) {
      asked.insert(asked.end(), {p[0], p[1]});
      if (p[0] == CL_QUEUE_PROPERTIES)
        bits = p[1];
      else
        changed.insert(changed.end(), {p[0], p[1]});
    }
    changed.insert(changed.end(), {CL_QUEUE_PROPERTIES, bits | CL_QUEUE_PROFILING_ENABLE, 0});
    if (properties) asked.push_back(0);
    ours = control::is_armed() && !(bits & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE));
  });
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = nullptr;
  if (ours)
    queue = next().clCreateCommandQueueWithProperties(context, device, changed.data(), &status);
  const bool has_ours = ours && queue && status == CL_SUCCESS;
  if (!has_ours)
    queue = next().clCreateCommandQueueWithProperties(context, device, properties, &status);
  if (queue && status == CL_SUCCESS) {
    queue_made(queue, context, device, bits, has_ours);
    if (auto* known = find<Queue>(queue)) known->properties = std::move(asked);
  }
  if (status_ret) *status_ret = status;
  return queue;
}

// The program is told what it asked for.
cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info what, size_t size,
                              void* value, size_t* size_ret) {
  const auto* known = find<Queue>(queue);
  if (known && known->stamps_are_ours && what == CL_QUEUE_PROPERTIES_ARRAY) {
    const size_t bytes = known->properties.size() * sizeof(cl_queue_properties);
    if (value && size < bytes) return CL_INVALID_VALUE;
    if (value && bytes) std::memcpy(value, known->properties.data(), bytes);
    if (size_ret) *size_ret = bytes;
    return CL_SUCCESS;
  }
  const cl_int status = next().clGetCommandQueueInfo(queue, what, size, value, size_ret);
  if (known && known->stamps_are_ours && what == CL_QUEUE_PROPERTIES && status == CL_SUCCESS &&
      value && size >= sizeof(cl_command_queue_properties)) {
    cl_command_queue_properties bits = 0;
    std::memcpy(&bits, value, sizeof bits);
    bits &= ~cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE};
    std::memcpy(value, &bits, sizeof bits);
  } else if (known && status == CL_SUCCESS && what == CL_QUEUE_REFERENCE_COUNT && value &&
             size >= sizeof(cl_uint)) {
    const cl_uint count = known->references.load(std::memory_order_relaxed);
    std::memcpy(value, &count, sizeof count);
  }
  return status;
}

cl_int CL_API_CALL set_queue_property(cl_command_queue queue, cl_command_queue_properties bits,
                                      cl_bool enable, cl_command_queue_properties* old) {
  const cl_int status = next().clSetCommandQueueProperty(queue, bits, enable, old);
  if (status == CL_SUCCESS)
    if (auto* known = find<Queue>(queue)) {
      if (bits & CL_QUEUE_PROFILING_ENABLE) known->stamps_are_ours = false;
      if (bits & CL_QUEUE_PROFILING_ENABLE) known->can_stamp = enable != CL_FALSE;
      if (bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) known->in_order = enable == CL_FALSE;
    }
  return status;
}

cl_int CL_API_CALL retain_queue(cl_command_queue queue) {
  return retain(queue, next().clRetainCommandQueue);
}

cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  return release(queue, next().clReleaseCommandQueue, [](Object& object) {
    const RecordingUse use;
    if (use && object.kind == ObjectKind::queue) use->queue_released(static_cast<Queue&>(object));
  });
}

// --- events -------------------------------------------------------------------------------------

cl_event CL_API_CALL create_user_event(cl_context context, cl_int* status_ret) {
  cl_int status = CL_SUCCESS;
  cl_event event = next().clCreateUserEvent(context, &status);
  if (event && status == CL_SUCCESS)
    quietly([&] {
      auto known = std::make_shared<Event>();
      known->is_user = true;
      known->user_number = capture::held_back::made();
      add(event, std::move(known));
    });
  if (status_ret) *status_ret = status;
  return event;
}

cl_int CL_API_CALL set_user_event(cl_event event, cl_int execution_status) {
  // Asked before: the program may let go of the event in a callback of what it held back.
  const auto* known = find<Event>(event);
  const std::uint64_t number = known ? known->user_number : 0;
  const cl_int status = next().clSetUserEventStatus(event, execution_status);
  if (status == CL_SUCCESS && number) capture::held_back::set(number);
  return status;
}

cl_int CL_API_CALL retain_event(cl_event event) { return retain(event, next().clRetainEvent); }

cl_int CL_API_CALL release_event(cl_event event) { return release(event, next().clReleaseEvent); }

// The program has been told that the command is done; what it gives from now on comes after it.
void told_done(cl_event event) noexcept {
  if (!(session::mode() & (session::recording | session::ending))) return;
  const RecordingUse use(or_ending);
  const auto* known = use ? find<Event>(event) : nullptr;
  if (!known) return;
  use->settle_reads();
  use->host_saw(*known);
}

// Our own reference is not the program's affair.
cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t size, void* value,
                              size_t* size_ret) {
  const cl_int status = next().clGetEventInfo(event, what, size, value, size_ret);
  if (status != CL_SUCCESS || !value) return status;
  if (what == CL_EVENT_COMMAND_EXECUTION_STATUS && size >= sizeof(cl_int)) {
    cl_int state = CL_QUEUED;
    std::memcpy(&state, value, sizeof state);
    if (state <= CL_COMPLETE) told_done(event);
  }
  if (what != CL_EVENT_REFERENCE_COUNT) return status;
  if (const auto* known = find<Event>(event)) {
    const cl_uint count = known->references.load(std::memory_order_relaxed);
    std::memcpy(value, &count, sizeof count);
  }
  return status;
}

// A queue that the program made without times refuses them, as it would without us.
cl_int CL_API_CALL event_profiling(cl_event event, cl_profiling_info what, size_t size, void* value,
                                   size_t* size_ret) {
  const auto queue = ask<cl_command_queue>(next().clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE);
  const Queue* known = queue ? find<Queue>(queue) : nullptr;
  if (known && known->stamps_are_ours) return CL_PROFILING_INFO_NOT_AVAILABLE;
  const cl_int status = next().clGetEventProfilingInfo(event, what, size, value, size_ret);
  if (status == CL_SUCCESS && what == CL_PROFILING_COMMAND_END) told_done(event);
  return status;
}

}  // namespace

void add_object_hooks(cl_icd_dispatch& table) {
  table.clCreateContext = create_context;
  table.clCreateContextFromType = create_context_from_type;
  table.clCreateCommandQueue = create_queue;
  table.clCreateCommandQueueWithProperties = create_queue_with_properties;
  table.clGetCommandQueueInfo = queue_info;
  table.clSetCommandQueueProperty = set_queue_property;
  table.clRetainCommandQueue = retain_queue;
  table.clReleaseCommandQueue = release_queue;
  table.clCreateUserEvent = create_user_event;
  table.clSetUserEventStatus = set_user_event;
  table.clSetEventCallback = set_event_callback;
  table.clRetainEvent = retain_event;
  table.clReleaseEvent = release_event;
  table.clGetEventInfo = event_info;
  table.clGetEventProfilingInfo = event_profiling;
}

}  // namespace reel::layer
