// Buffers, images, samplers: made, retained, released.
#include "layers/opencl/given.hpp"
#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/objects/references.hpp"

namespace reel::layer {

namespace {

// Everything is learned from the driver, so that all ways to make memory are one.
cl_mem made(cl_mem handle, const cl_int* status) noexcept {
  if (!handle || (status && *status != CL_SUCCESS)) return handle;
  quietly([&] {
    handles().remove(handle);  // what had this handle before ended without our seeing it
    const auto memory = memory_of(handle);
    const RecordingUse use;
    if (use && memory) {
      if (memory->storage->memory == handle) use->allocated(*memory->storage);
    }
  });
  return handle;
}

// Drivers need a place for the status that we can read.
template <class Make>
cl_mem make(const char* function, cl_int* status_ret, Make&& driver) noexcept {
  Call call(function);
  cl_int status = CL_SUCCESS;
  cl_mem handle = made(call.driver([&] { return driver(&status); }), &status);
  if (status_ret) *status_ret = status;
  return handle;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                                 cl_int* status) {
  return make("clCreateBuffer", status, [&](cl_int* answer) {
    return next().clCreateBuffer(context, flags, size, host, answer);
  });
}

cl_mem CL_API_CALL create_buffer_with_properties(cl_context context,
                                                 const cl_mem_properties* properties,
                                                 cl_mem_flags flags, size_t size, void* host,
                                                 cl_int* status) {
  return make("clCreateBufferWithProperties", status, [&](cl_int* answer) {
    return next().clCreateBufferWithProperties(context, properties, flags, size, host, answer);
  });
}

cl_mem CL_API_CALL create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void* info, cl_int* status) {
  return make("clCreateSubBuffer", status, [&](cl_int* answer) {
    return next().clCreateSubBuffer(buffer, flags, type, info, answer);
  });
}

cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                const cl_image_format* format, const cl_image_desc* description,
                                void* host, cl_int* status) {
  return make("clCreateImage", status, [&](cl_int* answer) {
    return next().clCreateImage(context, flags, format, description, host, answer);
  });
}

cl_mem CL_API_CALL create_image_with_properties(cl_context context,
                                                const cl_mem_properties* properties,
                                                cl_mem_flags flags, const cl_image_format* format,
                                                const cl_image_desc* description, void* host,
                                                cl_int* status) {
  return make("clCreateImageWithProperties", status, [&](cl_int* answer) {
    return next().clCreateImageWithProperties(context, properties, flags, format, description, host,
                                              answer);
  });
}

cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags,
                                   const cl_image_format* format, size_t width, size_t height,
                                   size_t row_pitch, void* host, cl_int* status) {
  return make("clCreateImage2D", status, [&](cl_int* answer) {
    return next().clCreateImage2D(context, flags, format, width, height, row_pitch, host, answer);
  });
}

cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags,
                                   const cl_image_format* format, size_t width, size_t height,
                                   size_t depth, size_t row_pitch, size_t slice_pitch, void* host,
                                   cl_int* status) {
  return make("clCreateImage3D", status, [&](cl_int* answer) {
    return next().clCreateImage3D(context, flags, format, width, height, depth, row_pitch,
                                  slice_pitch, host, answer);
  });
}

cl_mem CL_API_CALL create_pipe(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                               cl_uint packets, const cl_pipe_properties* properties,
                               cl_int* status) {
  return make("clCreatePipe", status, [&](cl_int* answer) {
    return next().clCreatePipe(context, flags, packet_size, packets, properties, answer);
  });
}

cl_int CL_API_CALL retain_memory(cl_mem memory) { return retain(memory, next().clRetainMemObject); }

cl_int CL_API_CALL release_memory(cl_mem memory) {
  return release(memory, next().clReleaseMemObject, [](Object& object) {
    if (object.kind != ObjectKind::memory) return;
    const Beside beside;
    const auto& storage = static_cast<Memory&>(object).storage;
    if (storage->parts.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    {
      const std::lock_guard lock(storage->life_mutex);
      storage->is_gone = true;
    }
    const RecordingUse use;
    if (use) use->freed(*storage);
  });
}

// --- samplers -----------------------------------------------------------------------------------

cl_sampler sampler_made(cl_sampler handle, cl_int status) noexcept {
  if (!handle || status != CL_SUCCESS) return handle;
  quietly([&] {
    auto sampler = std::make_shared<Sampler>();
    const auto get = next().clGetSamplerInfo;
    sampler->shape = {ask<cl_bool>(get, handle, CL_SAMPLER_NORMALIZED_COORDS),
                      Addressing{ask<cl_addressing_mode>(get, handle, CL_SAMPLER_ADDRESSING_MODE)},
                      Filter{ask<cl_filter_mode>(get, handle, CL_SAMPLER_FILTER_MODE)}};
    add(handle, std::move(sampler));
  });
  return handle;
}

cl_sampler CL_API_CALL create_sampler(cl_context context, cl_bool normalized,
                                      cl_addressing_mode addressing, cl_filter_mode filter,
                                      cl_int* status_ret) {
  cl_int status = CL_SUCCESS;
  cl_sampler handle = sampler_made(
      next().clCreateSampler(context, normalized, addressing, filter, &status), status);
  if (status_ret) *status_ret = status;
  return handle;
}

cl_sampler CL_API_CALL create_sampler_with_properties(cl_context context,
                                                      const cl_sampler_properties* properties,
                                                      cl_int* status_ret) {
  cl_int status = CL_SUCCESS;
  cl_sampler handle =
      sampler_made(next().clCreateSamplerWithProperties(context, properties, &status), status);
  if (status_ret) *status_ret = status;
  return handle;
}

cl_int CL_API_CALL retain_sampler(cl_sampler sampler) {
  return retain(sampler, next().clRetainSampler);
}

cl_int CL_API_CALL release_sampler(cl_sampler sampler) {
  return release(sampler, next().clReleaseSampler);
}

}  // namespace

void add_memory_hooks(cl_icd_dispatch& table) {
  table.clCreateBuffer = create_buffer;
  table.clCreateBufferWithProperties = create_buffer_with_properties;
  table.clCreateSubBuffer = create_sub_buffer;
  table.clCreateImage = create_image;
  table.clCreateImageWithProperties = create_image_with_properties;
  table.clCreateImage2D = create_image_2d;
  table.clCreateImage3D = create_image_3d;
  table.clCreatePipe = create_pipe;
  table.clRetainMemObject = retain_memory;
  table.clReleaseMemObject = release_memory;
  table.clCreateSampler = create_sampler;
  table.clCreateSamplerWithProperties = create_sampler_with_properties;
  table.clRetainSampler = retain_sampler;
  table.clReleaseSampler = release_sampler;
}

}  // namespace reel::layer
