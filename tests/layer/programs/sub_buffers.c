// sub_buffers.c - windows into one buffer, some of which overlap, written by kernels and by the
// host.
#include "machine.h"

static const char* source =
    "kernel void blend(global uint* to, global const uint* from, uint salt) {\n"
    "  size_t i = get_global_id(0);\n"
    "  to[i] = to[i] * 3 + from[i] + salt;\n"
    "}\n";

enum { page = 4096, pages = 8 };

static cl_mem window(cl_mem parent, size_t origin, size_t size, cl_mem_flags flags) {
  const cl_buffer_region region = {origin, size};
  cl_int status;
  cl_mem made = clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  CHECK(status);
  return made;
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel blend = build_kernel(&machine, source, "blend");
  unsigned char bytes[page * pages];
  fill_scrambled(bytes, sizeof bytes, 1);
  cl_mem parent = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes);
  cl_mem windows[4] = {
      window(parent, 0, 2 * page, CL_MEM_READ_WRITE),
      window(parent, page, 2 * page, 0),  // overlaps the first one
      window(parent, 5 * page, page, CL_MEM_READ_ONLY),
      window(parent, 4 * page, 4 * page, CL_MEM_READ_WRITE),  // holds the third one
  };
  for (cl_uint i = 0; i < 24; ++i) {
    set_memory(blend, 0, windows[i % 2 ? 3 : i / 2 % 2]);
    set_memory(blend, 1, windows[i % 2 ? i / 2 % 2 : 2]);
    set_argument(blend, 2, sizeof i, &i);
    run(&machine, blend, page / sizeof(cl_uint));
  }
  const cl_uint pattern = 0xdeadbeef;
  CHECK(clEnqueueFillBuffer(machine.queue, windows[1], &pattern, sizeof pattern, page - 64, 128, 0,
                            NULL, NULL));
  CHECK(clEnqueueWriteBuffer(machine.queue, windows[3], CL_TRUE, 100, 1000, bytes, 0, NULL, NULL));
  CHECK(clEnqueueCopyBuffer(machine.queue, windows[3], windows[0], 0, 10, 500, 0, NULL, NULL));
  cl_mem found = NULL;
  size_t origin = 0;
  CHECK(clGetMemObjectInfo(windows[3], CL_MEM_ASSOCIATED_MEMOBJECT, sizeof found, &found, NULL));
  CHECK(clGetMemObjectInfo(windows[3], CL_MEM_OFFSET, sizeof origin, &origin, NULL));
  EXPECT(found == parent && origin == 4 * page);
  digest_buffer(&machine, "window", windows[1], 2 * page);
  // The parent goes first; the windows keep it.
  CHECK(clReleaseMemObject(parent));
  digest_buffer(&machine, "low", windows[0], 2 * page);
  digest_buffer(&machine, "high", windows[3], 4 * page);
  for (int i = 0; i < 4; ++i) CHECK(clReleaseMemObject(windows[i]));
  CHECK(clReleaseKernel(blend));
  close_machine(&machine);
  return 0;
}
