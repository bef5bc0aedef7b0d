// hidden_writes.c - kernels that write though the first text of their names says const, and
// pointers that look like values. Nobody reads the results, so that only a check after the last
// command tells.
#include "machine.h"

static const char* source =
    "#define POINTER global int*\n"
    "typedef global int* Pointer;\n"
    "#ifdef READ_ONLY\n"
    "kernel void fill(global const int* values, int by) { }\n"
    "#else\n"
    "kernel void fill(global int* values, int by) { values[get_global_id(0)] = by; }\n"
    "#endif\n"
    "#define MAYBE_CONST\n"
    "kernel void add(MAYBE_CONST POINTER values, int by) { values[get_global_id(0)] += by; }\n"
    "kernel void twice(Pointer values, int by) { values[get_global_id(0)] *= by; }\n";

enum { count = 256 };

int main(void) {
  Machine machine = open_machine(0);
  cl_program program = build_program(&machine, source, "-DUNUSED=1");
  const char* names[] = {"fill", "add", "twice"};
  cl_mem buffers[3];
  for (int k = 0; k < 3; ++k) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, names[k], &status);
    CHECK(status);
    int values[count];
    for (int i = 0; i < count; ++i) values[i] = i;
    buffers[k] = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
    const int by = 3 + k;
    set_memory(kernel, 0, buffers[k]);
    CHECK(clSetKernelArg(kernel, 1, sizeof by, &by));
    run(&machine, kernel, count);
    CHECK(clReleaseKernel(kernel));
  }
  CHECK(clFinish(machine.queue));
  for (int k = 0; k < 3; ++k) CHECK(clReleaseMemObject(buffers[k]));
  CHECK(clReleaseProgram(program));
  close_machine(&machine);
  puts("done");
  return 0;
}
