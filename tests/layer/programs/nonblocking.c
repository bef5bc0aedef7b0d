// nonblocking.c - writes and reads whose memory counts only until, or only after, a later wait.
#include "machine.h"

static const char* source =
    "kernel void square(global uint* values) { size_t i = get_global_id(0); values[i] *= "
    "values[i]; }\n";

enum { count = 20000, size = count * sizeof(cl_uint), rounds = 6 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel square = build_kernel(&machine, source, "square");
  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
  set_memory(square, 0, buffer);
  cl_uint *in[rounds], *out[rounds];
  cl_event written[rounds], read[rounds];
  cl_int status;
  // Nothing runs before the gate opens, so no read can be done when its call returns.
  cl_event gate = clCreateUserEvent(machine.context, &status);
  CHECK(status);
  for (uint32_t i = 0; i < rounds; ++i) {
    in[i] = malloc(size);
    out[i] = malloc(size);
    fill_scrambled(in[i], size, i);
    memset(out[i], 0xcd, size);
    CHECK(clEnqueueWriteBuffer(machine.queue, buffer, CL_FALSE, 0, size, in[i], i == 0,
                               i == 0 ? &gate : NULL, &written[i]));
    run(&machine, square, count);
    CHECK(clEnqueueReadBuffer(machine.queue, buffer, CL_FALSE, 0, size, out[i], 0, NULL, &read[i]));
  }
  // Changed before the write begins: this is what must arrive.
  in[0][5] = 12345;
  CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
  for (int i = 0; i < rounds; ++i) {
    CHECK(clWaitForEvents(1, &written[i]));
    memset(in[i], 0xee, size);
    free(in[i]);
    CHECK(clWaitForEvents(1, &read[i]));
    digest("round", out[i], size);
    if (i == 0) EXPECT(out[0][5] == 12345U * 12345U);
    free(out[i]);
    CHECK(clReleaseEvent(written[i]));
    CHECK(clReleaseEvent(read[i]));
  }
  CHECK(clReleaseEvent(gate));

  // By clFinish, and by an event of a command that came after.
  cl_uint* last = malloc(size);
  CHECK(clEnqueueReadBuffer(machine.queue, buffer, CL_FALSE, 0, size, last, 0, NULL, NULL));
  CHECK(clFinish(machine.queue));
  digest("finish", last, size);
  CHECK(clEnqueueReadBuffer(machine.queue, buffer, CL_FALSE, 4, size - 4, last, 0, NULL, NULL));
  cl_event marker;
  CHECK(clEnqueueMarkerWithWaitList(machine.queue, 0, NULL, &marker));
  CHECK(clWaitForEvents(1, &marker));
  CHECK(clReleaseEvent(marker));
  digest("marker", last, size - 4);
  free(last);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(square));
  close_machine(&machine);
  return 0;
}
