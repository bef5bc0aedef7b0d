// odd_releases.c - objects let go in odd orders: the context first, memory in use, events of open
// work.
#include <unistd.h>

#include "machine.h"

static const char* source =
    "kernel void busy(global uint* values, uint rounds) {\n"
    "  uint v = values[get_global_id(0)];\n"
    "  for (uint i = 0; i < rounds; ++i) v = v * 1664525u + 1013904223u;\n"
    "  values[get_global_id(0)] = v;\n"
    "}\n";

enum { count = 4096, size = count * sizeof(cl_uint) };

int main(void) {
  Machine machine = open_machine(0);
  cl_int status;
  cl_program program = build_program(&machine, source, "");
  cl_kernel busy = clCreateKernel(program, "busy", &status);
  CHECK(status);
  cl_uint values[count];
  fill_scrambled(values, size, 40);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  cl_mem copy = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
  CHECK(clReleaseContext(machine.context));  // others keep it
  CHECK(clReleaseProgram(program));

  // Memory, kernel and event go while the work on them waits.
  const cl_uint rounds = 2000;
  const size_t items = count;
  cl_event event, gate = clCreateUserEvent(machine.context, &status);
  CHECK(status);
  set_memory(busy, 0, buffer);
  set_argument(busy, 1, sizeof rounds, &rounds);
  CHECK(clEnqueueNDRangeKernel(machine.queue, busy, 1, NULL, &items, NULL, 1, &gate, &event));
  CHECK(clReleaseEvent(event));
  CHECK(clEnqueueCopyBuffer(machine.queue, buffer, copy, 0, 0, size, 0, NULL, &event));
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(busy));
  CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK(clReleaseEvent(gate));
  CHECK(clWaitForEvents(1, &event));
  CHECK(clRetainEvent(event));
  CHECK(clReleaseEvent(event));
  digest_buffer(&machine, "copy", copy, size);

  // The queue goes before its event and memory.
  CHECK(clFinish(machine.queue));
  CHECK(clReleaseCommandQueue(machine.queue));
  CHECK(clReleaseEvent(event));
  CHECK(clReleaseMemObject(copy));

  // A sampler, an image and a kernel that nobody used.
  machine = open_machine(0);
  cl_sampler sampler =
      clCreateSampler(machine.context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
  CHECK(status);
  CHECK(clRetainSampler(sampler));
  busy = build_kernel(&machine, source, "busy");
  CHECK(clRetainKernel(busy));
  close_machine(&machine);
  CHECK(clReleaseSampler(sampler));
  CHECK(clReleaseKernel(busy));
  CHECK(clReleaseSampler(sampler));
  CHECK(clReleaseKernel(busy));
  puts("done");
  return 0;
}
