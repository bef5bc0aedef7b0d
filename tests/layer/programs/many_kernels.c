// many_kernels.c - three hundred kernels in a program, all made at once and again one by one; three
// run.
#include "machine.h"

enum { kernels = 300, count = 128 };

static int by_name(const void* a, const void* b) {
  char names[2][64];
  CHECK(clGetKernelInfo(*(const cl_kernel*)a, CL_KERNEL_FUNCTION_NAME, 64, names[0], NULL));
  CHECK(clGetKernelInfo(*(const cl_kernel*)b, CL_KERNEL_FUNCTION_NAME, 64, names[1], NULL));
  return strcmp(names[0], names[1]);
}

int main(void) {
  Machine machine = open_machine(0);
  char* source = malloc(kernels * 120);
  size_t at = 0;
  for (int i = 0; i < kernels; ++i)
    at += (size_t)sprintf(source + at,
                          "kernel void k%03d(global uint* a) { a[get_global_id(0)] = "
                          "a[get_global_id(0)] * 3 + %d; }\n",
                          i, i);
  cl_program program = build_program(&machine, source, "");
  cl_uint made = 0;
  static cl_kernel all[kernels], again[kernels];
  CHECK(clCreateKernelsInProgram(program, 0, NULL, &made));
  EXPECT(made == kernels);
  CHECK(clCreateKernelsInProgram(program, kernels, all, NULL));
  qsort(all, kernels, sizeof *all, by_name);
  for (int i = 0; i < kernels; ++i) {
    char name[16];
    cl_int status;
    snprintf(name, sizeof name, "k%03d", i);
    again[i] = clCreateKernel(program, name, &status);
    CHECK(status);
  }
  cl_uint values[count];
  fill_scrambled(values, sizeof values, 34);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  for (int i = 0; i < 3; ++i) {
    cl_kernel used = i == 1 ? again[150] : all[i * 149];
    set_memory(used, 0, buffer);
    run(&machine, used, count);
  }
  digest_buffer(&machine, "values", buffer, sizeof values);
  for (int i = 0; i < kernels; ++i) {
    CHECK(clReleaseKernel(all[i]));
    CHECK(clReleaseKernel(again[i]));
  }
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseProgram(program));
  free(source);
  close_machine(&machine);
  return 0;
}
