// program_binary.c - a program taken apart into its binary, and made again from that.
#include "machine.h"

static const char* source =
    "kernel void add(global int* values, int by) { values[get_global_id(0)] += by; }\n"
    "kernel void mul(global int* values, int by) { values[get_global_id(0)] *= by; }\n";

enum { count = 512 };

int main(void) {
  Machine machine = open_machine(0);
  cl_program program = build_program(&machine, source, "-cl-mad-enable");
  size_t size = 0;
  CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char* binary = malloc(size);
  CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  CHECK(clReleaseProgram(program));

  cl_int status, of_binary;
  const unsigned char* binaries[] = {binary};
  program = clCreateProgramWithBinary(machine.context, 1, &machine.device, &size, binaries,
                                      &of_binary, &status);
  CHECK(status);
  CHECK(of_binary);
  memset(binary, 0, size);  // the driver has its copy
  CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
  int values[count];
  for (int i = 0; i < count; ++i) values[i] = i;
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  const char* names[] = {"add", "mul"};
  for (int i = 0; i < 4; ++i) {
    cl_kernel kernel = clCreateKernel(program, names[i % 2], &status);
    CHECK(status);
    const int by = i + 2;
    set_memory(kernel, 0, buffer);
    set_argument(kernel, 1, sizeof by, &by);
    run(&machine, kernel, count);
    CHECK(clReleaseKernel(kernel));
  }
  digest_buffer(&machine, "values", buffer, sizeof values);

  // No binary at all.
  const size_t none = 4;
  const unsigned char* nonsense[] = {(const unsigned char*)"xyz"};
  cl_program refused = clCreateProgramWithBinary(machine.context, 1, &machine.device, &none,
                                                 nonsense, &of_binary, &status);
  printf("nonsense %d %d %d\n", status, of_binary, refused == NULL);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseProgram(program));
  free(binary);
  close_machine(&machine);
  return 0;
}
