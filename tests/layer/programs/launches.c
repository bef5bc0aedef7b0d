// launches.c - many small kernels, one after the other as fast as the host can give them.
#include "machine.h"

static const char* source =
    "kernel void grow(global uchar* bytes) { size_t i = get_global_id(0); bytes[i] += (uchar)(i % "
    "5); }\n";

enum { size = 64, launches = 20000 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel grow = build_kernel(&machine, source, "grow");
  unsigned char bytes[size];
  fill_scrambled(bytes, size, 5);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, bytes);
  set_memory(grow, 0, buffer);
  for (int i = 0; i < launches; ++i) run(&machine, grow, size);
  digest_buffer(&machine, "grown", buffer, size);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(grow));
  close_machine(&machine);
  return 0;
}
