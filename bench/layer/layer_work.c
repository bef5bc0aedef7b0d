/* layer_work.c - OpenCL work written by hand, to be measured with and without Reel's layer.
 *
 *   layer_work small N      N kernels of 1024 items, then clFinish
 *   layer_work arguments N  the same, with a 4-byte clSetKernelArg before each
 *   layer_work large N      N kernels over two buffers of 16 MiB, then clFinish
 *   layer_work writes N     N times: 1 MiB of other bytes written, and a kernel over them
 *   layer_work maps N       N times: 4 MiB mapped for writing, 16 pages changed, and a kernel over
 * all layer_work allocations N  N times: a buffer of 4 KiB made, a kernel over it, and let go
 *   layer_work calls N      N calls of clSetKernelArg, and nothing else
 *   layer_work start 1      a context and a queue, made and let go
 *
 * With LAYER_WORK_STAMPS=1 its queue has stamps, as one has under a layer that may be asked to
 * capture. With LAYER_WORK_EVENTS=1 it is as a capture needs it: the queue has stamps, each kernel
 * an event, let go of in sixteens, and there is a second thread, so that the C library takes locks.
 *
 * Prints the nanoseconds of the loop by the clock on the wall, those of the CPU in all threads, and
 * a number made of the results. */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* source =
    "kernel void small(global uint* values, uint by) { values[get_global_id(0)] += by; }\n"
    "kernel void large(global const float4* from, global float4* to) {\n"
    "  size_t i = get_global_id(0);\n"
    "  to[i] = to[i] * 0.5f + from[i];\n"
    "}\n";

enum { items = 1024, large_bytes = 16 * 1024 * 1024, write_bytes = 1 << 20, map_bytes = 4 << 20 };
enum { most_events = 16 };

static void* sleep_on(void* nothing) {
  for (;;) pause();
  return nothing;
}

static int takes_events;
static cl_event events[most_events];
static int event_count;

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

static void release_events(void) {
  while (event_count > 0) check(clReleaseEvent(events[--event_count]));
}

static void enqueue(cl_command_queue queue, cl_kernel kernel, size_t global) {
  cl_event* event = takes_events ? &events[event_count++] : NULL;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, event));
  if (event_count == most_events) release_events();
}

/* Bytes that don't get smaller; each write takes others of them. */
static void write_often(cl_command_queue queue, cl_kernel kernel, cl_mem to, uint32_t count) {
  uint32_t* random = malloc(2 * write_bytes);
  uint32_t state = 1;
  for (size_t i = 0; i < 2 * write_bytes / 4; ++i) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    random[i] = state;
  }
  for (uint32_t i = 0; i < count; ++i) {
    random[0] = i;
    check(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, write_bytes,
                               (char*)random + (size_t)(i * 4099u % write_bytes), 0, NULL, NULL));
    enqueue(queue, kernel, write_bytes / 4);
  }
  check(clFinish(queue));
  free(random);
}

static void map_often(cl_command_queue queue, cl_kernel kernel, cl_mem to, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    cl_int status;
    char* bytes =
        clEnqueueMapBuffer(queue, to, CL_TRUE, CL_MAP_WRITE, 0, map_bytes, 0, NULL, NULL, &status);
    check(status);
    for (uint32_t page = 0; page < 16; ++page)
      memcpy(bytes + (size_t)(page * 65536 + i % 1000 * 4), &i, sizeof i);
    check(clEnqueueUnmapMemObject(queue, to, bytes, 0, NULL, NULL));
    enqueue(queue, kernel, map_bytes / 4);
  }
  check(clFinish(queue));
}

static void allocate_often(cl_context context, cl_command_queue queue, cl_kernel kernel,
                           uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    cl_int status;
    cl_mem one = clCreateBuffer(context, CL_MEM_READ_WRITE, items * 4, NULL, &status);
    check(status);
    check(clSetKernelArg(kernel, 0, sizeof one, &one));
    enqueue(queue, kernel, items);
    check(clReleaseMemObject(one));
    if (i % 64 == 63) check(clFinish(queue));
  }
  check(clFinish(queue));
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr,
            "Usage: layer_work small|arguments|large|writes|maps|allocations|calls|start COUNT\n");
    return 2;
  }
  const char* work = argv[1];
  const uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
  const int is_large = strcmp(work, "large") == 0, sets = strcmp(work, "arguments") == 0;
  const int writes = strcmp(work, "writes") == 0, maps = strcmp(work, "maps") == 0;
  takes_events = getenv("LAYER_WORK_EVENTS") != NULL;
  pthread_t thread;
  if (takes_events) check(pthread_create(&thread, NULL, sleep_on, NULL));
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  check(clGetPlatformIDs(1, &platform, NULL));
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status);
  const cl_queue_properties stamped[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  const int has_stamps = takes_events || getenv("LAYER_WORK_STAMPS") != NULL;
  cl_command_queue queue =
      clCreateCommandQueueWithProperties(context, device, has_stamps ? stamped : NULL, &status);
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
  const size_t size = is_large ? large_bytes
                      : writes ? write_bytes
                      : maps   ? map_bytes
                               : items * sizeof(cl_uint);
  const size_t global = is_large ? large_bytes / 16 : size / 4;
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
  } else if (writes) {
    write_often(queue, kernel, first, count);
  } else if (maps) {
    map_often(queue, kernel, first, count);
  } else if (strcmp(work, "allocations") == 0) {
    allocate_often(context, queue, kernel, count);
  } else {
    for (uint32_t i = 0; i < count; ++i) {
      if (sets) {
        by = i;
        check(clSetKernelArg(kernel, 1, sizeof by, &by));
      }
      enqueue(queue, kernel, global);
    }
    check(clFinish(queue));
  }
  release_events();
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
