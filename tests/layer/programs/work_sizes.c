// work_sizes.c - one to three dimensions, offsets, sizes that no group size divides, no group size
// at all.
#include "machine.h"

static const char* source =
    "kernel void note(global uint* out) {\n"
    "  size_t w = get_global_size(0), h = get_global_size(1);\n"
    "  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - "
    "get_global_offset(1);\n"
    "  size_t z = get_global_id(2) - get_global_offset(2);\n"
    "  out[(z * h + y) * w + x] += (uint)(get_global_id(0) + 100 * get_global_id(1) +\n"
    "      10000 * get_global_id(2) + 7 * get_work_dim());\n"
    "}\n"
    "kernel void grouped(global uint* out) {\n"
    "  out[get_global_linear_id()] = (uint)(get_group_id(0) * 10000 + get_local_id(0) * 100 + "
    "get_local_size(0));\n"
    "}\n"
    "__attribute__((reqd_work_group_size(8, 2, 1))) kernel void fixed_size(global uint* out) {\n"
    "  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] += (uint)get_local_id(0);\n"
    "}\n";

enum { count = 65536, size = count * sizeof(cl_uint) };

static void run_with(const Machine* machine, cl_kernel kernel, cl_uint dimensions,
                     const size_t* offset, const size_t* global, const size_t* local) {
  printf("%d ", clEnqueueNDRangeKernel(machine->queue, kernel, dimensions, offset, global, local, 0,
                                       NULL, NULL));
}

int main(void) {
  Machine machine = open_machine(0);
  cl_mem out = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
  const cl_uint zero = 0;
  CHECK(clEnqueueFillBuffer(machine.queue, out, &zero, 4, 0, size, 0, NULL, NULL));
  cl_kernel note = build_kernel(&machine, source, "note");
  cl_kernel grouped = build_kernel(&machine, source, "grouped");
  cl_kernel fixed_size = build_kernel(&machine, source, "fixed_size");
  set_memory(note, 0, out);
  set_memory(grouped, 0, out);
  set_memory(fixed_size, 0, out);
  const size_t globals[][3] = {{1000, 1, 1}, {64, 32, 1}, {16, 16, 16}, {97, 13, 5}, {1, 1, 1}};
  const size_t locals[][3] = {{100, 1, 1}, {16, 4, 1}, {4, 4, 4}, {97, 1, 1}, {1, 1, 1}};
  const size_t offsets[][3] = {{5, 0, 0}, {1, 2, 0}, {1, 2, 3}, {1000, 2000, 30}, {0, 0, 0}};
  for (int i = 0; i < 5; ++i)
    for (cl_uint dimensions = 1; dimensions <= 3; ++dimensions) {
      run_with(&machine, note, dimensions, NULL, globals[i], locals[i]);
      run_with(&machine, note, dimensions, offsets[i], globals[i], NULL);
      run_with(&machine, note, dimensions, offsets[i], globals[i], locals[i]);
      digest_buffer(&machine, "noted", out, size);
    }
  // Groups that the driver chooses the size of, and groups that don't fill the last one.
  const size_t prime = 9973, seven = 7, required[2] = {8, 2}, plane[2] = {64, 32};
  run_with(&machine, note, 1, NULL, &prime, NULL);
  run_with(&machine, grouped, 1, NULL, &prime, &seven);
  run_with(&machine, fixed_size, 2, NULL, plane, required);
  run_with(&machine, fixed_size, 2, NULL, plane, NULL);
  run_with(&machine, fixed_size, 2, NULL, plane, plane);  // refused
  digest_buffer(&machine, "odd", out, size);
  // No work at all.
  const size_t none = 0;
  run_with(&machine, note, 1, NULL, &none, NULL);
  run_with(&machine, note, 1, NULL, NULL, NULL);
  digest_buffer(&machine, "none", out, size);
  CHECK(clReleaseMemObject(out));
  CHECK(clReleaseKernel(note));
  CHECK(clReleaseKernel(grouped));
  CHECK(clReleaseKernel(fixed_size));
  close_machine(&machine);
  return 0;
}
