/* layer_work.c - OpenCL work written by hand, to be measured with and without Reel's layer.
 *
 *   layer_work small N      N kernels of 1024 items, then clFinish
 *   layer_work arguments N  the same, with a 4-byte clSetKernelArg before each
 *   layer_work large N      N kernels over two buffers of 16 MiB, then clFinish
 *   layer_work calls N      N calls of clSetKernelArg, and nothing else
 *   layer_work start 1      a context and a queue, made and let go
 *
 * Prints the nanoseconds of the loop by the clock on the wall, those of the CPU in all threads, and
 * a number made of the results. */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char* source =
    "kernel void small(global uint* values, uint by) { values[get_global_id(0)] += by; }\n"
    "kernel void large(global const float4* from, global float4* to) {\n"
    "  size_t i = get_global_id(0);\n"
    "  to[i] = to[i] * 0.5f + from[i];\n"
    "}\n";

enum { items = 1024, large_bytes = 16 * 1024 * 1024 };

static void check(cl_int status) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "layer_work: an OpenCL call gave %d.\n", status);
  exit(1);
}

static double now_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static cl_mem buffer_of(cl_context context, size_t size, const void* contents) {
  cl_int status;
  cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                               (void*)contents, &status);
  check(status);
  return made;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "Usage: layer_work small|arguments|large|calls|start COUNT\n");
    return 2;
  }
  const char* work = argv[1];
  const uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
  const int is_large = strcmp(work, "large") == 0, sets = strcmp(work, "arguments") == 0;
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  check(clGetPlatformIDs(1, &platform, NULL));
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
  check(status);
  if (strcmp(work, "start") == 0) {
    check(clReleaseCommandQueue(queue));
    check(clReleaseContext(context));
    printf("0 0 1\n");
    return 0;
  }
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  check(status);
  check(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, is_large ? "large" : "small", &status);
  check(status);
  const size_t size = is_large ? large_bytes : items * sizeof(cl_uint);
  const size_t global = is_large ? large_bytes / 16 : items;
  void* contents = calloc(1, size);
  if (is_large)
    for (size_t i = 0; i < size / 4; ++i) ((float*)contents)[i] = (float)(i % 1000);
  cl_mem first = buffer_of(context, size, contents),
         second = is_large ? buffer_of(context, size, contents) : NULL;
  cl_uint by = 1;
  check(clSetKernelArg(kernel, 0, sizeof first, &first));
  check(is_large ? clSetKernelArg(kernel, 1, sizeof second, &second)
                 : clSetKernelArg(kernel, 1, sizeof by, &by));
  /* One to warm up: PoCL compiles a kernel for its sizes when it first runs. */
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
  check(clFinish(queue));

  const double wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  if (strcmp(work, "calls") == 0) {
    for (by = 0; by < count; ++by) check(clSetKernelArg(kernel, 1, sizeof by, &by));
  } else {
    for (uint32_t i = 0; i < count; ++i) {
      if (sets) {
        by = i;
        check(clSetKernelArg(kernel, 1, sizeof by, &by));
      }
      check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    }
    check(clFinish(queue));
  }
  const double wall_ns = now_ns(CLOCK_MONOTONIC) - wall,
               cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;

  check(clEnqueueReadBuffer(queue, is_large ? second : first, CL_TRUE, 0, size, contents, 0, NULL,
                            NULL));
  uint64_t sum = 0;
  for (size_t i = 0; i < size / 4; ++i) sum = sum * 31 + ((uint32_t*)contents)[i];
  printf("%.0f %.0f %llu\n", wall_ns, cpu_ns, (unsigned long long)sum);
  free(contents);
  check(clReleaseMemObject(first));
  if (second) check(clReleaseMemObject(second));
  check(clReleaseKernel(kernel));
  check(clReleaseProgram(program));
  check(clReleaseCommandQueue(queue));
  check(clReleaseContext(context));
  return 0;
}
