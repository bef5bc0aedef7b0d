// build_failure.c - programs that can't be built, and what is done with them nevertheless.
#include "machine.h"

int main(void) {
  Machine machine = open_machine(0);
  const char* sources[] = {"kernel void broken(global int* a) { a[0] = nothing_like_this; }\n",
                           "this is no OpenCL C\n", ""};
  for (int i = 0; i < 3; ++i) {
    cl_int status;
    cl_program program = clCreateProgramWithSource(machine.context, 1, &sources[i], NULL, &status);
    printf("made %d\n", status);
    if (!program) continue;
    printf("built %d\n", clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_build_status state = 0;
    size_t size = 0;
    CHECK(clGetProgramBuildInfo(program, machine.device, CL_PROGRAM_BUILD_STATUS, sizeof state,
                                &state, NULL));
    CHECK(clGetProgramBuildInfo(program, machine.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    char* log = malloc(size + 1);
    CHECK(clGetProgramBuildInfo(program, machine.device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
    log[size] = 0;
    printf("state %d, log speaks of it: %d\n", state, strstr(log, "nothing_like_this") != NULL);
    free(log);
    cl_kernel kernel = clCreateKernel(program, "broken", &status);
    printf("kernel %d %d\n", kernel != NULL, status);
    CHECK(clReleaseProgram(program));
  }
  // Options that make no sense.
  const char* fine = "kernel void fine(global int* a) { a[0] = 1; }\n";
  cl_int status;
  cl_program program = clCreateProgramWithSource(machine.context, 1, &fine, NULL, &status);
  CHECK(status);
  printf("options %d\n", clBuildProgram(program, 0, NULL, "--no-such-option", NULL, NULL));
  // It still can be built properly, and run.
  CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "fine", &status);
  CHECK(status);
  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, 4, NULL);
  set_memory(kernel, 0, buffer);
  run(&machine, kernel, 1);
  digest_buffer(&machine, "fine", buffer, 4);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(kernel));
  CHECK(clReleaseProgram(program));
  close_machine(&machine);
  return 0;
}
