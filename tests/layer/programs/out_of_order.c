// out_of_order.c - a queue without order of its own: wait lists, markers and barriers make it.
#include "machine.h"

static const char* source =
    "kernel void blend(global const uint* a, global const uint* b, global uint* c, uint salt) {\n"
    "  size_t i = get_global_id(0);\n"
    "  c[i] = a[i] * 5 + b[i] * 3 + salt;\n"
    "}\n";

enum { count = 2048, size = count * sizeof(cl_uint), lanes = 8, rounds = 12 };

int main(void) {
  Machine machine = open_machine(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_kernel blend = build_kernel(&machine, source, "blend");
  cl_mem buffers[2][lanes];
  cl_event events[2][lanes];
  cl_uint values[count];
  for (uint32_t i = 0; i < lanes; ++i) {
    fill_scrambled(values, size, i);
    buffers[0][i] = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
    buffers[1][i] = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
    CHECK(clEnqueueMarkerWithWaitList(machine.queue, 0, NULL, &events[0][i]));
  }
  // Each lane of a round reads two lanes of the round before, and waits for whoever reads what it
  // overwrites: those two, and the two that read it a round ago, which were waited for by them.
  for (cl_uint round = 0; round < rounds; ++round) {
    const int from = (int)round % 2, to = 1 - from;
    cl_event made[lanes];
    for (cl_uint i = 0; i < lanes; ++i) {
      const cl_uint j = (i + 1 + round % 3) % lanes;
      const cl_uint salt = round * lanes + i;
      set_memory(blend, 0, buffers[from][i]);
      set_memory(blend, 1, buffers[from][j]);
      set_memory(blend, 2, buffers[to][i]);
      set_argument(blend, 3, sizeof salt, &salt);
      const size_t items = count;
      CHECK(clEnqueueNDRangeKernel(machine.queue, blend, 1, NULL, &items, NULL, lanes, events[from],
                                   &made[i]));
    }
    for (int i = 0; i < lanes; ++i) CHECK(clReleaseEvent(events[from][i]));
    memcpy(events[to], made, sizeof made);
  }
  const int last = rounds % 2;
  // A marker that waits for the last round, and a barrier for all.
  cl_event marker, barrier;
  CHECK(clEnqueueMarkerWithWaitList(machine.queue, lanes, events[last], &marker));
  CHECK(clEnqueueCopyBuffer(machine.queue, buffers[last][0], buffers[1 - last][0], 0, 0, size, 1,
                            &marker, NULL));
  CHECK(clEnqueueBarrierWithWaitList(machine.queue, 0, NULL, &barrier));
  const cl_uint pattern = 0x01020304;
  CHECK(clEnqueueFillBuffer(machine.queue, buffers[1 - last][0], &pattern, 4, 100, 400, 0, NULL,
                            NULL));
  CHECK(clEnqueueBarrier(machine.queue));
  CHECK(clEnqueueCopyBuffer(machine.queue, buffers[1 - last][0], buffers[last][1], 0, 64, 1024, 0,
                            NULL, NULL));
  CHECK(clEnqueueBarrierWithWaitList(machine.queue, 1, &barrier, NULL));
  CHECK(clFinish(machine.queue));
  CHECK(clReleaseEvent(marker));
  CHECK(clReleaseEvent(barrier));
  for (int i = 0; i < lanes; ++i) {
    digest_buffer(&machine, "lane", buffers[last][i], size);
    CHECK(clReleaseEvent(events[last][i]));
    CHECK(clReleaseMemObject(buffers[0][i]));
    CHECK(clReleaseMemObject(buffers[1][i]));
  }
  CHECK(clReleaseKernel(blend));
  close_machine(&machine);
  return 0;
}
