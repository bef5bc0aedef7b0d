// host_pointers.c - buffers over memory of the program, which it fills and reads by plain accesses.
#include "machine.h"

static const char* source =
    "kernel void twist(global uint* values, uint salt) {\n"
    "  size_t i = get_global_id(0);\n"
    "  values[i] = (values[i] << 1) ^ salt ^ (uint)i;\n"
    "}\n";

enum { count = 16384, size = count * sizeof(cl_uint) };

static void* map(const Machine* machine, cl_mem buffer, cl_map_flags flags, size_t at,
                 size_t bytes) {
  cl_int status;
  void* mapped =
      clEnqueueMapBuffer(machine->queue, buffer, CL_TRUE, flags, at, bytes, 0, NULL, NULL, &status);
  CHECK(status);
  return mapped;
}
static void unmap(const Machine* machine, cl_mem buffer, void* mapped) {
  CHECK(clEnqueueUnmapMemObject(machine->queue, buffer, mapped, 0, NULL, NULL));
}

static void twist_with(const Machine* machine, cl_kernel twist, cl_mem buffer, cl_uint salt) {
  set_memory(twist, 0, buffer);
  set_argument(twist, 1, sizeof salt, &salt);
  run(machine, twist, count);
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel twist = build_kernel(&machine, source, "twist");
  cl_uint* mine = aligned_alloc(4096, size);
  cl_uint* copied = malloc(size);
  fill_scrambled(mine, size, 2);
  fill_scrambled(copied, size, 3);
  cl_mem used = make_buffer(&machine, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, mine);
  cl_mem copy = make_buffer(&machine, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, copied);
  cl_mem allocated = make_buffer(&machine, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, NULL);
  cl_mem both = make_buffer(&machine, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, size, copied);
  memset(copied, 0xff, size);  // they have their copies

  // Through a map, which must give the program's own pointer.
  cl_uint* mapped = map(&machine, used, CL_MAP_READ | CL_MAP_WRITE, 0, size);
  EXPECT(mapped == mine);
  mapped[17] = 4711;
  unmap(&machine, used, mapped);
  twist_with(&machine, twist, used, 1);
  mapped = map(&machine, used, CL_MAP_READ, 4, size - 4);
  EXPECT((void*)mapped == (void*)(mine + 1));
  digest("mapped", mapped, size - 4);
  unmap(&machine, used, mapped);

  // Through the program's pointer, with a map and unmap that only hand it over.
  for (cl_uint round = 0; round < 3; ++round) {
    mapped = map(&machine, used, CL_MAP_WRITE, 0, size);
    for (int i = 0; i < 100; ++i) mine[i * 7] = round * 1000 + (cl_uint)i;
    unmap(&machine, used, mapped);
    twist_with(&machine, twist, used, round);
    CHECK(clFinish(machine.queue));
    mapped = map(&machine, used, CL_MAP_READ, 0, size);
    digest("plain", mine, size);
    unmap(&machine, used, mapped);
  }
  CHECK(clFinish(machine.queue));

  twist_with(&machine, twist, copy, 9);
  digest_buffer(&machine, "copy", copy, size);
  mapped = map(&machine, allocated, CL_MAP_WRITE_INVALIDATE_REGION, 0, size);
  fill_scrambled(mapped, size, 4);
  unmap(&machine, allocated, mapped);
  twist_with(&machine, twist, allocated, 10);
  digest_buffer(&machine, "allocated", allocated, size);
  twist_with(&machine, twist, both, 11);
  digest_buffer(&machine, "both", both, size);

  cl_mem memories[] = {used, copy, allocated, both};
  for (int i = 0; i < 4; ++i) CHECK(clReleaseMemObject(memories[i]));
  // Not before here: the buffer used it.
  CHECK(clFinish(machine.queue));
  digest("left behind", mine, size);
  free(mine);
  free(copied);
  CHECK(clReleaseKernel(twist));
  close_machine(&machine);
  return 0;
}
