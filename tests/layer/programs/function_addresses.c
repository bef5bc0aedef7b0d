// function_addresses.c - a program that links with no OpenCL: dlopen, and addresses from the
// loader.
#include <dlfcn.h>

#include "machine.h"

static const char* source =
    "kernel void advance(global uint* values) { values[get_global_id(0)] = "
    "values[get_global_id(0)] * 7 + 1; }\n";

enum { count = 500, size = count * sizeof(cl_uint) };

typedef void* (*AddressOf)(const char*);

// A union: C has no conversion from void* to a function.
#define LOAD(name)                        \
  union {                                 \
    void* plain;                          \
    __typeof__(&name) call;               \
  } p_##name;                             \
  p_##name.plain = dlsym(library, #name); \
  EXPECT(p_##name.plain != NULL)

int main(void) {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  EXPECT(library != NULL);
  LOAD(clGetPlatformIDs);
  LOAD(clGetDeviceIDs);
  LOAD(clCreateContext);
  LOAD(clCreateCommandQueueWithProperties);
  LOAD(clCreateProgramWithSource);
  LOAD(clBuildProgram);
  LOAD(clCreateKernel);
  LOAD(clCreateBuffer);
  LOAD(clSetKernelArg);
  LOAD(clEnqueueNDRangeKernel);
  LOAD(clEnqueueReadBuffer);
  LOAD(clGetExtensionFunctionAddress);
  LOAD(clGetExtensionFunctionAddressForPlatform);
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  CHECK(p_clGetPlatformIDs.call(1, &platform, NULL));
  CHECK(p_clGetDeviceIDs.call(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  // Functions of the core by address: some loaders give them, this one need not.
  const char* names[] = {"clEnqueueNDRangeKernel",   "clSetKernelArg",
                         "clEnqueueReadBuffer",      "clIcdGetPlatformIDsKHR",
                         "clCreateCommandBufferKHR", "clNoSuchFunction"};
  void* (*of_platform)(cl_platform_id, const char*) =
      p_clGetExtensionFunctionAddressForPlatform.call;
  void* found[6];
  for (int i = 0; i < 6; ++i) {
    found[i] = p_clGetExtensionFunctionAddress.call(names[i]);
    printf("%s %d %d\n", names[i], found[i] != NULL, of_platform(platform, names[i]) != NULL);
  }
  if (of_platform(platform, names[0]))
    p_clEnqueueNDRangeKernel.plain = of_platform(platform, names[0]);
  if (of_platform(platform, names[1])) p_clSetKernelArg.plain = of_platform(platform, names[1]);

  cl_context context = p_clCreateContext.call(NULL, 1, &device, NULL, NULL, &status);
  CHECK(status);
  cl_command_queue queue =
      p_clCreateCommandQueueWithProperties.call(context, device, NULL, &status);
  CHECK(status);
  cl_program program = p_clCreateProgramWithSource.call(context, 1, &source, NULL, &status);
  CHECK(status);
  CHECK(p_clBuildProgram.call(program, 1, &device, "", NULL, NULL));
  cl_kernel advance = p_clCreateKernel.call(program, "advance", &status);
  CHECK(status);
  cl_uint values[count];
  fill_scrambled(values, size, 39);
  cl_mem buffer = p_clCreateBuffer.call(context, CL_MEM_COPY_HOST_PTR, size, values, &status);
  CHECK(status);
  const size_t items = count;
  CHECK(p_clSetKernelArg.call(advance, 0, sizeof buffer, &buffer));
  for (int i = 0; i < 3; ++i)
    CHECK(p_clEnqueueNDRangeKernel.call(queue, advance, 1, NULL, &items, NULL, 0, NULL, NULL));
  CHECK(p_clEnqueueReadBuffer.call(queue, buffer, CL_TRUE, 0, size, values, 0, NULL, NULL));
  digest("values", values, size);
  return 0;  // everything is left behind
}
