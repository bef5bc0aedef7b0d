// Map and unmap of buffers and images.
#include <cstring>

#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/hooks/map_hooks.hpp"
#include "layers/opencl/objects/image_region.hpp"
#include "layers/opencl/transfers.hpp"

namespace reel::layer {

namespace {

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                             cl_map_flags flags, size_t offset, size_t size, cl_uint wait_count,
                             const cl_event* waits, cl_event* event, cl_int* status_ret) {
  Given given(queue, wait_count, waits, event);
  Work mapped;
  quietly([&] { add_range(mapped, Access::read, memory_of(buffer), offset, size); });
  fill(given, WorkKind::read, "clEnqueueMapBuffer",
       [&](Work& work) { work.arguments = mapped.arguments; });
  void* pointer = nullptr;
  MapInProgress map(given, mapped.arguments, flags, blocking);
  const cl_bool block = given.block(blocking);
  cl_int status = given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    cl_int answer = CL_SUCCESS;
    pointer =
        next().clEnqueueMapBuffer(queue, buffer, block, flags, offset, size, n, w, e, &answer);
    return answer;
  });
  if (status == CL_SUCCESS) map.done(pointer, line(size));
  if (blocking) status = given.wait(status);
  map.waited(pointer, status);
  if (status_ret) *status_ret = status;
  return pointer;
}

void* CL_API_CALL map_image(cl_command_queue queue, cl_mem image, cl_bool blocking,
                            cl_map_flags flags, const size_t* origin, const size_t* region,
                            size_t* row_pitch, size_t* slice_pitch, cl_uint wait_count,
                            const cl_event* waits, cl_event* event, cl_int* status_ret) {
  Given given(queue, wait_count, waits, event);
  std::shared_ptr<Memory> memory;
  Work mapped;
  quietly([&] {
    memory = memory_of(image);
    add_region(mapped, Access::read, memory, origin, region);
  });
  fill(given, WorkKind::read, "clEnqueueMapImage",
       [&](Work& work) { work.arguments = mapped.arguments; });
  void* pointer = nullptr;
  MapInProgress map(given, mapped.arguments, flags, false);
  const cl_bool block = given.block(blocking);
  cl_int status = given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    cl_int answer = CL_SUCCESS;
    pointer = next().clEnqueueMapImage(queue, image, block, flags, origin, region, row_pitch,
                                       slice_pitch, n, w, e, &answer);
    return answer;
  });
  if (status == CL_SUCCESS && is_image(memory))
    map.done(pointer, host_region(memory, region, row_pitch ? *row_pitch : 0,
                                  slice_pitch ? *slice_pitch : 0));
  if (blocking) status = given.wait(status);
  if (status_ret) *status_ret = status;
  return pointer;
}

cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memory, void* pointer, cl_uint wait_count,
                         const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  std::optional<Map> map;
  quietly([&] {
    const auto known = find<Memory>(memory);
    if (known) map = take_map(known->storage.get(), pointer);
  });
  return unmap(given, "clEnqueueUnmapMemObject", std::move(map), pointer,
               [&](cl_uint n, const cl_event* w, cl_event* e) {
                 return next().clEnqueueUnmapMemObject(queue, memory, pointer, n, w, e);
               });
}

}  // namespace

void add_map_hooks(cl_icd_dispatch& table) {
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueMapImage = map_image;
  table.clEnqueueUnmapMemObject = unmap;
}

}  // namespace reel::layer
