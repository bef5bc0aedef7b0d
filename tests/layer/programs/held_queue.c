// held_queue.c - more results than a capture has memory for, all behind an event that the program
// sets when it has given everything.
#include "machine.h"

static const char* source =
    "kernel void grow(global uint* v, uint salt) { size_t i = get_global_id(0); v[i] += salt; }\n";

enum { count = 4 << 20, size = count * sizeof(cl_uint), commands = 50 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel grow = build_kernel(&machine, source, "grow");
  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
  const cl_uint zero = 0;
  CHECK(clEnqueueFillBuffer(machine.queue, buffer, &zero, 4, 0, size, 0, NULL, NULL));
  CHECK(clFinish(machine.queue));
  cl_int status;
  cl_event gate = clCreateUserEvent(machine.context, &status);
  CHECK(status);
  CHECK(clEnqueueBarrierWithWaitList(machine.queue, 1, &gate, NULL));
  set_memory(grow, 0, buffer);
  for (cl_uint i = 0; i < commands; ++i) {
    set_argument(grow, 1, sizeof i, &i);
    run(&machine, grow, count);
  }
  CHECK(clFlush(machine.queue));
  CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
  digest_buffer(&machine, "sum", buffer, size);
  CHECK(clReleaseEvent(gate));
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(grow));
  close_machine(&machine);
  return 0;
}
