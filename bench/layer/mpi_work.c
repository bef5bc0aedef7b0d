/* mpi_work.c - calls of MPI by a process alone, to be measured with and without what records them.
 *
 *   mpi_work mpi N      one kernel of OpenCL, so that there is a document, and N calls of
 * MPI_Allreduce
 *
 * The communicator is the process's own, so that a call takes as little as MPI lets it. Prints the
 * nanoseconds of the loop by the clock on the wall, those of the CPU in all threads, and a number
 * made of the results. */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "mpi_work: %s: %d\n", what, status);
  exit(1);
}

static void run_kernel(void) {
  static const char* source = "kernel void small(global uint* x) { x[get_global_id(0)] += 1; }";
  const size_t items = 1024;
  cl_platform_id platform;
  cl_device_id device;
  cl_int status = 0;
  check(clGetPlatformIDs(1, &platform, NULL), "platform");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "context");
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
  check(status, "queue");
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
  cl_kernel kernel = clCreateKernel(program, "small", &status);
  check(status, "kernel");
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, items * 4, NULL, &status);
  check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument");
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "run");
  check(clFinish(queue), "finish");
}

static int64_t now_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int main(int argc, char** argv) {
  const long count = argc > 2 ? atol(argv[2]) : 1;
  /* Alone, without a daemon that would be captured, too. */
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  MPI_Init(&argc, &argv);
  run_kernel();
  int own = 1, all = 0;
  int64_t sum = 0;
  const int64_t wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  for (long i = 0; i < count; ++i) {
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    sum += all;
  }
  printf("%lld %lld %lld\n", (long long)(now_ns(CLOCK_MONOTONIC) - wall),
         (long long)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu), (long long)sum);
  MPI_Finalize();
  return 0;
}
