/* app_capture - a plain OpenCL program in C that says itself which of its work is worth a look.
 *
 *   app_capture [path]                           runs as if Reel did not exist
 *   OPENCL_LAYERS=…/libreel_layer.so app_capture [path]     captures its third step
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "reel_app.h"

enum { count = 1024, steps = 5, interesting = 2 };

static const char* source =
    "kernel void scale(global float* x, float by) { x[get_global_id(0)] *= by; }";

static void check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "%s failed: %d\n", call, (int)status);
  exit(1);
}

static cl_device_id first_device(void) {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    puts("SKIPPED: the OpenCL device is not here");
    exit(0);
  }
  return device;
}

static void run_step(cl_command_queue queue, cl_kernel kernel, int number) {
  const size_t items = count;
  const cl_float by = (cl_float)(number + 1);
  char name[32];
  snprintf(name, sizeof name, "step%d", number);
  reel_app_push_scope(name);
  check(clSetKernelArg(kernel, 1, sizeof by, &by), "clSetKernelArg");
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
  reel_app_pop_scope();
}

int main(int argument_count, char** arguments) {
  static cl_float x[count];
  cl_int status = CL_SUCCESS;
  cl_device_id device = first_device();
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  cl_kernel kernel;
  cl_mem buffer;
  int i;

  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  kernel = clCreateKernel(program, "scale", &status);
  check(status, "clCreateKernel");
  for (i = 0; i < count; ++i) x[i] = 1;
  buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
  check(status, "clCreateBuffer");
  reel_app_label(buffer, "x");
  check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer), "clSetKernelArg");

  for (i = 0; i < steps; ++i) {
    if (i == interesting && reel_app_start(argument_count > 1 ? arguments[1] : "step.reel") < 0)
      fprintf(stderr, "no capture: %s\n", reel_app_last_error());
    run_step(queue, kernel, i);
    if (i == interesting) reel_app_stop();
  }

  check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL),
        "clEnqueueReadBuffer");
  printf("1 * 2 * 3 * 4 * 5 = %g; Reel is %s\n", (double)x[count - 1],
         reel_app() ? "here" : "not here");
  return x[count - 1] == 120 ? 0 : 1;
}
