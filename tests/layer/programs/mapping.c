// mapping.c - every way to map a buffer: few bytes changed, all overwritten, only read, two at
// once.
#include <unistd.h>

#include "machine.h"

static const char* source =
    "kernel void grow(global uchar* bytes) { size_t i = get_global_id(0); bytes[i] += (uchar)(i % "
    "5); }\n";

enum { size = 3 * 1024 * 1024 + 100 };

static unsigned char* map(const Machine* machine, cl_mem buffer, cl_map_flags flags, size_t at,
                          size_t bytes) {
  cl_int status;
  unsigned char* mapped =
      clEnqueueMapBuffer(machine->queue, buffer, CL_TRUE, flags, at, bytes, 0, NULL, NULL, &status);
  CHECK(status);
  return mapped;
}
static void unmap(const Machine* machine, cl_mem buffer, void* mapped) {
  CHECK(clEnqueueUnmapMemObject(machine->queue, buffer, mapped, 0, NULL, NULL));
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel grow = build_kernel(&machine, source, "grow");
  unsigned char* bytes = malloc(size);
  fill_scrambled(bytes, size, 5);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, bytes);
  set_memory(grow, 0, buffer);
  run(&machine, grow, size);

  // A few bytes far apart, and one that is written with the value it has.
  unsigned char* mapped = map(&machine, buffer, CL_MAP_READ | CL_MAP_WRITE, 0, size);
  digest("read", mapped, size);
  mapped[0] = 1;
  mapped[1024 * 1024] ^= 0x40;
  mapped[size - 1] = 7;
  mapped[500] = mapped[500];
  unmap(&machine, buffer, mapped);
  run(&machine, grow, size);
  digest_buffer(&machine, "few bytes", buffer, size);

  // Write only, where the host leaves most of it alone.
  mapped = map(&machine, buffer, CL_MAP_WRITE, 1000, 5000);
  memset(mapped + 10, 0x11, 20);
  unmap(&machine, buffer, mapped);
  run(&machine, grow, size);
  digest_buffer(&machine, "write", buffer, size);

  mapped = map(&machine, buffer, CL_MAP_WRITE_INVALIDATE_REGION, 70000, 1024 * 1024);
  fill_scrambled(mapped, 1024 * 1024, 6);
  unmap(&machine, buffer, mapped);
  run(&machine, grow, size);
  digest_buffer(&machine, "invalidated", buffer, size);

  // Two maps for reading at once that overlap, unmapped in the order they came.
  unsigned char* one = map(&machine, buffer, CL_MAP_READ, 0, 100000);
  unsigned char* two = map(&machine, buffer, CL_MAP_READ, 50000, 100000);
  digest("one", one, 100000);
  digest("two", two, 100000);
  unmap(&machine, buffer, one);
  unmap(&machine, buffer, two);

  // Two maps for writing at once that don't overlap, unmapped in the other order.
  one = map(&machine, buffer, CL_MAP_WRITE, 0, 4096);
  two = map(&machine, buffer, CL_MAP_READ | CL_MAP_WRITE, 4096, 4096);
  memset(one, 0x21, 4096);
  two[5] = 0x22;
  unmap(&machine, buffer, two);
  unmap(&machine, buffer, one);

  // The same range mapped twice: as many unmaps as maps.
  one = map(&machine, buffer, CL_MAP_READ, 8192, 64);
  two = map(&machine, buffer, CL_MAP_READ, 8192, 64);
  EXPECT(memcmp(one, two, 64) == 0);
  unmap(&machine, buffer, one);
  unmap(&machine, buffer, two);

  // Not blocking: the pointer is there at once, the bytes when the event says so.
  cl_event event;
  cl_int status;
  mapped = clEnqueueMapBuffer(machine.queue, buffer, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 300,
                              3000, 0, NULL, &event, &status);
  CHECK(status);
  CHECK(clWaitForEvents(1, &event));
  CHECK(clReleaseEvent(event));
  mapped[0] = (unsigned char)(mapped[1] + 1);
  CHECK(clEnqueueUnmapMemObject(machine.queue, buffer, mapped, 0, NULL, &event));
  CHECK(clWaitForEvents(1, &event));
  CHECK(clReleaseEvent(event));
  // PoCL counts down a moment after it says that the command is complete.
  cl_uint maps = 99;
  for (int looks = 0; maps != 0 && looks < 5000; ++looks) {
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
    if (maps != 0) usleep(1000);
  }
  EXPECT(maps == 0);
  run(&machine, grow, size);
  digest_buffer(&machine, "all", buffer, size);
  free(bytes);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(grow));
  close_machine(&machine);
  return 0;
}
