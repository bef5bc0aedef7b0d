// never_unmapped.c - buffers mapped once and never unmapped, as programs for CPUs and APUs do.
//
// The OpenCL specification leaves undefined what a kernel sees then; on a CPU it is the same
// memory, and programs rely on it.
#include "machine.h"

static const char* source =
    "kernel void next(global const uint* from, global uint* to) {\n"
    "  size_t i = get_global_id(0);\n"
    "  to[i] = from[i] * 1664525u + 1013904223u;\n"
    "}\n";

enum { count = 5000, size = count * sizeof(cl_uint) };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel next = build_kernel(&machine, source, "next");
  cl_mem from = make_buffer(&machine, CL_MEM_ALLOC_HOST_PTR, size, NULL);
  cl_mem to = make_buffer(&machine, CL_MEM_ALLOC_HOST_PTR, size, NULL);
  cl_int status;
  cl_uint* in = clEnqueueMapBuffer(machine.queue, from, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                   size, 0, NULL, NULL, &status);
  CHECK(status);
  cl_uint* out =
      clEnqueueMapBuffer(machine.queue, to, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &status);
  CHECK(status);
  set_memory(next, 0, from);
  set_memory(next, 1, to);
  fill_scrambled(in, size, 7);
  for (int round = 0; round < 5; ++round) {
    run(&machine, next, count);
    CHECK(clFinish(machine.queue));
    digest("round", out, size);
    in[round * 3] = out[round] + 1;  // no call tells of it
  }
  CHECK(clReleaseMemObject(from));
  CHECK(clReleaseMemObject(to));
  CHECK(clReleaseKernel(next));
  close_machine(&machine);
  return 0;
}
