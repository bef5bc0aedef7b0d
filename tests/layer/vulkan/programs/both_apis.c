// both_apis.c - one process with OpenCL and Vulkan: each computes, and one's results feed the
// other.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "advance.h"
#include "machine.h"

enum { size = 4096 * 4 };

int main(void) {
  const char* text =
      "kernel void stir(global uint* v) { size_t i = get_global_id(0); v[i] = v[i] * 7 + (uint)i; "
      "}";
  cl_platform_id platform;
  cl_device_id device;
  cl_int status = clGetPlatformIDs(1, &platform, NULL);
  EXPECT(status == CL_SUCCESS);
  EXPECT(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  EXPECT(clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS);
  cl_kernel stir = clCreateKernel(program, "stir", &status);
  EXPECT(status == CL_SUCCESS);

  Machine machine = open_machine();
  Buffer values = make_storage(&machine, size, 1);
  Kernel kernel = make_kernel(&machine, SHADER(advance), 1, 8);
  VkDescriptorSet set = BIND(&machine, &kernel, &values);
  cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &status);
  for (uint32_t round = 0; round < 5; ++round) {
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &kernel, set);
    push_two(commands, &kernel, 3, round);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_for_host(commands);
    end_and_run(&machine, commands);
    const size_t items = size / 4;
    EXPECT(!clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, size, values.bytes, 0, NULL, NULL));
    EXPECT(!clSetKernelArg(stir, 0, sizeof memory, &memory));
    EXPECT(!clEnqueueNDRangeKernel(queue, stir, 1, NULL, &items, NULL, 0, NULL, NULL));
    EXPECT(!clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, values.bytes, 0, NULL, NULL));
    digest_buffer("round", &values);
  }
  clReleaseMemObject(memory);
  clReleaseKernel(stir);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  free_kernel(&machine, &kernel);
  free_buffer(&machine, &values);
  close_machine(&machine);
  return 0;
}
