// fake_calls.c - drives the driver that misbehaves, and prints each answer. Goes on whatever it
// hears.
#include "layer/programs/machine.h"

static void show(const char* call, cl_int status, const void* object) {
  printf("%s %d %s\n", call, status, object ? "there" : "null");
}

static void use_buffer(cl_command_queue queue, cl_kernel kernel, cl_mem buffer, size_t size) {
  unsigned char bytes[256];
  fill_scrambled(bytes, sizeof bytes, (uint32_t)size);
  cl_event event = NULL;
  cl_int status = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
  show("write", status, NULL);
  status = clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 4, size - 4, bytes, 0, NULL, &event);
  show("write with event", status, event);
  if (kernel) {
    show("argument", clSetKernelArg(kernel, 0, sizeof buffer, &buffer), NULL);
    show("argument", clSetKernelArg(kernel, 1, 4, bytes), NULL);
    for (size_t items = 1; items < 6; ++items) {
      cl_event done = NULL;
      status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, event != NULL,
                                      event ? &event : NULL, items % 2 ? &done : NULL);
      show("kernel", status, done);
      if (done) {
        cl_ulong stamp = 7;
        show("wait", clWaitForEvents(1, &done), NULL);
        status =
            clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof stamp, &stamp, NULL);
        printf("start %d %d\n", status, stamp == 7);
        show("release", clReleaseEvent(done), NULL);
      }
    }
  }
  if (event) show("release", clReleaseEvent(event), NULL);
  void* mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 8, size - 8,
                                    0, NULL, NULL, &status);
  show("map", status, mapped);
  if (mapped) ((unsigned char*)mapped)[1] = 99;
  show("unmap", clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), NULL);
  show("finish", clFinish(queue), NULL);
  for (size_t at = 0; at < 64; at += 16) {
    memset(bytes, 0, sizeof bytes);
    status = clEnqueueReadBuffer(queue, buffer, CL_TRUE, at, size - at, bytes, 0, NULL, NULL);
    show("read", status, NULL);
    if (status == CL_SUCCESS) digest("bytes", bytes, sizeof bytes);
  }
  show("flush", clFlush(queue), NULL);
}

int main(void) {
  cl_platform_id platform = NULL;
  cl_device_id device = NULL;
  cl_int status = clGetPlatformIDs(1, &platform, NULL);
  show("platform", status, platform);
  if (!platform) return 0;
  size_t size = 0;
  show("name", clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &size), NULL);
  printf("%zu characters\n", size);
  status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  show("device", status, device);
  if (!device) return 0;
  char name[16];
  show("short name", clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), NULL);

  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  show("context", status, context);
  if (!context) return 0;
  const cl_command_queue_properties properties[] = {0, CL_QUEUE_PROFILING_ENABLE};
  for (int q = 0; q < 2; ++q) {
    cl_command_queue queue = clCreateCommandQueue(context, device, properties[q], &status);
    show("queue", status, queue);
    if (!queue) continue;
    const char* source = "kernel void add(global uchar* a, uint n) { a[get_global_id(0)] += 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    show("program", status, program);
    cl_kernel kernel = NULL;
    if (program) {
      show("build", clBuildProgram(program, 1, &device, "-DA", NULL, NULL), NULL);
      kernel = clCreateKernel(program, "add", &status);
      show("kernel object", status, kernel);
    }
    for (size_t bytes = 64; bytes <= 256; bytes += 64) {
      cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
      show("buffer", status, buffer);
      if (buffer) {
        use_buffer(queue, kernel, buffer, bytes);
        show("retain", clRetainMemObject(buffer), NULL);
        show("release", clReleaseMemObject(buffer), NULL);
        show("release", clReleaseMemObject(buffer), NULL);
      }
    }
    if (kernel) show("release", clReleaseKernel(kernel), NULL);
    if (program) show("release", clReleaseProgram(program), NULL);
    show("release", clReleaseCommandQueue(queue), NULL);
  }
  show("release", clReleaseContext(context), NULL);
  return 0;
}
