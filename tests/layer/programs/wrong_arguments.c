// wrong_arguments.c - calls that make no sense: the driver's answer must reach the program as it
// is.
//
// Null, sizes, flags and orders that are wrong; no freed or foreign pointers, which a driver may
// follow, and nothing that PoCL 3.1 crashes at: a local size of 0, a null kernel.
#include "machine.h"

static const char* source =
    "kernel void set(global int* a, int v, local int* l) { l[0] = v; a[get_global_id(0)] = l[0]; "
    "}\n";

static int number;
static void show(cl_int status) { printf("%d: %d\n", number++, status); }

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel set = build_kernel(&machine, source, "set");
  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, 4096, NULL);
  cl_command_queue queue = machine.queue;
  char bytes[64] = {0};
  const size_t one = 1, huge = 1 << 20, three[3] = {1, 1, 1};
  cl_int status = 77;
  cl_event event = NULL;

  show(clGetPlatformIDs(0, NULL, NULL));
  show(clGetPlatformIDs(0, (cl_platform_id*)bytes, NULL));
  show(clGetDeviceIDs(machine.platform, CL_DEVICE_TYPE_GPU, 1, &machine.device, NULL));
  show(clGetDeviceIDs(machine.platform, 0, 1, &machine.device, NULL));
  CHECK(clGetDeviceIDs(machine.platform, CL_DEVICE_TYPE_ALL, 1, &machine.device, NULL));
  clCreateContext(NULL, 0, NULL, NULL, NULL, &status);
  show(status);
  clCreateContext(NULL, 1, &machine.device, NULL, bytes, &status);  // data for no callback
  show(status);
  clCreateBuffer(machine.context, CL_MEM_READ_WRITE, 0, NULL, &status);
  show(status);
  clCreateBuffer(machine.context, CL_MEM_USE_HOST_PTR, 64, NULL, &status);
  show(status);
  clCreateBuffer(machine.context, CL_MEM_READ_WRITE, 64, bytes, &status);
  show(status);
  clCreateBuffer(machine.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &status);
  show(status);
  show(clCreateBuffer(NULL, CL_MEM_READ_WRITE, 64, NULL, NULL) == NULL);  // no place for a status
  const cl_buffer_region past_the_end = {4000, 200}, empty = {0, 0};
  clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &past_the_end, &status);
  show(status);
  clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &status);
  show(status);
  clCreateSubBuffer(buffer, 0, 0, &past_the_end, &status);
  show(status);
  show(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4090, 64, bytes, 0, NULL, NULL));
  show(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, NULL, 0, NULL, NULL));
  show(clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
  show(clEnqueueReadBuffer(NULL, buffer, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
  show(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, bytes, 1, NULL, NULL));
  show(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, bytes, 0, &event, NULL));
  show(
      clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, bytes, 1, &event, NULL));  // a null event
  show(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 8, 64, 0, NULL, NULL));         // overlaps
  show(clEnqueueCopyBuffer(queue, buffer, NULL, 0, 8, 64, 0, NULL, NULL));
  show(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4090, 64, 0, NULL, NULL));
  show(clEnqueueFillBuffer(queue, buffer, NULL, 4, 0, 64, 0, NULL, NULL));
  clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 4090, 64, 0, NULL, NULL, &status);
  show(status);
  clEnqueueMapBuffer(queue, NULL, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &status);
  show(status);
  show(clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 4090, 64, 0, NULL, NULL, NULL) ==
       NULL);
  show(clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL));
  show(
      clEnqueueNDRangeKernel(queue, set, 1, NULL, &one, NULL, 0, NULL, NULL));  // arguments not set
  set_memory(set, 0, buffer);
  set_argument(set, 2, 16, NULL);
  show(clEnqueueNDRangeKernel(queue, set, 1, NULL, &one, NULL, 0, NULL, NULL));  // one isn't
  show(clSetKernelArg(set, 9, 4, bytes));
  show(clSetKernelArg(set, 1, 3, bytes));
  show(clSetKernelArg(set, 1, 4, NULL));
  show(clSetKernelArg(set, 2, 0, NULL));
  show(clSetKernelArg(set, 2, 4, bytes));  // a value for local memory
  show(clSetKernelArg(NULL, 0, 4, bytes));
  set_argument(set, 1, 4, bytes);
  show(clEnqueueNDRangeKernel(queue, set, 0, NULL, &one, NULL, 0, NULL, NULL));
  show(clEnqueueNDRangeKernel(queue, set, 4, NULL, three, NULL, 0, NULL, NULL));
  show(clEnqueueNDRangeKernel(queue, set, 1, NULL, &huge, &huge, 0, NULL, NULL));
  show(clEnqueueNDRangeKernel(NULL, set, 1, NULL, &one, NULL, 0, NULL, NULL));
  show(clWaitForEvents(0, NULL));
  show(clWaitForEvents(1, &event));
  show(clFinish(NULL));
  show(clFlush(NULL));
  show(clReleaseMemObject(NULL));
  show(clReleaseKernel(NULL));
  show(clReleaseEvent(NULL));
  show(clRetainContext(NULL));
  show(clGetMemObjectInfo(buffer, 0xffff, sizeof bytes, bytes, NULL));
  show(clGetMemObjectInfo(buffer, CL_MEM_SIZE, 1, bytes, NULL));
  show(clGetKernelInfo(set, 0xffff, sizeof bytes, bytes, NULL));
  clCreateKernel(NULL, "set", &status);
  show(status);
  cl_program program = build_program(&machine, source, "");
  clCreateKernel(program, "no_such_kernel", &status);
  show(status);
  clCreateKernel(program, NULL, &status);
  show(status);
  CHECK(clReleaseProgram(program));
  clCreateProgramWithSource(machine.context, 0, NULL, NULL, &status);
  show(status);
  clCreateUserEvent(NULL, &status);
  show(status);
  const cl_queue_properties nonsense[] = {12345, 1, 0};
  clCreateCommandQueueWithProperties(machine.context, machine.device, nonsense, &status);
  show(status);
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D};
  clCreateImage(machine.context, CL_MEM_READ_WRITE, &format, &flat, NULL, &status);
  show(status);
  clCreateImage(machine.context, CL_MEM_READ_WRITE, NULL, &flat, NULL, &status);
  show(status);
  show(clSVMAlloc(machine.context, CL_MEM_READ_WRITE, 0, 0) == NULL);
  show(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, bytes, 4, 0, NULL, NULL));
  show(clSetEventCallback(NULL, CL_COMPLETE, NULL, NULL));

  // After all that the machine works as before.
  const int value = 5;
  set_argument(set, 1, sizeof value, &value);
  run(&machine, set, 1024);
  digest_buffer(&machine, "after", buffer, 4096);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(set));
  close_machine(&machine);
  return 0;
}
