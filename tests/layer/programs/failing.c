// failing.c - commands that the driver takes, and that end with an error; then others go on.
#include "machine.h"

static const char* source =
    "kernel void advance(global uint* values, uint by) {\n"
    "  values[get_global_id(0)] = values[get_global_id(0)] * 3 + by;\n"
    "}\n";

enum { count = 1024, size = count * sizeof(cl_uint) };

int main(void) {
  Machine machine = open_machine(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_kernel advance = build_kernel(&machine, source, "advance");
  static cl_uint values[count];
  fill_scrambled(values, size, 9);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  set_memory(advance, 0, buffer);
  const size_t items = count;
  for (cl_uint i = 0; i < 3; ++i) {
    set_argument(advance, 1, sizeof i, &i);
    run(&machine, advance, count);
    CHECK(clFinish(machine.queue));
    cl_int status, state = CL_QUEUED;
    cl_event gate = clCreateUserEvent(machine.context, &status), event;
    CHECK(status);
    CHECK(clEnqueueNDRangeKernel(machine.queue, advance, 1, NULL, &items, NULL, 1, &gate, &event));
    CHECK(clFlush(machine.queue));
    CHECK(clSetUserEventStatus(gate, -42));
    while (state > CL_COMPLETE)
      CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    printf("ended with %d\n", state);
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseEvent(gate));
    digest_buffer(&machine, "left as it was", buffer, size);
  }
  run(&machine, advance, count);
  CHECK(clFinish(machine.queue));
  digest_buffer(&machine, "afterwards", buffer, size);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(advance));
  close_machine(&machine);
  return 0;
}
