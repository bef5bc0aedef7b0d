// clone_kernel.c - kernels cloned with their arguments; what one sets, the other doesn't see.
#include "machine.h"

static const char* source =
    "typedef struct { uint a; uint b[3]; } Pair;\n"
    "kernel void apply(global uint* values, uint factor, Pair pair, local uint* scratch) {\n"
    "  size_t i = get_global_id(0);\n"
    "  scratch[get_local_id(0)] = values[i];\n"
    "  values[i] = scratch[get_local_id(0)] * factor + pair.a + pair.b[2];\n"
    "}\n";

enum { count = 640 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel apply = build_kernel(&machine, source, "apply");
  cl_uint values[count];
  fill_scrambled(values, sizeof values, 33);
  cl_mem first = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  cl_mem second = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  const struct { cl_uint a, b[3]; } pair = {1, {2, 3, 4}};
  const cl_uint three = 3, nine = 9;
  const size_t global = count, local = 64;
  set_memory(apply, 0, first);
  set_argument(apply, 1, sizeof three, &three);
  set_argument(apply, 2, sizeof pair, &pair);
  set_argument(apply, 3, local * 4, NULL);
  cl_int status;
  cl_kernel twin = clCloneKernel(apply, &status);
  CHECK(status);
  set_memory(twin, 0, second);
  set_argument(apply, 1, sizeof nine, &nine);
  CHECK(clEnqueueNDRangeKernel(machine.queue, apply, 1, NULL, &global, &local, 0, NULL, NULL));
  CHECK(clEnqueueNDRangeKernel(machine.queue, twin, 1, NULL, &global, &local, 0, NULL, NULL));
  CHECK(clReleaseKernel(apply));
  cl_kernel grandchild = clCloneKernel(twin, &status);
  CHECK(status);
  CHECK(clReleaseKernel(twin));
  CHECK(clEnqueueNDRangeKernel(machine.queue, grandchild, 1, NULL, &global, &local, 0, NULL, NULL));
  digest_buffer(&machine, "first", first, sizeof values);
  digest_buffer(&machine, "second", second, sizeof values);
  CHECK(clReleaseKernel(grandchild));
  CHECK(clReleaseMemObject(first));
  CHECK(clReleaseMemObject(second));
  close_machine(&machine);
  return 0;
}
