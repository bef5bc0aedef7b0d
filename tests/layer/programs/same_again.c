// same_again.c - the same bytes given again and again, and maps of a buffer that leave it as it
// was: what needs no second copy, and what only seems so.
#include "machine.h"

static const char* source =
    "kernel void grow(global uchar* bytes) { size_t i = get_global_id(0); bytes[i] += (uchar)(i % "
    "5); }\n";

enum { size = 3 * 1024 * 1024 + 100, rounds = 40 };

static unsigned char* map(const Machine* machine, cl_mem buffer, size_t at, size_t bytes) {
  cl_int status;
  unsigned char* mapped =
      clEnqueueMapBuffer(machine->queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, bytes, 0,
                         NULL, NULL, &status);
  CHECK(status);
  return mapped;
}
static void unmap(const Machine* machine, cl_mem buffer, void* mapped) {
  CHECK(clEnqueueUnmapMemObject(machine->queue, buffer, mapped, 0, NULL, NULL));
}
static void give(const Machine* machine, cl_mem buffer, const unsigned char* bytes) {
  CHECK(clEnqueueWriteBuffer(machine->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
}
static void fill(const Machine* machine, cl_mem buffer, unsigned char value) {
  CHECK(clEnqueueFillBuffer(machine->queue, buffer, &value, 1, 0, size, 0, NULL, NULL));
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel grow = build_kernel(&machine, source, "grow");
  unsigned char* bytes = malloc(size);
  cl_mem buffer = make_buffer(&machine, 0, size, NULL);
  set_memory(grow, 0, buffer);

  // The same, then nearly the same, then others, then the first again.
  fill_scrambled(bytes, size, 5);
  for (int i = 0; i < rounds; ++i) {
    give(&machine, buffer, bytes);
    if (i % 8 == 3) run(&machine, grow, size);
  }
  bytes[size - 1] ^= 1;
  give(&machine, buffer, bytes);
  run(&machine, grow, size);
  digest_buffer(&machine, "one byte", buffer, size);
  for (int i = 0; i < rounds; ++i) {
    fill_scrambled(bytes, size, (unsigned)(i % 3));
    give(&machine, buffer, bytes);
  }
  run(&machine, grow, size);
  digest_buffer(&machine, "taking turns", buffer, size);

  // Maps that change nothing, something, and nothing again.
  for (int i = 0; i < 5; ++i) {
    unsigned char* mapped = map(&machine, buffer, 0, size);
    if (i == 2) mapped[1024 * 1024 + 7] ^= 0x40;
    unmap(&machine, buffer, mapped);
  }
  run(&machine, grow, size);
  digest_buffer(&machine, "maps", buffer, size);

  // What the host left there, a device overwrites: when the host then writes the same as before, it
  // writes.
  unsigned char* mapped = map(&machine, buffer, 0, size);
  memcpy(mapped, bytes, size);
  unmap(&machine, buffer, mapped);
  fill(&machine, buffer, 9);
  mapped = map(&machine, buffer, 0, size);
  memcpy(mapped, bytes, size / 2);
  unmap(&machine, buffer, mapped);
  run(&machine, grow, size);
  digest_buffer(&machine, "after a fill", buffer, size);

  // The same with a small map in between, which is a copy of its own.
  mapped = map(&machine, buffer, 0, size);
  memcpy(mapped, bytes, size);
  unmap(&machine, buffer, mapped);
  mapped = map(&machine, buffer, 4096, 4096);
  memset(mapped, 3, 4096);
  unmap(&machine, buffer, mapped);
  mapped = map(&machine, buffer, 0, size);
  memcpy(mapped, bytes, size);
  unmap(&machine, buffer, mapped);
  run(&machine, grow, size);
  digest_buffer(&machine, "after a map", buffer, size);

  // A map for writing that is open while another one comes and goes.
  mapped = map(&machine, buffer, 0, size / 2);
  memset(mapped, 4, 100);
  unsigned char* other = map(&machine, buffer, size / 2, size - size / 2);
  memset(other + 5, 5, 100);
  unmap(&machine, buffer, other);
  memset(mapped + 5000, 6, 100);
  unmap(&machine, buffer, mapped);
  run(&machine, grow, size);
  digest_buffer(&machine, "two maps", buffer, size);

  free(bytes);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(grow));
  close_machine(&machine);
  return 0;
}
