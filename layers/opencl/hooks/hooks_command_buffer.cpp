// cl_khr_command_buffer, whose functions only the platform can be asked for.
#include <algorithm>
#include <map>
#include <string_view>

#include "layers/opencl/hooks/dispatch.hpp"
#include "layers/opencl/objects/command_buffer.hpp"
#include "layers/opencl/objects/image_region.hpp"
#include "layers/opencl/objects/references.hpp"
#include "layers/opencl/transfers.hpp"

namespace reel::layer {

struct CommandBufferFunctions {
  clCreateCommandBufferKHR_fn create = nullptr;
  clRetainCommandBufferKHR_fn retain = nullptr;
  clReleaseCommandBufferKHR_fn release = nullptr;
  clEnqueueCommandBufferKHR_fn enqueue = nullptr;
  clCommandBarrierWithWaitListKHR_fn barrier = nullptr;
  clCommandCopyBufferKHR_fn copy = nullptr;
  clCommandCopyBufferRectKHR_fn copy_rect = nullptr;
  clCommandCopyBufferToImageKHR_fn copy_to_image = nullptr;
  clCommandCopyImageKHR_fn copy_image = nullptr;
  clCommandCopyImageToBufferKHR_fn copy_to_buffer = nullptr;
  clCommandFillBufferKHR_fn fill = nullptr;
  clCommandFillImageKHR_fn fill_image = nullptr;
  clCommandNDRangeKernelKHR_fn kernel = nullptr;
};

namespace {

using Buffer = cl_command_buffer_khr;
using SyncPoint = cl_sync_point_khr;

struct Platforms {
  std::mutex mutex;
  std::map<cl_platform_id, CommandBufferFunctions> functions;
};

Platforms& platforms() {
  static Platforms& one = *new Platforms;
  return one;
}

// Of the platform that the queue is on; what was asked for without a platform serves any.
const CommandBufferFunctions* functions_of(cl_command_queue queue) {
  const auto device = ask<cl_device_id>(next().clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE);
  const auto platform = ask<cl_platform_id>(next().clGetDeviceInfo, device, CL_DEVICE_PLATFORM);
  const std::lock_guard lock(platforms().mutex);
  auto& all = platforms().functions;
  if (const auto it = all.find(platform); it != all.end() && it->second.create) return &it->second;
  if (const auto it = all.find(nullptr); it != all.end()) return &it->second;
  return all.empty() ? nullptr : &all.begin()->second;
}

CommandBuffer* known(Buffer buffer) noexcept {
  Object* object = handles().find(buffer);
  return object && object->kind == ObjectKind::command_buffer ? static_cast<CommandBuffer*>(object)
                                                              : nullptr;
}

// A program can't have got a buffer without create(), which we stand before.
const CommandBufferFunctions& driver_of(Buffer buffer) noexcept {
  static const CommandBufferFunctions none;
  const CommandBuffer* found = known(buffer);
  if (found && found->driver) return *found->driver;
  const std::lock_guard lock(platforms().mutex);
  auto& all = platforms().functions;
  return all.empty() ? none : all.begin()->second;
}

Buffer CL_API_CALL create(cl_uint count, const cl_command_queue* queues,
                          const cl_command_buffer_properties_khr* properties, cl_int* status_ret) {
  const CommandBufferFunctions* driver = functions_of(queues && count ? queues[0] : nullptr);
  cl_int status = CL_INVALID_OPERATION;
  Buffer buffer = driver ? driver->create(count, queues, properties, &status) : nullptr;
  if (buffer && status == CL_SUCCESS)
    quietly([&] {
      auto made = std::make_shared<CommandBuffer>();
      made->queue = queues[0];
      made->driver = driver;
      add(buffer, std::move(made));
    });
  if (status_ret) *status_ret = status;
  return buffer;
}

cl_int CL_API_CALL retain_buffer(Buffer buffer) { return retain(buffer, driver_of(buffer).retain); }

cl_int CL_API_CALL release_buffer(Buffer buffer) {
  return release(buffer, driver_of(buffer).release);
}

// --- commands of a buffer -----------------------------------------------------------------------

struct Waits {
  cl_uint count;
  const SyncPoint* points;
  SyncPoint* made;
};

// The driver has taken a command into the buffer: `fill(BufferedWork&)` says which.
template <class Fill>
cl_int taken(cl_int status, Buffer buffer, const Waits& waits, Fill&& fill) noexcept {
  if (status != CL_SUCCESS) return status;
  quietly([&] {
    CommandBuffer* found = known(buffer);
    if (!found) return;
    BufferedWork one;
    fill(one);
    for (const WorkArgument& argument : one.work.arguments)
      if (argument.kind == ArgumentKind::buffer) {
        one.kept.push_back(argument.range.storage->shared_from_this());
        if (argument.view) one.kept.push_back(argument.view->shared_from_this());
      }
    if (one.work.kernel)
      one.kept.push_back(static_cast<Kernel*>(one.work.kernel)->shared_from_this());
    const std::lock_guard lock(found->mutex);
    const auto number = static_cast<std::uint32_t>(found->works.size());
    for (cl_uint i = 0; waits.points && i < waits.count; ++i)
      for (std::uint32_t w = 0; w < number; ++w)
        if (found->work_of_sync_point[w] == waits.points[i]) one.after.push_back(w);
    if (number > 0) one.after.push_back(number - 1);  // the queue it was made for is in order
    std::sort(one.after.begin(), one.after.end());
    one.after.erase(std::unique(one.after.begin(), one.after.end()), one.after.end());
    found->works.push_back(std::move(one));
    found->work_of_sync_point.push_back(waits.made ? *waits.made : no_index);
  });
  return status;
}

void named(BufferedWork& one, WorkKind kind, const char* function) {
  one.work.row.kind = kind;
  one.work.label = function;
}

cl_int CL_API_CALL barrier(Buffer buffer, cl_command_queue queue, cl_uint count,
                           const SyncPoint* points, SyncPoint* point,
                           cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).barrier(buffer, queue, count, points, point, handle), buffer,
               {count, points, point}, [](BufferedWork& one) {
                 named(one, WorkKind::barrier, "clCommandBarrierWithWaitListKHR");
               });
}

cl_int CL_API_CALL copy(Buffer buffer, cl_command_queue queue, cl_mem source, cl_mem target,
                        size_t source_offset, size_t target_offset, size_t size, cl_uint count,
                        const SyncPoint* points, SyncPoint* point, cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).copy(buffer, queue, source, target, source_offset, target_offset,
                                      size, count, points, point, handle),
               buffer, {count, points, point}, [&](BufferedWork& one) {
                 named(one, WorkKind::copy, "clCommandCopyBufferKHR");
                 add_copy(one.work, memory_of(source), line_at(source_offset, size),
                          memory_of(target), line_at(target_offset, size));
               });
}

cl_int CL_API_CALL copy_rect(Buffer buffer, cl_command_queue queue, cl_mem source, cl_mem target,
                             const size_t* source_origin, const size_t* target_origin,
                             const size_t* region, size_t source_row, size_t source_slice,
                             size_t target_row, size_t target_slice, cl_uint count,
                             const SyncPoint* points, SyncPoint* point,
                             cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).copy_rect(buffer, queue, source, target, source_origin,
                                           target_origin, region, source_row, source_slice,
                                           target_row, target_slice, count, points, point, handle),
               buffer, {count, points, point}, [&](BufferedWork& one) {
                 named(one, WorkKind::copy, "clCommandCopyBufferRectKHR");
                 add_copy(one.work, memory_of(source),
                          buffer_box(source_origin, region, source_row, source_slice, 0),
                          memory_of(target),
                          buffer_box(target_origin, region, target_row, target_slice, 0));
               });
}

cl_int CL_API_CALL copy_to_image(Buffer buffer, cl_command_queue queue, cl_mem source,
                                 cl_mem target, size_t offset, const size_t* origin,
                                 const size_t* region, cl_uint count, const SyncPoint* points,
                                 SyncPoint* point, cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).copy_to_image(buffer, queue, source, target, offset, origin,
                                               region, count, points, point, handle),
               buffer, {count, points, point}, [&](BufferedWork& one) {
                 named(one, WorkKind::copy, "clCommandCopyBufferToImageKHR");
                 add_buffer_to_image(one.work, memory_of(source), offset, memory_of(target), origin,
                                     region);
               });
}

cl_int CL_API_CALL copy_image(Buffer buffer, cl_command_queue queue, cl_mem source, cl_mem target,
                              const size_t* source_origin, const size_t* target_origin,
                              const size_t* region, cl_uint count, const SyncPoint* points,
                              SyncPoint* point, cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).copy_image(buffer, queue, source, target, source_origin,
                                            target_origin, region, count, points, point, handle),
               buffer, {count, points, point}, [&](BufferedWork& one) {
                 named(one, WorkKind::copy, "clCommandCopyImageKHR");
                 add_image_to_image(one.work, memory_of(source), source_origin, memory_of(target),
                                    target_origin, region);
               });
}

cl_int CL_API_CALL copy_to_buffer(Buffer buffer, cl_command_queue queue, cl_mem source,
                                  cl_mem target, const size_t* origin, const size_t* region,
                                  size_t offset, cl_uint count, const SyncPoint* points,
                                  SyncPoint* point, cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).copy_to_buffer(buffer, queue, source, target, origin, region,
                                                offset, count, points, point, handle),
               buffer, {count, points, point}, [&](BufferedWork& one) {
                 named(one, WorkKind::copy, "clCommandCopyImageToBufferKHR");
                 add_image_to_buffer(one.work, memory_of(source), origin, region, memory_of(target),
                                     offset);
               });
}

cl_int CL_API_CALL fill_buffer(Buffer buffer, cl_command_queue queue, cl_mem target,
                               const void* pattern, size_t pattern_size, size_t offset, size_t size,
                               cl_uint count, const SyncPoint* points, SyncPoint* point,
                               cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).fill(buffer, queue, target, pattern, pattern_size, offset, size,
                                      count, points, point, handle),
               buffer, {count, points, point}, [&](BufferedWork& one) {
                 named(one, WorkKind::fill, "clCommandFillBufferKHR");
                 add_range(one.work, Access::write, memory_of(target), offset, size);
                 set_pattern(one.work, pattern, pattern_size);
                 const auto* bytes = static_cast<const std::byte*>(pattern);
                 if (one.work.row.kind == WorkKind::write)
                   one.pattern.assign(bytes, bytes + pattern_size);
               });
}

cl_int CL_API_CALL fill_image(Buffer buffer, cl_command_queue queue, cl_mem target,
                              const void* colour, const size_t* origin, const size_t* region,
                              cl_uint count, const SyncPoint* points, SyncPoint* point,
                              cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).fill_image(buffer, queue, target, colour, origin, region, count,
                                            points, point, handle),
               buffer, {count, points, point}, [&](BufferedWork& one) {
                 named(one, WorkKind::host_call, "clCommandFillImageKHR");
                 one.work.why_not_again = "only the driver knows the pixels of its colour";
                 add_region(one.work, Access::write, memory_of(target), origin, region);
               });
}

cl_int CL_API_CALL kernel(Buffer buffer, cl_command_queue queue,
                          const cl_ndrange_kernel_command_properties_khr* properties,
                          cl_kernel kernel_handle, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, cl_uint count,
                          const SyncPoint* points, SyncPoint* point,
                          cl_mutable_command_khr* handle) {
  return taken(driver_of(buffer).kernel(buffer, queue, properties, kernel_handle, dimensions,
                                        offset, global, local, count, points, point, handle),
               buffer, {count, points, point}, [&](BufferedWork& one) {
                 if (Kernel* found = kernel_of(kernel_handle))
                   fill_dispatch(one.work, *found, "clCommandNDRangeKernelKHR", dimensions, offset,
                                 global, local);
               });
}

// --- giving it ----------------------------------------------------------------------------------

cl_int CL_API_CALL enqueue(cl_uint count, cl_command_queue* queues, Buffer buffer,
                           cl_uint wait_count, const cl_event* waits, cl_event* event) {
  const auto driver = driver_of(buffer).enqueue;
  CommandBuffer* found = known(buffer);
  if (!found || !session::mode()) return driver(count, queues, buffer, wait_count, waits, event);
  Given given(queues && count ? queues[0] : found->queue, wait_count, waits, event);
  if (given) given.launch(*found);
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return driver(count, queues, buffer, n, w, e);
  });
}

}  // namespace

void* command_buffer_hook(cl_platform_id platform, const char* name, void* address) {
  const std::lock_guard lock(platforms().mutex);
  CommandBufferFunctions& driver = platforms().functions[platform];
  const std::string_view wanted(name);
  const auto stand_before = [&]<class F>(F& place, F hook) {
    place = reinterpret_cast<F>(address);
    return reinterpret_cast<void*>(hook);
  };
  if (wanted == "clCreateCommandBufferKHR") return stand_before(driver.create, &create);
  if (wanted == "clRetainCommandBufferKHR") return stand_before(driver.retain, &retain_buffer);
  if (wanted == "clReleaseCommandBufferKHR") return stand_before(driver.release, &release_buffer);
  if (wanted == "clEnqueueCommandBufferKHR") return stand_before(driver.enqueue, &enqueue);
  if (wanted == "clCommandBarrierWithWaitListKHR") return stand_before(driver.barrier, &barrier);
  if (wanted == "clCommandCopyBufferKHR") return stand_before(driver.copy, &copy);
  if (wanted == "clCommandCopyBufferRectKHR") return stand_before(driver.copy_rect, &copy_rect);
  if (wanted == "clCommandCopyBufferToImageKHR")
    return stand_before(driver.copy_to_image, &copy_to_image);
  if (wanted == "clCommandCopyImageKHR") return stand_before(driver.copy_image, &copy_image);
  if (wanted == "clCommandCopyImageToBufferKHR")
    return stand_before(driver.copy_to_buffer, &copy_to_buffer);
  if (wanted == "clCommandFillBufferKHR") return stand_before(driver.fill, &fill_buffer);
  if (wanted == "clCommandFillImageKHR") return stand_before(driver.fill_image, &fill_image);
  if (wanted == "clCommandNDRangeKernelKHR") return stand_before(driver.kernel, &kernel);
  return nullptr;
}

}  // namespace reel::layer
