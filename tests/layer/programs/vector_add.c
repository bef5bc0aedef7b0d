// vector_add.c - two buffers in, one out: the program that everybody writes first.
#include "machine.h"

static const char* source =
    "kernel void add(global const float* a, global const float* b, global float* c) {\n"
    "  size_t i = get_global_id(0);\n"
    "  c[i] = a[i] + b[i];\n"
    "}\n";

enum { count = 4096 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel add = build_kernel(&machine, source, "add");
  float a[count], b[count], c[count];
  for (int i = 0; i < count; ++i) a[i] = (float)i, b[i] = 1.0F / (float)(i + 1);
  cl_mem first = make_buffer(&machine, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a);
  cl_mem second = make_buffer(&machine, CL_MEM_READ_ONLY, sizeof b, NULL);
  cl_mem sum = make_buffer(&machine, CL_MEM_WRITE_ONLY, sizeof c, NULL);
  CHECK(clEnqueueWriteBuffer(machine.queue, second, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL));
  set_memory(add, 0, first);
  set_memory(add, 1, second);
  set_memory(add, 2, sum);
  run(&machine, add, count);
  CHECK(clEnqueueReadBuffer(machine.queue, sum, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
  for (int i = 0; i < count; ++i) EXPECT(c[i] == a[i] + b[i]);
  digest("sum", c, sizeof c);

  // An offset, and less than all.
  CHECK(clEnqueueReadBuffer(machine.queue, sum, CL_TRUE, 1001, 77, c, 0, NULL, NULL));
  digest("part", c, 77);
  CHECK(clEnqueueCopyBuffer(machine.queue, sum, second, 3, 4001, 999, 0, NULL, NULL));
  digest_buffer(&machine, "copied", second, sizeof b);
  CHECK(clReleaseMemObject(first));
  CHECK(clReleaseMemObject(second));
  CHECK(clReleaseMemObject(sum));
  CHECK(clReleaseKernel(add));
  close_machine(&machine);
  return 0;
}
