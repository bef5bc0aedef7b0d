// svm_coarse.c - shared virtual memory in large grains: mapped, copied, filled, migrated, freed
// late.
#include "machine.h"

static const char* source =
    "kernel void scale(global float* values, float by) { values[get_global_id(0)] *= by; }\n";

enum { count = 3000, size = count * sizeof(float) };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel scale = build_kernel(&machine, source, "scale");
  float* one = clSVMAlloc(machine.context, CL_MEM_READ_WRITE, size, 0);
  float* two = clSVMAlloc(machine.context, CL_MEM_READ_WRITE, size, 64);
  EXPECT(one && two);
  CHECK(clEnqueueSVMMap(machine.queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, one, size, 0, NULL,
                        NULL));
  for (int i = 0; i < count; ++i) one[i] = (float)i / 7;
  CHECK(clEnqueueSVMUnmap(machine.queue, one, 0, NULL, NULL));

  const float by = 1.5F;
  CHECK(clSetKernelArgSVMPointer(scale, 0, one));
  set_argument(scale, 1, sizeof by, &by);
  run(&machine, scale, count);
  CHECK(clEnqueueSVMMemcpy(machine.queue, CL_FALSE, two, one, size, 0, NULL, NULL));
  const float pattern[2] = {-1, 42};
  CHECK(clEnqueueSVMMemFill(machine.queue, one + 100, pattern, sizeof pattern, 80, 0, NULL, NULL));
  // A pointer into the middle is an argument, too.
  CHECK(clSetKernelArgSVMPointer(scale, 0, one + 1000));
  run(&machine, scale, 500);
  const void* pointers[] = {one, two};
  const size_t sizes[] = {0, size};
  CHECK(clEnqueueSVMMigrateMem(machine.queue, 2, pointers, sizes, 0, 0, NULL, NULL));

  // A few bytes changed under a map of a part.
  CHECK(clEnqueueSVMMap(machine.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, one + 10, 400, 0, NULL,
                        NULL));
  one[11] = one[12] + 1;
  CHECK(clEnqueueSVMUnmap(machine.queue, one + 10, 0, NULL, NULL));
  CHECK(clSetKernelArgSVMPointer(scale, 0, one));
  run(&machine, scale, count);

  // From memory of the program, and to it.
  float mine[count];
  for (int i = 0; i < count; ++i) mine[i] = (float)(i % 13);
  CHECK(clEnqueueSVMMemcpy(machine.queue, CL_TRUE, two + 500, mine, 4000, 0, NULL, NULL));
  CHECK(clEnqueueSVMMemcpy(machine.queue, CL_TRUE, mine, two, size, 0, NULL, NULL));
  digest("copied out", mine, size);
  CHECK(clEnqueueSVMMap(machine.queue, CL_TRUE, CL_MAP_READ, one, size, 0, NULL, NULL));
  digest("mapped", one, size);
  CHECK(clEnqueueSVMUnmap(machine.queue, one, 0, NULL, NULL));

  // A buffer over shared memory.
  cl_mem over = make_buffer(&machine, CL_MEM_USE_HOST_PTR, size, two);
  set_memory(scale, 0, over);
  run(&machine, scale, count);
  digest_buffer(&machine, "buffer over it", over, size);
  CHECK(clReleaseMemObject(over));
  CHECK(clFinish(machine.queue));

  void* freed[] = {one};
  CHECK(clEnqueueSVMFree(machine.queue, 1, freed, NULL, NULL, 0, NULL, NULL));
  CHECK(clFinish(machine.queue));
  clSVMFree(machine.context, two);
  CHECK(clReleaseKernel(scale));
  close_machine(&machine);
  return 0;
}
