// many_objects.c - very many objects alive at once: as many as the argument says, 20 000 without
// one.
#include "machine.h"

static const char* source =
    "kernel void touch(global uint* one, global uint* two) { one[0] += 1; two[0] += one[0]; }\n";

int main(int argc, char** argv) {
  const uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20000;
  Machine machine = open_machine(0);
  cl_kernel touch = build_kernel(&machine, source, "touch");
  cl_mem* buffers = malloc(count * sizeof *buffers);
  cl_event* events = malloc(count * sizeof *events);
  cl_int status;
  for (uint32_t i = 0; i < count; ++i) {
    cl_uint value = i;
    buffers[i] =
        make_buffer(&machine, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof value, &value);
    events[i] = clCreateUserEvent(machine.context, &status);
    CHECK(status);
  }
  for (uint32_t i = 0; i < 1000; ++i) {
    set_memory(touch, 0, buffers[scrambled(i) % (count / 2)]);
    set_memory(touch, 1, buffers[count / 2 + scrambled(i) % (count / 2)]);
    run(&machine, touch, 1);
  }
  uint64_t hash = HASH_OF_NOTHING;
  for (uint32_t i = 0; i < 1000; ++i) {
    cl_uint found;
    CHECK(clEnqueueReadBuffer(machine.queue, buffers[count / 2 + scrambled(i) % (count / 2)],
                              CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL));
    hash = hash_more(hash, &found, sizeof found);
  }
  digest("found", &hash, sizeof hash);
  for (uint32_t i = 0; i < count; ++i) {
    CHECK(clReleaseMemObject(buffers[i]));
    CHECK(clReleaseEvent(events[i]));
  }
  free(buffers);
  free(events);
  CHECK(clReleaseKernel(touch));
  close_machine(&machine);
  return 0;
}
