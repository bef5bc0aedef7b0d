// queries.c - what objects say of themselves: properties, counts, owners, arguments.
//
// Nobody may see that somebody else looks on.
#include "machine.h"

static const char* source =
    "kernel void described(global const float* in, global float* out, local int* l, const uint n) "
    "{\n"
    "  out[get_global_id(0)] = in[0] + n;\n"
    "}\n";

static void show_queue(cl_command_queue queue) {
  cl_command_queue_properties properties = 77;
  cl_uint references = 77;
  cl_queue_properties array[8] = {77};
  size_t size = 77;
  CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
  CHECK(
      clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL));
  const cl_int status =
      clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof array, array, &size);
  printf("queue %llu, %u references, array %d of %zu bytes\n", (unsigned long long)properties,
         references, status, size);
  if (status == CL_SUCCESS) digest("array", array, size);
}

static void show_event(const char* label, cl_event event) {
  cl_command_type type = 77;
  cl_command_queue queue = NULL;
  cl_context context = NULL;
  CHECK(clWaitForEvents(1, &event));
  CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(void*), &queue, NULL));
  CHECK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(void*), &context, NULL));
  printf("%s type %x, queue %d, context %d\n", label, type, queue != NULL, context != NULL);
  CHECK(clReleaseEvent(event));
}

int main(void) {
  Machine machine = open_machine(0);
  cl_uint references = 77;
  const cl_queue_properties empty[] = {0};
  const cl_queue_properties both[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status;
  cl_command_queue queues[] = {
      machine.queue,
      clCreateCommandQueueWithProperties(machine.context, machine.device, empty, &status),
      clCreateCommandQueueWithProperties(machine.context, machine.device, both, &status),
      open_queue(machine.context, machine.device, CL_QUEUE_PROFILING_ENABLE),
      clCreateCommandQueue(machine.context, machine.device, CL_QUEUE_PROFILING_ENABLE, &status),
      clCreateCommandQueue(machine.context, machine.device, 0, &status)};
  for (int i = 0; i < 6; ++i) show_queue(queues[i]);
  for (int i = 1; i < 6; ++i) CHECK(clReleaseCommandQueue(queues[i]));

  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, 4096, NULL);
  cl_mem_flags flags = 0;
  CHECK(clRetainMemObject(buffer));
  CHECK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL));
  CHECK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
  printf("buffer %u references, flags %llx\n", references, (unsigned long long)flags);
  CHECK(clReleaseMemObject(buffer));

  cl_program program = build_program(&machine, source, "-cl-kernel-arg-info");
  cl_kernel kernel = clCreateKernel(program, "described", &status);
  CHECK(status);
  CHECK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references, NULL));
  printf("kernel %u references\n", references);
  CHECK(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof references, &references, NULL));
  char text[4096] = "";
  CHECK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, NULL));
  digest("source", text, strlen(text));
  CHECK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
  printf("names %s\n", text);
  for (cl_uint i = 0; i < 4; ++i) {
    cl_kernel_arg_address_qualifier space = 0;
    char name[64] = "", type[64] = "";
    printf("argument %d", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                             sizeof space, &space, NULL));
    printf(" %d", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    printf(" %d %x %s %s\n",
           clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL), space,
           type, name);
  }
  size_t largest = 0;
  CHECK(clGetKernelWorkGroupInfo(kernel, machine.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof largest,
                                 &largest, NULL));
  printf("largest group %zu\n", largest);

  cl_event event;
  CHECK(clEnqueueFillBuffer(machine.queue, buffer, &flags, 4, 0, 64, 0, NULL, &event));
  show_event("fill", event);
  CHECK(clEnqueueReadBuffer(machine.queue, buffer, CL_FALSE, 0, 64, text, 0, NULL, &event));
  show_event("read", event);
  CHECK(clEnqueueMarkerWithWaitList(machine.queue, 0, NULL, &event));
  show_event("marker", event);
  event = clCreateUserEvent(machine.context, &status);
  CHECK(status);
  CHECK(clSetUserEventStatus(event, CL_COMPLETE));
  show_event("user", event);
  cl_device_id device = NULL;
  CHECK(clGetContextInfo(machine.context, CL_CONTEXT_DEVICES, sizeof(void*), &device, NULL));
  EXPECT(device == machine.device);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(kernel));
  CHECK(clReleaseProgram(program));
  close_machine(&machine);
  return 0;
}
