// taken_back.c - results that nobody reads before their memory is gone: the program's own, taken
// back at once, and a buffer released after its queue.
#include "machine.h"

static const char* source =
    "kernel void advance(global uint* values) { values[get_global_id(0)] = "
    "values[get_global_id(0)] * 7 + 1; }\n";

enum { count = 1 << 18, size = count * sizeof(cl_uint) };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel advance = build_kernel(&machine, source, "advance");
  for (uint32_t i = 0; i < 5; ++i) {
    cl_uint* mine = aligned_alloc(4096, size);
    fill_scrambled(mine, size, i);
    cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, mine);
    set_memory(advance, 0, buffer);
    run(&machine, advance, count);
    CHECK(clFinish(machine.queue));
    cl_mem none = NULL;
    set_argument(advance, 0, sizeof none, &none);  // a kernel may keep its arguments
    CHECK(clReleaseMemObject(buffer));
    // The object is gone and its commands are done, so this memory is the program's again.
    memset(mine, 0xee, size);
    free(mine);
  }
  cl_uint values[1000];
  fill_scrambled(values, sizeof values, 9);
  cl_mem last = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  set_memory(advance, 0, last);
  run(&machine, advance, 1000);
  CHECK(clFinish(machine.queue));
  CHECK(clReleaseCommandQueue(machine.queue));
  CHECK(clReleaseKernel(advance));
  CHECK(clReleaseMemObject(last));
  CHECK(clReleaseContext(machine.context));
  puts("done");
  return 0;
}
