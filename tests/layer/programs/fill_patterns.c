// fill_patterns.c - fills with patterns of 1 to 128 bytes, at offsets, and ones that are refused.
#include "machine.h"

enum { size = 8192 };

int main(void) {
  Machine machine = open_machine(0);
  unsigned char pattern[128];
  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
  const unsigned char zero = 0;
  CHECK(clEnqueueFillBuffer(machine.queue, buffer, &zero, 1, 0, size, 0, NULL, NULL));
  for (size_t width = 1; width <= 128; width *= 2) {
    fill_scrambled(pattern, width, (uint32_t)width);
    CHECK(clEnqueueFillBuffer(machine.queue, buffer, pattern, width, width * 3, width * 9, 0, NULL,
                              NULL));
    memset(pattern, 0, sizeof pattern);  // the call had its copy
    digest_buffer(&machine, "filled", buffer, size);
  }
  printf("refused %d %d %d\n",
         clEnqueueFillBuffer(machine.queue, buffer, pattern, 3, 0, 9, 0, NULL, NULL),
         clEnqueueFillBuffer(machine.queue, buffer, pattern, 256, 0, 256, 0, NULL, NULL),
         clEnqueueFillBuffer(machine.queue, buffer, pattern, 4, 2, 8, 0, NULL, NULL));
  CHECK(clReleaseMemObject(buffer));
  close_machine(&machine);
  return 0;
}
