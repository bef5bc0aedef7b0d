// many_queues.c - several contexts with several queues each, ordered among each other by events.
#include "machine.h"

static const char* source =
    "kernel void turn(global uint* values, uint by) {\n"
    "  size_t i = get_global_id(0);\n"
    "  values[i] = rotate(values[i], 5u) + by;\n"
    "}\n";

enum { count = 4096, size = count * sizeof(cl_uint), contexts = 3, queues = 4, steps = 40 };

int main(void) {
  Machine machines[contexts];
  for (uint32_t c = 0; c < contexts; ++c) {
    machines[c] = open_machine(0);
    cl_command_queue queue[queues] = {machines[c].queue};
    for (int q = 1; q < queues; ++q)
      queue[q] = open_queue(machines[c].context, machines[c].device,
                            q % 2 ? CL_QUEUE_PROFILING_ENABLE : 0);
    cl_kernel turn = build_kernel(&machines[c], source, "turn");
    cl_uint values[count];
    fill_scrambled(values, size, c);
    cl_mem buffer = make_buffer(&machines[c], CL_MEM_COPY_HOST_PTR, size, values);
    set_memory(turn, 0, buffer);
    cl_event before = NULL;
    for (cl_uint i = 0; i < steps; ++i) {
      const size_t items = count;
      cl_event event;
      set_argument(turn, 1, sizeof i, &i);
      CHECK(clEnqueueNDRangeKernel(queue[i % queues], turn, 1, NULL, &items, NULL, before != NULL,
                                   before ? &before : NULL, &event));
      CHECK(clFlush(queue[i % queues]));
      if (before) CHECK(clReleaseEvent(before));
      before = event;
    }
    cl_uint found[count];
    CHECK(clEnqueueReadBuffer(queue[1], buffer, CL_TRUE, 0, size, found, 1, &before, NULL));
    digest("context", found, size);
    CHECK(clReleaseEvent(before));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(turn));
    for (int q = 1; q < queues; ++q) CHECK(clReleaseCommandQueue(queue[q]));
  }
  for (int c = 0; c < contexts; ++c) close_machine(&machines[c]);
  return 0;
}
