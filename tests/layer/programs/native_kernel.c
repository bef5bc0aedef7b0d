// native_kernel.c - a function of the program, run by the queue on a buffer; between two kernels.
#include "machine.h"

static const char* source =
    "kernel void add_one(global uint* values) { values[get_global_id(0)] += 1; }\n";

enum { count = 1000 };

typedef struct Block {
  cl_uint* values;
  cl_uint factor;
} Block;

static void CL_CALLBACK multiply(void* given) {
  Block* block = given;
  for (int i = 0; i < count; ++i) block->values[i] *= block->factor;
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel add_one = build_kernel(&machine, source, "add_one");
  cl_uint values[count];
  fill_scrambled(values, sizeof values, 36);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  set_memory(add_one, 0, buffer);
  run(&machine, add_one, count);
  Block block = {NULL, 3};
  const void* places[] = {&block.values};
  CHECK(clEnqueueNativeKernel(machine.queue, multiply, &block, sizeof block, 1, &buffer, places, 0,
                              NULL, NULL));
  block.factor = 1000;  // the call had its copy
  run(&machine, add_one, count);
  digest_buffer(&machine, "values", buffer, sizeof values);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(add_one));
  close_machine(&machine);
  return 0;
}
