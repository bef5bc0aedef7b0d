// task.c - clEnqueueTask, the call of OpenCL 1.x for one item.
#include "machine.h"

static const char* source =
    "kernel void sum(global const uint* in, global uint* out) {\n"
    "  uint found = 0;\n"
    "  for (int i = 0; i < 100; ++i) found += in[i];\n"
    "  *out = *out * 3 + found;\n"
    "}\n";

int main(void) {
  Machine machine = open_machine(0);
  cl_int status;
  // The queue of OpenCL 1.x, too.
  cl_command_queue queue = clCreateCommandQueue(machine.context, machine.device, 0, &status);
  CHECK(status);
  cl_kernel sum = build_kernel(&machine, source, "sum");
  cl_uint in[100], out = 1;
  fill_scrambled(in, sizeof in, 37);
  cl_mem from = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof in, in);
  cl_mem to = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof out, &out);
  set_memory(sum, 0, from);
  set_memory(sum, 1, to);
  cl_event event;
  CHECK(clEnqueueTask(queue, sum, 0, NULL, &event));
  CHECK(clEnqueueTask(queue, sum, 1, &event, NULL));
  CHECK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
  digest("sum", &out, sizeof out);
  CHECK(clReleaseEvent(event));
  CHECK(clReleaseMemObject(from));
  CHECK(clReleaseMemObject(to));
  CHECK(clReleaseKernel(sum));
  CHECK(clReleaseCommandQueue(queue));
  close_machine(&machine);
  return 0;
}
