// polling.c - orders two queues by looking whether a command is done, and never waits for it:
// polling <status|times|callback>.
#include <stdatomic.h>
#include <unistd.h>

#include "machine.h"

static const char* source =
    "kernel void slow(global uint* values, uint by) {\n"
    "  uint value = values[get_global_id(0)];\n"
    "  for (int i = 0; i < 20000; ++i) value = value * 1664525u + by;\n"
    "  values[get_global_id(0)] = value;\n"
    "}\n"
    "kernel void quick(global uint* values, uint by) {\n"
    "  values[get_global_id(0)] = values[get_global_id(0)] * 3u + by;\n"
    "}\n";

enum { count = 2048, size = count * sizeof(cl_uint), steps = 10 };

static atomic_int called;

static void CL_CALLBACK call_back(cl_event event, cl_int status, void* data) {
  (void)event;
  if (status == CL_COMPLETE && data == &called) atomic_fetch_add(&called, 1);
}

static int is_done(const char* way, cl_event event, int step) {
  if (!strcmp(way, "callback")) return atomic_load(&called) > step;
  if (!strcmp(way, "times")) {
    cl_ulong ns = 0;
    const cl_int status =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL);
    return status == CL_SUCCESS && ns != 0;
  }
  cl_int state = CL_QUEUED;
  CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  return state == CL_COMPLETE;
}

int main(int argc, char** argv) {
  EXPECT(argc == 2);
  Machine machine = open_machine(CL_QUEUE_PROFILING_ENABLE);
  cl_command_queue queues[2] = {
      machine.queue, open_queue(machine.context, machine.device, CL_QUEUE_PROFILING_ENABLE)};
  cl_kernel kernels[2] = {build_kernel(&machine, source, "slow"),
                          build_kernel(&machine, source, "quick")};
  static cl_uint values[count];
  fill_scrambled(values, size, 3);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  const size_t items = count;
  for (cl_uint i = 0; i < steps; ++i) {
    const int at = (int)(i % 2);
    set_memory(kernels[at], 0, buffer);
    set_argument(kernels[at], 1, sizeof i, &i);
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queues[at], kernels[at], 1, NULL, &items, NULL, 0, NULL, &event));
    if (!strcmp(argv[1], "callback")) {
      CHECK(clSetEventCallback(event, CL_COMPLETE, call_back, &called));
      EXPECT(clSetEventCallback(event, CL_COMPLETE, NULL, NULL) == CL_INVALID_VALUE);
      EXPECT(clSetEventCallback(event, 77, call_back, NULL) == CL_INVALID_VALUE);
    }
    CHECK(clFlush(queues[at]));
    while (!is_done(argv[1], event, (int)i)) usleep(100);
    CHECK(clReleaseEvent(event));
  }
  digest_buffer(&machine, "result", buffer, size);
  printf("called back %d times\n", atomic_load(&called));
  CHECK(clReleaseMemObject(buffer));
  for (int i = 0; i < 2; ++i) CHECK(clReleaseKernel(kernels[i]));
  CHECK(clReleaseCommandQueue(queues[1]));
  close_machine(&machine);
  return 0;
}
