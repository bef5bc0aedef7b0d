// host_changes.c - memory of the program that it maps, gives back, and then writes all the same.
#include "machine.h"

static const char* source =
    "kernel void grow(global uint* v) { size_t i = get_global_id(0); v[i] = v[i] * 3 + 1; }\n";

enum { count = 1 << 16, size = count * sizeof(cl_uint), rounds = 4 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel grow = build_kernel(&machine, source, "grow");
  cl_uint* memory = aligned_alloc(4096, size);
  fill_scrambled(memory, size, 5);
  cl_mem buffer = make_buffer(&machine, CL_MEM_USE_HOST_PTR, size, memory);
  set_memory(grow, 0, buffer);
  for (cl_uint round = 0; round < rounds; ++round) {
    run(&machine, grow, count);
    CHECK(clFinish(machine.queue));
    cl_int status;
    cl_uint* mapped = clEnqueueMapBuffer(machine.queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                         0, size / 2, 0, NULL, NULL, &status);
    CHECK(status);
    mapped[round * 11] += 7;
    CHECK(clEnqueueUnmapMemObject(machine.queue, buffer, mapped, 0, NULL, NULL));
    CHECK(clFinish(machine.queue));
    memory[count / 4 + round] ^= 0x55;
    memory[count - 1 - round] ^= 0xaa;
  }
  run(&machine, grow, count);
  digest_buffer(&machine, "memory", buffer, size);
  memory[3] = 99;  // nobody's result
  CHECK(clReleaseMemObject(buffer));
  free(memory);
  CHECK(clReleaseKernel(grow));
  close_machine(&machine);
  return 0;
}
