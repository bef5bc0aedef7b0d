// builtin_kernel.c - a kernel that the device brings along, where it has the one we know.
#include "machine.h"

enum { count = 256 };

int main(void) {
  Machine machine = open_machine(0);
  char names[4096] = "";
  CHECK(clGetDeviceInfo(machine.device, CL_DEVICE_BUILT_IN_KERNELS, sizeof names, names, NULL));
  if (!strstr(names, "pocl.add.i8")) {
    puts("not here");
    close_machine(&machine);
    return 0;
  }
  cl_int status;
  cl_program program = clCreateProgramWithBuiltInKernels(machine.context, 1, &machine.device,
                                                         "pocl.add.i8", &status);
  CHECK(status);
  status = clBuildProgram(program, 1, &machine.device, NULL, NULL, NULL);
  printf("built %d\n", status);
  if (status != CL_SUCCESS) {  // PoCL 3.1 names kernels that Debian's package leaves out
    CHECK(clReleaseProgram(program));
    close_machine(&machine);
    return 0;
  }
  cl_kernel add = clCreateKernel(program, "pocl.add.i8", &status);
  CHECK(status);
  unsigned char bytes[2][count];
  for (uint32_t i = 0; i < 2; ++i) fill_scrambled(bytes[i], count, i);
  cl_mem a = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, count, bytes[0]);
  cl_mem b = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, count, bytes[1]);
  cl_mem c = make_buffer(&machine, CL_MEM_READ_WRITE, count, NULL);
  set_memory(add, 0, a);
  set_memory(add, 1, b);
  set_memory(add, 2, c);
  run(&machine, add, count);
  digest_buffer(&machine, "sum", c, count);
  CHECK(clReleaseMemObject(a));
  CHECK(clReleaseMemObject(b));
  CHECK(clReleaseMemObject(c));
  CHECK(clReleaseKernel(add));
  CHECK(clReleaseProgram(program));
  close_machine(&machine);
  return 0;
}
