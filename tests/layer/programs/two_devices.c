// two_devices.c - two devices of PoCL in one context, which hand buffers to each other.
#include "machine.h"

static const char* source =
    "kernel void next(global uint* values) {\n"
    "  size_t i = get_global_id(0);\n"
    "  values[i] = values[i] * 1664525u + 1013904223u;\n"
    "}\n";

enum { count = 4096, size = count * sizeof(cl_uint), rounds = 6 };

int main(void) {
  setenv("POCL_DEVICES", "pthread basic", 1);  // before the driver wakes up
  cl_platform_id platform;
  cl_device_id devices[2];
  cl_uint found = 0;
  cl_int status;
  CHECK(clGetPlatformIDs(1, &platform, NULL));
  CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &found));
  EXPECT(found == 2);
  cl_context context = clCreateContext(NULL, 2, devices, NULL, NULL, &status);
  CHECK(status);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  CHECK(status);
  CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
  cl_kernel next = clCreateKernel(program, "next", &status);
  CHECK(status);
  cl_uint values[count];
  fill_scrambled(values, size, 31);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, values, &status);
  CHECK(status);
  set_memory(next, 0, buffer);
  cl_command_queue queue[2] = {open_queue(context, devices[0], 0),
                               open_queue(context, devices[1], 0)};
  for (int i = 0; i < rounds; ++i) {
    const size_t items = count;
    CHECK(clEnqueueNDRangeKernel(queue[i % 2], next, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(queue[i % 2]));
    if (i == 2)
      CHECK(clEnqueueMigrateMemObjects(queue[1], 1, &buffer, 0, 0, NULL, NULL)),
          CHECK(clFinish(queue[1]));
  }
  CHECK(clEnqueueReadBuffer(queue[0], buffer, CL_TRUE, 0, size, values, 0, NULL, NULL));
  digest("both", values, size);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(next));
  CHECK(clReleaseProgram(program));
  for (int i = 0; i < 2; ++i) CHECK(clReleaseCommandQueue(queue[i]));
  CHECK(clReleaseContext(context));
  return 0;
}
