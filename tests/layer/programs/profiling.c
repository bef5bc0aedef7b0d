// profiling.c - times asked for on a queue that has them, and refused on one that doesn't.
#include "machine.h"

static const char* source =
    "kernel void spin(global uint* values) {\n"
    "  uint v = values[get_global_id(0)];\n"
    "  for (int i = 0; i < 100; ++i) v = v * 1664525u + 1013904223u;\n"
    "  values[get_global_id(0)] = v;\n"
    "}\n";

enum { count = 4096, size = count * sizeof(cl_uint) };

static void ask(const char* label, cl_event event) {
  const cl_profiling_info which[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                     CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
  cl_ulong stamps[4] = {0};
  cl_int status[4];
  CHECK(clWaitForEvents(1, &event));
  for (int i = 0; i < 4; ++i)
    status[i] = clGetEventProfilingInfo(event, which[i], sizeof stamps[i], &stamps[i], NULL);
  const int in_order = stamps[0] <= stamps[1] && stamps[1] <= stamps[2] && stamps[2] <= stamps[3];
  printf("%s %d %d %d %d, in order %d, there %d\n", label, status[0], status[1], status[2],
         status[3], in_order, stamps[0] > 0);
  size_t needed = 0;
  printf("%s size %d", label, clGetEventProfilingInfo(event, which[3], 0, NULL, &needed));
  printf(" %zu, too small %d\n", needed, clGetEventProfilingInfo(event, which[3], 4, stamps, NULL));
  CHECK(clReleaseEvent(event));
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel spin = build_kernel(&machine, source, "spin");
  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
  const cl_uint one = 1;
  CHECK(clEnqueueFillBuffer(machine.queue, buffer, &one, 4, 0, size, 0, NULL, NULL));
  set_memory(spin, 0, buffer);
  CHECK(clFinish(machine.queue));
  cl_command_queue profiled =
      open_queue(machine.context, machine.device, CL_QUEUE_PROFILING_ENABLE);
  cl_command_queue queues[] = {profiled, machine.queue};
  const char* labels[] = {"profiled", "plain"};
  for (int i = 0; i < 2; ++i) {
    const size_t items = count;
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queues[i], spin, 1, NULL, &items, NULL, 0, NULL, &event));
    ask(labels[i], event);
    cl_uint found[4];
    CHECK(
        clEnqueueReadBuffer(queues[i], buffer, CL_FALSE, 0, sizeof found, found, 0, NULL, &event));
    ask(labels[i], event);
    CHECK(clEnqueueMarkerWithWaitList(queues[i], 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    cl_ulong stamp;
    printf("marker %d\n",
           clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof stamp, &stamp, NULL));
    CHECK(clReleaseEvent(event));
    CHECK(clFinish(queues[i]));
  }
  cl_int status;
  cl_event user = clCreateUserEvent(machine.context, &status);
  CHECK(status);
  CHECK(clSetUserEventStatus(user, CL_COMPLETE));
  cl_ulong stamp;
  printf("user event %d\n",
         clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof stamp, &stamp, NULL));
  CHECK(clReleaseEvent(user));
  digest_buffer(&machine, "values", buffer, size);
  CHECK(clReleaseCommandQueue(profiled));
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(spin));
  close_machine(&machine);
  return 0;
}
