// closes_loader.c - opens OpenCL's loader itself, works, and closes it again: closes_loader
// <times>.
#include <dlfcn.h>

#include "machine.h"

static const char* source =
    "kernel void triple(global uint* values) { values[get_global_id(0)] *= 3; }\n";

static void* library;

// The address of a function of the loader as it is loaded now.
#define FUNCTION(name) ((__typeof__(&name))(uintptr_t)need(dlsym(library, #name), #name))

static void* need(void* address, const char* name) {
  if (address) return address;
  fprintf(stderr, "The loader has no %s.\n", name);
  exit(1);
}

static void work(int round, int leaks) {
  library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  EXPECT(library != NULL);
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  CHECK(FUNCTION(clGetPlatformIDs)(1, &platform, NULL));
  CHECK(FUNCTION(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = FUNCTION(clCreateContext)(NULL, 1, &device, NULL, NULL, &status);
  CHECK(status);
  cl_command_queue queue = FUNCTION(clCreateCommandQueue)(context, device, 0, &status);
  CHECK(status);
  cl_program program = FUNCTION(clCreateProgramWithSource)(context, 1, &source, NULL, &status);
  CHECK(status);
  CHECK(FUNCTION(clBuildProgram)(program, 1, &device, "", NULL, NULL));
  cl_kernel kernel = FUNCTION(clCreateKernel)(program, "triple", &status);
  CHECK(status);
  cl_uint values[256];
  fill_scrambled(values, sizeof values, (uint32_t)round);
  cl_mem buffer =
      FUNCTION(clCreateBuffer)(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &status);
  CHECK(status);
  CHECK(FUNCTION(clSetKernelArg)(kernel, 0, sizeof buffer, &buffer));
  const size_t items = 256;
  CHECK(FUNCTION(clEnqueueNDRangeKernel)(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
  CHECK(FUNCTION(clEnqueueReadBuffer)(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL,
                                      NULL));
  digest("round", values, sizeof values);
  if (!leaks) {
    CHECK(FUNCTION(clReleaseMemObject)(buffer));
    CHECK(FUNCTION(clReleaseKernel)(kernel));
    CHECK(FUNCTION(clReleaseProgram)(program));
    CHECK(FUNCTION(clReleaseCommandQueue)(queue));
    CHECK(FUNCTION(clReleaseContext)(context));
  }
  EXPECT(dlclose(library) == 0);
}

int main(int argc, char** argv) {
  EXPECT(argc == 2 || argc == 3);
  const int times = atoi(argv[1]);
  for (int i = 0; i < times; ++i) work(i, argc == 3);
  return 2;
}
