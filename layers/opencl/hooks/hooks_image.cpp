// Read, write, copy and fill of images.
#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/objects/image_region.hpp"
#include "layers/opencl/transfers.hpp"

namespace reel::layer {

namespace {

cl_int CL_API_CALL enqueue_read(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                const size_t* origin, const size_t* region, size_t row_pitch,
                                size_t slice_pitch, void* target, cl_uint wait_count,
                                const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  Box host;
  fill(given, WorkKind::read, "clEnqueueReadImage", [&](Work& work) {
    const auto memory = memory_of(image);
    add_region(work, Access::read, memory, origin, region);
    host = host_region(memory, region, row_pitch, slice_pitch);
  });
  return read(given, blocking, {target, host},
              [&](cl_bool block, cl_uint n, const cl_event* w, cl_event* e) {
                return next().clEnqueueReadImage(queue, image, block, origin, region, row_pitch,
                                                 slice_pitch, target, n, w, e);
              });
}

cl_int CL_API_CALL enqueue_write(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                 const size_t* origin, const size_t* region, size_t row_pitch,
                                 size_t slice_pitch, const void* source, cl_uint wait_count,
                                 const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  Box host;
  fill(given, WorkKind::write, "clEnqueueWriteImage", [&](Work& work) {
    const auto memory = memory_of(image);
    add_region(work, Access::write, memory, origin, region);
    host = host_region(memory, region, row_pitch, slice_pitch);
  });
  return write(given, blocking, {source, host},
               [&](cl_bool block, cl_uint n, const cl_event* w, cl_event* e) {
                 return next().clEnqueueWriteImage(queue, image, block, origin, region, row_pitch,
                                                   slice_pitch, source, n, w, e);
               });
}

cl_int CL_API_CALL enqueue_copy(cl_command_queue queue, cl_mem source, cl_mem target,
                                const size_t* source_origin, const size_t* target_origin,
                                const size_t* region, cl_uint wait_count, const cl_event* waits,
                                cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::copy, "clEnqueueCopyImage", [&](Work& work) {
    add_image_to_image(work, memory_of(source), source_origin, memory_of(target), target_origin,
                       region);
  });
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueCopyImage(queue, source, target, source_origin, target_origin, region, n,
                                     w, e);
  });
}

cl_int CL_API_CALL enqueue_copy_to_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                          const size_t* origin, const size_t* region, size_t offset,
                                          cl_uint wait_count, const cl_event* waits,
                                          cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::copy, "clEnqueueCopyImageToBuffer", [&](Work& work) {
    add_image_to_buffer(work, memory_of(image), origin, region, memory_of(buffer), offset);
  });
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, offset, n, w, e);
  });
}

cl_int CL_API_CALL enqueue_copy_from_buffer(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                            size_t offset, const size_t* origin,
                                            const size_t* region, cl_uint wait_count,
                                            const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::copy, "clEnqueueCopyBufferToImage", [&](Work& work) {
    add_buffer_to_image(work, memory_of(buffer), offset, memory_of(image), origin, region);
  });
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueCopyBufferToImage(queue, buffer, image, offset, origin, region, n, w, e);
  });
}

// The colour is four numbers, turned into pixels by the driver: what it made of them is read back.
cl_int CL_API_CALL enqueue_fill(cl_command_queue queue, cl_mem image, const void* colour,
                                const size_t* origin, const size_t* region, cl_uint wait_count,
                                const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::write, "clEnqueueFillImage",
       [&](Work& work) { add_region(work, Access::write, memory_of(image), origin, region); });
  const cl_int status = given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueFillImage(queue, image, colour, origin, region, n, w, e);
  });
  if (status == CL_SUCCESS) given.check(ContentRole::written);
  return status;
}

}  // namespace

void add_image_hooks(cl_icd_dispatch& table) {
  table.clEnqueueReadImage = enqueue_read;
  table.clEnqueueWriteImage = enqueue_write;
  table.clEnqueueCopyImage = enqueue_copy;
  table.clEnqueueCopyImageToBuffer = enqueue_copy_to_buffer;
  table.clEnqueueCopyBufferToImage = enqueue_copy_from_buffer;
  table.clEnqueueFillImage = enqueue_fill;
}

}  // namespace reel::layer
