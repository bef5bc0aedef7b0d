// handle_reuse.c - objects made and released so often that the allocator gives their addresses
// again.
//
// As often as the argument says, 100 000 times without one.
#include "machine.h"

static const char* source =
    "kernel void put(global uint* to, uint value) { to[get_global_id(0)] = value + "
    "(uint)get_global_id(0); }\n"
    "kernel void add(global uint* to, uint value) { to[get_global_id(0)] += value; }\n";

int main(int argc, char** argv) {
  const uint32_t times = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
  Machine machine = open_machine(0);
  cl_program program = build_program(&machine, source, "");
  uint64_t hash = HASH_OF_NOTHING;
  cl_int status;
  for (uint32_t i = 0; i < times; ++i) {
    // Other sizes and other kinds, so that an address was something else before.
    cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, 64 + i % 7 * 64, NULL);
    if (i % 100 == 0) {
      cl_kernel kernel = clCreateKernel(program, i % 200 ? "put" : "add", &status);
      CHECK(status);
      cl_uint found[16] = {0};
      CHECK(clEnqueueWriteBuffer(machine.queue, buffer, CL_FALSE, 0, sizeof found, found, 0, NULL,
                                 NULL));
      set_memory(kernel, 0, buffer);
      set_argument(kernel, 1, sizeof i, &i);
      run(&machine, kernel, 16);
      CHECK(clReleaseKernel(kernel));
      CHECK(clEnqueueReadBuffer(machine.queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL,
                                NULL));
      hash = hash_more(hash, found, sizeof found);
    }
    if (i % 3 == 0) {
      cl_event event = clCreateUserEvent(machine.context, &status);
      CHECK(status);
      CHECK(clSetUserEventStatus(event, CL_COMPLETE));
      CHECK(clReleaseEvent(event));
    }
    if (i % 5 == 0) {
      cl_sampler sampler =
          clCreateSampler(machine.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
      CHECK(status);
      CHECK(clReleaseSampler(sampler));
    }
    if (i % 7 == 0) {
      cl_kernel kernel = clCreateKernel(program, "put", &status);
      CHECK(status);
      set_memory(kernel, 0, buffer);
      CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseMemObject(buffer));
    if (i % 10000 == 9999) {
      CHECK(clReleaseCommandQueue(machine.queue));
      machine.queue = open_queue(machine.context, machine.device, 0);
    }
  }
  digest("all", &hash, sizeof hash);
  CHECK(clReleaseProgram(program));
  close_machine(&machine);
  return 0;
}
