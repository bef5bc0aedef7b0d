// volume.c - many bytes moved: so many MiB as the argument says, 256 without one.
#include "machine.h"

static const char* source =
    "kernel void stir(global uint* words, uint round) {\n"
    "  size_t i = get_global_id(0);\n"
    "  words[i] = words[i] * 747796405u + round;\n"
    "}\n";

enum { chunk = 16 * 1024 * 1024 };

int main(int argc, char** argv) {
  const size_t chunks = (argc > 1 ? strtoull(argv[1], NULL, 10) : 256) / 16;
  Machine machine = open_machine(0);
  cl_kernel stir = build_kernel(&machine, source, "stir");
  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, chunk, NULL);
  uint32_t* words = malloc(chunk);
  for (uint32_t i = 0; i < chunk / 4; ++i) words[i] = scrambled(i);
  set_memory(stir, 0, buffer);
  for (size_t i = 0; i < chunks; ++i) {
    const cl_uint round = (cl_uint)i;
    words[i * 1000 % (chunk / 4)] += 1;  // never the same bytes twice
    CHECK(clEnqueueWriteBuffer(machine.queue, buffer, CL_TRUE, 0, chunk, words, 0, NULL, NULL));
    set_argument(stir, 1, sizeof round, &round);
    run(&machine, stir, chunk / 4);
    CHECK(clEnqueueReadBuffer(machine.queue, buffer, CL_TRUE, 0, chunk, words, 0, NULL, NULL));
  }
  digest("last", words, chunk);
  free(words);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(stir));
  close_machine(&machine);
  return 0;
}
