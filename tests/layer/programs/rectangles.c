// rectangles.c - boxes of bytes read, written and copied with pitches, in two and three dimensions.
#include "machine.h"

enum { width = 96, height = 40, depth = 6, size = width * height * depth };

int main(void) {
  Machine machine = open_machine(0);
  unsigned char bytes[size], other[size];
  fill_scrambled(bytes, size, 8);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, bytes);
  cl_mem second = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, bytes);

  const size_t buffer_origin[3] = {5, 7, 1}, host_origin[3] = {11, 3, 2}, region[3] = {33, 20, 3};
  memset(other, 0, size);
  CHECK(clEnqueueReadBufferRect(machine.queue, buffer, CL_TRUE, buffer_origin, host_origin, region,
                                width, width * height, width, width * height, other, 0, NULL,
                                NULL));
  digest("read", other, size);
  // Pitches of 0 are those of the region.
  memset(other, 0, size);
  const size_t zero[3] = {0, 0, 0};
  CHECK(clEnqueueReadBufferRect(machine.queue, buffer, CL_TRUE, buffer_origin, zero, region, width,
                                0, 0, 0, other, 0, NULL, NULL));
  digest("dense", other, size);

  fill_scrambled(other, size, 9);
  CHECK(clEnqueueWriteBufferRect(machine.queue, buffer, CL_TRUE, buffer_origin, host_origin, region,
                                 width, width * height, width, width * height, other, 0, NULL,
                                 NULL));
  digest_buffer(&machine, "written", buffer, size);
  // Not blocking, with memory that is let go after the wait.
  cl_event event;
  unsigned char* once = malloc(33 * 20 * 3);
  fill_scrambled(once, 33 * 20 * 3, 10);
  CHECK(clEnqueueWriteBufferRect(machine.queue, buffer, CL_FALSE, host_origin, zero, region, width,
                                 width * height, 0, 0, once, 0, NULL, &event));
  CHECK(clWaitForEvents(1, &event));
  CHECK(clReleaseEvent(event));
  memset(once, 0, 33 * 20 * 3);
  free(once);
  digest_buffer(&machine, "later", buffer, size);

  CHECK(clEnqueueCopyBufferRect(machine.queue, buffer, second, buffer_origin, host_origin, region,
                                width, width * height, width, width * height, 0, NULL, NULL));
  digest_buffer(&machine, "copied", second, size);
  // Within one buffer, apart from each other.
  const size_t low[3] = {0, 0, 0}, high[3] = {48, 0, 0}, half[3] = {48, 40, 6};
  CHECK(clEnqueueCopyBufferRect(machine.queue, second, second, low, high, half, width,
                                width * height, width, width * height, 0, NULL, NULL));
  digest_buffer(&machine, "inside", second, size);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseMemObject(second));
  close_machine(&machine);
  return 0;
}
