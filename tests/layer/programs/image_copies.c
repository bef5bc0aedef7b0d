// image_copies.c - images filled, copied among each other, and copied to and from buffers.
#include "images.h"

enum { width = 24, height = 12, depth = 5 };

int main(void) {
  Machine machine = open_machine(0);
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc plane = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
  const cl_image_desc solid = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                               .image_width = width,
                               .image_height = height,
                               .image_depth = depth};
  const size_t plane_extent[3] = {width, height, 1}, solid_extent[3] = {width, height, depth};
  cl_mem first = make_image(&machine, CL_MEM_READ_WRITE, format, plane, NULL);
  cl_mem second = make_image(&machine, CL_MEM_READ_WRITE, format, plane, NULL);
  cl_mem third = make_image(&machine, CL_MEM_READ_WRITE, format, solid, NULL);
  write_image(&machine, first, plane_extent, 20);
  write_image(&machine, second, plane_extent, 21);
  write_image(&machine, third, solid_extent, 22);

  const cl_uint color[4] = {1, 20, 255, 127};
  const size_t at[3] = {3, 4, 0}, small[3] = {10, 5, 1};
  CHECK(clEnqueueFillImage(machine.queue, first, color, at, small, 0, NULL, NULL));
  digest_image(&machine, "filled", first, plane_extent);

  const size_t to[3] = {13, 6, 0}, deep[3] = {7, 2, 3};
  CHECK(clEnqueueCopyImage(machine.queue, first, second, at, to, small, 0, NULL, NULL));
  digest_image(&machine, "copied", second, plane_extent);
  CHECK(clEnqueueCopyImage(machine.queue, second, third, at, deep, small, 0, NULL, NULL));
  digest_image(&machine, "into a slice", third, solid_extent);

  unsigned char bytes[8192];
  fill_scrambled(bytes, sizeof bytes, 23);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes);
  const size_t block[3] = {4, 3, 2}, corner[3] = {5, 6, 1};
  CHECK(
      clEnqueueCopyBufferToImage(machine.queue, buffer, third, 333, corner, block, 0, NULL, NULL));
  digest_image(&machine, "from buffer", third, solid_extent);
  CHECK(
      clEnqueueCopyImageToBuffer(machine.queue, third, buffer, corner, block, 1001, 0, NULL, NULL));
  digest_buffer(&machine, "to buffer", buffer, sizeof bytes);

  // A part with pitches of its own, in both directions.
  memset(bytes, 0, sizeof bytes);
  CHECK(clEnqueueReadImage(machine.queue, third, CL_TRUE, corner, block, 64, 640, bytes, 0, NULL,
                           NULL));
  digest("read with pitches", bytes, sizeof bytes);
  fill_scrambled(bytes, sizeof bytes, 24);
  cl_event event;
  CHECK(clEnqueueWriteImage(machine.queue, third, CL_FALSE, corner, block, 64, 640, bytes, 0, NULL,
                            &event));
  CHECK(clWaitForEvents(1, &event));
  CHECK(clReleaseEvent(event));
  digest_image(&machine, "written with pitches", third, solid_extent);
  CHECK(clReleaseMemObject(first));
  CHECK(clReleaseMemObject(second));
  CHECK(clReleaseMemObject(third));
  CHECK(clReleaseMemObject(buffer));
  close_machine(&machine);
  return 0;
}
