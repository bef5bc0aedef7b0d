// changing_arguments.c - arguments set anew before each enqueue; each run keeps the ones it had.
#include "machine.h"

static const char* source =
    "kernel void advance(global uint* values, uint factor, uint offset) {\n"
    "  size_t i = get_global_id(0);\n"
    "  values[i] = values[i] * factor + offset;\n"
    "}\n";

enum { count = 256, steps = 500 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel advance = build_kernel(&machine, source, "advance");
  cl_uint values[2][count] = {{0}};
  cl_mem memory[2];
  for (int i = 0; i < 2; ++i)
    memory[i] = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values[i], values[i]);
  set_memory(advance, 0, memory[0]);
  for (cl_uint i = 0; i < steps; ++i) {
    const cl_uint factor = scrambled(i) | 1, offset = i;
    // Not all of them each time: what isn't set stays.
    if (i % 3 == 0) set_memory(advance, 0, memory[i % 2]);
    if (i == 0 || i % 7 == 0) set_argument(advance, 1, sizeof factor, &factor);
    set_argument(advance, 2, sizeof offset, &offset);
    run(&machine, advance, count);
    const cl_uint other = ~offset;  // overwritten before the next run
    set_argument(advance, 2, sizeof other, &other);
  }
  // A call that is refused leaves the argument as it was.
  const cl_ulong wide = 7;
  EXPECT(clSetKernelArg(advance, 2, sizeof wide, &wide) == CL_INVALID_ARG_SIZE);
  EXPECT(clSetKernelArg(advance, 3, sizeof wide, &wide) == CL_INVALID_ARG_INDEX);
  run(&machine, advance, count);
  digest_buffer(&machine, "first", memory[0], sizeof values[0]);
  digest_buffer(&machine, "second", memory[1], sizeof values[1]);
  for (int i = 0; i < 2; ++i) CHECK(clReleaseMemObject(memory[i]));
  CHECK(clReleaseKernel(advance));
  close_machine(&machine);
  return 0;
}
