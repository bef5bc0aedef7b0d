// releases.c - results that nobody reads, released in crowds while a capture may be ending.
#include <unistd.h>

#include "machine.h"

static const char* source =
    "kernel void mark(global uint* values, uint by) { values[get_global_id(0)] = by; }\n";

enum { crowd = 100, rounds = 60, count = 4096 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel mark = build_kernel(&machine, source, "mark");
  cl_mem kept = make_buffer(&machine, CL_MEM_READ_WRITE, count * sizeof(cl_uint), NULL);
  for (cl_uint round = 0; round < rounds; ++round) {
    cl_mem buffers[crowd];
    for (cl_uint i = 0; i < crowd; ++i) {
      buffers[i] = make_buffer(&machine, CL_MEM_READ_WRITE, count * sizeof(cl_uint), NULL);
      set_memory(mark, 0, buffers[i]);
      set_argument(mark, 1, sizeof i, &i);
      run(&machine, mark, count);
    }
    set_memory(mark, 0, kept);
    run(&machine, mark, count);
    CHECK(clFinish(machine.queue));
    usleep(round * 300);
    for (cl_uint i = 0; i < crowd; ++i) CHECK(clReleaseMemObject(buffers[i]));
  }
  digest_buffer(&machine, "kept", kept, count * sizeof(cl_uint));
  CHECK(clReleaseMemObject(kept));
  CHECK(clReleaseKernel(mark));
  close_machine(&machine);
  return 0;
}
