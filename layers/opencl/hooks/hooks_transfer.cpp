// Read, write, copy and fill of buffers, with and without rectangles.
#include "layers/opencl/given.hpp"
#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/transfers.hpp"

namespace reel::layer {

namespace {

cl_int CL_API_CALL enqueue_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                size_t offset, size_t size, void* target, cl_uint wait_count,
                                const cl_event* waits, cl_event* event) {
  if (!session::mode()) [[likely]]
    return next().clEnqueueReadBuffer(queue, buffer, blocking, offset, size, target, wait_count,
                                      waits, event);
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::read, "clEnqueueReadBuffer",
       [&](Work& work) { add_range(work, Access::read, memory_of(buffer), offset, size); });
  return read(given, blocking, {target, line(size)},
              [&](cl_bool block, cl_uint n, const cl_event* w, cl_event* e) {
                return next().clEnqueueReadBuffer(queue, buffer, block, offset, size, target, n, w,
                                                  e);
              });
}

cl_int CL_API_CALL enqueue_write(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                 size_t offset, size_t size, const void* source, cl_uint wait_count,
                                 const cl_event* waits, cl_event* event) {
  if (!session::mode()) [[likely]]
    return next().clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, source, wait_count,
                                       waits, event);
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::write, "clEnqueueWriteBuffer",
       [&](Work& work) { add_range(work, Access::write, memory_of(buffer), offset, size); });
  return write(given, blocking, {source, line(size)},
               [&](cl_bool block, cl_uint n, const cl_event* w, cl_event* e) {
                 return next().clEnqueueWriteBuffer(queue, buffer, block, offset, size, source, n,
                                                    w, e);
               });
}

cl_int CL_API_CALL enqueue_read_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     const size_t* origin, const size_t* host_origin,
                                     const size_t* region, size_t row_pitch, size_t slice_pitch,
                                     size_t host_row_pitch, size_t host_slice_pitch, void* target,
                                     cl_uint wait_count, const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::read, "clEnqueueReadBufferRect", [&](Work& work) {
    const auto memory = memory_of(buffer);
    add_box(work, Access::read, memory, buffer_box(origin, region, row_pitch, slice_pitch, 0));
  });
  return read(given, blocking,
              {target, buffer_box(host_origin, region, host_row_pitch, host_slice_pitch, 0)},
              [&](cl_bool block, cl_uint n, const cl_event* w, cl_event* e) {
                return next().clEnqueueReadBufferRect(
                    queue, buffer, block, origin, host_origin, region, row_pitch, slice_pitch,
                    host_row_pitch, host_slice_pitch, target, n, w, e);
              });
}

cl_int CL_API_CALL enqueue_write_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                      const size_t* origin, const size_t* host_origin,
                                      const size_t* region, size_t row_pitch, size_t slice_pitch,
                                      size_t host_row_pitch, size_t host_slice_pitch,
                                      const void* source, cl_uint wait_count, const cl_event* waits,
                                      cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::write, "clEnqueueWriteBufferRect", [&](Work& work) {
    add_box(work, Access::write, memory_of(buffer),
            buffer_box(origin, region, row_pitch, slice_pitch, 0));
  });
  return write(given, blocking,
               {source, buffer_box(host_origin, region, host_row_pitch, host_slice_pitch, 0)},
               [&](cl_bool block, cl_uint n, const cl_event* w, cl_event* e) {
                 return next().clEnqueueWriteBufferRect(
                     queue, buffer, block, origin, host_origin, region, row_pitch, slice_pitch,
                     host_row_pitch, host_slice_pitch, source, n, w, e);
               });
}

cl_int CL_API_CALL enqueue_copy(cl_command_queue queue, cl_mem source, cl_mem target,
                                size_t source_offset, size_t target_offset, size_t size,
                                cl_uint wait_count, const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::copy, "clEnqueueCopyBuffer", [&](Work& work) {
    add_copy(work, memory_of(source), line_at(source_offset, size), memory_of(target),
             line_at(target_offset, size));
  });
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueCopyBuffer(queue, source, target, source_offset, target_offset, size, n,
                                      w, e);
  });
}

cl_int CL_API_CALL enqueue_copy_rect(cl_command_queue queue, cl_mem source, cl_mem target,
                                     const size_t* source_origin, const size_t* target_origin,
                                     const size_t* region, size_t source_row_pitch,
                                     size_t source_slice_pitch, size_t target_row_pitch,
                                     size_t target_slice_pitch, cl_uint wait_count,
                                     const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::copy, "clEnqueueCopyBufferRect", [&](Work& work) {
    add_copy(work, memory_of(source),
             buffer_box(source_origin, region, source_row_pitch, source_slice_pitch, 0),
             memory_of(target),
             buffer_box(target_origin, region, target_row_pitch, target_slice_pitch, 0));
  });
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueCopyBufferRect(queue, source, target, source_origin, target_origin,
                                          region, source_row_pitch, source_slice_pitch,
                                          target_row_pitch, target_slice_pitch, n, w, e);
  });
}

cl_int CL_API_CALL enqueue_fill(cl_command_queue queue, cl_mem buffer, const void* pattern,
                                size_t pattern_size, size_t offset, size_t size, cl_uint wait_count,
                                const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::fill, "clEnqueueFillBuffer", [&](Work& work) {
    add_range(work, Access::write, memory_of(buffer), offset, size);
    set_pattern(work, pattern, pattern_size);
  });
  give_pattern(given, pattern, pattern_size);
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, n, w, e);
  });
}

cl_int CL_API_CALL enqueue_migrate(cl_command_queue queue, cl_uint count, const cl_mem* memories,
                                   cl_mem_migration_flags flags, cl_uint wait_count,
                                   const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::barrier, "clEnqueueMigrateMemObjects", [](Work&) {});
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueMigrateMemObjects(queue, count, memories, flags, n, w, e);
  });
}

}  // namespace

void add_transfer_hooks(cl_icd_dispatch& table) {
  table.clEnqueueReadBuffer = enqueue_read;
  table.clEnqueueWriteBuffer = enqueue_write;
  table.clEnqueueReadBufferRect = enqueue_read_rect;
  table.clEnqueueWriteBufferRect = enqueue_write_rect;
  table.clEnqueueCopyBuffer = enqueue_copy;
  table.clEnqueueCopyBufferRect = enqueue_copy_rect;
  table.clEnqueueFillBuffer = enqueue_fill;
  table.clEnqueueMigrateMemObjects = enqueue_migrate;
}

}  // namespace reel::layer
