// user_events.c - work that waits for events of the program, completed late by another thread.
#include <pthread.h>
#include <unistd.h>

#include "machine.h"

static const char* source =
    "kernel void append(global uint* log, uint value) { log[log[0]++ + 1] = value; }\n";

enum { gates = 5 };

static void* open_gates(void* given) {
  cl_event* gate = given;
  for (int i = 0; i < gates; ++i) {
    usleep(3000);
    CHECK(clSetUserEventStatus(gate[i], CL_COMPLETE));
  }
  return NULL;
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel append = build_kernel(&machine, source, "append");
  cl_uint log[64] = {0};
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof log, log);
  set_memory(append, 0, buffer);
  cl_event gate[gates], done;
  cl_int status;
  const size_t one = 1;
  for (cl_uint i = 0; i < gates; ++i) {
    gate[i] = clCreateUserEvent(machine.context, &status);
    CHECK(status);
    set_argument(append, 1, sizeof i, &i);
    CHECK(clEnqueueNDRangeKernel(machine.queue, append, 1, NULL, &one, NULL, 1, &gate[i],
                                 i + 1 == gates ? &done : NULL));
  }
  cl_int state = 1;
  CHECK(clFlush(machine.queue));
  CHECK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  EXPECT(state != CL_COMPLETE);
  pthread_t opener;
  EXPECT(pthread_create(&opener, NULL, open_gates, gate) == 0);
  CHECK(clWaitForEvents(1, &done));
  EXPECT(pthread_join(opener, NULL) == 0);
  EXPECT(clSetUserEventStatus(gate[0], CL_COMPLETE) == CL_INVALID_OPERATION);
  digest_buffer(&machine, "log", buffer, sizeof log);
  for (int i = 0; i < gates; ++i) CHECK(clReleaseEvent(gate[i]));
  CHECK(clReleaseEvent(done));
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(append));
  close_machine(&machine);
  return 0;
}
