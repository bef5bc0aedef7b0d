// command_buffer.c - cl_khr_command_buffer, whose functions only the platform can be asked for.
#include "machine.h"

static const char* source =
    "kernel void advance(global uint* values) { values[get_global_id(0)] = "
    "values[get_global_id(0)] * 5 + 1; }\n";

enum { count = 1000, size = count * sizeof(cl_uint) };

int main(void) {
  Machine machine = open_machine(0);
  // A union: C has no conversion from void* to a function.
  union {
    void* plain;
    clCreateCommandBufferKHR_fn create;
    clCommandNDRangeKernelKHR_fn kernel;
    clCommandFillBufferKHR_fn fill;
    clCommandCopyBufferKHR_fn copy;
    clFinalizeCommandBufferKHR_fn finalize;
    clEnqueueCommandBufferKHR_fn enqueue;
    clReleaseCommandBufferKHR_fn release;
  } find[7];
  const char* names[] = {"clCreateCommandBufferKHR",   "clCommandNDRangeKernelKHR",
                         "clCommandFillBufferKHR",     "clCommandCopyBufferKHR",
                         "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR",
                         "clReleaseCommandBufferKHR"};
  for (int i = 0; i < 7; ++i) {
    find[i].plain = clGetExtensionFunctionAddressForPlatform(machine.platform, names[i]);
    printf("%s %d\n", names[i], find[i].plain != NULL);
    if (!find[i].plain) return 0;
  }
  cl_kernel advance = build_kernel(&machine, source, "advance");
  cl_uint values[count];
  fill_scrambled(values, size, 38);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  cl_mem other = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  set_memory(advance, 0, buffer);
  cl_int status;
  cl_command_buffer_khr commands = find[0].create(1, &machine.queue, NULL, &status);
  CHECK(status);
  const size_t items = count;
  const cl_uint pattern = 42;
  cl_sync_point_khr first, second;
  CHECK(
      find[1].kernel(commands, NULL, NULL, advance, 1, NULL, &items, NULL, 0, NULL, &first, NULL));
  CHECK(find[2].fill(commands, NULL, buffer, &pattern, 4, 40, 400, 1, &first, &second, NULL));
  CHECK(find[3].copy(commands, NULL, buffer, other, 0, 100, 2000, 1, &second, NULL, NULL));
  CHECK(find[4].finalize(commands));
  for (int i = 0; i < 3; ++i) {
    CHECK(find[5].enqueue(0, NULL, commands, 0, NULL, NULL));
    run(&machine, advance, count);  // an ordinary one in between
    CHECK(clFinish(machine.queue));
  }
  digest_buffer(&machine, "buffer", buffer, size);
  digest_buffer(&machine, "other", other, size);
  CHECK(find[6].release(commands));
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseMemObject(other));
  CHECK(clReleaseKernel(advance));
  close_machine(&machine);
  return 0;
}
